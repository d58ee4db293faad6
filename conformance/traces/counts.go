package traces

// This file counts what a run really did: plans, steps, actions, guards seen true and false, edges of the table's graph. Tests and coverage.json hold the counts against what was asked for, so that
// a run which checked nothing cannot pass.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"podlife/model"
	"podlife/model/podlifecycle"
)

// Outcome is how often a guard was seen true and seen false.
type Outcome struct {
	True  int `json:"true"`
	False int `json:"false"`
}

// Counts is what was really done, over all plans of a run. Its methods may be called from any goroutine.
type Counts struct {
	mu sync.Mutex // guards the following
	Numbers
}

// Numbers are the counts themselves.
type Numbers struct {
	Plans   int                // carried out to the end
	Steps   int                // operations carried out, whether they committed anything or not
	Actions map[string]int     // actions committed
	Tried   map[string]int     // actions that the table does not enable and that were asked for nevertheless
	Guards  map[string]Outcome // by Action.guard
	Edges   map[string]int     // of the table's graph, as one tab sees it; see Edge
	Seen    map[Mark]int       // all of these together
	Looks   int                // looks into a container
	Probes  int                // shells asked by typing
	Retyped int                // probes that had to type again
	Slowest time.Duration      // from a container's death to its Sleep
	byKind  map[Kind]int
}

// NewCounts gives counts of nothing.
func NewCounts() *Counts {
	return &Counts{Numbers: Numbers{Actions: map[string]int{}, Tried: map[string]int{}, Guards: map[string]Outcome{}, Edges: map[string]int{}, Seen: map[Mark]int{}, byKind: map[Kind]int{}}}
}

// Now gives a copy of the numbers.
func (c *Counts) Now() Numbers {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.Numbers
	n.Actions, n.Tried, n.Guards, n.Edges, n.Seen, n.byKind = maps.Clone(n.Actions), maps.Clone(n.Tried), maps.Clone(n.Guards), maps.Clone(n.Edges), maps.Clone(n.Seen), maps.Clone(n.byKind)
	return n
}

// Summary says in a few lines what was done.
func (n Numbers) Summary(took time.Duration) string {
	return fmt.Sprintf("%d traces, %d steps in %.1f s; edges %d of %d; %d looks into containers, %d shells asked by typing (%d had to be asked again); a death was a Sleep after %s at most\n"+
		"  actions committed:     %s\n  disabled ones tried:   %s\n  operations:            %s",
		n.Plans, n.Steps, took.Seconds(), n.Covered(), len(ReachableEdges()), n.Looks, n.Probes, n.Retyped, n.Slowest.Round(time.Millisecond), list(n.Actions), list(n.Tried), list(n.byKind))
}

func list[K ~string](counts map[K]int) string {
	var words []string
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%s %d", k, counts[k]))
	}
	return strings.Join(words, ", ")
}

func (c *Counts) with(f func(n *Numbers)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.Numbers)
}

func (c *Counts) plan()   { c.with(func(n *Numbers) { n.Plans++ }) }
func (c *Counts) looked() { c.with(func(n *Numbers) { n.Looks++ }) }
func (c *Counts) typed(tries int) {
	c.with(func(n *Numbers) {
		n.Probes++
		if tries > 1 {
			n.Retyped++
		}
	})
}
func (c *Counts) seen(d time.Duration) { c.with(func(n *Numbers) { n.Slowest = max(n.Slowest, d) }) }

func (c *Counts) step(t model.Table[podlifecycle.Local], before Model, rec Record) {
	c.with(func(n *Numbers) { n.count(t, before, rec, 1) })
}

// uncount takes a step back that nobody asked for.
func (c *Counts) uncount(t model.Table[podlifecycle.Local], rec Record) {
	c.with(func(n *Numbers) { n.count(t, rec.Before, rec, -1) })
}

func (n *Numbers) count(t model.Table[podlifecycle.Local], before Model, rec Record, by int) {
	n.Steps += by
	n.byKind[rec.Step.Op.Kind] += by
	commits := make([]Commit, 0, len(rec.Events))
	for _, e := range rec.Events {
		if c, err := commitOf(e, len(before.Tabs)); err == nil { // others are refused by the comparison before
			commits = append(commits, c)
		}
	}
	for _, m := range marksOf(t, before, commits, rec.Step.Tried) {
		n.Seen[m] += by
		switch m.kind {
		case markAction:
			n.Actions[m.name] += by
		case markEdge:
			n.Edges[m.edge()] += by
		case markTrue:
			n.outcome(m.name, by, 0)
		case markFalse:
			n.outcome(m.name, 0, by)
		}
	}
	if tried := rec.Step.Tried; tried != nil {
		n.Tried[tried.Action] += by
	}
}

func (n *Numbers) outcome(guard string, held, refused int) {
	o := n.Guards[guard]
	o.True += held
	o.False += refused
	n.Guards[guard] = o
}
