// Command driver takes the session host that it is built with through scenarios of conformance/resume, and prints what became of each, as JSON: {"build": ID, "outcomes": [...]}.
//
//	driver SCENARIO...
//
// It is built once for each mutant, with the changed source under it and the mutant's id compiled in. It imports conformance/resume alone. A scenario runs in a bubble of testing/synctest, which only a test may
// make: so the program runs one. Exit codes: 0 it ran, whatever it found; 2 it could not. Read this file first; conformance/resume/run.go has the rest.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"
	"testing/synctest"

	"podlife/conformance/resume"
)

// buildID is set by the build.
var buildID = "unnamed"

func main() {
	names := os.Args[1:]
	testing.Init()
	if err := flag.CommandLine.Parse(nil); err != nil {
		fail(err)
	}
	report := struct {
		Build    string           `json:"build"`
		Outcomes []resume.Outcome `json:"outcomes"`
	}{Build: buildID, Outcomes: []resume.Outcome{}}
	testing.Main(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "driver", F: func(t *testing.T) {
		for _, name := range names {
			synctest.Test(t, func(*testing.T) { report.Outcomes = append(report.Outcomes, resume.Try(name)) })
		}
		if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
			fail(err)
		}
		os.Exit(0) // before the test says on the same output that it passed
	}}}, nil, nil)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "driver:", err)
	os.Exit(2)
}
