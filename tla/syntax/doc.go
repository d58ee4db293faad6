// Package syntax reads TLA+ text: a module, or an expression on its own, becomes a tree that says what was written and where. Names are not
// resolved and nothing is evaluated; that is for the packages that use the tree. It also writes expressions back as text (Print).
//
// The language is that of Lamport's "Specifying Systems" and of "TLA+2: A Preliminary Guide", with the operators' Unicode forms. Where these
// leave something open, what the reference parser SANY accepts decides. Proofs are read, since nothing else tells where they end, and left out
// of the tree.
//
// It imports podlife/tla/diag and the standard library. Read first: ast.go, what a text becomes; then parser.go and expression.go.
package syntax
