// Package graph collects the state graph that an exploration walks and draws it as DOT or SVG.
//
// It imports only package model and writes only to io.Writer. Read graph.go first; dot.go and svg.go are the two forms.
package graph

import (
	"fmt"

	"podlife/model"
)

// MaxStates is how many states can be drawn. Beyond it a picture helps nobody, and an SVG viewer gives up.
const MaxStates = 5000

// Graph is a state graph, or the part of it that was explored before a violation.
type Graph[S comparable] struct {
	States []S   // by number
	Levels []int // by number; an initial state has level 1
	Edges  []Edge

	tooBig bool
	path   map[int]bool  // numbers of the states on the marked path
	onPath map[Edge]bool // and the edges between them; their Label is empty
}

// Edge is a step between two states.
type Edge struct {
	From, To int
	Action   string
	Label    string // the action with its arguments
}

// TooBigError says that a graph has more than [MaxStates] states.
type TooBigError struct{ Max int }

func (e *TooBigError) Error() string {
	return fmt.Sprintf("the state graph has more than %d states, too many to draw; take fewer clients or a smaller max-inc", e.Max)
}

// Observe makes an exploration with these options collect its graph. It replaces opts.Found and opts.Took.
func Observe[S comparable](opts *model.Options[S]) *Graph[S] {
	g := &Graph[S]{}
	opts.Found = func(id int, s S, level int) {
		if id >= MaxStates {
			g.tooBig = true
			return
		}
		g.States = append(g.States, s)
		g.Levels = append(g.Levels, level)
	}
	opts.Took = func(from, to int, step *model.Step[S]) {
		if !g.tooBig {
			g.Edges = append(g.Edges, Edge{from, to, step.Name, Call(step.Name, step.Args)})
		}
	}
	return g
}

// Mark makes a counterexample stand out in the picture.
func (g *Graph[S]) Mark(path []model.PathStep[S]) {
	numbers := map[S]int{}
	for id, s := range g.States {
		numbers[s] = id
	}
	g.path, g.onPath = map[int]bool{}, map[Edge]bool{}
	for i, step := range path {
		to := numbers[step.State]
		g.path[to] = true
		if i > 0 {
			g.onPath[Edge{From: numbers[path[i-1].State], To: to, Action: step.Action}] = true
		}
	}
}

func (g *Graph[S]) marked(e Edge) bool {
	e.Label = ""
	return g.onPath[e]
}

// Call writes an action with its arguments as TLC does: StartBoot(c1), Sleep.
func Call(action string, args []string) string {
	if len(args) == 0 {
		return action
	}
	text := action + "("
	for i, a := range args {
		if i > 0 {
			text += ", "
		}
		text += a
	}
	return text + ")"
}
