package graph

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The layout, in pixels. A level of the search is a row, and in a row the states stand in the order found, which is that of the
// states they were found from: most edges run down, and few of those cross.
const (
	cellWidth  = 150
	cellHeight = 120
	boxWidth   = 130
	lineHeight = 13
	margin     = 20
	legendLine = 18
)

// palette colours the actions, in the order in which they are first taken; a red is kept for the marked path.
func palette() []string {
	return []string{"#1f77b4", "#2ca02c", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf", "#ff7f0e"}
}

type point struct{ x, y int }

// WriteSVG draws without any other program. label gives a state's text, in lines. It fails with a [*TooBigError] and with the errors
// of w.
func (g *Graph[S]) WriteSVG(w io.Writer, label func(S) []string) error {
	if g.tooBig {
		return &TooBigError{Max: MaxStates}
	}
	colours, actions := g.colours()
	top := margin + legendLine*(len(actions)+1)
	at, width, height := g.layout(top)
	lines := 0
	for _, s := range g.States {
		lines = max(lines, len(label(s)))
	}
	boxHeight := lineHeight*lines + 8

	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="monospace" font-size="10">`+"\n", width, height)
	fmt.Fprintln(out, `<rect width="100%" height="100%" fill="white"/>`)
	for i, action := range actions {
		fmt.Fprintf(out, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", margin, margin+legendLine*(i+1), colours[action], escape(action))
	}
	for _, e := range g.Edges {
		writeEdge(out, at[e.From], at[e.To], boxHeight, colours[e.Action], g.marked(e), e.Label)
	}
	for id, s := range g.States {
		writeState(out, at[id], boxHeight, g.path[id], label(s))
	}
	fmt.Fprintln(out, `</svg>`)
	return out.Flush()
}

// layout gives the middle of each state's top edge, and the size of the picture.
func (g *Graph[S]) layout(top int) (at []point, width, height int) {
	row := map[int]int{}
	for _, level := range g.Levels {
		row[level]++
	}
	widest := 1
	for _, n := range row {
		widest = max(widest, n)
	}
	width = 2*margin + widest*cellWidth
	placed := map[int]int{}
	for _, level := range g.Levels {
		left := width/2 - row[level]*cellWidth/2
		at = append(at, point{left + placed[level]*cellWidth + cellWidth/2, top + (level-1)*cellHeight})
		placed[level]++
		height = max(height, top+level*cellHeight+margin)
	}
	return at, width, height
}

func (g *Graph[S]) colours() (map[string]string, []string) {
	colours, actions, all := map[string]string{}, []string(nil), palette()
	for _, e := range g.Edges {
		if !slices.Contains(actions, e.Action) {
			colours[e.Action] = all[len(actions)%len(all)]
			actions = append(actions, e.Action)
		}
	}
	return colours, actions
}

// writeEdge draws down from box to box; an edge that does not lead down bends to the side, and is fainter.
func writeEdge(out io.Writer, from, to point, boxHeight int, colour string, marked bool, label string) {
	width, opacity := 1.0, 0.8
	path := fmt.Sprintf("M%d %d L%d %d", from.x, from.y+boxHeight, to.x, to.y)
	if to.y <= from.y {
		side := max(from.x, to.x) + boxWidth/2 + 15
		path = fmt.Sprintf("M%d %d C%d %d %d %d %d %d", from.x+boxWidth/2, from.y+boxHeight/2, side, from.y, side, to.y+boxHeight, to.x+boxWidth/2, to.y+boxHeight/2)
		opacity = 0.35
	}
	if marked {
		colour, width, opacity = "red", 3, 1
	}
	fmt.Fprintf(out, `<path d="%s" fill="none" stroke="%s" stroke-width="%g" stroke-opacity="%g"><title>%s</title></path>`+"\n",
		path, colour, width, opacity, escape(label))
	if marked {
		fmt.Fprintf(out, `<text x="%d" y="%d" fill="red">%s</text>`+"\n", (from.x+to.x)/2+4, (from.y+boxHeight+to.y)/2, escape(label))
	}
}

func writeState(out io.Writer, at point, boxHeight int, marked bool, lines []string) {
	stroke, width := "#444", 1
	if marked {
		stroke, width = "red", 3
	}
	fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" rx="5" fill="#fafafa" stroke="%s" stroke-width="%d"/>`+"\n",
		at.x-boxWidth/2, at.y, boxWidth, boxHeight, stroke, width)
	for i, line := range lines {
		fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", at.x, at.y+lineHeight*(i+1), escape(line))
	}
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder does not fail
	return b.String()
}
