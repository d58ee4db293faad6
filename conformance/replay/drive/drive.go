// Package drive plays a behaviour of tla/PodRuntime.tla, as a file has it, against a real server, step by step, as far as the server goes along.
//
// It imports conformance/lockstep, which drives the server and looks at it after each step, conformance/replay/tracefile, conformance/tracecheck and
// the model; `podlife replay` is made of it. Read plan.go first: which steps the server is to take; then this file.
package drive

import (
	"context"
	"errors"
	"io"

	"podlife/conformance/lockstep"
	"podlife/conformance/replay/tracefile"
	"podlife/conformance/tracecheck"
	"podlife/model/explain"
	"podlife/model/podruntime"
)

// Outcome is how a replay ended.
type Outcome string

// The outcomes. Refused is what a counterexample of a design without one of its guards has to come to: the server has the guard.
const (
	Replayed    Outcome = "replayed"     // the server took every step, and was in the file's state after each
	Refused     Outcome = "refused"      // the design that ships does not have the next step, or not with this effect, and the server did not take it
	Different   Outcome = "different"    // the server is not where the specification says, or took a step that it forbids
	NotDrivable Outcome = "not drivable" // no server can be brought to the next step
)

// Step is one that was played.
type Step struct {
	Number   int             `json:"number"` // in the file, from 1; of a filled one, that of the step before it
	Filled   bool            `json:"filled,omitempty"`
	Action   string          `json:"action"` // with its arguments
	Expected podruntime.View `json:"expected"`
	// Through says that the server passed through the state, in a critical section: it was looked at when that was over, and Committed are all its steps then.
	Through   bool     `json:"through,omitempty"`
	Committed []string `json:"committed"` // of the server, since the last look at it

	step  lockstep.Step
	state podruntime.State
}

// Report is a behaviour as it was played.
type Report struct {
	Outcome Outcome `json:"outcome"`
	Steps   []Step  `json:"steps"`

	// Of every outcome but Replayed: the step at which it ended, by its number in the file and with its arguments; 0 is before the first.
	At     int    `json:"at,omitempty"`
	Action string `json:"action,omitempty"`
	// Guards are those that refuse it in the design that ships; that which is off in the file's comes first. Effect is what that design does otherwise.
	Guards []string `json:"guards,omitempty"`
	Effect []string `json:"effect,omitempty"`
	// Asked is what the server made of the refused step when it was asked for it.
	Asked string `json:"asked,omitempty"`
	// Reason is why a server cannot be brought to it; ReasonKey its stable name.
	Reason    string `json:"reason,omitempty"`
	ReasonKey string `json:"reason_key,omitempty"`
	// Enabled are the steps that the specification allows there.
	Enabled []string `json:"enabled,omitempty"`
	// Differs is what is otherwise than the specification says.
	Differs []Line `json:"differs,omitempty"`

	tabs      int
	constants podruntime.Constants
}

// Line is one thing that differs.
type Line struct {
	What     string `json:"what"`
	Expected string `json:"expected"`
	Seen     string `json:"seen"`
}

// Options of a run.
type Options struct {
	World lockstep.World // made for the behaviour's Constants.ImageMarked; Run closes it
	Each  func(Step)     // called with every step as soon as it was played; nil is nobody
}

// Run plays a behaviour. The error is one of the world, or of ctx: then the report has the steps until there.
func Run(ctx context.Context, b *tracefile.Behaviour, o Options) (Report, error) {
	plan := NewPlan(b)
	r := Report{tabs: plan.Tabs, constants: b.Constants, Steps: []Step{}}
	r.constants.Off = nil
	path := make([]lockstep.Step, len(plan.Steps))
	for i, s := range plan.Steps {
		path[i] = s.Step
	}
	ask := lockstep.Options{ImageMarked: plan.ImageMarked, Tabs: plan.Tabs, Each: func(s lockstep.StepReport) {
		one := played(plan, s)
		r.Steps = append(r.Steps, one)
		if o.Each != nil {
			o.Each(one)
		}
	}}
	if plan.Ending.Outcome == Refused && len(plan.Ending.Guards) > 0 {
		ask.Last = &plan.Ending.Step
	}
	done, err := lockstep.Run(ctx, o.World, path, ask)
	r.end(plan, done)
	return r, r.stopped(plan, err)
}

