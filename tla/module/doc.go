// Package module gives names their meaning: it reads a module and all that it extends and instantiates, and turns them into a resolved form (ir.go) in
// which a name is a pointer to what it names, INSTANCE has been carried out by copying, and arities and levels have been checked. What is legal is
// what the reference front end SANY accepts; where the two differ it is said beside the code.
//
// The way through it: load.go finds texts, unit.go goes through a module's units, expr.go and name.go through expressions, instance.go and copy.go
// carry out INSTANCE, and levelcheck.go, with levelwalk.go and levels.go, checks levels when a module is complete.
//
// It imports podlife/tla/diag, podlife/tla/syntax and podlife/tla/library, and the standard library. Read first: ir.go, which is what the package is
// for; then load.go.
package module
