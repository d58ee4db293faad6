package graph

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteDOT draws for Graphviz. label gives a state's text, in lines. It fails with a [*TooBigError] and with the errors of w.
func (g *Graph[S]) WriteDOT(w io.Writer, label func(S) []string) error {
	if g.tooBig {
		return &TooBigError{Max: MaxStates}
	}
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "digraph states {")
	fmt.Fprintln(out, `  node [shape=box, style=rounded, fontname="monospace", fontsize=10];`)
	fmt.Fprintln(out, `  edge [fontname="monospace", fontsize=9];`)
	for id, s := range g.States {
		style := ""
		if g.path[id] {
			style = ", penwidth=3, color=red"
		}
		fmt.Fprintf(out, "  %d [label=%s%s];\n", id, dotString(strings.Join(label(s), "\n")), style)
	}
	for _, e := range g.Edges {
		style := ""
		if g.marked(e) {
			style = ", penwidth=3, color=red"
		}
		fmt.Fprintf(out, "  %d -> %d [label=%s%s];\n", e.From, e.To, dotString(e.Label), style)
	}
	fmt.Fprintln(out, "}")
	return out.Flush()
}

// dotString quotes a text for DOT, where only the quote and the backslash are special.
func dotString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
