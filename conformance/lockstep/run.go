package lockstep

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"podlife/model"
	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

// Options of a run.
type Options struct {
	// Ask also asks the server, in each state, for what the table forbids there, as far as that can be asked from outside. Asked says whether a state was asked already; nil is never.
	Ask   bool
	Asked func(Place) bool
	// ImageMarked is the specification's constant; the world must be made with the same.
	ImageMarked bool
	// Each is told of every step, in order, when it was taken and looked at; of those of a critical section all at once at its end.
	Each func(StepReport)
	// Last is asked for after the path: a step that the table forbids there. What the server did is the report's Last.
	Last *Step
	// Tabs is how many the system has; 0: as many as the path names.
	Tabs int
}

// StepReport is one step that was taken.
type StepReport struct {
	Number    int // index in the path
	Step      Step
	Expected  podruntime.State // after it, as the specification has it
	Committed []pod.Step       // by the server, since the report before; of a section at its last step
	Place     Place
}

// Report is what was done.
type Report struct {
	Steps     int
	Actions   map[string]int // steps by action
	Committed map[string]int // steps that servers committed, by action
	Asked     map[string]int // what was asked and is forbidden: "Action.guard", the first guard that refuses
	Last      string         // what the server made of Options.Last
}

// runner is one run of a path.
type runner struct {
	w     World
	o     Options
	setup Setup
	path  []Step
	table model.Table[podruntime.Local]
	tabs  int
	hub   *hub
	pumps sync.WaitGroup

	place    Place
	history  history
	life     *life
	belief   *belief
	folded   int // of the life's steps
	seen     []pod.Step
	lives    int
	sessions int
	boots    []*bootCall
	attaches []*attachCall
	destroys []*destroyCall
	open     map[string]*attachCall
	flight   map[string]*attachCall // the attach that a tab's terminal stands for, until it is open
	repaired map[string]*attachCall // the attach of a tab that waits for the end of a repair
	lag      map[int]string         // replies that have come and were not taken, by incarnation: the action that the server commits when it takes them
	eager    map[int]bool           // runs that wait for the removal of other containers, in the server itself
	lists    []int                  // removals that look for their container, in the order in which they do
	known    []int                  // removals of containers that the start of the server has found
	unseen   bool                   // the server has started and could not see what became of the pod
	report   Report
}

// Run executes a path from the initial state on a fresh world. Its errors are *Difference, *NotDrivableError, *BadPathError, that of the context, and those of the world (each may be joined with that
// of the world's end); the report is of what was done until then. The world can then only be closed.
func Run(ctx context.Context, w World, path []Step, o Options) (Report, error) {
	r := &runner{
		w: w, o: o, setup: w.Setup(), path: path, hub: newHub(), belief: newBelief(),
		open: map[string]*attachCall{}, flight: map[string]*attachCall{}, repaired: map[string]*attachCall{}, lag: map[int]string{}, eager: map[int]bool{},
		table:  podruntime.Table(podruntime.Constants{MaxInc: podruntime.MaxMaxInc, MaxCrashes: podruntime.MaxMaxCrashes, ImageMarked: o.ImageMarked}),
		report: Report{Actions: map[string]int{}, Committed: map[string]int{}, Asked: map[string]int{}},
		tabs:   tabsOf(path, o), history: history{done: map[int]bool{}},
	}
	err := r.run(ctx)
	return r.report, errors.Join(err, r.stop())
}

func tabsOf(path []Step, o Options) int {
	tabs := max(o.Tabs, 1)
	for _, s := range path {
		tabs = max(tabs, tabIndex(s.Client)+1)
	}
	if o.Last != nil {
		tabs = max(tabs, tabIndex(o.Last.Client)+1)
	}
	return tabs
}

func (r *runner) run(ctx context.Context) error {
	if err := r.start(ctx); err != nil {
		return err
	}
	for at := 0; at < len(r.path); {
		if err := ctx.Err(); err != nil {
			return err
		}
		g, err := r.group(at)
		if err != nil {
			return err
		}
		r.seen = nil
		if err := r.take(ctx, g); err != nil {
			return r.wrong(g.last(), err)
		}
		r.w.Settle()
		r.place = g.places[len(g.places)-1]
		if err := r.compare(ctx, g); err != nil {
			return r.wrong(g.last(), err)
		}
		r.done(g)
		if r.o.Ask && (r.o.Asked == nil || !r.o.Asked(r.place)) {
			if err := r.ask(ctx); err != nil {
				return r.wrong(g.last(), err)
			}
		}
		at = g.last() + 1
	}
	if r.o.Last != nil {
		return r.last(ctx)
	}
	return nil
}

// start starts the first server, on nothing.
func (r *runner) start(ctx context.Context) error {
	if err := r.born(0); err != nil {
		return err
	}
	if err := r.release(ctx, atRecoverNow, 0, "", nil); err != nil {
		return err
	}
	if err := r.recoverEnds(ctx); err != nil {
		return err
	}
	r.belief.pod = podruntime.Pod{}
	r.w.Settle()
	return nil
}

func (r *runner) born(recipe int) error {
	l, err := born(r.w, r.hub, &r.pumps, recipe)
	if err != nil {
		return err
	}
	r.life, r.folded = l, 0
	r.lives++
	return nil
}

// stop ends what is left of the server.
func (r *runner) stop() error {
	if r.life != nil {
		r.kill()
	}
	err := r.w.Close()
	r.pumps.Wait()
	if err != nil {
		return fmt.Errorf("close the world: %w", err)
	}
	return nil
}

// done counts a group, and tells of it.
func (r *runner) done(g *group) {
	for i, s := range g.steps {
		r.report.Steps++
		r.report.Actions[s.Action]++
		if r.o.Each == nil {
			continue
		}
		report := StepReport{Number: g.at + i, Step: s, Expected: g.places[i].State, Place: g.places[i]}
		if i == len(g.steps)-1 {
			report.Committed = r.seen
		}
		r.o.Each(report)
	}
}

// wrong makes a Difference of what is one.
func (r *runner) wrong(at int, err error) error {
	var d *Difference
	if errors.As(err, &d) {
		d.At, d.Path = at, r.path[:at+1]
		if at >= 0 {
			d.Step = r.path[at]
		}
		if d.Expected == (podruntime.State{}) {
			d.Expected = r.place.State
		}
		return d
	}
	if at < 0 {
		return err
	}
	return fmt.Errorf("step %d, %s: %w", at+1, r.path[at], err)
}
