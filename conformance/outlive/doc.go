// Package outlive holds a workspace to its one promise on the real engine: what is in its home, and what was set of it, outlives everything that a server, a container and an engine go through.
//
// A home is filled with files of all kinds, and then operations are drawn, orderly and violent ones. After each of them a program inside computes one hash over the whole home, and it has to be the one
// of the beginning. It imports conformance/harness, runtime/client, runtime/engine and runtime/container (for the names of labels), and nothing imports it. Read outlive_test.go first, then operations.go, check.go and files.go.
package outlive
