package paths

import (
	"slices"
	"strings"

	"podlife/model/podruntime"
)

// A feature is something that the few paths that are kept have to show:
//
//	StartBoot                  an action is taken
//	StartBoot.idle: true       a guard holds on the way to an action
//	StartBoot.idle: false      it is the first that refuses, in a state that is come through
//	StartBoot.idle: asked      and it does so where the server is held, and is asked for the action
//	LaunchFails: in run start  a fault strikes there; see faults
type feature string

// faults are the actions of the world, the ways in which calls fail, and what comes too late, each with what is told apart of where it strikes.
func faults() map[string]func(p podruntime.Pod, c podruntime.Client, n int) string {
	ofTerminal := func(p podruntime.Pod, c podruntime.Client, _ int) string {
		box := p.At(c.Term.Inc).Box
		return p.Ctr.String() + ", " + box.Box.String() + " container, marker " + box.Marker.String()
	}
	ofReply := func(p podruntime.Pod, _ podruntime.Client, n int) string {
		return p.Ctr.String() + ", run " + p.At(n).Run.String()
	}
	ofContainer := func(p podruntime.Pod, _ podruntime.Client, n int) string {
		box := p.At(n).Box
		return p.Ctr.String() + ", script " + box.Script.String() + ", setup " + box.Setup.String()
	}
	ofPod := func(p podruntime.Pod, _ podruntime.Client, _ int) string {
		last := p.At(max(p.Inc, p.Store.Inc))
		return p.Ctr.String() + ", run " + last.Run.String() + ", " + last.Box.Box.String() + " container"
	}
	return map[string]func(podruntime.Pod, podruntime.Client, int) string{
		podruntime.LaunchFails: func(p podruntime.Pod, _ podruntime.Client, n int) string { return "run " + p.At(n).Run.String() },
		podruntime.ScriptFails: ofContainer, podruntime.ContainerDies: ofContainer, podruntime.MarkerRemoved: ofContainer,
		podruntime.DialFails: ofTerminal, podruntime.Detach: ofTerminal,
		podruntime.AttachMoved: func(p podruntime.Pod, _ podruntime.Client, _ int) string { return p.Ctr.String() },
		podruntime.DropReply:   ofReply, podruntime.TearDown: ofReply,
		podruntime.Crash: ofPod, podruntime.CrashOtherRecipe: ofPod,
	}
}

// marks numbers the features of a graph, and remembers which a step has. Most are asked for again and again.
type marks struct {
	faults map[string]func(podruntime.Pod, podruntime.Client, int) string

	ids     map[feature]int32
	names   []feature
	edges   map[int32][]int32 // by edge: its features
	states  map[int32][]int32 // by state: the guards that refuse there
	resting map[int32][]int32 // and those of them that the server can be asked for
}

func newMarks() marks {
	return marks{faults: faults(), ids: map[feature]int32{}, edges: map[int32][]int32{}, states: map[int32][]int32{}, resting: map[int32][]int32{}}
}

func (m *marks) id(f feature) int32 {
	id, known := m.ids[f]
	if !known {
		id = int32(len(m.names))
		m.ids[f] = id
		m.names = append(m.names, f)
	}
	return id
}

// asked says whether conformance/lockstep asks a server for an action where this guard is the first that refuses it: a tab or the world can ask for it,
// and the guard is the server's. StartBoot.canWake bounds what is explored and not the server; and a tab that wants in where Probe.ready refuses is
// AttachGuarded, which is allowed there.
func asked(guard string) bool {
	action, _, _ := strings.Cut(guard, ".")
	switch action {
	case podruntime.StartBoot, podruntime.Destroy, podruntime.IdleSleep, podruntime.ContainerLost, podruntime.Probe:
		return guard != podruntime.StartBoot+".canWake" && guard != podruntime.Probe+".ready"
	}
	return false
}

// shown gives the numbers of the features of a step, and of those of the place after it.
func (g *Graph) shown(w way) [3][]int32 {
	ofEdge, known := g.marks.edges[w.edge]
	if !known {
		ofEdge = g.marksOfEdge(g.edges[w.edge])
		g.marks.edges[w.edge] = ofEdge
	}
	state := g.edges[w.edge].to
	if _, known := g.marks.states[state]; !known {
		g.markState(state)
	}
	all := [3][]int32{ofEdge, g.marks.states[state]}
	if g.atRest(w.to) {
		all[2] = g.marks.resting[state]
	}
	return all
}

func (g *Graph) marksOfEdge(e edge) []int32 {
	step := g.steps[e.step]
	all := []int32{g.marks.id(feature(step.Action))}
	for _, guard := range g.system.Steps[e.step].Guards {
		all = append(all, g.marks.id(feature(step.Action+"."+guard.Name+": true")))
	}
	if where, ok := g.marks.faults[step.Action]; ok {
		s := g.states[e.from]
		var c podruntime.Client
		if tab := g.tabOf(e.step); tab >= 0 {
			c = s.Tab(tab)
		}
		all = append(all, g.marks.id(feature(step.Action+": in "+where(s.Pod(), c, step.Inc))))
	}
	return all
}

func (g *Graph) markState(state int32) {
	var refused, may []int32
	g.refusals(state, func(guard string) {
		refused = append(refused, g.marks.id(feature(guard+": false")))
		if asked(guard) {
			may = append(may, g.marks.id(feature(guard+": asked")))
		}
	})
	for _, list := range []*[]int32{&refused, &may} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	g.marks.states[state], g.marks.resting[state] = refused, may
}

// features are those that a server can be driven to show in a configuration.
func (g *Graph) features() map[feature]bool {
	found := map[feature]bool{}
	for n := range g.places {
		for _, w := range g.from(int32(n)) {
			for _, list := range g.shown(w) {
				for _, id := range list {
					found[g.marks.names[id]] = true
				}
			}
		}
	}
	return found
}
