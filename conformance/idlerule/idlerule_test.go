package idlerule

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"podlife/model/idlerule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inBubble runs f with a server of these constants. The error is f's, with the path.
func inBubble(t *testing.T, c idlerule.Constants, took func(string, idlerule.State, idlerule.State), f func(r *Run) error) (err error) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(*testing.T) {
		var r *Run
		if r, err = Start(c, dir, took); err != nil {
			return
		}
		defer func() { err = errors.Join(err, r.Close()) }()
		if err = f(r); err != nil {
			err = fmt.Errorf("%v: %w", r.Path(), err)
		}
	})
	return err
}

// all does operations until one is not as it should be.
func all(ops []Op) func(*Run) error {
	return func(r *Run) error {
		for _, o := range ops {
			if err := r.Do(o); err != nil {
				return err
			}
		}
		return nil
	}
}

func scenario(t *testing.T, name string) (idlerule.Constants, []Op) {
	t.Helper()
	s := Scenarios()[name]
	ops, err := Parse(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	return s.Constants, ops
}

// A table without one of its guards or rules is not what the server does: the comparison sees it.
func TestATableWithoutAGuardIsNotFollowed(t *testing.T) {
	for _, name := range idlerule.Switches() {
		t.Run(name, func(t *testing.T) {
			c, ops := scenario(t, name)
			if err := inBubble(t, c, nil, all(ops)); err != nil {
				t.Fatalf("what ships: %v", err)
			}
			c.Off = []string{name}
			err := inBubble(t, c, nil, all(ops))
			var differs *Difference
			if !errors.As(err, &differs) {
				t.Errorf("nothing is noticed: %v", err)
			}
			t.Log(err)
		})
	}
}

// weights say how often a kind is drawn where it is possible.
func weights() map[Kind]int {
	return map[Kind]int{
		Tick: 60, Wake: 20, WakeSlowly: 10, Touch: 5, HoldTerminal: 8, HoldProgram: 4, HoldBoot: 4, Release: 10, Extend: 4, Sweep: 20, Destroy: 2, Lose: 2, Crash: 3, Recover: 20,
	}
}

// draw chooses one of the operations by a number. Numbers that are near to each other, of which rapid draws more near 0, choose different ones.
func draw(ops []Op, n int) Op {
	total := 0
	for _, o := range ops {
		total += weights()[o.Kind]
	}
	n = n * 7919 % 10007 % total
	for _, o := range ops {
		if n -= weights()[o.Kind]; n < 0 {
			return o
		}
	}
	panic("idlerule: nothing was drawn")
}

// hazards are the steps of tla/IdleRuleWitness.tla.
func hazards(idle int) map[string]func(action string, before, after idlerule.State) bool {
	type state = idlerule.State
	return map[string]func(string, state, state) bool{
		"SleepUnderLease": func(a string, s, t state) bool {
			return a == idlerule.Sleep && s.Up && s.Now < s.Lease && t.Lease == s.Lease
		},
		"WakeUnderLease": func(a string, s, _ state) bool { return a == idlerule.Wake && s.Now < s.Lease },
		"SleepAtTheEndOfALease": func(a string, s, _ state) bool {
			return a == idlerule.Sweep && s.Now == s.Lease && s.Now > s.Active+idle
		},
		"CrashUnderLease": func(a string, s, _ state) bool {
			return a == idlerule.Crash && s.Awake && s.Held == 0 && s.Now < s.Lease && s.Now >= s.Active+idle
		},
		"ReleaseBehindALease": func(a string, s, _ state) bool {
			return a == idlerule.Release && s.Held == 1 && s.Lease > 0 && s.Now > s.Lease
		},
		"ExtendAsleep": func(a string, s, _ state) bool { return a == idlerule.Extend && !s.Awake },
	}
}

// A server that is driven along any path does what the table says: whether the pod is awake, until when it has a lease, and when it sleeps. All actions are taken, and all the dangerous steps.
func TestTheServerFollowsTheTable(t *testing.T) {
	taken, met := map[string]int{}, map[string]int{}
	tookWith := func(idle int) func(string, idlerule.State, idlerule.State) {
		return func(action string, before, after idlerule.State) {
			taken[action]++
			for name, is := range hazards(idle) {
				if is(action, before, after) {
					met[name]++
				}
			}
		}
	}
	for name := range Scenarios() { // for what is seldom drawn
		c, ops := scenario(t, name)
		if err := inBubble(t, c, tookWith(c.Idle), all(ops)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		c := idlerule.Constants{
			MaxTime: 1000, MaxCrashes: 1000, Idle: rapid.IntRange(1, 4).Draw(rt, "idle"), MaxLease: rapid.IntRange(1, 6).Draw(rt, "lease"), MaxHolds: rapid.IntRange(0, 3).Draw(rt, "holds"),
		}
		choices := rapid.SliceOfN(rapid.IntRange(0, 9999), 30, 120).Draw(rt, "choices")
		if err := inBubble(t, c, tookWith(c.Idle), func(r *Run) error {
			for _, n := range choices {
				if err := r.Do(draw(r.Possible(), n)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			rt.Fatal(err)
		}
	})
	for _, a := range idlerule.Table(idlerule.Constants{}).Actions {
		if taken[a.Name] == 0 {
			t.Errorf("%s was never taken", a.Name)
		}
	}
	for name := range hazards(1) {
		if met[name] == 0 {
			t.Errorf("%s was never met", name)
		}
	}
	t.Log("taken:", taken, "met:", met)
}

// Every step of a small configuration from every state of it, and in each of these states nothing that the table does not have.
func TestTheServerTakesEveryStepOfASmallConfiguration(t *testing.T) {
	c := idlerule.Constants{MaxTime: 3, Idle: 1, MaxLease: 2, MaxHolds: 1, MaxCrashes: 1}
	paths, edges, err := Paths(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	type step struct {
		action        string
		before, after idlerule.State
	}
	taken, steps := map[step]bool{}, 0
	for _, path := range paths {
		if err := inBubble(t, c, func(action string, before, after idlerule.State) {
			taken[step{action, before, after}] = true
			steps++
		}, all(path)); err != nil {
			t.Fatal(err)
		}
	}
	// Two leases that come to the same are two edges and one step.
	if edges != 1848 || len(taken) != 1788 {
		t.Errorf("%d edges, want 1848, and %d different steps were taken, want 1788", edges, len(taken))
	}
	t.Logf("%d edges in %d paths with %d steps, %d of them different", edges, len(paths), steps, len(taken))
}

func TestOperationsAreReadAsTheyAreWritten(t *testing.T) {
	for name := range Scenarios() {
		_, ops := scenario(t, name)
		for _, o := range ops {
			if back, err := Parse(o.String()); err != nil || len(back) != 1 || back[0] != o {
				t.Errorf("%s: %q is read as %v, %v", name, o, back, err)
			}
		}
	}
	for _, text := range []string{"Extend", "Tick(1)", "Release(-1)", "Nap", "Extend(1)x", "Extend(9999999999)"} {
		if ops, err := Parse(text); err == nil {
			t.Errorf("%q is read as %v", text, ops)
		}
	}
}
