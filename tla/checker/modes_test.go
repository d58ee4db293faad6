package checker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"podlife/tla/eval"
	"podlife/tla/value"
)

// grid has (n+1)*(n+1) states; a behavior goes from one corner to the other.
func grid(n int, more, cfg string) spec {
	return spec{name: "Grid", tla: fmt.Sprintf(`---- MODULE Grid ----
EXTENDS Naturals, TLC
VARIABLES x, y
Init == x = 0 /\ y = 0
Right == x < %d /\ x' = x + 1 /\ y' = y
Up == y < %d /\ y' = y + 1 /\ x' = x
Turn == x' = y /\ y' = x
Next == Right \/ Up \/ Turn
%s
====`, n, n, more), cfg: "INIT Init NEXT Next\n" + cfg}
}

func TestContinueCountsAllViolations(t *testing.T) {
	s := grid(30, `Inv == x # y \/ x < 25`, "INVARIANT Inv")
	var first string
	for _, workers := range []int{1, 4} {
		p := s.load(t).program(t, eval.Options{}, nil)
		r, err := Run(t.Context(), p, Options{Workers: workers, Continue: true, Now: ticking()})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != VerdictInvariant || r.Violations != 6 || r.Distinct != 31*31 || r.Queue != 0 || len(r.Trace) != 51 {
			t.Errorf("%s, %d violations, %d states, %d in the queue, %d states in the trace", r.Verdict, r.Violations, r.Distinct, r.Queue, len(r.Trace))
		}
		if got := describe(r, p.Variables()); first == "" {
			first = got
		} else if got != first {
			t.Errorf("with %d workers:\n%s\nwith one:\n%s", workers, got, first)
		}
	}
}

