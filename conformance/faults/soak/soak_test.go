package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAShortSoakFindsNothing(t *testing.T) {
	var out, errs bytes.Buffer
	file := filepath.Join(t.TempDir(), "report.json")
	if code := run([]string{"-duration", "6s", "-pods", "6", "-json", file}, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, &out, &errs)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if r.Rounds == 0 || r.Operations["boot"].OK == 0 || len(r.Faults) == 0 || r.Checks["in order after a start"] == 0 || r.Actions["FinishBoot"] == 0 {
		t.Errorf("nothing was done: %+v", r)
	}
	taken := 0
	for _, n := range r.Actions {
		taken += n
	}
	if n := r.Checks["committed step explained"]; n < taken {
		t.Errorf("%d of %d committed steps were explained", n, taken)
	}
	for _, kind := range []string{leftGoroutines, leftDescriptors, leftProcesses, leftContainers} {
		if _, counted := r.Left[kind]; !counted {
			t.Errorf("nobody has counted the %s", kind)
		}
	}
}

func TestAReportTellsEveryViolation(t *testing.T) {
	tally := NewTally(Options{Engine: "simulated", Pods: 1})
	for range maxViolations + 10 {
		tally.fail("pod %s: lost", "u1")
	}
	tally.leak("a goroutine")
	tally.left(leftDescriptors, 7, 8)
	tally.left(leftProcesses, 2, 2)
	r := tally.Report()
	if r.ViolationCount != maxViolations+10 || len(r.Violations) != maxViolations {
		t.Errorf("%d violations, %d told", r.ViolationCount, len(r.Violations))
	}
	var out strings.Builder
	r.Table(&out)
	for _, want := range []string{"pod u1: lost", "leak a goroutine", "leak descriptors: 7 before, 8 after", "60 violations, 2 leaks"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table does not say %q:\n%s", want, out.String())
		}
	}
	if code := r.code(); code != exitViolation {
		t.Errorf("exit code %d", code)
	}
}

func TestASoakThatCheckedNothingIsNoPass(t *testing.T) {
	r := NewTally(Options{}).Report()
	if code := r.code(); code != exitNotRun {
		t.Errorf("exit code %d", code)
	}
}

func TestWrongFlagsAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-engine", "podman"}, {"-pods", "0"}, {"-pods", "201"}, {"-duration", "0s"}, {"extra"}, {"-nonsense"}} {
		var out, errs bytes.Buffer
		if code := run(args, &out, &errs); code != exitUsage || errs.Len() == 0 {
			t.Errorf("%q: exit code %d, %q", args, code, &errs)
		}
	}
}
