package workspace

import (
	"os"
	"slices"
	"strings"
	"testing"

	"podlife/model/spectext"
)

// guards is how many the actions have.
const guards = 51

func specification(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../tla/Workspace.tla")
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
	if len(got) != guards {
		t.Errorf("there are %d guards, want %d", len(got), guards)
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
	for _, step := range LiftTable(Table(Constants{}), 1).Steps {
		if len(got) == 0 || got[len(got)-1] != step.Name {
			got = append(got, step.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the system takes\n%q, Next\n%q", got, want)
	}
	bound := map[string][]string{}
	for _, step := range LiftTable(Table(Constants{}), 2).Steps {
		bound[step.Name] = append(bound[step.Name], strings.Join(step.Args, " "))
	}
	for name, want := range map[string][]string{
		Boot: {"p1", "p2"}, Adopt: {"p1 p1", "p1 p2", "p2 p1", "p2 p2"}, Delete: {"p1 false", "p1 true", "p2 false", "p2 true"}, RemovedByHand: {"p1", "p2"}, Crash: {""},
	} {
		if !slices.Equal(bound[name], want) {
			t.Errorf("%s is taken for %q, want %q", name, bound[name], want)
		}
	}
}
