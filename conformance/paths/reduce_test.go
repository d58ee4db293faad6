package paths

import (
	"fmt"
	"slices"
	"testing"

	"podlife/conformance/lockstep"
	"podlife/model"
	"podlife/model/podruntime"
)

// Merged states are bisimilar, and a server can be driven from one to what it can be driven from the other: in every state that the specification reaches,
// with its history and with its tabs as they are called, the same steps lead into states that are merged again.
func TestStatesThatAreOneCanDoTheSame(t *testing.T) {
	for _, c := range []Config{{1, 1, 1}, {2, 1, 0}, {2, 1, 1}} {
		t.Run(c.String(), func(t *testing.T) {
			sys, err := podruntime.System(podruntime.Constants{MaxInc: c.MaxInc, MaxCrashes: c.MaxCrashes}, c.Tabs)
			if err != nil {
				t.Fatal(err)
			}
			can := map[podruntime.State][]string{}
			merged := 0
			_, err = model.Explore(t.Context(), sys, model.Options[podruntime.State]{Invariants: []string{}, Found: func(_ int, s podruntime.State, _ int) {
				small, was := reduced(s, c.Tabs)
				mine := abilities(sys, s, was, c.Tabs)
				others, met := can[small]
				switch {
				case !met:
					can[small] = mine
				case !slices.Equal(others, mine):
					t.Fatalf("%v can\n%q\nand one that is taken for the same\n%q", s.Label(c.Tabs), mine, others)
				default:
					merged++
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if merged < len(can)/20 {
				t.Errorf("%d states were merged into %d", merged, len(can))
			}
		})
	}
}

// abilities are the steps of a state with where they lead, what a server is said to be able to, and the invariants that hold, without names of tabs.
func abilities(sys model.System[podruntime.State], s podruntime.State, was [podruntime.MaxTabs]int, tabs int) []string {
	place := lockstep.Place{State: s}
	all := []string{fmt.Sprint("at rest: ", place.AtRest(tabs))}
	for _, step := range sys.Steps {
		if !step.Enabled(s) {
			continue
		}
		taken := stepOf(step)
		reason, ok := place.Drivable(tabs, taken)
		to, _ := reduced(step.Effect(s), tabs)
		who := ""
		for _, tab := range was[:tabs] {
			if taken.Client == tabNamed(tab) {
				who = fmt.Sprintf("%+v", s.Tab(tab))
			}
		}
		all = append(all, fmt.Sprint(step.Name, who, taken.Inc, reason, ok, to))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// The two reductions by hand: a state with history and with its tabs the other way round is the same.
func TestHistoryIsForgottenAndTabsHaveNoNames(t *testing.T) {
	pod := podruntime.Pod{Ctr: podruntime.Ready, Inc: 1, Incs: []podruntime.Incarnation{{N: 1, Inner: podruntime.Inner{Box: podruntime.Container{Box: podruntime.BoxRunning}}}}}
	past := pod
	past.Incs = []podruntime.Incarnation{{N: 1, Inner: podruntime.Inner{Box: podruntime.Container{Box: podruntime.BoxRunning}, Done: true, Woken: 1}}}
	a, b := podruntime.Client{BootInc: 1, Term: podruntime.Term{At: podruntime.AtProbed, Inc: 1}}, podruntime.Client{BootInc: 1}
	one, was := reduced(podruntime.Pack(pod, b, a), 2)
	other, swapped := reduced(podruntime.Pack(past, a, b), 2)
	if one != other || was[0] == swapped[0] {
		t.Errorf("%v and %v, tabs %v and %v", one.Label(2), other.Label(2), was, swapped)
	}
	if different, _ := reduced(podruntime.Pack(pod, a, a), 2); different == one {
		t.Error("tabs that do something else are taken for the same")
	}
}
