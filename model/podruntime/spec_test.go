package podruntime

import (
	"os"
	"slices"
	"strings"
	"testing"

	"podlife/model/spectext"
)

func specification(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../tla/PodRuntime.tla")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGuardsPairWithTheConjunctsOfTheSpecification(t *testing.T) {
	var got []string
	for _, a := range Table(Constants{}).Actions {
		for _, g := range a.Guards {
			got = append(got, spectext.Guard(a.Name, a.Params, g.Name))
		}
	}
	if want := spectext.Guards(specification(t)); !slices.Equal(got, want) {
		t.Errorf("the table's guards are\n%q, the specification's\n%q", got, want)
	}
	if len(got) != 95 {
		t.Errorf("there are %d guards, want 95", len(got))
	}
}

func TestSwitchesAreThoseOfTheSpecification(t *testing.T) {
	got := slices.Sorted(slices.Values(Switches()))
	if want := spectext.Switches(specification(t)); !slices.Equal(got, want) {
		t.Errorf("the table has the switches\n%q, the specification\n%q", got, want)
	}
}

// The order decides which of several shortest counterexamples is found, and when.
func TestTheSystemTakesStepsInTheOrderOfNext(t *testing.T) {
	want, ok := spectext.Steps(specification(t))
	if !ok {
		t.Fatal("the specification has no Next")
	}
	var got []string
	for _, step := range LiftTable(Table(Constants{MaxInc: 1}), 1, 1).Steps {
		got = append(got, step.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the system takes\n%q, Next\n%q", got, want)
	}
}

func TestStepsBindEveryTabAndIncarnation(t *testing.T) {
	bound := map[string][]string{}
	for _, step := range LiftTable(Table(Constants{MaxInc: 2}), 2, 2).Steps {
		bound[step.Name] = append(bound[step.Name], strings.Join(step.Args, " "))
	}
	for action, want := range map[string][]string{
		StartBoot:  {"p1 c1", "p1 c2"},
		FinishBoot: {"p1 c1 1", "p1 c1 2", "p1 c2 1", "p1 c2 2"},
		Probe:      {"p1 c1 p1", "p1 c2 p1"},
		TearDown:   {"p1 1", "p1 2"},
		Destroy:    {"p1"},
		Crash:      {""},
	} {
		if !slices.Equal(bound[action], want) {
			t.Errorf("%s is taken for %q, want %q", action, bound[action], want)
		}
	}
}
