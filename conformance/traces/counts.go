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
	Looks   int                // looks into a container
	Probes  int                // shells asked by typing
	Retyped int                // probes that had to type again
	Slowest time.Duration      // from a container's death to its Sleep
	byKind  map[Kind]int
}

// NewCounts gives counts of nothing.
func NewCounts() *Counts {
	return &Counts{Numbers: Numbers{Actions: map[string]int{}, Tried: map[string]int{}, Guards: map[string]Outcome{}, Edges: map[string]int{}, byKind: map[Kind]int{}}}
}

// Now gives a copy of the numbers.
func (c *Counts) Now() Numbers {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.Numbers
	n.Actions, n.Tried, n.Guards, n.Edges, n.byKind = maps.Clone(n.Actions), maps.Clone(n.Tried), maps.Clone(n.Guards), maps.Clone(n.Edges), maps.Clone(n.byKind)
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
	now := before.clone()
	for _, e := range rec.Events {
		commit, err := commitOf(e, len(now.Tabs))
		if err != nil {
			continue // refused by the comparison before
		}
		n.guards(t, now, commit, by)
		// An attach is a question with two answers: that the one is given is that the other is not.
		switch commit.Action {
		case podlifecycle.AttachReady:
			n.guards(t, now, Commit{Action: podlifecycle.AttachGuarded, Tab: commit.Tab}, by)
		case podlifecycle.AttachGuarded:
			n.guards(t, now, Commit{Action: podlifecycle.AttachReady, Tab: commit.Tab}, by)
		}
		was := now.clone()
		if now.take(t, commit) != nil {
			continue
		}
		n.Actions[commit.Action] += by
		for i := range now.Tabs {
			// An action of the system alone is an edge for every tab.
			if commit.Tab == NoTab || commit.Tab == i {
				n.Edges[Edge(commit.Action, was.local(i), now.local(i))] += by
			}
		}
	}
	if tried := rec.Step.Tried; tried != nil {
		n.guards(t, before, *tried, by)
		n.Tried[tried.Action] += by
	}
}

// guards notes how an action's guards come out, up to the first that is false.
func (n *Numbers) guards(t model.Table[podlifecycle.Local], m Model, c Commit, by int) {
	a, err := t.Action(c.Action)
	if err != nil {
		return
	}
	for _, g := range a.Guards {
		name := c.Action + "." + g.Name
		o := n.Guards[name]
		if !g.Holds(m.local(c.Tab)) {
			o.False += by
			n.Guards[name] = o
			return
		}
		o.True += by
		n.Guards[name] = o
	}
}

// Edge names an edge of the table's graph as one tab sees it, with incarnations told only as none, current or old: there are finitely many, whatever the number of incarnations.
func Edge(action string, from, to podlifecycle.Local) string {
	return fmt.Sprintf("%s: %s -> %s", action, abstract(from), abstract(to))
}

func abstract(l podlifecycle.Local) string {
	relation := func(inc int) string {
		switch inc {
		case 0:
			return "none"
		case l.Pod.Inc:
			return "current"
		}
		return "old"
	}
	return fmt.Sprintf("%s/%s/boot %s/attach %s", l.Pod.Ctr, l.Client.Phase, relation(l.Client.BootInc), relation(l.Client.AttInc))
}
