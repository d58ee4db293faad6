package faults

import (
	"os"
	"testing"
	"time"
)

// leave leaves what a test did for the report. It is called at the test's end, when it is known whether it failed.
func leave(t *testing.T, engine, part string, began time.Time, runs int, faults map[string]int) {
	t.Helper()
	r := Results{Engine: engine, Runs: runs, Faults: faults, Verdict: "pass", Seconds: time.Since(began).Seconds()}
	if t.Failed() {
		r.Violations, r.Verdict = 1, "fail"
	}
	if err := r.Leave(os.Getenv("PODLIFE_RESULTS"), part); err != nil {
		t.Error(err)
	}
}
