package tlc

import (
	"fmt"
	"strings"
	"testing"

	"podlife/tla/dot"
)

func twoStates() *dot.Graph {
	return &dot.Graph{
		Nodes: []dot.Node{{ID: 1, Label: "/\\ y = {2, 1}\n/\\ x = 1..2", Initial: true}, {ID: -2, Label: "/\\ x = {}\n/\\ y = {}"}, {ID: 3, Label: "x = 9", Outside: true}},
		Edges: []dot.Edge{{From: 1, To: -2, Label: "Go(<<1,2>>)"}, {From: 1, To: -2, Label: "Go(<<1, 2>>)"}, {From: -2, To: 3, Label: "Go\nline 9"}},
	}
}

func graph(t *testing.T, d *dot.Graph) *Graph {
	t.Helper()
	g, err := GraphOf(d)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestAGraphIsItsStatesAndSteps(t *testing.T) {
	g := graph(t, twoStates())
	from, to := "/\\ x = {1, 2}\n/\\ y = {1, 2}\n", "/\\ x = {}\n/\\ y = {}\n"
	if len(g.States) != 2 || !g.Initial[from] || len(g.Initial) != 1 || len(g.Steps) != 1 || g.Steps[Step{from, "Go(<<1, 2>>)", to}] != 2 {
		t.Errorf("read %+v", g)
	}
	other := twoStates()
	other.Nodes[0].Label = "/\\ x = {1, 2}\n/\\ y = 1..2"
	other.Nodes[0].ID, other.Edges[0].From, other.Edges[1].From = 77, 77, 77
	if diffs := g.Differences(graph(t, other), "we", "TLC"); diffs != nil {
		t.Errorf("differences between equal graphs: %s", diffs)
	}
}

func TestEachDifferenceBetweenGraphsIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*dot.Graph)
		says   string
	}{
		"a state":     {func(d *dot.Graph) { d.Nodes = append(d.Nodes, dot.Node{ID: 4, Label: "x = 4"}) }, "only TLC has the state\n/\\ x = 4"},
		"a value":     {func(d *dot.Graph) { d.Nodes[1].Label = "/\\ x = {}\n/\\ y = {3}" }, "only we has the state\n/\\ x = {}\n/\\ y = {}"},
		"initial":     {func(d *dot.Graph) { d.Nodes[1].Initial = true }, "only TLC has the initial state"},
		"not initial": {func(d *dot.Graph) { d.Nodes[0].Initial = false }, "only we has the initial state"},
		"a step":      {func(d *dot.Graph) { d.Edges = append(d.Edges, dot.Edge{From: -2, To: 1, Label: "Go"}) }, "we has 0 times, TLC 1 times the step Go"},
		"how often":   {func(d *dot.Graph) { d.Edges = d.Edges[1:] }, "we has 2 times, TLC 1 times the step Go(<<1, 2>>)"},
		"a label":     {func(d *dot.Graph) { d.Edges[0].Label = "Stop" }, "we has 0 times, TLC 1 times the step Stop"},
		"many of them": {func(d *dot.Graph) {
			for i := range 20 {
				d.Nodes = append(d.Nodes, dot.Node{ID: int64(i) + 100, Label: fmt.Sprintf("x = %d", i)})
			}
		}, "and 10 further differences"},
	} {
		d := twoStates()
		c.change(d)
		diffs := graph(t, twoStates()).Differences(graph(t, d), "we", "TLC")
		if !strings.Contains(strings.Join(diffs, "\n"), c.says) {
			t.Errorf("%s: %q, want %q", name, diffs, c.says)
		}
	}
}

func TestAGraphThatIsNotUnderstoodIsAnError(t *testing.T) {
	for name, change := range map[string]func(*dot.Graph){
		"a state":                 func(d *dot.Graph) { d.Nodes[0].Label = "x" },
		"an action":               func(d *dot.Graph) { d.Edges[0].Label = "Go(" },
		"two nodes of one state":  func(d *dot.Graph) { d.Nodes[0].Label = d.Nodes[1].Label },
		"an interval without end": func(d *dot.Graph) { d.Nodes[0].Label = "x = 1..1000000000000" },
	} {
		d := twoStates()
		change(d)
		if g, err := GraphOf(d); err == nil {
			t.Errorf("%s: %+v", name, g)
		}
	}
}
