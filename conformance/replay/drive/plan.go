package drive

import (
	"fmt"
	"slices"

	"podlife/conformance/lockstep"
	"podlife/conformance/replay/tracefile"
	"podlife/model"
	"podlife/model/podruntime"
)

// Planned is a step that the server is to take.
type Planned struct {
	lockstep.Step
	After podruntime.State // by the table that ships
	// At is the number of the step in the file, from 1. Filled says that the file does not have it there: the server takes it in the same breath as the one
	// before, under one lock; or it shows, at the end, that the one before had its effect.
	At     int
	Filled bool
}

// Plan is a file's behaviour as far as the table that ships goes along and a server can be brought to it.
type Plan struct {
	Tabs        int
	ImageMarked bool // the specification's constant
	Steps       []Planned
	Ending      Ending
}

// Ending is why a plan stops before its file ends; the zero Ending is that it does not.
type Ending struct {
	Outcome Outcome
	At      int           // number of the step in the file, from 1
	Step    lockstep.Step // that step
	// Guards are those that refuse it in the table that ships; Effect what that table does otherwise, where the step is there and a rule of its effect is off
	// in the file's design.
	Guards []string
	Effect []string
	Reason lockstep.Reason // where a server cannot be brought to it
}

// planner walks through a file beside the table that ships.
type planner struct {
	tabs    int
	shipped model.System[podruntime.State]
	file    model.System[podruntime.State] // the design of the file
	off     []string                       // what is off in it
	before  podruntime.State               // in the file, before the step that is looked at
	place   lockstep.Place
	filled  []lockstep.Step // that the file may still have
	plan    Plan
}

// NewPlan makes the plan for a behaviour.
func NewPlan(b *tracefile.Behaviour) Plan {
	p := newPlanner(b)
	for i, s := range b.Steps {
		step := lockstep.Step{Action: s.Action, Client: s.Client, Inc: s.Inc}
		if !p.take(i+1, step) {
			return p.plan
		}
		p.before = s.State
	}
	p.rest(len(b.Steps))
	return p.plan
}

func newPlanner(b *tracefile.Behaviour) *planner {
	p := &planner{tabs: len(b.Clients), before: b.Initial, off: b.Constants.Off, plan: Plan{Tabs: len(b.Clients), ImageMarked: b.Constants.ImageMarked}}
	c := b.Constants
	p.file = podruntime.LiftTable(podruntime.Table(c), c.MaxInc, p.tabs)
	c.Off = nil
	p.shipped = podruntime.LiftTable(podruntime.Table(c), c.MaxInc, p.tabs)
	return p
}

// take plans a step of the file, and says whether the plan goes on.
func (p *planner) take(at int, step lockstep.Step) bool {
	known := find(p.shipped, step)
	if i := slices.Index(p.filled, step); i >= 0 && !known.Enabled(p.place.State) {
		p.filled = slices.Delete(p.filled, i, i+1) // it was taken when the server did
		return true
	}
	end := Ending{At: at, Step: step}
	_, drivable := p.place.Drivable(p.tabs, step)
	if inside := !p.place.AtRest(p.tabs); inside && (!drivable || !known.Enabled(p.place.State)) {
		p.rest(at - 1)
	}
	guards := known.FalseGuards(p.place.State)
	reason, drivable := p.place.Drivable(p.tabs, step)
	own := known.FalseGuards(p.before)
	switch {
	case len(guards) > 0 && len(own) == 0:
		// What the server does in the same breath as the step before takes this one away.
		end.Outcome, end.Reason = NotDrivable, lockstep.InSection
	case len(guards) > 0:
		end.Outcome, end.Guards = Refused, p.offFirst(step, guards)
	case len(own) > 0:
		// It is refused in the file's state, in which the server never can be held; in the state after that it is allowed.
		end.Outcome, end.Reason, end.Guards = NotDrivable, lockstep.InSection, own
	case !drivable:
		end.Outcome, end.Reason = NotDrivable, reason
	default:
		return p.goOn(end, known)
	}
	p.rest(at - 1)
	p.plan.Ending = end
	return false
}

// goOn plans a step that the server can take. It is the last one where the file's design has another effect.
func (p *planner) goOn(end Ending, known *model.Step[podruntime.State]) bool {
	after, otherwise := known.Effect(p.place.State), find(p.file, end.Step).Effect(p.place.State)
	p.add(Planned{Step: end.Step, After: after, At: end.At})
	if otherwise == after {
		return true
	}
	p.rest(end.At)
	p.show(end.At, otherwise)
	end.Outcome, end.Effect = Refused, tracefile.Differences(after.View(p.tabs), otherwise.View(p.tabs))
	p.plan.Ending = end
	return false
}

// show plans a step that is allowed after the effect of the design that ships, and not after the other: by it, the effect is seen to be there.
func (p *planner) show(at int, otherwise podruntime.State) {
	for i := range p.shipped.Steps {
		known := &p.shipped.Steps[i]
		step := stepOf(known)
		if !known.Enabled(p.place.State) || known.Enabled(otherwise) {
			continue
		}
		after := known.Effect(p.place.State)
		if _, drivable := p.place.Drivable(p.tabs, step); drivable && p.place.Next(step, after).AtRest(p.tabs) {
			p.add(Planned{Step: step, After: after, At: at, Filled: true})
			return
		}
	}
}

// offFirst puts the guard that the file's design does not have before the others that are false, too.
func (p *planner) offFirst(step lockstep.Step, guards []string) []string {
	slices.SortStableFunc(guards, func(a, b string) int {
		off := func(guard string) int {
			if slices.Contains(p.off, step.Action+"."+guard) {
				return 0
			}
			return 1
		}
		return off(a) - off(b)
	})
	return guards
}

func (p *planner) add(s Planned) {
	p.place = p.place.Next(s.Step, s.After)
	p.plan.Steps = append(p.plan.Steps, s)
}

// rest takes what the server does before it can be held again: its critical section is gone through to the end.
func (p *planner) rest(at int) {
	for !p.place.AtRest(p.tabs) {
		before := len(p.plan.Steps)
		for i := range p.shipped.Steps {
			known := &p.shipped.Steps[i]
			step := stepOf(known)
			if !known.Enabled(p.place.State) || !ofSection(step) {
				continue
			}
			if _, drivable := p.place.Drivable(p.tabs, step); drivable {
				p.add(Planned{Step: step, After: known.Effect(p.place.State), At: at, Filled: true})
				p.filled = append(p.filled, step)
				break
			}
		}
		if len(p.plan.Steps) == before {
			return // the path is refused as one that ends in a section
		}
	}
}

// ofSection names the actions that the server takes together with the one before them.
func ofSection(s lockstep.Step) bool {
	return slices.Contains([]string{podruntime.FinishBoot, podruntime.EndRun, podruntime.Reconnect, podruntime.BootLost}, s.Action)
}

// find gives the step of a system with this name and these parameters. Every step of a tracefile is one of its system.
func find(sys model.System[podruntime.State], step lockstep.Step) *model.Step[podruntime.State] {
	for i := range sys.Steps {
		if stepOf(&sys.Steps[i]) == step {
			return &sys.Steps[i]
		}
	}
	panic(fmt.Sprintf("drive: %s has no step %s", sys.Name, step))
}

// stepOf gives the names of a step of the explorer.
func stepOf(step *model.Step[podruntime.State]) lockstep.Step {
	s := tracefile.StepOf(step)
	return lockstep.Step{Action: s.Action, Client: s.Client, Inc: s.Inc}
}
