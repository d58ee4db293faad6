package idlerule

import (
	"errors"
	"slices"
	"testing"

	"podlife/model"
)

func explore(t *testing.T, c Constants, opts model.Options[State]) model.Result[State] {
	t.Helper()
	sys, err := System(c)
	if err != nil {
		t.Fatal(err)
	}
	opts.MaxStates = 100_000
	r, err := model.Explore(t.Context(), sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The numbers are those of tla/configs/registry.txt.
func TestTheTableHasTheStatesThatTheSpecificationHas(t *testing.T) {
	for _, row := range []struct {
		name                       string
		c                          Constants
		generated, distinct, depth int
	}{
		{"short-time", Constants{MaxTime: 4, Idle: 2, MaxLease: 2, MaxHolds: 2, MaxCrashes: 2}, 6914, 1360, 13},
		{"long-time", Constants{MaxTime: 8, Idle: 3, MaxLease: 4, MaxHolds: 2, MaxCrashes: 2}, 50206, 7440, 17},
		{"due", Constants{MaxTime: 3, Idle: 1, MaxLease: 2, MaxHolds: 1, MaxCrashes: 1}, 1849, 400, 9},
	} {
		t.Run(row.name, func(t *testing.T) {
			var states []State
			backward := 0
			r := explore(t, row.c, model.Options[State]{
				Found: func(_ int, s State, _ int) { states = append(states, s) },
				Took: func(from, to int, _ *model.Step[State]) {
					if !Forward(states[from], states[to]) {
						backward++
					}
				},
			})
			if r.Violation != nil || backward > 0 {
				t.Fatalf("%+v is violated, %d steps make a lease shorter", r.Violation, backward)
			}
			if r.Generated != row.generated || r.Distinct != row.distinct || r.Depth != row.depth {
				t.Errorf("got %d/%d/%d, want %d/%d/%d", r.Generated, r.Distinct, r.Depth, row.generated, row.distinct, row.depth)
			}
			for _, a := range r.Antecedents {
				if a.Reached == 0 {
					t.Errorf("%s is vacuous", a.Invariant)
				}
			}
		})
	}
}

// Without one of its guards or rules the table breaks what the specification does without it, after as many states. The numbers are those of tla/configs/registry.txt.
func TestWhatIsSwitchedOffBreaksWhatItShould(t *testing.T) {
	rows := map[string]struct {
		breaks                     string
		generated, distinct, depth int
	}{
		"Extend.stored":       {LeaseKept, 93, 50, 4},
		"Extend.wakesNothing": {NoWake, 4, 4, 2},
		"Recover.clock":       {NoEarlySleep, 409, 170, 6},
		"Recover.lease":       {LeaseKept, 93, 50, 4},
		"Release.clock":       {NoEarlySleep, 485, 195, 6},
		"Sleep.keepsLease":    {LeaseKept, 75, 44, 4},
		"Sweep.idle":          {NoEarlySleep, 17, 16, 3},
		"Sweep.lease":         {NoEarlySleep, 186, 93, 5},
		"Sweep.noHold":        {NoEarlySleep, 203, 98, 5},
		"Touch.clock":         {NoEarlySleep, 186, 98, 5},
		"Wake.clock":          {NoEarlySleep, 41, 31, 4},
	}
	for _, name := range Switches() {
		if name == Extend+".forward" {
			continue // below
		}
		row, ok := rows[name]
		if !ok {
			t.Errorf("nothing is said of %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			r := explore(t, without(name), model.Options[State]{Invariants: []string{TypeOK, row.breaks}})
			if r.Violation == nil || r.Violation.Invariant != row.breaks {
				t.Fatalf("%+v is violated, want %s", r.Violation, row.breaks)
			}
			if r.Generated != row.generated || r.Distinct != row.distinct || r.Depth != row.depth || len(r.Violation.Path) != row.depth {
				t.Errorf("got %d/%d/%d, want %d/%d/%d", r.Generated, r.Distinct, r.Depth, row.generated, row.distinct, row.depth)
			}
		})
	}
}

// The table has no property of steps: that LeaseForward breaks is looked for among its edges.
func TestALeaseGetsShorterWithoutForward(t *testing.T) {
	var states []State
	level, shortest := map[int]int{}, 0
	explore(t, without(Extend+".forward"), model.Options[State]{
		Invariants: []string{},
		Found:      func(id int, s State, l int) { states = append(states, s); level[id] = l },
		Took: func(from, to int, _ *model.Step[State]) {
			if !Forward(states[from], states[to]) && shortest == 0 {
				shortest = level[from] + 1
			}
		},
	})
	if shortest != 3 {
		t.Errorf("it breaks after %d states, want 3", shortest)
	}
}

func without(name string) Constants {
	return Constants{MaxTime: 3, Idle: 1, MaxLease: 2, MaxHolds: 1, MaxCrashes: 1, Off: []string{name}}
}

func TestSystemsThatDoNotFitAreRefused(t *testing.T) {
	for _, c := range []struct {
		c    Constants
		what string
	}{
		{Constants{MaxTime: 64, Idle: 64, MaxLease: 64, MaxHolds: 64, MaxCrashes: 64}, ""},
		{Constants{Idle: 1, MaxLease: 1}, ""},
		{Constants{MaxTime: 65, Idle: 1, MaxLease: 1}, "max-time"},
		{Constants{MaxLease: 1}, "idle"},
		{Constants{Idle: 1}, "max-lease"},
		{Constants{Idle: 1, MaxLease: 1, MaxHolds: -1}, "max-holds"},
		{Constants{Idle: 1, MaxLease: 1, MaxCrashes: 65}, "max-crashes"},
	} {
		_, err := System(c.c)
		var bounds *BoundsError
		if errors.As(err, &bounds); bounds == nil && (err != nil || c.what != "") || bounds != nil && bounds.What != c.what {
			t.Errorf("%+v: %v, want %q", c.c, err, c.what)
		}
	}
	_, err := System(Constants{Idle: 1, MaxLease: 1, Off: []string{"Sweep.up"}})
	var unknown *SwitchError
	if !errors.As(err, &unknown) || unknown.Name != "Sweep.up" {
		t.Errorf("a guard that cannot be switched off: %v", err)
	}
}

// take takes actions one after the other; leases are asked for so many ticks.
func take(t *testing.T, table model.Table[Local], l Local, actions ...string) Local {
	t.Helper()
	for _, action := range actions {
		next, err := table.Take(action, l)
		if err != nil {
			t.Fatal(err)
		}
		l = next
	}
	return l
}

func TestALeaseOutlivesWhatHappensToThePod(t *testing.T) {
	table := Table(Constants{MaxTime: 9, Idle: 1, MaxLease: 5, MaxHolds: 1, MaxCrashes: 1})
	l := take(t, table, Local{State: First(), D: 5}, Wake, Extend, Sleep, Tick, Crash, Recover, Wake, Tick, Tick, Tick)
	for at, want := range map[int]bool{4: false, 5: true} {
		for l.Now < at {
			l = take(t, table, l, Tick)
		}
		_, err := table.Take(Sweep, l)
		var refused *model.NotEnabledError
		if want != (err == nil) || !want && (!errors.As(err, &refused) || !slices.Equal(refused.FalseGuards, []string{"lease"})) {
			t.Errorf("the sweep at %d: %v", at, err)
		}
		if next, ok := l.SleepsAt(1); !ok || next != 5 {
			t.Errorf("at %d it sleeps at %d, %v", at, next, ok)
		}
		if !want {
			l = take(t, table, l, Tick)
		}
	}
}
