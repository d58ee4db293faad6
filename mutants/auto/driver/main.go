// Command driver runs scenarios of mutants/auto/trial and prints what became of them, as JSON: {"build": ID, "outcomes": [...]}.
//
//	driver [SCENARIO...]    without a name all of them
//
// It is built once for each mutant, with the changed source under it and the mutant's id compiled in. It imports mutants/auto/trial alone. Exit codes: 0 it ran, whatever it found; 2 wrong usage.
// Read this file first; trial.go has the rest.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"podlife/mutants/auto/trial"
)

// buildID is set by the build.
var buildID = "unnamed"

func main() {
	outcomes, err := trial.Run(context.Background(), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(2)
	}
	report := struct {
		Build    string          `json:"build"`
		Outcomes []trial.Outcome `json:"outcomes"`
	}{buildID, outcomes}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(2)
	}
}
