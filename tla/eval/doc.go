// Package eval gives a resolved specification and its configuration their meaning: it compiles expressions to closures, enumerates initial states and
// successors, and evaluates invariants, constraints, views and the like.
//
// A Program is what was compiled, and may be shared: what it remembers of constants and of definitions that were compiled later is behind locks, and changes no result. An Evaluator runs it, for one goroutine. What counts as one generated
// successor, and the order in which successors come, are TLC's: each way in which an action can be true is a successor of its own, even where
// two of them are the same state.
//
// It imports diag (places and errors), value (what expressions evaluate to), module (what is compiled), config (the model) and library (operators of
// the standard modules that are written in Go); nothing else of the project. Read first: eval.go.
package eval
