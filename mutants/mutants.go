// Package mutants builds podlife with one guard removed and says what each such build must break: the proof that the checks of this project can fail.
//
// A mutant is the real server, built with `go build -overlay` from the source as it is now; what is shipped has no switches. Its name is compiled in and read back from the running server before
// anything is judged. It is run through a scenario on Docker that knows nothing of mutants: the same function runs against the build that ships, which must pass it, and says which of the
// specification's invariants are broken, as seen by looking into the container.
//
// It may import everything of the project; nothing imports it but tests, conformance/coverage, for the form of its results, and conformance/faults/failpoint, for its builds. Read this file first,
// then catalogue.go, which has the mutants, then scenarios.go, which has what they are run through. source.go and build.go make the builds, judge.go judges.
package mutants

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// Mutant is one wrong build of the server.
type Mutant struct {
	ID       string // compiled in and read back: "mutant-a"
	About    string // one line: what is wrong with it
	Guard    string // the specification's guard that it lacks, Action.guard
	Expected string // the invariant that must break
	Edits    []Edit
	Scenario Scenario
}

// Scenario is a way of using a server. It gives the invariants that it found broken, and an error for what hindered it from finding out: that is never a kill.
type Scenario struct {
	Name string
	// Needs is how long it may take on a slow machine.
	Needs time.Duration
	Run   func(ctx context.Context, b Build) (Seen, error)
}

// Seen is what a scenario saw.
type Seen struct {
	Broke    []string // the invariants that were broken, in the specification's order; empty for none
	Detector string   // how it was seen: "looked into the container", "typed into the shell"
	Detail   string   // what was seen, in a line
}

// Build is a program to judge.
type Build struct {
	ID     string // what it must say of itself
	Binary string // absolute path
}

// Class is what became of a mutant.
type Class string

// The classes. Only KilledExpected and Equivalent are green.
const (
	KilledExpected Class = "killed_expected" // the expected invariant was broken
	KilledOther    Class = "killed_other"    // another one was, and the expected one not
	Survived       Class = "survived"        // none was
	Equivalent     Class = "equivalent"      // proved to behave as the build that ships, in every reachable state
	DoesNotBuild   Class = "does_not_build"
	DoesNotApply   Class = "does_not_apply" // the source is not any more what the mutant changes
	Timeout        Class = "timeout"
	Failed         Class = "error" // something else went wrong: a wrong id, a server that does not start, a shipped build that breaks the same
)

// Green says whether the class speaks for the checks.
func (c Class) Green() bool { return c == KilledExpected || c == Equivalent }

// Result is what is reported of one mutant.
type Result struct {
	ID       string   `json:"id"`
	Guard    string   `json:"guard"`
	Expected string   `json:"expected"`
	Broke    []string `json:"broke"` // never null
	Class    Class    `json:"class"`
	Detector string   `json:"detector"`
	Seconds  float64  `json:"seconds"` // of the scenario, not of the build; to a tenth
	// Shipped is what the build that ships did in the same scenario in the same run: "pass", or what it broke or failed in.
	Shipped string `json:"shipped"`
	Detail  string `json:"detail"` // what was seen, or the error, in a line or a few
}

// ShippedPass is a Result's Shipped when the build that ships broke nothing.
const ShippedPass = "pass"

// ResultsFile is the results' name in the folder of a run.
const ResultsFile = "mutants.json"

// WriteResults writes the results into a run's folder, whole or not at all.
func WriteResults(dir string, results []Result) error {
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	temp := filepath.Join(dir, "."+ResultsFile+".new")
	if err := os.WriteFile(temp, append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(dir, ResultsFile))
}
