package auto

import (
	"slices"
	"testing"

	"podlife/model/podruntime"
	"podlife/mutants"
	"podlife/mutants/auto/trial"
	"podlife/mutants/guards"
)

const root = "../.."

// TestEverySwitchHasAMutant needs no build: it says at once which mutant has to follow a change of the table, the registry or the source.
func TestEverySwitchHasAMutant(t *testing.T) {
	expected, err := expectations(root)
	if err != nil {
		t.Fatal(err)
	}
	all := Catalogue()
	for _, name := range podruntime.Switches() {
		if !slices.ContainsFunc(all, func(m Mutant) bool { return m.ID == name && m.Switch == name }) {
			t.Errorf("no mutant is without %s", name)
		}
		if expected[name] == "" {
			t.Errorf("the registry does not say what the loss of %s breaks", name)
		}
	}
	seen := map[string]bool{}
	for _, m := range all {
		if err := mutants.NewSource(root).Apply(m.Edits); err != nil {
			t.Errorf("%s: %v", m.ID, err)
		}
		if seen[m.ID] || !slices.Contains(podruntime.Switches(), m.Switch) || len(m.Scenarios) == 0 {
			t.Errorf("%s is twice there, names no switch, or has no scenario", m.ID)
		}
		seen[m.ID] = true
		for _, s := range m.Scenarios {
			if !slices.Contains(trial.Names(), s) {
				t.Errorf("%s: there is no scenario %q", m.ID, s)
			}
		}
		if slices.Contains(m.Accepted, expected[m.Switch]) {
			t.Errorf("%s accepts %s, which the registry names already", m.ID, expected[m.Switch])
		}
	}
}

// Every statement that carries a guard is gone in some mutant.
func TestEveryAnnotatedStatementIsRemoved(t *testing.T) {
	known := guards.KnownTable(guards.Runtime())
	statements, err := guards.Of(known, root)
	if err != nil || len(statements) == 0 {
		t.Fatalf("%d statements, error %v", len(statements), err)
	}
	for _, s := range statements {
		removed := slices.ContainsFunc(Catalogue(), func(m Mutant) bool {
			source := mutants.NewSource(root)
			if err := source.Apply(m.Edits); err != nil {
				t.Fatal(err)
			}
			changed, is := source.Changed()[s.File]
			left, _ := guards.InFile(s.File, changed, known) // a comment that is left alone is an error, and no statement
			return is && !slices.ContainsFunc(left, func(l guards.Statement) bool { return l.Hash == s.Hash })
		})
		if !removed {
			t.Errorf("no mutant is without the statement %s:%d, which carries %s.%s", s.File, s.Line, s.Action, s.Guard)
		}
	}
}

// Every scenario is there for some mutant: one that notices nothing in particular would only take time.
func TestEveryScenarioIsUsed(t *testing.T) {
	for _, name := range trial.Names() {
		if !slices.ContainsFunc(Catalogue(), func(m Mutant) bool { return slices.Contains(m.Scenarios, name) }) {
			t.Errorf("no mutant goes through %q", name)
		}
	}
}
