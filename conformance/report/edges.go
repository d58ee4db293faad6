package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"podlife/model"
	"podlife/model/podlifecycle"
)

// The state graph that is shown is that of PodLifecycle as one tab sees it: pod, and one client with its incarnations told only as none, current or old. There are finitely many such states, whatever the
// number of incarnations, and it is the graph in which the generated traces count what they covered.
const (
	graphClients = 2 // enough for every relation that a tab can have to the current incarnation, and so are 3 incarnations
	graphMaxInc  = 3
)

// Graph is the state graph with what the live system did in it, laid out to be drawn.
type Graph struct {
	Told          bool // whether any engine told how often it took which edge
	Engines       []string
	Nodes         []Node
	Edges         []Edge
	Width, Height int
	Covered       int // edges that some engine took
	Foreign       int // edges that an engine took and that the graph does not have; never green
}

// Node is a state as one tab sees it.
type Node struct {
	Lines []string // what is shown of it
	Name  string
	Level int // steps from the initial state
	X, Y  int // of its upper left corner
}

// Edge is an action that leads from one node to another.
type Edge struct {
	Action   string
	From, To int
	Counts   []int  // by engine
	Path     string // the line, as SVG draws it
}

// Total is how often it was taken on all engines.
func (e Edge) Total() int {
	n := 0
	for _, c := range e.Counts {
		n += c
	}
	return n
}

// Class says by how many the edge was taken, for style sheets.
func (e Edge) Class() string {
	switch n := e.Total(); {
	case n == 0:
		return "never"
	case n < 10:
		return "few"
	case n < 1000:
		return "some"
	}
	return "many"
}

// sight is a state as one tab sees it.
type sight struct {
	ctr               podlifecycle.Ctr
	phase             podlifecycle.Phase
	booted, attaching string
}

func sightOf(s podlifecycle.State, tab int) sight {
	pod, client := s.Pod(), s.Client(tab)
	relation := func(inc int) string {
		switch inc {
		case 0:
			return "none"
		case pod.Inc:
			return "current"
		}
		return "old"
	}
	return sight{pod.Ctr, client.Phase, relation(client.BootInc), relation(client.AttInc)}
}

// String is the name by which the results know it.
func (s sight) String() string {
	return fmt.Sprintf("%s/%s/boot %s/attach %s", s.ctr, s.phase, s.booted, s.attaching)
}

// link is an edge without what is known of it.
type link struct {
	action   string
	from, to sight
}

func (l link) String() string { return fmt.Sprintf("%s: %s -> %s", l.action, l.from, l.to) }

// links explores the design that ships. It gives each edge, and of each state how far it is from the initial one.
func links(ctx context.Context) (all map[link]bool, level map[sight]int, err error) {
	sys, err := podlifecycle.System(podlifecycle.Constants{MaxInc: graphMaxInc, GuardedAttach: true}, graphClients)
	if err != nil {
		return nil, nil, err
	}
	all, level = map[link]bool{}, map[sight]int{}
	var states []podlifecycle.State
	_, err = model.Explore(ctx, sys, model.Options[podlifecycle.State]{
		Found: func(_ int, s podlifecycle.State, found int) {
			states = append(states, s)
			for i := range graphClients {
				if _, seen := level[sightOf(s, i)]; !seen {
					level[sightOf(s, i)] = found - 1
				}
			}
		},
		Took: func(from, to int, step *model.Step[podlifecycle.State]) {
			for i := range graphClients {
				if len(step.Args) == 0 || step.Args[0] == podlifecycle.ClientName(i) {
					all[link{step.Name, sightOf(states[from], i), sightOf(states[to], i)}] = true
				}
			}
		},
	})
	return all, level, err
}

// graphOf makes the graph of what each engine counted, by the edge's name.
func graphOf(ctx context.Context, taken map[string]map[string]int) (Graph, error) {
	all, level, err := links(ctx)
	if err != nil {
		return Graph{}, err
	}
	g := Graph{Told: taken != nil, Engines: slices.Sorted(maps.Keys(taken))}
	number := g.number(level)
	ordered := slices.SortedFunc(maps.Keys(all), func(a, b link) int {
		return cmp.Or(cmp.Compare(number[a.from], number[b.from]), cmp.Compare(number[a.to], number[b.to]), cmp.Compare(a.action, b.action))
	})
	known := map[string]bool{}
	for _, l := range ordered {
		e := Edge{Action: l.action, From: number[l.from], To: number[l.to]}
		known[l.String()] = true
		for _, engine := range g.Engines {
			e.Counts = append(e.Counts, taken[engine][l.String()])
		}
		if e.Total() > 0 {
			g.Covered++
		}
		g.Edges = append(g.Edges, e)
	}
	for _, engine := range g.Engines {
		for name, n := range taken[engine] {
			if n > 0 && !known[name] {
				g.Foreign++
			}
		}
	}
	g.layOut()
	return g, nil
}

// number makes the nodes, those nearer to the initial state first.
func (g *Graph) number(level map[sight]int) map[sight]int {
	number := map[sight]int{}
	ordered := slices.SortedFunc(maps.Keys(level), func(a, b sight) int {
		return cmp.Or(cmp.Compare(level[a], level[b]), cmp.Compare(a.String(), b.String()))
	})
	for i, s := range ordered {
		number[s] = i
		g.Nodes = append(g.Nodes, Node{
			Name: s.String(), Level: level[s],
			Lines: []string{fmt.Sprintf("%s, %s", s.ctr, s.phase), fmt.Sprintf("boot %s, attach %s", s.booted, s.attaching)},
		})
	}
	return number
}
