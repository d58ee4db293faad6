package faults

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"podlife/conformance/faults/failpoint"
	"podlife/model/podruntime"
)

// bubble runs something on a clock of its own, and is red where a goroutine is left.
func bubble[T any](t *testing.T, run func(world) T) (got T) {
	t.Helper()
	synctest.Test(t, func(*testing.T) { got = run(world{quiet: synctest.Wait, sleep: time.Sleep}) })
	return got
}

// report makes a problem a failure.
func report(t *testing.T, what fmt.Stringer, o Outcome) {
	t.Helper()
	if len(o.Problems) > 0 {
		t.Errorf("%s:\n\t%s", what, strings.Join(o.Problems[:min(3, len(o.Problems))], "\n\t"))
	}
}

// momentsOf gives every moment that was counted, and one more of each name, which is there in some orders only.
func momentsOf(counted map[string]int) []Moment {
	var all []Moment
	for _, name := range slices.Sorted(maps.Keys(counted)) {
		for nth := range counted[name] + 1 {
			all = append(all, Moment{name, nth + 1})
		}
	}
	return all
}

// A server that dies at any moment leaves nothing that the next one does not bring in order.
func TestACrashAtEveryMomentIsSurvived(t *testing.T) {
	began := time.Now()
	cuts, runs, explained := map[string]int{}, 0, 0
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			base := bubble(t, Crash{Scenario: s}.run)
			report(t, Crash{Scenario: s}, base)
			for i, at := range momentsOf(base.Moments) {
				if t.Failed() {
					return
				}
				c := Crash{Scenario: s, CutAt: at, OtherRecipe: i%2 == 1}
				o := bubble(t, c.run)
				report(t, c, o)
				runs++
				explained += o.Explained
				if o.Explained == 0 && o.Cut {
					t.Errorf("%s: nothing was committed, so nothing is explained", c)
				}
				if o.Cut {
					cuts[at.Name]++
				}
			}
		})
	}
	defer func() { leave(t, "simulated", "crashes", began, runs, map[string]int{"the server dies": runs}) }()
	t.Logf("%d runs, %d committed steps explained; cuts by moment: %s", runs, explained, told(cuts))
	for _, a := range committed() {
		if cuts["step "+a] == 0 {
			t.Errorf("no scenario has the server cut off at %s", a)
		}
	}
}

// committed gives the actions that the shipped server commits.
func committed() []string {
	var names []string
	for _, a := range podruntime.Table(podruntime.Constants{}).Actions {
		if failpoint.Never()[a.Name] == "" {
			names = append(names, a.Name)
		}
	}
	return names
}

func told(n map[string]int) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(n)) {
		words = append(words, fmt.Sprintf("%s %d", name, n[name]))
	}
	return strings.Join(words, ", ")
}

// The server that comes after a crash may die as well. Two crashes of each name are enough to begin with: the next server cannot know more of them than what they have left.
func TestASecondCrashDuringRecoveryIsSurvived(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short")
	}
	began := time.Now()
	firsts, cuts, runs := map[string]int{}, map[string]int{}, 0
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			for _, at := range momentsOf(bubble(t, Crash{Scenario: s}.run).Moments) {
				if firsts[at.Name] == 2 || t.Failed() {
					continue
				}
				first := bubble(t, Crash{Scenario: s, CutAt: at}.run)
				if !first.Cut {
					continue
				}
				firsts[at.Name]++
				for i, again := range momentsOf(first.Next) {
					c := Crash{Scenario: s, CutAt: at, CutAgainAt: again, OtherRecipe: i%2 == 1}
					o := bubble(t, c.run)
					report(t, c, o)
					runs++
					if o.CutAgain {
						cuts[again.Name]++
					}
				}
			}
		})
	}
	defer func() {
		leave(t, "simulated", "second-crashes", began, runs, map[string]int{"it dies again while it recovers": runs})
	}()
	t.Logf("%d runs; second cuts by moment: %s", runs, told(cuts))
	for _, a := range []string{podruntime.RecoverReady, podruntime.RecoverAsleep, podruntime.TearDown} {
		if cuts["step "+a] == 0 {
			t.Errorf("no second crash is at %s", a)
		}
	}
}
