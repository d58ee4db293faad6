package paths

import (
	"fmt"
	"strings"

	"podlife/conformance/lockstep"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// Path is steps from the initial state.
type Path []lockstep.Step

// String is the steps in one line.
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(s.Action)
		if s.Client != "" {
			b.WriteString(" " + s.Client)
		}
		if s.Inc != 0 {
			fmt.Fprintf(&b, " %d", s.Inc)
		}
	}
	return b.String()
}

// path names the tabs of a walk: in reduced states they have changed places.
func (g *Graph) path(walk []int32) Path {
	named := [podruntime.MaxTabs]int{0, 1, 2} // the tab that stands at this place
	path := make(Path, 0, len(walk))
	for _, index := range walk {
		e := g.edges[index]
		step := g.steps[e.step]
		if tab := g.tabOf(e.step); tab >= 0 {
			step.Client = podlifecycle.ClientName(named[tab])
		}
		path = append(path, step)
		_, was := reduced(g.system.Steps[e.step].Effect(g.states[e.from]), g.Config.Tabs)
		before := named
		for i := range g.Config.Tabs {
			named[i] = before[was[i]]
		}
	}
	return path
}
