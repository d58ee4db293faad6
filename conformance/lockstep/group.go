package lockstep

import (
	"errors"
	"fmt"
	"strings"

	"podlife/model"
	"podlife/model/podruntime"
)

// group is the steps that are taken before the server is looked at again: one, or a critical section, or what one call of the server's does without a stop.
type group struct {
	at     int
	steps  []Step
	before Place
	places []Place // after each step
}

func (g *group) last() int         { return g.at + len(g.steps) - 1 }
func (g *group) first() Step       { return g.steps[0] }
func (g *group) after() Place      { return g.places[len(g.places)-1] }
func (g *group) has(a string) bool { return indexOf(g.steps, a) >= 0 }

func indexOf(steps []Step, action string) int {
	for i, s := range steps {
		if s.Action == action {
			return i
		}
	}
	return -1
}

// group gives the next steps of the path that belong together.
func (r *runner) group(at int) (*group, error) {
	g := &group{at: at, before: r.place}
	for {
		if err := r.add(g); err != nil {
			return nil, err
		}
		if !g.after().AtRest(r.tabs) {
			if g.last()+1 == len(r.path) {
				return nil, &BadPathError{At: g.last(), Step: r.path[g.last()], Problem: "the path ends inside a critical section of the server"}
			}
			continue
		}
		if !r.follows(g) {
			return g, nil
		}
	}
}

// add adds the path's next step to a group.
func (r *runner) add(g *group) error {
	at, place := g.at+len(g.steps), g.before
	if len(g.places) > 0 {
		place = g.after()
	}
	step := r.path[at]
	after, err := r.effect(place.State, step)
	var refused *model.NotEnabledError
	switch {
	case errors.As(err, &refused):
		return &BadPathError{At: at, Step: step, Problem: "the specification does not allow it there: " + strings.Join(refused.FalseGuards, ", "), FalseGuards: refused.FalseGuards}
	case err != nil:
		return &BadPathError{At: at, Step: step, Problem: err.Error()}
	}
	reason, ok := place.Drivable(r.tabs, step)
	if ok && r.w.Cannot(place, step) {
		reason, ok = NotHere, false
	}
	if !ok {
		return &NotDrivableError{At: at, Step: step, Reason: reason}
	}
	g.steps, g.places = append(g.steps, step), append(g.places, place.Next(step, after))
	return nil
}

// effect takes a step of the table.
func (r *runner) effect(s podruntime.State, step Step) (podruntime.State, error) {
	return Effect(r.table, s, r.tabs, step)
}

// Effect takes a step of a table of PodRuntime in a state of so many tabs. The errors are those of [model.Table.Take].
func Effect(table model.Table[podruntime.Local], s podruntime.State, tabs int, step Step) (podruntime.State, error) {
	all := s.Tabs(tabs)
	tab := tabIndex(step.Client)
	if step.Client != "" && (tab < 0 || tab >= tabs) {
		return s, fmt.Errorf("there is no tab %.40q", step.Client)
	}
	local := podruntime.Local{Pod: s.Pod(), Tabs: all, N: step.Inc}
	if tab >= 0 {
		local.Client = all[tab]
		after, err := table.Take(step.Action, local)
		if err != nil {
			return s, err
		}
		all[tab] = after.Client
		return podruntime.Pack(after.Pod, all...), nil
	}
	pod := local.Pod
	for i := range all { // a crash is one for each of them
		each := local
		each.Client = local.Tabs[i]
		after, err := table.Take(step.Action, each)
		if err != nil {
			return s, err
		}
		pod = after.Pod
		all[i] = after.Client
	}
	return podruntime.Pack(pod, all...), nil
}
