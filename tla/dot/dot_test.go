package dot_test

import (
	"bytes"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"podlife/tla/dot"
)

// asTLC is a graph in the words of TLC: a state's label, a step to a new state before that state, a step to a known one.
const asTLC = `strict digraph DiskGraph {
node [shape=box,style=rounded]
nodesep=0.35;
subgraph cluster_graph {
color="white";
-7 [label="/\\ x = 0\n/\\ s = \"a\\\\b\"",style = filled]
-7 -> 8 [label="Go(c1,<<\"q\">>)",color="black",fontcolor="black"];
8 [label="x = 1",tooltip="x = 1"];
8 -> -7 [label="",color="black",fontcolor="black"];
8 -> -7 [label="",color="black",fontcolor="black"];
8 -> 9 [label="Go
line 9, col 8 to line 9, col 12 of module I",color="black",fontcolor="black"];
9 [label="x = 4",tooltip="x = 4",style = filled, fillcolor=lightyellow];
8 -> 8 [style="dashed",color="lightgray"];
{rank = same; -7;}
{rank = same; 8;}
}
}`

func tlcGraph() *dot.Graph {
	return &dot.Graph{
		Nodes: []dot.Node{
			{ID: -7, Label: "/\\ x = 0\n/\\ s = \"a\\\\b\"", Initial: true},
			{ID: 8, Label: "x = 1"},
			{ID: 9, Label: "x = 4", Outside: true},
		},
		Edges: []dot.Edge{
			{-7, 8, `Go(c1,<<"q">>)`}, {8, -7, ""}, {8, -7, ""},
			{8, 9, "Go\nline 9, col 8 to line 9, col 12 of module I"},
		},
	}
}

func TestTLCsGraphIsRead(t *testing.T) {
	got, err := dot.Read(strings.NewReader(asTLC))
	if err != nil || !reflect.DeepEqual(got, tlcGraph()) {
		t.Errorf("read %+v, %v", got, err)
	}
}

func TestTheLegendOfColoursIsNoState(t *testing.T) {
	legend := `subgraph cluster_legend {graph[style=bold];label = "Next State Actions" style="solid"
node [ labeljust="l",colorscheme="paired12",style=filled,shape=record ]
A:Go [label="A!Go",fillcolor=2]
}}`
	got, err := dot.Read(strings.NewReader(strings.TrimSuffix(asTLC, "}") + legend))
	if err != nil || !reflect.DeepEqual(got, tlcGraph()) {
		t.Errorf("read %+v, %v", got, err)
	}
}

func written(t *testing.T, g *dot.Graph) string {
	t.Helper()
	var b bytes.Buffer
	w := dot.NewWriter(&b)
	for _, n := range g.Nodes {
		w.Node(n)
	}
	for _, e := range g.Edges {
		w.Edge(e)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAGraphIsReadAsItWasWritten(t *testing.T) {
	got, err := dot.Read(strings.NewReader(written(t, tlcGraph())))
	if err != nil || !reflect.DeepEqual(got, tlcGraph()) {
		t.Errorf("read %+v, %v", got, err)
	}
}

// What a file is looked at with, a terminal or Graphviz, gets text and no bytes that it would obey or refuse.
func TestNoLabelHasControlBytes(t *testing.T) {
	g := &dot.Graph{Nodes: []dot.Node{{ID: 1, Label: "s = \"\x1b[2J\u009b\r\t\x00\x7fa\xffb\u202e日\""}}, Edges: []dot.Edge{{1, 1, "Go(\"\a\")"}}}
	text := written(t, g)
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !strconv.IsPrint(r) }) {
		t.Errorf("written %q", text)
	}
	got, err := dot.Read(strings.NewReader(text))
	if want := `s = "\x1b[2J\u009b\r\t\x00\x7fa\xffb\u202e日"`; err != nil || got.Nodes[0].Label != want || got.Edges[0].Label != `Go("\a")` {
		t.Errorf("read %+v, %v", got, err)
	}
}

