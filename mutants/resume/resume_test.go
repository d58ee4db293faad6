package resume

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"podlife/conformance/resume"
	"podlife/model/sessionresume"
	"podlife/mutants"
	"podlife/mutants/guards"
)

const root = "../.."

// Every mutant breaks, in the host that runs, what the specification breaks without the same guard or rule; the build that ships breaks nothing.
func TestAHostWithoutAGuardBreaksWhatTheSpecificationDoes(t *testing.T) {
	expected, err := Expectations(root)
	if err != nil {
		t.Fatal(err)
	}
	ships, err := Compile(t.Context(), mutants.NewSource(root), t.TempDir(), Shipped)
	if err != nil {
		t.Fatal(err)
	}
	var results []Result
	for _, m := range Catalogue() {
		r := Judge(t.Context(), root, t.TempDir(), m, expected[m.ID], ships)
		results = append(results, r)
		t.Logf("%-22s %-15s breaks %v; %s", r.ID, r.Class, r.Broke, r.Differs)
		if !r.Class.Green() {
			t.Errorf("%s (%s) must break %s: %s, broke %v, %s", r.ID, r.About, r.Expected, r.Class, r.Broke, r.Detail)
		}
	}
	if dir := os.Getenv("PODLIFE_RESULTS"); dir != "" {
		if err := Write(dir, results); err != nil {
			t.Error(err)
		}
	}
}

// This needs no build: it says at once which mutant has to follow a change of the table, the registry or the source.
func TestEveryGuardAndRuleHasAMutantAndAScenario(t *testing.T) {
	expected, err := Expectations(root)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range Catalogue() {
		ids = append(ids, m.ID)
		if err := mutants.NewSource(root).Apply(m.Edits); err != nil {
			t.Errorf("%s: %v", m.ID, err)
		}
		if _, ok := resume.Scenarios()[m.ID]; !ok || expected[m.ID] == "" {
			t.Errorf("%s has no scenario, or nothing that it must break: %q", m.ID, expected[m.ID])
		}
	}
	switches := sessionresume.Switches()
	slices.Sort(switches)
	slices.Sort(ids)
	if !slices.Equal(ids, switches) || len(resume.Scenarios()) != len(ids) {
		t.Errorf("there are mutants without %q, the specification can switch off %q, scenarios %d", ids, switches, len(resume.Scenarios()))
	}
}

// Every statement of the host that carries a guard is gone, or another, in some mutant.
func TestEveryAnnotatedStatementOfTheHostIsChanged(t *testing.T) {
	known := guards.KnownTable(guards.Host())
	statements, err := guards.Find(root, guards.HostDir, known)
	if err != nil || len(statements) < 4 {
		t.Fatalf("%d statements, error %v", len(statements), err)
	}
	for _, s := range statements {
		if !slices.ContainsFunc(Catalogue(), func(m Mutant) bool {
			source := mutants.NewSource(root)
			if err := source.Apply(m.Edits); err != nil {
				t.Fatal(err)
			}
			changed, is := source.Changed()[s.File]
			left, _ := guards.InFile(s.File, changed, known) // a comment that is left alone is an error, and no statement
			return is && !slices.ContainsFunc(left, func(l guards.Statement) bool { return l.Hash == s.Hash })
		}) {
			t.Errorf("no mutant is without the statement %s:%d, which carries %s.%s", s.File, s.Line, s.Action, s.Guard)
		}
	}
}

func TestWeigh(t *testing.T) {
	for name, c := range map[string]struct {
		shipped string
		outcome resume.Outcome
		class   mutants.Class
	}{
		"the expected one breaks":              {mutants.ShippedPass, resume.Outcome{Broke: []string{"B", "A"}}, mutants.KilledExpected},
		"it breaks before the host is lost":    {mutants.ShippedPass, resume.Outcome{Broke: []string{"A"}, Err: "lost"}, mutants.KilledExpected},
		"another one breaks":                   {mutants.ShippedPass, resume.Outcome{Broke: []string{"B"}}, mutants.KilledOther},
		"the table alone differs":              {mutants.ShippedPass, resume.Outcome{Differs: "hi is 3"}, mutants.KilledOther},
		"nothing breaks":                       {mutants.ShippedPass, resume.Outcome{}, mutants.Survived},
		"it cannot be followed":                {mutants.ShippedPass, resume.Outcome{Err: "lost"}, mutants.Failed},
		"the build that ships breaks the same": {"breaks [A]", resume.Outcome{Broke: []string{"A"}}, mutants.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			r := Result{Expected: "A", Broke: []string{}, Shipped: c.shipped}
			if r.weigh(c.outcome); r.Class != c.class {
				t.Errorf("%s, want %s", r.Class, c.class)
			}
		})
	}
}

// A driver that says it is another build is not judged.
func TestAnotherBuildIsNotJudged(t *testing.T) {
	program := filepath.Join(t.TempDir(), "driver")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho '{\"build\": \"release\", \"outcomes\": [{\"scenario\": \"Send.inRing\", \"broke\": []}]}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Drive(t.Context(), mutants.Build{ID: "Send.inRing", Binary: program}, "Send.inRing"); err == nil || !strings.Contains(err.Error(), "release") {
		t.Errorf("error %v", err)
	}
	if _, err := Drive(t.Context(), mutants.Build{ID: "release", Binary: program}, "Send.inWindow"); err == nil {
		t.Error("the outcome of another scenario is taken")
	}
}
