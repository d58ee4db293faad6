// Package checker explores the states of a specification breadth first and says whether they are as its configuration demands.
//
// The search goes level by level, and every result is that of a search with one worker, whatever the number of workers: the counts of states, the order in
// which states are numbered, and the counterexample, which is a shortest one. Workers share nothing while they work: in turn, they generate the successors of
// a batch of states, then sort out which of those are new (each worker for its own part of the fingerprints), then check and store the new ones.
// What counts as a generated state, as a distinct one, and as the depth is as in TLC with one worker.
//
// Of a state that has been explored only its 64-bit fingerprint is kept, and how it was reached; those on the frontier are kept in TLA+ values' binary form.
// A counterexample is recomputed from the initial states.
//
// It imports eval (successors and predicates), value (hashing and the binary form of values) and diag (places), and nothing else of the project. Read first: checker.go,
// then search.go.
package checker