func TestInterruptedSearchSaysHowFarItCame(t *testing.T) {
	for _, workers := range []int{1, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		p := grid(1000, "", "").load(t).program(t, eval.Options{}, nil)
		shown := 0
		r, err := Run(ctx, p, Options{Workers: workers, Now: ticking(), ProgressEvery: 20 * time.Millisecond, Progress: func(p Progress) {
			if shown++; shown == 20 {
				cancel()
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != VerdictInterrupted || r.Distinct == 0 || r.Distinct == 1001*1001 || r.Queue == 0 || r.Trace != nil {
			t.Errorf("with %d workers: %s, %d states, %d in the queue, a trace of %d", workers, r.Verdict, r.Distinct, r.Queue, len(r.Trace))
		}
		cancel()
	}
}

func TestMemoryLimitEndsTheSearch(t *testing.T) {
	p := grid(3000, "", "").load(t).program(t, eval.Options{}, nil)
	r, err := Run(t.Context(), p, Options{Workers: 1, Memory: 1 << 20, Now: standing})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != VerdictMemory || r.Err == nil || !strings.Contains(r.Err.Error(), "the limit is 1048576") {
		t.Errorf("got %s, %v", r.Verdict, r.Err)
	}
}

// recorder is a GraphSink that writes what it is sent.
type recorder struct {
	states, edges []string
	fail          int // on which state to fail; 0: never
}

var errRefused = errors.New("the disk is full")

func (r *recorder) State(index int64, s eval.State, initial bool) error {
	r.states = append(r.states, fmt.Sprintf("%d %v %t", index, s, initial))
	if len(r.states) == r.fail {
		return errRefused
	}
	return nil
}

func (r *recorder) Edge(from, to int64, a *eval.Action, args []value.Value) error {
	r.edges = append(r.edges, fmt.Sprintf("%d %s%v %d", from, a.Name, args, to))
	return nil
}

func TestGraphHasEachStateOnceAndEachStep(t *testing.T) {
	for _, workers := range []int{1, 4} {
		var g recorder
		p := grid(1, "", "").load(t).program(t, eval.Options{}, nil)
		if _, err := Run(t.Context(), p, Options{Workers: workers, Graph: &g, Now: ticking()}); err != nil {
			t.Fatal(err)
		}
		states := []string{"0 [0 0] true", "1 [1 0] false", "2 [0 1] false", "3 [1 1] false"}
		edges := []string{"0 Right[] 1", "0 Up[] 2", "0 Turn[] 0", "1 Up[] 3", "1 Turn[] 2", "2 Right[] 3", "2 Turn[] 1", "3 Turn[] 3"}
		if !slices.Equal(g.states, states) || !slices.Equal(g.edges, edges) {
			t.Errorf("got %q\n%q", g.states, g.edges)
		}
	}
}

func TestErrorOfTheGraphSinkEndsTheRun(t *testing.T) {
	for _, fail := range []int{1, 3} {
		p := grid(5, "", "").load(t).program(t, eval.Options{}, nil)
		if _, err := Run(t.Context(), p, Options{Graph: &recorder{fail: fail}}); !errors.Is(err, errRefused) {
			t.Errorf("at state %d: got %v, want %v", fail, err, errRefused)
		}
	}
}

func TestSimulationDependsOnTheSeedOnly(t *testing.T) {
	s := grid(30, `Inv == ~(x = 9 /\ y > 12)`, "INVARIANT Inv")
	run := func(seed int64, workers int) string {
		p := s.load(t).program(t, eval.Options{}, nil)
		r, err := Run(t.Context(), p, Options{Workers: workers, Now: ticking(), Simulate: &Simulate{Num: 1000, Seed: seed}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != VerdictInvariant {
			t.Fatalf("got %s", r.Verdict)
		}
		last := r.Trace[len(r.Trace)-1].State
		if fmt.Sprint(last[0]) != "9" || r.Trace[0].Action != nil || fmt.Sprint(r.Trace[0].State) != "[0 0]" {
			t.Errorf("the behavior goes from %v to %v", r.Trace[0].State, last)
		}
		return fmt.Sprint(r.Behaviors, " ", describe(r, p.Variables()))
	}
	one := run(7, 1)
	if got := run(7, 4); got != one {
		t.Errorf("with 4 workers:\n%s\nwith one:\n%s", got, one)
	}
	if got := run(8, 1); got == one {
		t.Errorf("another seed gave the same behaviors:\n%s", got)
	}
}

func TestSimulationTakesTheNumberOfBehaviorsAskedFor(t *testing.T) {
	p := grid(30, "", "").load(t).program(t, eval.Options{}, nil)
	r, err := Run(t.Context(), p, Options{Workers: 3, Now: ticking(), Simulate: &Simulate{Num: 77, Depth: 12}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != VerdictOK || r.Behaviors != 77 || r.Depth != 12 || r.Distinct != -1 || r.Queue != -1 {
		t.Errorf("got %s, %d behaviors of at most %d states", r.Verdict, r.Behaviors, r.Depth)
	}
}

func TestSimulationFindsDeadlock(t *testing.T) {
	s := spec{name: "Stuck", tla: "---- MODULE Stuck ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x < 5 /\\ x' = x + 1\n====", cfg: "INIT Init NEXT Next"}
	p := s.load(t).program(t, eval.Options{}, nil)
	r, err := Run(t.Context(), p, Options{Simulate: &Simulate{Num: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != VerdictDeadlock || len(r.Trace) != 6 {
		t.Errorf("got %s after %d states", r.Verdict, len(r.Trace))
	}
}

// A state with more successors than a share may hold is explored by one worker, and nothing else changes.
func TestManySuccessors(t *testing.T) {
	s := spec{name: "Many", tla: `---- MODULE Many ----
EXTENDS Naturals
VARIABLES x, y
Init == x \in 0..1 /\ y = 0
Next == y = 0 /\ y' \in 1..66000 /\ x' = x
====`, cfg: "INIT Init NEXT Next CHECK_DEADLOCK FALSE"}
	p := s.load(t).program(t, eval.Options{}, nil)
	r, err := Run(t.Context(), p, Options{Workers: 2, NoDeadlock: true, Now: ticking()})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != VerdictOK || r.Distinct != 2*66001 || r.Generated != 2*66001 {
		t.Errorf("got %s, %d of %d", r.Verdict, r.Distinct, r.Generated)
	}
}

// A specification that is another one each time it is evaluated has no counterexample that could be shown; that is said.
func TestCounterexampleOfAnUnstableSpecification(t *testing.T) {
	s := spec{name: "Unstable", tla: `---- MODULE Unstable ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == TLCSet(1, TLCGet(1) + 1) /\ x' = x + TLCGet(1)
ASSUME TLCSet(1, 0)
Inv == x < 100
====`, cfg: "INIT Init NEXT Next INVARIANT Inv"}
	p := s.load(t).program(t, eval.Options{}, nil)
	r, err := Run(t.Context(), p, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != VerdictInvariant || r.TraceErr == nil {
		t.Errorf("got %s, trace error %v", r.Verdict, r.TraceErr)
	}
}

func TestPostConditionSeesTheCounterexample(t *testing.T) {
	_, all, _ := specs(t, "testdata/verdicts.txtar")
	i := slices.IndexFunc(all, func(s spec) bool { return s.name == "CounterExamples" })
	var out bytes.Buffer
	p := all[i].load(t).program(t, eval.Options{Out: &out}, nil)
	if _, err := Run(t.Context(), p, Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "postcondition evaluated") {
		t.Errorf("the postcondition is not TRUE; it printed %q", out.String())
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	p := grid(1, "", "").load(t).program(t, eval.Options{}, nil)
	for _, opt := range []Options{
		{Workers: -1}, {Memory: -1}, {Simulate: &Simulate{}, Graph: &recorder{}}, {Simulate: &Simulate{Num: -1}}, {Vacuity: Vacuity{States: -1}},
	} {
		if _, err := Run(t.Context(), p, opt); err == nil {
			t.Errorf("%+v were accepted", opt)
		}
	}
}

func TestProgressIsShownInIntervals(t *testing.T) {
	p := grid(100, "", "").load(t).program(t, eval.Options{}, nil)
	var all []Progress
	r, err := Run(t.Context(), p, Options{Workers: 2, Now: ticking(), ProgressEvery: 100 * time.Millisecond, Progress: func(p Progress) { all = append(all, p) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no progress was shown")
	}
	for i, p := range all {
		if p.Distinct > r.Distinct || p.Generated > r.Generated || i > 0 && (p.Elapsed-all[i-1].Elapsed < 100*time.Millisecond || p.Distinct < all[i-1].Distinct) {
			t.Errorf("progress %d is %+v after %+v", i, p, all[max(0, i-1)])
		}
	}
}
