package checker

import (
	"os"
	"strings"
	"testing"

	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/module"
)

// podLifecycle loads the project's own specification with one of its configurations, in which each pair of replacements is carried out.
func podLifecycle(t *testing.T, cfg string, replace ...string) loaded {
	t.Helper()
	m, err := module.Load("../PodLifecycle.tla", module.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../" + cfg)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse(diag.NewSource(cfg, []byte(strings.NewReplacer(replace...).Replace(string(text)))))
	if err != nil {
		t.Fatal(err)
	}
	return loaded{m, c}
}

// The lifecycle has as many states as TLC finds.
func TestPodLifecycleHasTLCsCounts(t *testing.T) {
	threeClients := []string{"{c1, c2}", "{c1, c2, c3}", "c2 = c2", "c2 = c2 c3 = c3"}
	for _, c := range []struct {
		cfg                 string
		replace             []string
		generated, distinct int64
		depth               int
	}{
		{"PodLifecycle.cfg", nil, 2922, 1453, 20},
		{"PodLifecycle.cfg", []string{"MaxInc = 3", "MaxInc = 5"}, 17816, 8106, 26},
		{"PodLifecycle.cfg", append(threeClients, "MaxInc = 3", "MaxInc = 2"), 18756, 7506, 24},
		{"PodLifecycleUnguardedBoot.cfg", nil, 1269, 718, 16},
	} {
		p := podLifecycle(t, c.cfg, c.replace...).program(t, eval.Options{}, nil)
		r, err := Run(t.Context(), p, Options{NoDeadlock: true, Vacuity: Vacuity{Off: true}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != VerdictOK || r.Generated != c.generated || r.Distinct != c.distinct || r.Depth != c.depth {
			t.Errorf("%s with %q: %s, %d generated, %d distinct, depth %d; want ok, %d, %d, %d", c.cfg, c.replace,
				r.Verdict, r.Generated, r.Distinct, r.Depth, c.generated, c.distinct, c.depth)
		}
	}
}

// The bug that the specification was written for is found as TLC finds it, with any number of workers.
func TestPodLifecycleCounterexampleIsTLCs(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		p := podLifecycle(t, "PodLifecycleUnguarded.cfg").program(t, eval.Options{}, nil)
		r, err := Run(t.Context(), p, Options{Workers: workers, NoDeadlock: true, Now: ticking()})
		if err != nil {
			t.Fatal(err)
		}
		var actions []string
		for _, s := range r.Trace[1:] {
			name := s.Action.Name
			if len(s.Args) > 0 {
				name += "(" + s.Args[0].String() + ")"
			}
			actions = append(actions, name)
		}
		if got, want := strings.Join(actions, " "), "StartBoot(c1) FinishBoot(c1) Sleep AttachWakesFresh(c1)"; got != want {
			t.Errorf("with %d workers the counterexample is %s, want %s", workers, got, want)
		}
		if r.Name != "NoAttachWithoutShellSetup" || r.Generated != 28 || r.Distinct != 24 {
			t.Errorf("with %d workers: %s after %d generated and %d distinct states, want NoAttachWithoutShellSetup after 28 and 24", workers, r.Name, r.Generated, r.Distinct)
		}
	}
}
