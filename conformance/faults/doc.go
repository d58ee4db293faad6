// Package faults crashes and disturbs the server at every moment that can be told apart, and holds what is left against model/podruntime: evaluated on what the engine really has, not on what the
// server says of itself.
//
// A moment is a committed step, and the time before and after each call of the engine and of the store. It imports anything of the project. Read machine.go first: what a crash leaves, and how a
// life of the server on it is cut off; then scenarios.go, truth.go (what is the case) and check.go (what must be). On Docker: chain.go, one pod and the servers that it outlives, kills.go, how each is
// brought to its end, and chain_truth.go.
package faults
