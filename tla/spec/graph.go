package spec

import (
	"fmt"
	"strings"

	"podlife/tla/dot"
	"podlife/tla/eval"
	"podlife/tla/value"
)

// A DotSink writes the state graph that the checker finds; it is a checker.GraphSink. Close the dot.Writer when the run has ended.
type DotSink struct {
	out       *dot.Writer
	variables []string
}

// NewDotSink makes a sink for a specification's graph.
func (s *Spec) NewDotSink(w *dot.Writer) *DotSink {
	return &DotSink{out: w, variables: s.Program.Variables()}
}

// State writes a node; its ID is the state's index.
func (d *DotSink) State(index int64, s eval.State, initial bool) error {
	return value.Catch(func() { d.out.Node(dot.Node{ID: index, Label: StateLabel(d.variables, s), Initial: initial}) })
}

// Edge writes an edge.
func (d *DotSink) Edge(from, to int64, a *eval.Action, args []value.Value) error {
	return value.Catch(func() { d.out.Edge(dot.Edge{From: from, To: to, Label: ActionLabel(a.Name, args)}) })
}

// StateLabel is a state as text, a line for each variable: "/\ x = 1". One variable alone has no "/\".
func StateLabel(variables []string, s eval.State) string {
	lines := make([]string, len(variables))
	for i, name := range variables {
		lines[i] = fmt.Sprintf("/\\ %s = %s", name, s[i])
	}
	if len(lines) == 1 {
		return strings.TrimPrefix(lines[0], "/\\ ")
	}
	return strings.Join(lines, "\n")
}

// ActionLabel is an action with its arguments: "StartBoot(c1,2)".
func ActionLabel(name string, args []value.Value) string {
	if len(args) == 0 {
		return name
	}
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.String()
	}
	return name + "(" + strings.Join(texts, ",") + ")"
}
