package graph_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"podlife/model"
	"podlife/model/graph"
)

// counter counts to max, can start again from everywhere, and must not reach bad.
func counter(top, bad int) model.System[int] {
	return model.System[int]{
		Name: "Counter",
		Init: []int{0},
		Steps: []model.Step[int]{
			{Args: []string{`"a"`, "<b>"}, Action: model.Action[int]{
				Name:   "Add",
				Params: []string{"x", "y"},
				Guards: []model.Guard[int]{{Name: "low", Holds: func(n int) bool { return n < top }}},
				Effect: func(n int) int { return n + 1 },
			}},
			{Action: model.Action[int]{Name: "Reset", Effect: func(int) int { return 0 }}},
		},
		Invariants: []model.Invariant[int]{{Name: "Good", Holds: func(n int) bool { return n != bad }}},
	}
}

func collect(t *testing.T, sys model.System[int]) *graph.Graph[int] {
	t.Helper()
	var opts model.Options[int]
	g := graph.Observe(&opts)
	r, err := model.Explore(t.Context(), sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	if r.Violation != nil {
		g.Mark(r.Violation.Path)
	}
	return g
}

func label(n int) []string { return []string{fmt.Sprintf(`state "%d"`, n), `<&\>`} }

func TestDOTHasEveryStateAndEdge(t *testing.T) {
	var out bytes.Buffer
	if err := collect(t, counter(3, 9)).WriteDOT(&out, label); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if n := strings.Count(text, " -> "); n != 3+4 {
		t.Errorf("%d edges, want 7:\n%s", n, text)
	}
	for _, want := range []string{
		`  3 [label="state \"3\"\n<&\\>"];`,
		`  1 -> 2 [label="Add(\"a\", <b>)"];`,
		`  3 -> 0 [label="Reset"];`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "red") {
		t.Errorf("a graph without a counterexample has something marked:\n%s", text)
	}
}

func TestDOTMarksTheCounterexample(t *testing.T) {
	var out bytes.Buffer
	if err := collect(t, counter(3, 2)).WriteDOT(&out, label); err != nil {
		t.Fatal(err)
	}
	var marked []string
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "red") {
			marked = append(marked, strings.Fields(line)[0]+strings.Fields(line)[1])
		}
	}
	if len(marked) != 3+2 {
		t.Errorf("marked are %q, want 3 states and 2 edges:\n%s", marked, out.String())
	}
}

// elements counts the elements of an SVG, which must be well formed.
func elements(t *testing.T, svg io.Reader) map[string]int {
	t.Helper()
	count := map[string]int{}
	for dec := xml.NewDecoder(svg); ; {
		token, err := dec.Token()
		if err == io.EOF {
			return count
		}
		if err != nil {
			t.Fatalf("not well formed: %v", err)
		}
		if start, ok := token.(xml.StartElement); ok {
			count[start.Name.Local]++
		}
	}
}

func TestSVGIsWellFormedAndHasEveryStateAndEdge(t *testing.T) {
	for bad, want := range map[int]map[string]int{
		9: {"svg": 1, "rect": 1 + 4, "path": 7, "title": 7, "text": 2 + 4*2},     // legend, and two lines a state
		2: {"svg": 1, "rect": 1 + 3, "path": 3, "title": 3, "text": 2 + 3*2 + 2}, // and the labels of the 2 marked edges
	} {
		var out bytes.Buffer
		if err := collect(t, counter(3, bad)).WriteSVG(&out, label); err != nil {
			t.Fatal(err)
		}
		if got := elements(t, &out); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("bad %d: elements %v, want %v", bad, got, want)
		}
	}
}

func TestATooBigGraphIsNotDrawnAndNotKept(t *testing.T) {
	g := collect(t, counter(graph.MaxStates, -1))
	if len(g.States) != graph.MaxStates {
		t.Errorf("%d states are kept", len(g.States))
	}
	for _, write := range []func(io.Writer, func(int) []string) error{g.WriteDOT, g.WriteSVG} {
		var out bytes.Buffer
		var tooBig *graph.TooBigError
		if err := write(&out, label); !errors.As(err, &tooBig) || out.Len() > 0 {
			t.Errorf("%v, %d bytes written", err, out.Len())
		}
	}
	if err := collect(t, counter(graph.MaxStates-1, -1)).WriteDOT(io.Discard, label); err != nil {
		t.Errorf("a graph of just the size allowed: %v", err)
	}
}

func TestAnErrorOfTheWriterIsPassedOn(t *testing.T) {
	g := collect(t, counter(3, 9))
	broken := errors.New("broken")
	for _, write := range []func(io.Writer, func(int) []string) error{g.WriteDOT, g.WriteSVG} {
		if err := write(failing{broken}, label); !errors.Is(err, broken) {
			t.Errorf("written to a broken writer: %v", err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
