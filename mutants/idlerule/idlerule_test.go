package idlerule

import (
	"os"
	"slices"
	"testing"

	"podlife/conformance/idlerule"
	table "podlife/model/idlerule"
	"podlife/mutants"
	"podlife/mutants/guards"
	"podlife/mutants/rule"
)

const root = "../.."

// Every mutant breaks, in the server that runs, what the specification breaks without the same guard or rule; the build that ships breaks nothing.
func TestAServerWithoutAGuardBreaksWhatTheSpecificationDoes(t *testing.T) {
	expected, err := Subject().Expectations(root)
	if err != nil {
		t.Fatal(err)
	}
	ships, err := Subject().Compile(t.Context(), mutants.NewSource(root), t.TempDir(), rule.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	var results []rule.Result
	for _, m := range Catalogue() {
		r := Subject().Judge(t.Context(), root, t.TempDir(), m, expected[m.ID], ships)
		results = append(results, r)
		t.Logf("%-22s %-15s breaks %v; %s", r.ID, r.Class, r.Broke, r.Differs)
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
	expected, err := Subject().Expectations(root)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range Catalogue() {
		ids = append(ids, m.ID)
		if err := mutants.NewSource(root).Apply(m.Edits); err != nil {
			t.Errorf("%s: %v", m.ID, err)
		}
		if _, ok := idlerule.Scenarios()[m.ID]; !ok || expected[m.ID] == "" {
			t.Errorf("%s has no scenario, or nothing that it must break: %q", m.ID, expected[m.ID])
		}
	}
	switches := table.Switches()
	slices.Sort(switches)
	slices.Sort(ids)
	if !slices.Equal(ids, switches) || len(idlerule.Scenarios()) != len(ids) {
		t.Errorf("there are mutants without %q, the specification can switch off %q, scenarios %d", ids, switches, len(idlerule.Scenarios()))
	}
}

// Every statement of the server that carries a guard or rule is gone, or another, in some mutant.
func TestEveryAnnotatedStatementOfIdleRuleIsChanged(t *testing.T) {
	statements, err := guards.Of(guards.Idle(), root)
	if err != nil || len(statements) < 13 {
		t.Fatalf("%d statements, error %v", len(statements), err)
	}
	kept, err := rule.Kept(root, statements, guards.Server(), Catalogue())
	if err != nil || len(kept) > 0 {
		t.Errorf("no mutant is without the statements %+v, error %v", kept, err)
	}
}
