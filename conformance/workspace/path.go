package workspace

import (
	"context"
	"fmt"
	"slices"

	"podlife/model"
	"podlife/model/workspace"
)

// longest is after how many operations a path ends.
const longest = 60

// move is an operation at a place.
type move struct {
	op    Op
	steps []Step
	to    int
}

// graph is the places of a configuration that the server can be brought to, by their numbers, with the operations that are still to be done.
type graph struct {
	places []Place
	moves  [][]move
	done   [][]bool
	left   int
}

// Plan is paths that together do every operation at every place of a configuration, and what they cannot take.
type Plan struct {
	Paths  [][]Op
	Places int
	Moves  int
	Edges  int               // of the table
	Taken  int               // of these, those that the paths take
	Out    map[string]int    // by the reason: the edges that none takes
	sample map[string]string // by the reason, one of them
}

// unreached is why an edge is not taken that begins where the server never stays.
const unreached = "the server never stays there"

// Paths makes a plan. Each path goes to the nearest operation that none has done, from there to the next, and ends when it is long enough.
func Paths(ctx context.Context, c workspace.Constants) (Plan, error) {
	d := newDesign(c)
	g, err := newGraph(d)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Places: len(g.places), Moves: g.left}
	if err := plan.count(ctx, d, g); err != nil {
		return Plan{}, err
	}
	for g.left > 0 {
		var path []Op
		for at := 0; len(path) < longest && g.left > 0; {
			way := g.nearest(at)
			if way == nil {
				break
			}
			for _, i := range way {
				if !g.done[at][i] {
					g.done[at][i] = true
					g.left--
				}
				path = append(path, g.moves[at][i].op)
				at = g.moves[at][i].to
			}
		}
		if path == nil {
			return plan, fmt.Errorf("workspace: %d operations are on no path", g.left)
		}
		plan.Paths = append(plan.Paths, path)
	}
	return plan, nil
}

func newGraph(d design) (*graph, error) {
	g := &graph{}
	numbers := map[Place]int{}
	number := func(p Place) int {
		n, ok := numbers[p]
		if !ok {
			n = len(g.places)
			numbers[p] = n
			g.places, g.moves = append(g.places, p), append(g.moves, nil)
		}
		return n
	}
	number(Place{})
	for n := 0; n < len(g.places); n++ {
		for _, o := range d.possible(g.places[n]) {
			to, steps, err := d.do(g.places[n], o)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", o, err)
			}
			g.moves[n] = append(g.moves[n], move{o, steps, number(to)})
			g.left++
		}
	}
	for _, all := range g.moves {
		g.done = append(g.done, make([]bool, len(all)))
	}
	return g, nil
}

// edge is one of the table.
type edge struct {
	action, args string
	from, to     workspace.State
}

// count holds what the operations take against the edges of the table, and says why the others are not taken.
func (p *Plan) count(ctx context.Context, d design, g *graph) error {
	taken, at := map[edge]bool{}, map[workspace.State][]Place{}
	for n, all := range g.moves {
		at[g.places[n].State] = append(at[g.places[n].State], g.places[n])
		for _, m := range all {
			for _, s := range m.steps {
				taken[edge{s.Action, argsOf(s), s.Before, s.After}] = true
			}
		}
	}
	sys, err := workspace.System(d.c)
	if err != nil {
		return err
	}
	p.Out, p.sample = map[string]int{}, map[string]string{}
	var states []workspace.State
	_, err = model.Explore(ctx, sys, model.Options[workspace.State]{
		Found: func(_ int, s workspace.State, _ int) { states = append(states, s) },
		Took: func(from, to int, step *model.Step[workspace.State]) {
			p.Edges++
			e := edge{step.Name, fmt.Sprint(step.Args), states[from], states[to]}
			if taken[e] {
				p.Taken++
				return
			}
			why := unreached
			for _, place := range at[states[from]] {
				o, _ := Parse(fmt.Sprintf("%s(%s)", step.Name, joined(step.Args)))
				if reason := d.outOfReach(place, o[0]); reason != "" {
					why = reason
				} else {
					why = "nothing keeps it from that"
				}
			}
			p.Out[why]++
			p.sample[why] = fmt.Sprintf("%s%v at %+v", step.Name, step.Args, states[from])
		},
	})
	return err
}

func argsOf(s Step) string {
	args := []string{}
	switch {
	case s.Op.P == none:
	case s.Op.V != none:
		args = []string{workspace.PodName(s.Op.P), workspace.PodName(s.Op.V)}
	case s.Action == workspace.Delete:
		args = []string{workspace.PodName(s.Op.P), fmt.Sprint(s.Op.Keep)}
	default:
		args = []string{workspace.PodName(s.Op.P)}
	}
	return fmt.Sprint(args)
}

func joined(args []string) string {
	out := ""
	for i, a := range args {
		if i > 0 {
			out += ","
		}
		out += a
	}
	return out
}

// nearest gives the shortest way to and along an operation that is still to be done, as places in the moves of the places that it passes; nil is none.
func (g *graph) nearest(at int) []int {
	type came struct{ from, by int }
	ways := map[int]came{at: {none, none}}
	for queue := []int{at}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		for i, m := range g.moves[n] {
			if !g.done[n][i] {
				way := []int{i}
				for ; ways[n].from != none; n = ways[n].from {
					way = append(way, ways[n].by)
				}
				slices.Reverse(way)
				return way
			}
			if _, known := ways[m.to]; !known {
				ways[m.to] = came{n, i}
				queue = append(queue, m.to)
			}
		}
	}
	return nil
}
