package resume

import (
	"strings"

	"podlife/model/sessionresume"
)

// A Scenario is a path that shows what a host without a guard or rule breaks. A host that ships breaks nothing in it.
type Scenario struct {
	sessionresume.Constants
	Viewers int
	Path    string // as [Parse] reads it
}

// path panics where the path is none: a test reads them all.
func (s Scenario) path() []Op {
	ops, err := Parse(s.Path)
	if err != nil {
		panic(err)
	}
	return ops
}

// shown is how a viewer comes to show the first block.
func shown(v string) string {
	return strings.ReplaceAll("Ask(v) Receive(v) Produce Receive(v)", "(v)", "("+v+")")
}

// Scenarios are those of all guards and rules of SessionResume, by their names.
func Scenarios() map[string]Scenario {
	c := sessionresume.Constants{MaxSessions: 2, MaxOut: 9, MaxConns: 3, Ring: 2, Window: 1}
	one := func(path ...string) Scenario { return Scenario{c, 1, strings.Join(path, " ")} }
	two := func(path ...string) Scenario { return Scenario{c, 2, strings.Join(path, " ")} }
	return map[string]Scenario{
		// It takes nothing, and is the only one: all blocks but the first wait in the shell.
		"Produce.notStalled": one("Ask(v1) Receive(v1) Produce Produce Produce Produce"),
		// The second viewer takes nothing, the first everything.
		"Produce.anyOne":     two(shown("v1"), "Ack(v1) Ask(v2) Produce Receive(v1) Ack(v1) Produce"),
		"Replace.freshEpoch": one(shown("v1"), "Ack(v1) Replace Produce Produce Ask(v1) Receive(v1)"),
		"Resume.sameEpoch":   one(shown("v1"), "Ack(v1) Drop(v1) Replace Produce Produce Ask(v1) Receive(v1)"),
		"Resume.inRing":      one(shown("v1"), "Ack(v1) Drop(v1) Produce Produce Produce Ask(v1)"),
		"Send.inWindow":      one(shown("v1"), "Drop(v1) Produce Produce Ask(v1)"),
		// The second viewer's next block leaves the ring while it takes nothing.
		"Send.inRing":            two(shown("v1"), "Ack(v1) Ask(v2) Receive(v2) Produce Receive(v2) Receive(v1) Ack(v1) Produce Receive(v1) Ack(v1) Produce Receive(v1) Ack(v1) Produce Ack(v2) Receive(v2)"),
		"SendExit.allSent":       one(shown("v1"), "Ack(v1) Drop(v1) Produce Exit Ask(v1) Receive(v1)"),
		"Receive.thisConnection": one(shown("v1"), "Ack(v1) Hold Produce Drop(v1) Ask(v1) Release Receive(v1)"),
	}
}
