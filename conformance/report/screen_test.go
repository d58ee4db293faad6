package report

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func screenOf(t *testing.T, dir string) Screen {
	t.Helper()
	s, err := ReadScreen(t.Context(), dir, "testdata/coverage.json", "testdata")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheScreenSaysWhyAPartDidNotRun(t *testing.T) {
	text := strings.Join(screenOf(t, "testdata/results").Lines(), "\n")
	for _, want := range []string{
		"  traces, docker    not run  stage conformance: FAIL: no Docker engine: <none> answers",
		"  mutants, docker   not run  the stage mutants was not asked for",
		"  mutants, guards   pass     1 build: 1 killed as expected",
		"  faults, simulated pass     17,000 runs with a fault, 0 violations, 0 leaks",
		"  TLC               not run  TLC not found",
		"  Docker            FAIL     no Docker engine: <none> answers",
		"  coverage.json     FAIL     1 of 1 files are not what it records: make coverage",
		"FAILED conformance: no Docker engine: <none> answers",
		"did not run: tlc, mutants",
	} {
		if !strings.Contains("\n"+text+"\n", "\n"+want+"\n") {
			t.Errorf("there is no line %q in\n%s", want, text)
		}
	}
}

func TestTheScreenIsOneWhateverHappened(t *testing.T) {
	s := Screen{Check: Check{}}
	for range 40 {
		s.Check.Stages = append(s.Check.Stages, Stage{Name: "a-stage", Result: "FAILED", Reason: strings.Repeat("a long\nreason ", 40)}, Stage{Name: "another", Result: "not_run"})
	}
	for range 10 {
		s.Record.Faults = append(s.Record.Faults, faults{Engine: "one"})
	}
	lines := s.Lines()
	if len(lines) >= Rows {
		t.Errorf("%d lines, and one more comes below, on a screen of %d", len(lines), Rows)
	}
	for _, l := range lines {
		if n := utf8.RuneCountInString(l); n > Columns || strings.ContainsAny(l, "\n\t") {
			t.Errorf("%d columns: %q", n, l)
		}
	}
	if last := lines[len(lines)-1]; !strings.Contains(last, "see the table above") {
		t.Errorf("it ends with %q", last)
	}
}

func TestAScreenOfNothingHasNothingGreen(t *testing.T) {
	for _, l := range (Screen{}).parts() {
		if l.Mark == Passed {
			t.Errorf("%s passed: %s", l.What, l.Text)
		}
	}
}

// A stage that passed says nothing of parts whose figures it did not leave.
func TestAStageThatPassedMakesNoPartGreen(t *testing.T) {
	s := Screen{Check: Check{Stages: []Stage{{Name: "conformance", Needs: "docker", Result: "ok"}, {Name: "specs", Result: "ok"}}}}
	for _, l := range s.parts() {
		if l.Mark == Passed && l.What != "Docker" {
			t.Errorf("%s passed: %s", l.What, l.Text)
		}
		if l.What == "specs" && l.Text != "the stage specs passed and left no figures" {
			t.Errorf("specs: %s", l.Text)
		}
	}
}

func TestThereIsNoScreenWithoutACheck(t *testing.T) {
	if _, err := ReadScreen(t.Context(), t.TempDir(), "testdata/coverage.json", ""); err == nil || !strings.Contains(err.Error(), "no check left its results") {
		t.Errorf("%v", err)
	}
}