func TestStatesOfOneLevelAreInARow(t *testing.T) {
	text := written(t, &dot.Graph{Nodes: []dot.Node{{ID: 1, Level: 2}, {ID: 2, Level: 1}, {ID: 3, Level: 2}, {ID: 4}}})
	if want := "{rank = same; 2;}\n{rank = same; 1;3;}\n}\n}\n"; !strings.HasSuffix(text, want) {
		t.Errorf("written\n%s", text)
	}
}

func TestWhatIsNoStateGraphIsRefusedWithItsLine(t *testing.T) {
	for name, c := range map[string]struct{ file, says string }{
		"nothing":           {"", "line 1: \"the end\", want digraph"},
		"another graph":     {"graph G { }", "want digraph"},
		"cut off":           {asTLC[:strings.LastIndex(asTLC, "{rank")], "ends inside the graph"},
		"cut off in string": {asTLC[:strings.Index(asTLC, "Go(c1")], "line 7: a string without an end"},
		"a brace too many":  {asTLC + "}", "a brace too many"},
		"no label":          {strings.Replace(asTLC, `label="x = 1",`, "", 1), "line 8: state 8 has no label"},
		"twice":             {strings.Replace(asTLC, "\n9 [label", "\n8 [label", 1), "line 13: state 8 is told twice"},
		"a state untold":    {strings.Replace(asTLC, "8 -> -7", "8 -> 77", 1), "line 9: the edge is of 77"},
		"edge to a name":    {strings.Replace(asTLC, "8 -> -7", "8 -> x", 1), `line 9: an edge to "x"`},
		"edge from a name":  {strings.Replace(asTLC, "8 -> -7", "x -> -7", 1), `line 9: an edge from "x"`},
		"an odd escape":     {strings.Replace(asTLC, `\n`, `\l`, 1), `line 6: "\l"`},
		"an odd character":  {strings.Replace(asTLC, "8 -> -7", "8 + -7", 1), `line 9: '+'`},
		"an odd attribute":  {strings.Replace(asTLC, "label=", "label:", 1), "no attribute"},
		"odd begin":         {strings.Replace(asTLC, "nodesep", "=", 1), "does not begin a statement"},
		"no braces":         {"digraph DiskGraph", "ends inside the graph"},
		"two graphs":        {asTLC + asTLC, "outside the braces"},
		"outside":           {asTLC + " 8 [label=\"\"]", "outside the braces"},
	} {
		_, err := dot.Read(strings.NewReader(c.file))
		var format *dot.FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a FormatError that says %q", name, err, c.says)
		}
	}
}

func TestAnErrorOfReaderAndWriterIsPassedOn(t *testing.T) {
	broken := errors.New("broken")
	if _, err := dot.Read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("read: %v", err)
	}
	w := dot.NewWriter(failing{broken})
	w.Node(dot.Node{ID: 1, Label: strings.Repeat("x", 10000)})
	if err := w.Close(); !errors.Is(err, broken) {
		t.Errorf("written: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWhatTheFormCannotTellIsNotWritten(t *testing.T) {
	w := dot.NewWriter(&bytes.Buffer{})
	w.Node(dot.Node{ID: 1, Initial: true, Outside: true})
	if err := w.Close(); err == nil {
		t.Error("written: an initial state that is outside")
	}
}

func FuzzReadNeverPanicsAndKeepsWhatItAccepts(f *testing.F) {
	f.Add(asTLC)
	f.Add("digraph G {1 [label=a];1->1;}")
	f.Fuzz(func(t *testing.T, file string) {
		got, err := dot.Read(strings.NewReader(file))
		if err != nil {
			return
		}
		// A label may have bytes that are written as text, so that it is another one the first time.
		again, err := dot.Read(strings.NewReader(written(t, got)))
		if err != nil || written(t, again) != written(t, got) || len(again.Nodes) != len(got.Nodes) || len(again.Edges) != len(got.Edges) {
			t.Fatalf("read %+v, then %+v, %v", got, again, err)
		}
	})
}
