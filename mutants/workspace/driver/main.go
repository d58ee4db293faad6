// Command driver takes the named pods of the server that it is built with through scenarios of conformance/workspace, and prints what became of each, as JSON: {"build": ID, "outcomes": [...]}.
//
//	driver SCENARIO...
//
// It is built once for each mutant, with the changed source under it and the mutant's id compiled in. It imports conformance/workspace and mutants/rule/drive. Exit codes: 0 it ran, whatever it found; 2 it could not.
// Read this file first; conformance/workspace/run.go has the rest.
package main

import (
	"podlife/conformance/workspace"
	"podlife/mutants/rule/drive"
)

// buildID is set by the build.
var buildID = "unnamed"

func main() { drive.Main(buildID, workspace.Try) }