// played is a step that the server took.
func played(plan Plan, s lockstep.StepReport) Step {
	p := plan.Steps[s.Number]
	one := Step{
		Number: p.At, Filled: p.Filled, Action: s.Step.String(), Expected: s.Expected.View(plan.Tabs), Through: !s.Place.AtRest(plan.Tabs), Committed: []string{},
		step: s.Step, state: s.Expected,
	}
	for _, c := range s.Committed {
		one.Committed = append(one.Committed, lockstep.Step{Action: c.Action, Client: string(c.Client), Inc: c.Inc}.String())
	}
	return one
}

// end says how the plan ended.
func (r *Report) end(plan Plan, done lockstep.Report) {
	e := plan.Ending
	if e.Outcome == "" {
		r.Outcome = Replayed
		return
	}
	r.Outcome, r.At, r.Action, r.Guards, r.Effect, r.Asked = e.Outcome, e.At, e.Step.String(), e.Guards, e.Effect, done.Last
	if e.Reason != "" {
		r.Reason, r.ReasonKey = e.Reason.Sentence(), string(e.Reason)
	}
	r.Enabled = enabled(plan, r.state())
}

// stopped says where the server did not go along with the plan; it gives back what is no finding.
func (r *Report) stopped(plan Plan, err error) error {
	var different *lockstep.Difference
	var stuck *lockstep.NotDrivableError
	switch {
	case errors.As(err, &different):
		*r = Report{Outcome: Different, Steps: r.Steps, tabs: r.tabs, constants: r.constants}
		r.at(plan, different.At)
		if different.Asked != "" {
			r.Asked = different.Asked
		}
		for _, l := range different.Lines {
			r.Differs = append(r.Differs, Line(l))
		}
		r.Enabled = enabled(plan, different.Expected)
		return nil
	case errors.As(err, &stuck):
		*r = Report{Outcome: NotDrivable, Steps: r.Steps, Reason: stuck.Reason.Sentence(), ReasonKey: string(stuck.Reason), tabs: r.tabs, constants: r.constants}
		r.at(plan, stuck.At)
		r.Enabled = enabled(plan, r.state())
		return nil
	}
	return err
}

// at names the step with an index in the plan; -1 is before the first.
func (r *Report) at(plan Plan, i int) {
	if i >= 0 && i < len(plan.Steps) {
		r.At, r.Action = plan.Steps[i].At, plan.Steps[i].Step.String()
	}
}

// state is the last one that was reached.
func (r *Report) state() podruntime.State {
	if len(r.Steps) == 0 {
		return podruntime.State{}
	}
	return r.Steps[len(r.Steps)-1].state
}

// enabled names the steps that the table that ships allows in a state.
func enabled(plan Plan, s podruntime.State) []string {
	c := podruntime.Constants{MaxInc: podruntime.MaxMaxInc, MaxCrashes: int(^uint(0) >> 1), ImageMarked: plan.ImageMarked}
	sys := podruntime.LiftTable(podruntime.Table(c), c.MaxInc, plan.Tabs)
	var names []string
	for i := range sys.Steps {
		if sys.Steps[i].Enabled(s) {
			names = append(names, stepOf(&sys.Steps[i]).String())
		}
	}
	return names
}

// Record writes what was played in the Informal Trace Format, with a state after each step: one that the server was in.
func (r Report) Record(w io.Writer) error {
	path := []explain.Taken{{Clients: podruntime.State{}.View(r.tabs).Client, Recorded: -1}}
	for _, s := range r.Steps {
		path = append(path, explain.Taken{
			Step: explain.Step{Action: s.step.Action, Client: s.step.Client, N: s.step.Inc}, Recorded: -1,
			Pod: s.state.Pod(), Clients: s.state.View(r.tabs).Client,
		})
	}
	return tracecheck.WritePath(w, path, r.constants, "")
}
