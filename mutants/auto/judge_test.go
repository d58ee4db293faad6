package auto

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"podlife/mutants"
	"podlife/mutants/auto/trial"
)

func TestWeigh(t *testing.T) {
	found := func(by ...string) []trial.Finding {
		var all []trial.Finding
		for _, b := range by {
			all = append(all, trial.Finding{By: b, Detail: "seen"})
		}
		return all
	}
	for name, c := range map[string]struct {
		shipped  string
		outcomes []trial.Outcome
		class    mutants.Class
		table    bool
	}{
		"the expected one breaks":                {mutants.ShippedPass, []trial.Outcome{{Findings: found("A")}}, mutants.KilledExpected, false},
		"an accepted one breaks":                 {mutants.ShippedPass, []trial.Outcome{{Findings: found("C", "B")}}, mutants.KilledExpected, false},
		"it breaks before the scenario fails":    {mutants.ShippedPass, []trial.Outcome{{Findings: found("A"), Err: "never happened"}}, mutants.KilledExpected, false},
		"it breaks in the second scenario":       {mutants.ShippedPass, []trial.Outcome{{}, {Findings: found("A")}}, mutants.KilledExpected, false},
		"another one breaks":                     {mutants.ShippedPass, []trial.Outcome{{Findings: found("C")}}, mutants.KilledOther, false},
		"the table alone refuses":                {mutants.ShippedPass, []trial.Outcome{{Findings: found(trial.ByTable)}}, mutants.KilledOther, true},
		"nothing breaks":                         {mutants.ShippedPass, []trial.Outcome{{}}, mutants.Survived, false},
		"the scenario fails and nothing is seen": {mutants.ShippedPass, []trial.Outcome{{Err: "never happened"}}, mutants.Failed, false},
		"what ships fails too":                   {"finds it too", []trial.Outcome{{Findings: found("A")}}, mutants.Failed, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := Result{Expected: []string{"A", "B"}, Broke: []string{}, Shipped: c.shipped}
			r.weigh(run{Outcomes: c.outcomes})
			if r.Class != c.class || r.Table != c.table || slices.Contains(r.Broke, trial.ByTable) {
				t.Errorf("%+v, want %s, table %t", r, c.class, c.table)
			}
		})
	}
}

// A driver that says it is another build is not judged.
func TestAnotherBuildIsNotJudged(t *testing.T) {
	program := filepath.Join(t.TempDir(), "driver")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho '{\"build\": \"release\", \"outcomes\": [{}]}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var wrong *mutants.WrongBuildError
	if _, err := drive(t.Context(), mutants.Build{ID: "StartBoot.idle", Binary: program}, []string{trial.Life}); !errors.As(err, &wrong) || wrong.Got != "release" {
		t.Errorf("error %v", err)
	}
	if _, err := drive(t.Context(), mutants.Build{ID: "release", Binary: program}, []string{trial.Life, trial.TwoBoots}); err == nil || !strings.Contains(err.Error(), "1 outcomes of 2") {
		t.Errorf("a scenario is missing: error %v", err)
	}
}

func TestTheReportShowsWhatWasChanged(t *testing.T) {
	m := Catalogue()[slices.IndexFunc(Catalogue(), func(m Mutant) bool { return m.ID == "Destroy.stored" })]
	source := mutants.NewSource(root)
	if err := source.Apply(m.Edits); err != nil {
		t.Fatal(err)
	}
	r := Result{ID: m.ID, Switch: m.Switch, Expected: []string{"StoreAgrees"}, Class: mutants.KilledExpected, Seconds: 0.5, changed: source.Changed()}
	report, err := strykerReport(root, []Result{r, {ID: "other", Class: mutants.DoesNotApply}})
	if err != nil {
		t.Fatal(err)
	}
	f := report.Files[sleepFile]
	if len(report.Files) != 1 || f == nil || len(f.Mutants) != 1 {
		t.Fatalf("files %v", report.Files)
	}
	got := f.Mutants[0]
	lines := strings.SplitAfter(f.Source, "\n")
	was := strings.Join(lines[got.Location.Start.Line-1:got.Location.End.Line-1], "")
	if strings.Count(was, "\n") != 1 {
		t.Errorf("the place has more than what is changed: %q", was)
	}
	if got.Status != "Killed" || got.Duration != 500 || !slices.Equal(got.KilledBy, m.Scenarios) || !strings.Contains(was, "Store.Save(p.base, asleep)") || !strings.Contains(got.Replacement, `action != "Destroy"`) {
		t.Errorf("%+v in place of %q", got, was)
	}
}

func TestWhatWasNotNoticedAsItShouldIsNotKilled(t *testing.T) {
	for class, want := range map[mutants.Class]string{
		mutants.KilledExpected: "Killed", mutants.KilledOther: "Survived", mutants.Survived: "Survived", mutants.Equivalent: "Ignored",
		mutants.DoesNotBuild: "CompileError", mutants.Timeout: "Timeout", mutants.DoesNotApply: "RuntimeError", mutants.Failed: "RuntimeError",
	} {
		if got := statusOf(class); got != want {
			t.Errorf("%s is %s, want %s", class, got, want)
		}
	}
}

func TestOnlyGreenMutantsAreNotRed(t *testing.T) {
	x := Matrix{Results: []Result{{ID: "a", Class: mutants.KilledExpected, Broke: []string{"NoAttachWithoutShellSetup"}}, {ID: "b", Class: mutants.Survived}}, Shipped: map[string]string{"s": "finds it"}}
	red := x.Red()
	if len(red) != 2 || !strings.Contains(red[0], "the build that ships") || !strings.HasPrefix(red[1], "b ") || x.Bare() != 1 {
		t.Errorf("red %q, bare %d", red, x.Bare())
	}
}
