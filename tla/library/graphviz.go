package library

import (
	"fmt"
	"strings"

	"podlife/tla/value"
)

// graphViz is the module GraphViz.
func graphViz(t table) {
	t.fixed("GraphViz", "DotDiGraph", 3, dotDiGraph)
}

// dotDiGraph writes a graph for Graphviz. Nodes are named by their fingerprints, so that edges may also lead to what is no node; labels are written as
// values are printed, which for a string is with quotation marks.
func dotDiGraph(env *Env, args []value.Value) value.Value {
	const op = "DotDiGraph"
	g := record(op, "first", args[0])
	nodeLabel, edgeLabel := of(operator(args[1])), of(operator(args[2]))
	var out strings.Builder
	out.WriteString("digraph MyGraph {")
	for _, n := range setOf(op, "first", field(op, "first", g, "node")) {
		fmt.Fprintf(&out, "%d[label=%s];", int64(env.Work.Hash(n)), nodeLabel(n))
	}
	for _, e := range setOf(op, "first", field(op, "first", g, "edge")) {
		ends, ok := sequenceOf(e)
		if !ok || len(ends) < 2 {
			wrong(op, "first", "a graph whose edges are sequences that start with two nodes", args[0])
		}
		fmt.Fprintf(&out, "%d->%d[label=%s];", int64(env.Work.Hash(ends[0])), int64(env.Work.Hash(ends[1])), edgeLabel(e))
	}
	out.WriteString("}")
	return value.NewString(out.String())
}
