package paths

import (
	"context"
	"fmt"
	"strconv"

	"podlife/conformance/lockstep"
	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// A Config is how much of the specification is looked at.
type Config struct {
	Tabs       int `json:"tabs"`
	MaxInc     int `json:"max_inc"`
	MaxCrashes int `json:"max_crashes"`
}

// String is such as "2,1,0": tabs, incarnations, crashes.
func (c Config) String() string { return fmt.Sprintf("%d,%d,%d", c.Tabs, c.MaxInc, c.MaxCrashes) }

// edge is a step from one state to another. Tabs that are alike take one edge together.
type edge struct {
	from, to int32 // indexes of Graph.states
	step     int32 // an index of Graph.steps
}

// way is an edge along which a server can be driven from a place.
type way struct {
	edge int32 // an index of Graph.edges
	to   int32 // an index of Graph.places
}

// Graph is what can happen in a configuration: reduced states and the edges between them; and what a server can be driven to: places, each a state
// with what of the server the state does not tell, and the ways between them. States and places are looked at when they are asked for; [Build]
// asks for all. A Graph is for one goroutine at a time.
type Graph struct {
	Config Config
	driver Driver
	system model.System[podruntime.State]
	steps  []lockstep.Step // those of the system, in its order

	stateIDs map[podruntime.State]int32
	states   []podruntime.State // in the order found; the first is the initial state
	spans    []span             // by state: its edges
	edges    []edge

	placeIDs map[lockstep.Place]int32
	places   []lockstep.Place
	stateOf  []int32 // by place
	wayspans []span  // by place: its ways
	ways     []way
	reasons  map[int32]lockstep.Reason // by edge: why it could not be driven at the first place that it begins at; it may be at another
	marks    marks                     // see features.go
}

// span is a part of a list that belongs together, where it is known already.
type span struct {
	begin, end int32
	known      bool
}

// A Driver says what a server can be driven to.
type Driver struct {
	// Drivable says whether a server that is held in a place can be made to take this step, with nothing in between, and if not, why.
	Drivable func(p lockstep.Place, tabs int, step lockstep.Step) (lockstep.Reason, bool)
	// AtRest says whether a server can be held in a place: every path ends in one.
	AtRest func(p lockstep.Place, tabs int) bool
}

// Server is the driver of the real server.
func Server() Driver { return Driver{Drivable: lockstep.Place.Drivable, AtRest: lockstep.Place.AtRest} }

// Build explores a configuration. The errors are those of [podruntime.System] and that of ctx.
func Build(ctx context.Context, c Config, d Driver) (*Graph, error) {
	g, err := newGraph(c, d)
	if err != nil {
		return nil, err
	}
	for at := 0; at < len(g.states); at++ {
		if at%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		g.out(int32(at))
	}
	for at := 0; at < len(g.places); at++ {
		g.from(int32(at))
	}
	return g, g.restless()
}

// newGraph is the graph with nothing but the beginning.
func newGraph(c Config, d Driver) (*Graph, error) {
	sys, err := podruntime.System(podruntime.Constants{MaxInc: c.MaxInc, MaxCrashes: c.MaxCrashes}, c.Tabs)
	if err != nil {
		return nil, err
	}
	g := &Graph{
		Config: c, driver: d, system: sys,
		stateIDs: map[podruntime.State]int32{}, placeIDs: map[lockstep.Place]int32{}, reasons: map[int32]lockstep.Reason{}, marks: newMarks(),
	}
	for _, s := range sys.Steps {
		g.steps = append(g.steps, stepOf(s))
	}
	g.state(sys.Init[0])
	g.place(lockstep.Place{State: g.states[0]}, 0)
	return g, nil
}

// stepOf names a step of the system.
func stepOf(s model.Step[podruntime.State]) lockstep.Step {
	step := lockstep.Step{Action: s.Name}
	for i, param := range s.Params {
		switch param {
		case podruntime.ParamClient:
			step.Client = s.Args[i]
		case podruntime.ParamInc:
			n, err := strconv.Atoi(s.Args[i])
			if err != nil {
				panic(err) // the system writes them
			}
			step.Inc = n
		}
	}
	return step
}

// state gives the index of the state that stands for s.
func (g *Graph) state(s podruntime.State) int32 {
	s, _ = reduced(s, g.Config.Tabs)
	id, known := g.stateIDs[s]
	if !known {
		id = int32(len(g.states))
		g.stateIDs[s] = id
		g.states, g.spans = append(g.states, s), append(g.spans, span{})
	}
	return id
}

// place gives the index of a place, the state of which has this index.
func (g *Graph) place(p lockstep.Place, state int32) int32 {
	id, known := g.placeIDs[p]
	if !known {
		id = int32(len(g.places))
		g.placeIDs[p] = id
		g.places, g.stateOf, g.wayspans = append(g.places, p), append(g.stateOf, state), append(g.wayspans, span{})
	}
	return id
}

// out gives the edges of a state, and the index of the first of them.
func (g *Graph) out(state int32) (edges []edge, first int32) {
	at := &g.spans[state]
	if !at.known {
		s, begin := g.states[state], int32(len(g.edges))
		for i := range g.steps {
			if !g.alike(s, i) && g.system.Steps[i].Enabled(s) {
				g.edges = append(g.edges, edge{from: state, step: int32(i), to: g.state(g.system.Steps[i].Effect(s))})
			}
		}
		at = &g.spans[state] // there may be more of them now
		*at = span{begin, int32(len(g.edges)), true}
	}
	return g.edges[at.begin:at.end], at.begin
}

// from gives the ways from a place.
func (g *Graph) from(place int32) []way {
	at := &g.wayspans[place]
	if !at.known {
		p, begin := g.places[place], int32(len(g.ways))
		edges, first := g.out(g.stateOf[place])
		for i, e := range edges {
			index := first + int32(i)
			reason, can := g.driver.Drivable(p, g.Config.Tabs, g.steps[e.step])
			switch _, had := g.reasons[index]; {
			case can:
				g.ways = append(g.ways, way{index, g.place(p.Next(g.steps[e.step], g.states[e.to]), e.to)})
			case !had:
				g.reasons[index] = reason
			}
		}
		at = &g.wayspans[place]
		*at = span{begin, int32(len(g.ways)), true}
	}
	return g.ways[at.begin:at.end]
}

// atRest says whether a server can be held in a place.
func (g *Graph) atRest(place int32) bool { return g.driver.AtRest(g.places[place], g.Config.Tabs) }

// alike says that a step of one tab is the same as that of the tab before it, which is in the same state.
func (g *Graph) alike(s podruntime.State, step int) bool {
	tab := g.tabOf(int32(step))
	return tab > 0 && s.Tab(tab) == s.Tab(tab-1)
}

// tabOf gives the index of the tab that takes a step; -1 is none.
func (g *Graph) tabOf(step int32) int {
	for i := range podruntime.MaxTabs {
		if g.steps[step].Client == podlifecycle.ClientName(i) {
			return i
		}
	}
	return -1
}

// refusals tells of the first guard that refuses, as "Action.guard", of every step that a state does not enable.
func (g *Graph) refusals(state int32, tell func(guard string)) {
	s := g.states[state]
	for i := range g.system.Steps {
		if g.alike(s, i) {
			continue
		}
		for _, guard := range g.system.Steps[i].Guards {
			if !guard.Holds(s) {
				tell(g.steps[i].Action + "." + guard.Name)
				break
			}
		}
	}
}

// A RestError says that a server can be driven to a place from which it can be driven to none where it can be held.
type RestError struct {
	Config Config
	Path   Path // to the place
}

func (e *RestError) Error() string {
	return fmt.Sprintf("configuration %s: after %s no place where a server can be held can be reached", e.Config, e.Path)
}

// restless gives a *RestError where there is such a place.
func (g *Graph) restless() error {
	into := make([][]int32, len(g.places))
	ends := make([]bool, len(g.places))
	var queue []int32
	for n := range g.places {
		if ends[n] = g.atRest(int32(n)); ends[n] {
			queue = append(queue, int32(n))
		}
		for _, w := range g.from(int32(n)) {
			into[w.to] = append(into[w.to], int32(n))
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, from := range into[queue[0]] {
			if !ends[from] {
				ends[from] = true
				queue = append(queue, from)
			}
		}
	}
	for n, ends := range ends {
		if !ends {
			return &RestError{g.Config, g.path(g.to(int32(n)))}
		}
	}
	return nil
}

// to gives a shortest walk to a place.
func (g *Graph) to(place int32) (walk []int32) {
	type step struct{ from, by int32 }
	before := map[int32]step{0: {}}
	for queue := []int32{0}; len(queue) > 0 && queue[0] != place; queue = queue[1:] {
		for _, w := range g.from(queue[0]) {
			if _, known := before[w.to]; !known {
				before[w.to] = step{queue[0], w.edge}
				queue = append(queue, w.to)
			}
		}
	}
	for ; place != 0; place = before[place].from {
		walk = append([]int32{before[place].by}, walk...)
	}
	return walk
}
