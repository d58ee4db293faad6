package podlifecycle

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"podlife/model"
)

// drop removes one guard of one action.
func drop(table model.Table[Local], action, guard int) model.Table[Local] {
	table.Actions = slices.Clone(table.Actions)
	a := &table.Actions[action]
	a.Guards = slices.Delete(slices.Clone(a.Guards), guard, guard+1)
	return table
}

// summary is all that tells one exploration from another.
type summary struct {
	counts   Counts
	violated string
}

func summarise(r model.Result[State]) summary {
	s := summary{counts: Counts{r.Generated, r.Distinct, r.Depth}}
	if r.Violation != nil {
		s.violated = r.Violation.Invariant
	}
	return s
}

// A guard whose loss nobody notices would be no guard: without any one of them, one of the two designs has other counts or violates
// an invariant.
func TestEveryGuardMatters(t *testing.T) {
	all := []string{TypeOK, NoAttachWithoutShellSetup, BootIdempotent}
	designs := []struct {
		c          Constants
		invariants []string
	}{
		{Constants{MaxInc: 2, GuardedAttach: true}, all},
		{Constants{MaxInc: 2, GuardedAttach: false}, []string{TypeOK, BootIdempotent}},
	}
	guards := 0
	for a, action := range Table(Constants{}).Actions {
		for g, guard := range action.Guards {
			guards++
			noticed := false
			for _, d := range designs {
				right := summarise(explore(t, Table(d.c), 2, d.invariants))
				wrong := summarise(explore(t, drop(Table(d.c), a, g), 2, d.invariants))
				noticed = noticed || right != wrong
			}
			if !noticed {
				t.Errorf("%s without %s is not noticed", action.Name, guard.Name)
			}
		}
	}
	if guards != 22 {
		t.Errorf("%d guards were dropped, want 22", guards)
	}
}

// What the loss of a guard breaks in the design that ships.
func TestSeededWrongTablesBreakTheInvariantTheyShould(t *testing.T) {
	for _, c := range []struct{ action, guard, breaks string }{
		{StartBoot, "canWake", TypeOK},
		{FinishBoot, "sameInc", ""}, // a wrong boot is called ready: ground truth is not in this specification
		{AttachReady, "ready", NoAttachWithoutShellSetup},
		{AttachWakesFresh, "unguarded", NoAttachWithoutShellSetup},
		{AttachAwakeNotReady, "unguarded", NoAttachWithoutShellSetup},
		{AttachWakesFresh, "belowMaxInc", ""}, // never taken when guarded
	} {
		table := Table(Constants{MaxInc: 2, GuardedAttach: true})
		a := slices.IndexFunc(table.Actions, func(a model.Action[Local]) bool { return a.Name == c.action })
		g := slices.IndexFunc(table.Actions[a].Guards, func(g model.Guard[Local]) bool { return g.Name == c.guard })
		if got := summarise(explore(t, drop(table, a, g), 2, nil)).violated; got != c.breaks {
			t.Errorf("%s without %s violates %q, want %q", c.action, c.guard, got, c.breaks)
		}
	}
}

func TestCountSeesAViolation(t *testing.T) {
	got, err := Count(t.Context(), Table(Constants{MaxInc: 3}), 3, 2, 2)
	var violated *ViolatedError
	if !errors.As(err, &violated) || violated.Invariant != NoAttachWithoutShellSetup {
		t.Fatalf("counted %v, %v", got, err)
	}
	if s := violated.State; s.Pod().Ctr == Ready || s.Client(0).Phase != Attached && s.Client(1).Phase != Attached {
		t.Errorf("%v violates nothing", s.View(2))
	}
}

func TestCountRefusesASystemActionThatDependsOnAClient(t *testing.T) {
	for name, change := range map[string]func(sleep *model.Action[Local]){
		"changes it": func(sleep *model.Action[Local]) {
			effect := sleep.Effect
			sleep.Effect = func(s Local) Local { s.Client.Phase = Idle; return effect(s) }
		},
		"looks at it": func(sleep *model.Action[Local]) {
			sleep.Guards = append(sleep.Guards, guard("idle", func(s Local) bool { return s.Client.Phase == Idle }))
		},
	} {
		table := Table(Constants{MaxInc: 1, GuardedAttach: true})
		change(&table.Actions[len(table.Actions)-1])
		if _, err := Count(t.Context(), table, 1, 2, 1); err == nil || !strings.Contains(err.Error(), "Sleep has no parameter") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Of several goroutines that add the same state, one is told that it is new.
func TestAStateIsNewToOneWorkerOnly(t *testing.T) {
	const states, workers = 200_000, 4
	set := newStateSet(states)
	var isNew atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for s := range uint64(states) {
				if set.add(s) {
					isNew.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if isNew.Load() != states {
		t.Errorf("%d states were new, want %d", isNew.Load(), states)
	}
	set.reserve(4 * states)
	if set.add(0) || set.add(states-1) || !set.add(states) {
		t.Error("a set that has grown has forgotten states, or has too many")
	}
}

func TestTheServersTableNeverRunsOutOfIncarnations(t *testing.T) {
	table := Table(Constants{MaxInc: math.MaxInt, GuardedAttach: true})
	s, err := table.Take(StartBoot, Local{Pod: Pod{Asleep, 1 << 40}})
	if err != nil || s.Pod.Inc != 1<<40+1 || s.Client.BootInc != s.Pod.Inc || s.Pod.Ctr != Provisioning {
		t.Errorf("StartBoot: %+v, %v", s, err)
	}
	_, err = table.Take(AttachReady, Local{Pod: Pod{Provisioning, 1}, Client: Client{Phase: Idle}})
	var refused *model.NotEnabledError
	if !errors.As(err, &refused) || !slices.Equal(refused.FalseGuards, []string{"believes", "ready"}) {
		t.Errorf("AttachReady: %v", err)
	}
}

func TestSleepLeavesTheClientAlone(t *testing.T) {
	before := Local{Pod{Ready, 2}, Client{Attached, 1, 2}}
	after, err := Table(Constants{MaxInc: 3}).Take(Sleep, before)
	if err != nil || after != (Local{Pod{Asleep, 2}, before.Client}) {
		t.Errorf("Sleep: %+v, %v", after, err)
	}
}
