package idlerule

import (
	"context"
	"strconv"

	"podlife/model"
	"podlife/model/idlerule"
)

// longest is after how many steps a path ends.
const longest = 60

// edge is a step of the table from one state to another.
type edge struct {
	action string
	d      int
	to     int
}

// Paths gives paths of a configuration that together take every edge of it, with the number of those. The holds, and the ends of the pod, come about in each of their ways in turn. Each path goes to the nearest edge that none has taken, from there
// to the next, and ends when it is long enough.
func Paths(ctx context.Context, c idlerule.Constants) (paths [][]Op, edges int, err error) {
	g, err := newGraph(ctx, c)
	if err != nil {
		return nil, 0, err
	}
	for g.left > 0 {
		var path []Op
		for at := 0; len(path) < longest && g.left > 0; {
			way := g.nearest(at)
			if way == nil {
				break
			}
			for _, e := range way {
				path = append(path, g.take(at, e))
				at = g.edges[at][e].to
			}
		}
		paths = append(paths, path)
	}
	return paths, g.all, nil
}

// graph is the states of a configuration by their numbers, with the edges that are still to be taken.
type graph struct {
	states    []idlerule.State
	edges     [][]edge
	taken     [][]bool
	all, left int
	turn      map[string]int
}

func newGraph(ctx context.Context, c idlerule.Constants) (*graph, error) {
	sys, err := idlerule.System(c)
	if err != nil {
		return nil, err
	}
	g := &graph{turn: map[string]int{}}
	_, err = model.Explore(ctx, sys, model.Options[idlerule.State]{
		Found: func(_ int, s idlerule.State, _ int) {
			g.states, g.edges = append(g.states, s), append(g.edges, nil)
		},
		Took: func(from, to int, step *model.Step[idlerule.State]) {
			e := edge{action: step.Name, to: to}
			for _, arg := range step.Args {
				e.d, _ = strconv.Atoi(arg) // the table made it of a number
			}
			g.edges[from] = append(g.edges[from], e)
			g.all++
		},
	})
	for _, all := range g.edges {
		g.taken = append(g.taken, make([]bool, len(all)))
	}
	g.left = g.all
	return g, err
}

// nearest gives the shortest way to and along an edge that is still to be taken, as places in the edges of the states that it passes; nil is none.
func (g *graph) nearest(at int) []int {
	type step struct{ from, edge int }
	came := map[int]step{at: {-1, -1}}
	back := func(n, last int) []int {
		way := []int{last}
		for ; came[n].from >= 0; n = came[n].from {
			way = append([]int{came[n].edge}, way...)
		}
		return way
	}
	for queue := []int{at}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		for i, e := range g.edges[n] {
			if !g.taken[n][i] {
				return back(n, i)
			}
			if _, known := came[e.to]; !known {
				came[e.to] = step{n, i}
				queue = append(queue, e.to)
			}
		}
	}
	return nil
}

// take takes an edge, as an operation.
func (g *graph) take(at, i int) Op {
	if !g.taken[at][i] {
		g.taken[at][i] = true
		g.left--
	}
	e := g.edges[at][i]
	in := func(kinds ...Kind) Op {
		g.turn[e.action]++
		return Op{Kind: kinds[g.turn[e.action]%len(kinds)]}
	}
	switch e.action {
	case idlerule.Hold:
		if g.states[at].Held > 0 {
			return in(HoldTerminal, HoldProgram) // there may be a boot
		}
		return in(HoldTerminal, HoldProgram, HoldBoot)
	case idlerule.Sleep:
		if g.states[at].Up {
			return in(Destroy, Lose)
		}
		return Op{Kind: Lose}
	}
	return Op{Kind: Kind(e.action), N: e.d}
}
