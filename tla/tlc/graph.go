package tlc

import (
	"fmt"
	"slices"
	"strings"

	"podlife/tla/dot"
	"podlife/tla/value"
)

// A Graph is a labelled state graph in a form that two checkers agree on whenever they have found the same states and steps: a state is its text,
// each value written in one way, and a step is an action between two of them. Whatever depends on the order of the search is gone.
type Graph struct {
	Initial map[string]bool
	States  map[string]bool // the initial ones included
	Steps   map[Step]int    // how often each was generated
}

// A Step is an edge.
type Step struct{ From, Action, To string }

// NewGraph is the graph without states.
func NewGraph() *Graph {
	return &Graph{map[string]bool{}, map[string]bool{}, map[Step]int{}}
}

// StateText is a state's text: its variables in alphabetical order.
func StateText(state []Assignment) (string, error) {
	state = slices.Clone(state)
	slices.SortFunc(state, func(a, b Assignment) int { return strings.Compare(a.Name, b.Name) })
	var b strings.Builder
	for _, a := range state {
		text := "null"
		if a.Value != nil {
			var err error
			if text, err = valueText(a.Value); err != nil {
				return "", fmt.Errorf("%s: %w", a.Name, err)
			}
		}
		fmt.Fprintf(&b, "/\\ %s = %s\n", a.Name, text)
	}
	return b.String(), nil
}

// valueText is the same for equal values: an interval is written out too.
func valueText(v value.Value) (text string, err error) {
	err = value.Catch(func() { text = enumerated(value.Normalize(v)).String() })
	return text, err
}

// enumerated gives a normalised value with its intervals as enumerated sets.
func enumerated(v value.Value) value.Value {
	all := func(vs []value.Value) []value.Value {
		out := make([]value.Value, len(vs))
		for i, x := range vs {
			out[i] = enumerated(x)
		}
		return out
	}
	switch v := v.(type) {
	case *value.Range:
		return value.SetOfSorted(value.Elements(v))
	case *value.Set:
		return value.NewSet(all(v.Elems()))
	case *value.Tuple:
		return value.NewTuple(all(v.Elems()))
	case *value.Record:
		return value.NewRecord(v.Shape(), all(v.Vals()))
	case *value.Function:
		return value.NewFunction(all(v.Args()), all(v.Vals()))
	}
	return v
}

// ActionText is an action's text.
func ActionText(name string, args []value.Value) (string, error) {
	if len(args) == 0 {
		return name, nil
	}
	texts := make([]string, len(args))
	for i, a := range args {
		var err error
		if texts[i], err = valueText(a); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	return name + "(" + strings.Join(texts, ", ") + ")", nil
}

// GraphOf reads the states and actions of a graph that TLC dumped, or that was written in its form. States outside of a constraint, and the
// steps to them, are left out. Two nodes with the same text are an error.
func GraphOf(d *dot.Graph) (*Graph, error) {
	g := NewGraph()
	texts := map[int64]string{}
	for _, n := range d.Nodes {
		if n.Outside {
			continue
		}
		state, err := ParseState(n.Label)
		if err != nil {
			return nil, fmt.Errorf("state %d: %w", n.ID, err)
		}
		text, err := StateText(state)
		if err != nil {
			return nil, fmt.Errorf("state %d: %w", n.ID, err)
		}
		if g.States[text] {
			return nil, fmt.Errorf("state %d is there twice:\n%s", n.ID, text)
		}
		texts[n.ID] = text
		g.States[text] = true
		if n.Initial {
			g.Initial[text] = true
		}
	}
	actions := map[string]string{}
	for _, e := range d.Edges {
		from, ok := texts[e.From]
		to, ok2 := texts[e.To]
		if !ok || !ok2 {
			continue
		}
		action, known := actions[e.Label]
		if !known {
			name, args, err := ParseAction(e.Label)
			if err != nil {
				return nil, fmt.Errorf("action %.60q: %w", e.Label, err)
			}
			if action, err = ActionText(name, args); err != nil {
				return nil, err
			}
			actions[e.Label] = action
		}
		g.Steps[Step{from, action, to}]++
	}
	return g, nil
}

// Differences says how other is not the same graph, at most ten lines and the number of the rest; empty where it is. Names are those of g and
// other for the reader.
func (g *Graph) Differences(other *Graph, nameOfG, nameOfOther string) []string {
	var diffs []string
	only := func(what string, a, b map[string]bool, name string) {
		for text := range a {
			if !b[text] {
				diffs = append(diffs, fmt.Sprintf("only %s has the %s\n%s", name, what, text))
			}
		}
	}
	only("state", g.States, other.States, nameOfG)
	only("state", other.States, g.States, nameOfOther)
	only("initial state", g.Initial, other.Initial, nameOfG)
	only("initial state", other.Initial, g.Initial, nameOfOther)
	for step, n := range g.Steps {
		if m := other.Steps[step]; m != n {
			diffs = append(diffs, fmt.Sprintf("%s has %d times, %s %d times the step %s from\n%sto\n%s", nameOfG, n, nameOfOther, m, step.Action, step.From, step.To))
		}
	}
	for step, m := range other.Steps {
		if g.Steps[step] == 0 {
			diffs = append(diffs, fmt.Sprintf("%s has 0 times, %s %d times the step %s from\n%sto\n%s", nameOfG, nameOfOther, m, step.Action, step.From, step.To))
		}
	}
	slices.Sort(diffs)
	if n := len(diffs); n > 10 {
		diffs = append(diffs[:10:10], fmt.Sprintf("and %d further differences", n-10))
	}
	return diffs
}
