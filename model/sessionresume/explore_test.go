package sessionresume

import (
	"testing"

	"podlife/model"
)

func explore(t *testing.T, c Constants, viewers int, opts model.Options[State]) model.Result[State] {
	t.Helper()
	sys, err := System(c, viewers)
	if err != nil {
		t.Fatal(err)
	}
	opts.MaxStates = 1_000_000
	r, err := model.Explore(t.Context(), sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The numbers are TLC's, as in tla/configs/registry.txt.
func TestTheTableHasTheStatesThatTheSpecificationHas(t *testing.T) {
	for _, row := range []struct {
		name                       string
		c                          Constants
		viewers                    int
		generated, distinct, depth int
	}{
		{"one-viewer", Constants{MaxSessions: 2, MaxOut: 3, MaxConns: 2, Ring: 2, Window: 1}, 1, 35404, 15626, 24},
		{"resumes", Constants{MaxSessions: 1, MaxOut: 2, MaxConns: 2, Ring: 2, Window: 1}, 1, 1464, 681, 19},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := explore(t, row.c, row.viewers, model.Options[State]{})
			if r.Violation != nil {
				t.Fatalf("%s is violated: %v", r.Violation.Invariant, r.Violation.Path)
			}
			if r.Generated != row.generated || r.Distinct != row.distinct || r.Depth != row.depth {
				t.Errorf("got %d/%d/%d, want %d/%d/%d", r.Generated, r.Distinct, r.Depth, row.generated, row.distinct, row.depth)
			}
		})
	}
}

// Without one of its guards or rules the table breaks what the specification does without it, after as many states. The numbers are TLC's, as in tla/configs/registry.txt.
func TestWhatIsSwitchedOffBreaksWhatItShould(t *testing.T) {
	rows := map[string]struct {
		c                          Constants
		viewers                    int
		breaks                     string
		generated, distinct, depth int
	}{
		"Produce.notStalled":     {Constants{MaxSessions: 1, MaxOut: 3, MaxConns: 1, Ring: 2, Window: 1}, 1, AloneLosesNothing, 89, 61, 6},
		"Produce.anyOne":         {Constants{MaxSessions: 1, MaxOut: 2, MaxConns: 1, Ring: 2, Window: 1}, 2, SlowHoldsUpNobody, 296, 164, 6},
		"Replace.freshEpoch":     {Constants{MaxSessions: 2, MaxOut: 2, MaxConns: 2, Ring: 2, Window: 1}, 1, OneSession, 8135, 3856, 13},
		"Resume.sameEpoch":       {Constants{MaxSessions: 2, MaxOut: 2, MaxConns: 2, Ring: 2, Window: 1}, 1, OneSession, 1762, 855, 12},
		"Resume.inRing":          {Constants{MaxSessions: 1, MaxOut: 3, MaxConns: 2, Ring: 2, Window: 1}, 1, AloneLosesNothing, 1091, 599, 10},
		"Send.inWindow":          {Constants{MaxSessions: 1, MaxOut: 3, MaxConns: 2, Ring: 2, Window: 1}, 1, WindowIsKept, 1532, 798, 11},
		"Send.inRing":            {Constants{MaxSessions: 1, MaxOut: 3, MaxConns: 1, Ring: 2, Window: 1}, 2, OneSession, 27995, 10997, 15},
		"SendExit.allSent":       {Constants{MaxSessions: 1, MaxOut: 2, MaxConns: 1, Ring: 2, Window: 1}, 1, ExitComesLast, 180, 115, 8},
		"Receive.thisConnection": {Constants{MaxSessions: 1, MaxOut: 2, MaxConns: 2, Ring: 2, Window: 1}, 1, ExactlyOnce, 1291, 651, 12},
	}
	for _, name := range Switches() {
		row, ok := rows[name]
		if !ok {
			t.Errorf("nothing is said of %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			row.c.Off = []string{name}
			r := explore(t, row.c, row.viewers, model.Options[State]{Invariants: []string{TypeOK, row.breaks}})
			if r.Violation == nil || r.Violation.Invariant != row.breaks {
				t.Fatalf("%+v is violated, want %s", r.Violation, row.breaks)
			}
			if r.Generated != row.generated || r.Distinct != row.distinct || r.Depth != row.depth || len(r.Violation.Path) != row.depth {
				t.Errorf("got %d/%d/%d, want %d/%d/%d", r.Generated, r.Distinct, r.Depth, row.generated, row.distinct, row.depth)
			}
		})
	}
}

func TestNoInvariantHoldsForWantOfACase(t *testing.T) {
	reached := map[string]int{}
	for _, d := range []struct {
		c       Constants
		viewers int
	}{{Constants{MaxSessions: 2, MaxOut: 2, MaxConns: 2, Ring: 1, Window: 1}, 1}, {Constants{MaxSessions: 1, MaxOut: 2, MaxConns: 1, Ring: 1, Window: 1}, 2}} {
		for _, a := range explore(t, d.c, d.viewers, model.Options[State]{}).Antecedents {
			reached[a.Invariant] += a.Reached
		}
	}
	if len(reached) != 5 {
		t.Errorf("%d invariants have an antecedent, want 5", len(reached))
	}
	for name, n := range reached {
		if n == 0 {
			t.Errorf("%s is vacuous", name)
		}
	}
}
