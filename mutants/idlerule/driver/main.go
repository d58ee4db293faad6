// Command driver takes the server's pods that it is built with through scenarios of conformance/idlerule, and prints what became of each, as JSON: {"build": ID, "outcomes": [...]}.
//
//	driver SCENARIO...
//
// It is built once for each mutant, with the changed source under it and the mutant's id compiled in. It imports conformance/idlerule and mutants/rule/drive. Exit codes: 0 it ran, whatever it found; 2 it could not.
// Read this file first; conformance/idlerule/run.go has the rest.
package main

import (
	"podlife/conformance/idlerule"
	"podlife/mutants/rule/drive"
)

// buildID is set by the build.
var buildID = "unnamed"

func main() { drive.Main(buildID, idlerule.Try) }
