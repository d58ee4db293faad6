// Package dot writes state graphs for Graphviz, with the name of an action on every edge, in the form of TLC's "-dump dot,actionlabels", and
// reads that form back, so that the graph that one checker has found can be compared with another's.
//
// It imports nothing of the project, and only the standard library. Read first: dot.go; write.go and read.go are the two directions.
package dot

import "fmt"

// A Graph is a state graph as a file tells it.
type Graph struct {
	Nodes []Node // in order of their lines; no two have the same ID
	Edges []Edge // in order of their lines; the same edge may be there more than once: TLC writes one for each generated successor
}

// A Node is a state.
type Node struct {
	ID    int64  // TLC uses the fingerprint
	Label string // the state as text: "/\ x = 1\n/\ y = 2"
	// Initial says that it is an initial state, Outside that a constraint excludes it (only TLC's option "constrained" writes such states).
	Initial, Outside bool
	// Level is the number of states on the shortest path that was found from an initial state to this one, both included: 1 for an initial
	// state. Nodes of one level are drawn in a row. 0 is unknown; Read leaves it 0.
	Level int
}

// An Edge is a step.
type Edge struct {
	From, To int64
	Label    string // the action with its arguments: "StartBoot(c1)"
}

// MaxBytes bounds what Read takes.
const MaxBytes = 1 << 30

// A FormatError says what is wrong with a file and where.
type FormatError struct {
	Line    int // counts from 1; 0 is the whole file
	Problem string
}

func (e *FormatError) Error() string {
	if e.Line == 0 {
		return "dot: " + e.Problem
	}
	return fmt.Sprintf("dot: line %d: %s", e.Line, e.Problem)
}
