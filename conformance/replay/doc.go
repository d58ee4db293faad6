// Package replay plays a trace of the specification, a counterexample say, against a live server, step by step and through its public API alone, and says for each step what the specification
// expects and what was seen.
//
// It imports the model, runtime/client and conformance/tab, and no test package: `podlife replay` is made of it. Read replay.go first, then act.go.
package replay
