// Package library is TLA+'s standard modules and those that go with them: their TLA+ texts, written for this project, and in Go what an evaluator
// computes itself instead of by a module's definitions, in the way in which the model checker TLC does.
//
// A definition in a text is mathematics and may be slow, or be a CASE that no value satisfies where there is no short definition; a native is
// the same operator in Go. Some natives hold for whichever text of their module a specification brings along, because TLC overrides them likewise;
// others stand only for the definitions of this package's own texts, so that nobody's own operator of the same name is replaced. Lookup
// knows the difference.
//
// It imports tla/diag, tla/syntax and tla/value. Read first: library.go, then env.go.
package library
