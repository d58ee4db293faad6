package workspace

import (
	"maps"
	"os"
	"slices"
	"testing"

	"podlife/conformance/workspace"
	table "podlife/model/workspace"
	"podlife/mutants"
	"podlife/mutants/guards"
	"podlife/mutants/rule"
)

const root = "../.."

// expectations are what each mutant must break: what the registry names, and of the others what they say themselves.
func expectations(t *testing.T) map[string]string {
	t.Helper()
	expected, err := Subject().Expectations(root)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(expected, besides())
	return expected
}

// Every mutant breaks, in the server that runs, what the specification breaks without the same guard or rule; the build that ships breaks nothing.
func TestAServerWithoutAGuardBreaksWhatTheSpecificationDoes(t *testing.T) {
	expected := expectations(t)
	ships, err := Subject().Compile(t.Context(), mutants.NewSource(root), t.TempDir(), rule.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	var results []rule.Result
	for _, m := range Catalogue() {
		r := Subject().Judge(t.Context(), root, t.TempDir(), m, expected[m.ID], ships)
		results = append(results, r)
		t.Logf("%-26s %-15s breaks %v; %s", r.ID, r.Class, r.Broke, r.Differs)
		if !r.Class.Green() {
			t.Errorf("%s (%s) must break %s: %s, broke %v, %s", r.ID, r.About, r.Expected, r.Class, r.Broke, r.Detail)
		}
	}
	if dir := os.Getenv("PODLIFE_RESULTS"); dir != "" {
		if err := Subject().Write(dir, results); err != nil {
			t.Error(err)
		}
	}
}

// This needs no build: it says at once which mutant has to follow a change of the table, the registry or the source.
func TestEveryGuardAndRuleHasAMutantAndAScenario(t *testing.T) {
	expected := expectations(t)
	var ids []string
	for _, m := range Catalogue() {
		ids = append(ids, m.ID)
		if err := mutants.NewSource(root).Apply(m.Edits); err != nil {
			t.Errorf("%s: %v", m.ID, err)
		}
		if _, ok := workspace.Scenarios()[m.ID]; !ok || expected[m.ID] == "" {
			t.Errorf("%s has no scenario, or nothing that it must break: %q", m.ID, expected[m.ID])
		}
	}
	switches := append(table.Switches(), slices.Collect(maps.Keys(besides()))...)
	slices.Sort(switches)
	slices.Sort(ids)
	if !slices.Equal(ids, switches) || len(workspace.Scenarios()) != len(ids) {
		t.Errorf("there are mutants without %q, the specification can switch off %q, scenarios %d", ids, switches, len(workspace.Scenarios()))
	}
}

// Every statement of the server that carries a guard or rule is gone, or another, in some mutant.
func TestEveryAnnotatedStatementOfWorkspaceIsChanged(t *testing.T) {
	statements, err := guards.Of(guards.Homes(), root)
	if err != nil || len(statements) < 18 {
		t.Fatalf("%d statements, error %v", len(statements), err)
	}
	kept, err := rule.Kept(root, statements, guards.Server(), Catalogue())
	if err != nil || len(kept) > 0 {
		t.Errorf("no mutant is without the statements %+v, error %v", kept, err)
	}
}
