// Package specs is the registry of the configurations of the project's specifications: what must come out of each, down to the number of
// states, and whether it does. A configuration that is not in the registry, a line without its file, and a guard of PodRuntime that no
// configuration switches off are errors.
//
// It imports tla (which reads and checks specifications, and runs TLC) and nothing else of the project. Read registry.go first, which has the
// registry's form; whole.go says what must be in it, run.go checks a configuration with the embedded checker and tlc.go with TLC, report.go
// tells people and coverage.json. The command in the folder run is what the stages specs and tlc call.
package specs
