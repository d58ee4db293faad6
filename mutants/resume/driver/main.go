// Command driver takes the session host that it is built with through scenarios of conformance/resume, and prints what became of each, as JSON: {"build": ID, "outcomes": [...]}.
//
//	driver SCENARIO...
//
// It is built once for each mutant, with the changed source under it and the mutant's id compiled in. It imports conformance/resume and mutants/rule/drive. Exit codes: 0 it ran, whatever it found; 2 it could not.
// Read this file first; conformance/resume/run.go has the rest.
package main

import (
	"podlife/conformance/resume"
	"podlife/mutants/rule/drive"
)

// buildID is set by the build.
var buildID = "unnamed"

func main() { drive.Main(buildID, resume.Try) }
