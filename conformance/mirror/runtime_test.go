package mirror

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"podlife/model"
	"podlife/model/podruntime"
	"podlife/tla/module"
)

const (
	runtimeFile   = "../../tla/PodRuntime.tla"
	runtimeGuards = 95
)

type runtimeTable = model.Table[podruntime.Local]

func loadRuntime(t *testing.T) *module.Module {
	t.Helper()
	m, err := module.Load(runtimeFile, module.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func runtimePair(t *testing.T, m *module.Module, c podruntime.Constants, tabs int) Pair[podruntime.State] {
	t.Helper()
	pair, err := PodRuntime(m, podruntime.Table(c), c, tabs)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func compareRuntime(t *testing.T, p Pair[podruntime.State], opts Options[podruntime.State]) Report {
	t.Helper()
	report, err := p.Compare(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// The finer table is the finer specification: in every reachable state, for every action and argument; and in those that are drawn and
// beside them also without each guard.
func TestTheTableOfTheServerIsPodRuntime(t *testing.T) {
	t.Parallel()
	designs := RuntimeDesigns()
	results := make([]Result, len(designs))
	t.Run("designs", func(t *testing.T) {
		for i, d := range designs {
			t.Run(d.Name, func(t *testing.T) {
				t.Parallel()
				results[i] = mirrored(t, d).Result(d.Name)
			})
		}
	})
	if err := WriteResults(os.Getenv("PODLIFE_RESULTS"), results); err != nil {
		t.Error(err)
	}
}

// mirrored compares one design, and sees that enough was compared.
func mirrored(t *testing.T, d RuntimeDesign) Report {
	t.Helper()
	report, err := d.Compare(t.Context(), loadRuntime(t), podruntime.Table)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Err(); err != nil {
		t.Error(err)
	}
	if want := runtimeFigures(t, d); report.Reached != want.distinct {
		t.Errorf("%d states were reached, want %d", report.Reached, want.distinct)
	}
	if report.Guards != runtimeGuards {
		t.Errorf("%d guards were dropped on both sides, want %d", report.Guards, runtimeGuards)
	}
	if report.States < report.Reached+1000 || report.Undefined*50 > report.Comparisons {
		t.Errorf("%d states beside %d reachable ones, %d comparisons and %d undefined",
			report.States-report.Reached, report.Reached, report.Comparisons, report.Undefined)
	}
	t.Logf("%d states and %d beside them, %d comparisons, %d guards, %d invariant values, %d undefined",
		report.Reached, report.States-report.Reached, report.Comparisons, report.Guards, report.Invariants, report.Undefined)
	return report
}

type runtimeCounts struct{ generated, distinct, depth int }

// runtimeFigures are what the embedded checker finds in the specification for one of the designs, and TLC.
func runtimeFigures(t *testing.T, d RuntimeDesign) runtimeCounts {
	t.Helper()
	switch {
	case d.Tabs == 1 && d.MaxInc == 2:
		return runtimeCounts{351_420, 65_165, 44}
	case d.Tabs == 2 && d.MaxInc == 1:
		return runtimeCounts{114_133, 20_881, 34}
	}
	t.Fatalf("there are no figures of %s", d.Name)
	return runtimeCounts{}
}

func TestTheExplorerCountsPodRuntimeAsTheCheckerDoes(t *testing.T) {
	t.Parallel()
	for _, d := range RuntimeDesigns() {
		sys, err := podruntime.System(d.Constants, d.Tabs)
		if err != nil {
			t.Fatal(err)
		}
		r, err := model.Explore(t.Context(), sys, model.Options[podruntime.State]{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Violation != nil {
			t.Errorf("%s: %s is violated", d.Name, r.Violation.Invariant)
		}
		if got, want := (runtimeCounts{r.Generated, r.Distinct, r.Depth}), runtimeFigures(t, d); got != want {
			t.Errorf("%s: got %v, want %v", d.Name, got, want)
		}
		for _, a := range r.Antecedents {
			if a.Reached == 0 {
				t.Errorf("%s: the left side of %s is never true", d.Name, a.Invariant)
			}
		}
	}
}

// A guard or rule that is switched off by the constant Off is off on both sides: in all states that one tab and one incarnation reach, and
// along walks with two of each.
func TestWhatIsSwitchedOffIsOffOnBothSides(t *testing.T) {
	t.Parallel()
	m := loadRuntime(t)
	switches := podruntime.Switches()
	if len(switches) != 41 {
		t.Errorf("there are %d switches, want 41", len(switches))
	}
	for seed, name := range switches {
		small := podruntime.Constants{MaxInc: 1, MaxCrashes: 1, ImageMarked: true, Off: []string{name}}
		report := compareRuntime(t, runtimePair(t, m, small, 1), Options[podruntime.State]{NoGuards: true})
		if err := report.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		large := small
		large.MaxInc = 2
		pair := runtimePair(t, m, large, 2)
		walked := compareRuntime(t, pair, Options[podruntime.State]{NoGuards: true, Only: walks(pair.System, uint64(seed), 5, 50)})
		if err := walked.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// disturbances are the actions that end a boot or a terminal before it is through; a walk that took them as often as others would rarely
// see one through.
func disturbances() []string {
	return []string{
		podruntime.LaunchFails, podruntime.ScriptFails, podruntime.ScriptGone, podruntime.ContainerDies, podruntime.ContainerLost,
		podruntime.Destroy, podruntime.IdleSleep, podruntime.DialFails, podruntime.Detach, podruntime.MarkerRemoved,
		podruntime.Crash, podruntime.CrashOtherRecipe,
	}
}

// walks gives the states along so many random walks of so many steps, one in ten of them a disturbance where there is something else.
func walks(sys model.System[podruntime.State], seed uint64, n, steps int) []podruntime.State {
	rng := rand.New(rand.NewPCG(seed, 1))
	all, rare := []podruntime.State{}, disturbances()
	for range n {
		s := sys.Init[0]
		for range steps {
			all = append(all, s)
			var quiet, other []podruntime.State
			for _, step := range sys.Steps {
				if !step.Enabled(s) {
					continue
				}
				if slices.Contains(rare, step.Name) {
					other = append(other, step.Effect(s))
				} else {
					quiet = append(quiet, step.Effect(s))
				}
			}
			next := quiet
			if len(quiet) == 0 || len(other) > 0 && rng.IntN(10) == 0 {
				next = other
			}
			if len(next) == 0 {
				break
			}
			s = next[rng.IntN(len(next))]
		}
	}
	return all
}
