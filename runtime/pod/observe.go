package pod

import (
	"fmt"

	"podlife/model/podruntime"
)

// CauseObserved marks a step that the world has taken, at the moment at which the server finds out.
const CauseObserved = "observed"

// maxObserved bounds what the world can have done between two looks, in actions: a script that was not begun may have done its steps and written its marker.
const maxObserved = 4

// UnexplainedError says that the world has done what the specification has no explanation for.
type UnexplainedError struct {
	Action string
	Inc    int
	Known  podruntime.Inner // what the server held of the incarnation
}

// Error names the action that was observed.
func (e *UnexplainedError) Error() string {
	box := e.Known.Box
	return fmt.Sprintf("%s(%d) was observed, and nothing that the world may do explains it: run %s, container %s, setup %s, marker %s, script %s",
		e.Action, e.Inc, e.Known.Run, box.Box, box.Setup, box.Marker, box.Script)
}

// observe takes an action whose outcome was seen, after the fewest actions of the world that explain it: a script that exited with 0 has done its steps and written its marker, a container that is
// gone has died. inc is the incarnation that was looked at. It changes nothing and gives an *UnexplainedError where there is no explanation. p.mu is held.
func (p *Pod) observe(action string, s subject, inc int, cause string) error {
	path, ok := p.explain(action, s, inc)
	if !ok {
		return &UnexplainedError{Action: action, Inc: inc, Known: p.state.At(inc).Inner}
	}
	for _, world := range path {
		p.must(world, at(inc), CauseObserved)
	}
	return p.commit(action, s, cause)
}

// explain searches breadth first for what the world must have done to an incarnation, so that the action is enabled. p.mu is held.
func (p *Pod) explain(action string, s subject, inc int) (path []string, ok bool) {
	wanted, err := p.table.Action(action)
	if err != nil {
		return nil, false
	}
	type node struct {
		local podruntime.Local
		path  []string
	}
	level := []node{{local: p.local(action, s)}}
	for depth := 0; ; depth++ {
		var next []node
		for _, n := range level {
			if wanted.Enabled(n.local) {
				return n.path, true
			}
			for _, name := range podruntime.WorldActions() {
				before := n.local
				before.N = inc
				if after, err := p.table.Take(name, before); err == nil {
					after.N = s.inc
					next = append(next, node{after, append(n.path[:len(n.path):len(n.path)], name)})
				}
			}
		}
		if depth == maxObserved || len(next) == 0 {
			return nil, false
		}
		level = next
	}
}
