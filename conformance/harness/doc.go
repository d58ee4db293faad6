// Package harness starts a podlife server to test against, and looks at what it really did: on Docker with the real program, or in this process over the simulated engine, behind one interface.
//
// It imports anything of the project, and nothing but tests and cmd may import it. Read world.go first: it is the interface. inside.go says what counts as provisioned, docker.go and
// simulated.go are the two ways.
package harness
