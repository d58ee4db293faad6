package idlerule

import (
	"os"
	"slices"
	"testing"

	"podlife/model/spectext"
)

func specification(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../tla/IdleRule.tla")
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
	if len(got) != 19 {
		t.Errorf("there are %d guards, want 19", len(got))
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
		got = append(got, step.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the system takes\n%q, Next\n%q", got, want)
	}
	var bound []string
	for _, step := range LiftTable(Table(Constants{}), 3).Steps {
		if step.Name == Extend {
			bound = append(bound, step.Args...)
		}
	}
	if !slices.Equal(bound, []string{"1", "2", "3"}) {
		t.Errorf("Extend is taken for %q", bound)
	}
}
