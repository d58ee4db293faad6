package paths

import (
	"context"
	"maps"
	"sync"

	"podlife/conformance/lockstep"
)

// Drive has a server driven through paths, by several workers at a time. The first failure ends it.
type Drive struct {
	paths []Path
	tabs  int

	mu      sync.Mutex // guards the following
	next    int        // index of the path that is taken next
	steps   []int      // by path: how many were taken, each looked at afterwards
	was     map[lockstep.Place]bool
	did     Did
	failure *Failure
}

// Did is what was done.
type Did struct {
	Paths     int // to the end
	Steps     int
	Places    int            // reduced, in which the server was asked for what is forbidden there
	Actions   map[string]int // steps, by action
	Committed map[string]int // steps that the server committed, by action
	Asked     map[string]int // questions for what is forbidden, by the first guard that refuses, "Action.guard"
}

// A Runner drives one path on a fresh world.
type Runner func(ctx context.Context, p Path, o lockstep.Options) (lockstep.Report, error)

// Failure is a path on which the server is not what the specification says.
type Failure struct {
	Index int // of the path, among those that were driven
	Path  Path
	Err   error
}

// NewDrive gives one for paths of so many tabs.
func NewDrive(paths []Path, tabs int) *Drive {
	return &Drive{
		paths: paths, tabs: tabs, steps: make([]int, len(paths)), was: map[lockstep.Place]bool{},
		did: Did{Actions: map[string]int{}, Committed: map[string]int{}, Asked: map[string]int{}},
	}
}

// Work takes one path after the other until there is none or one fails. Any number of workers may be at it.
func (d *Drive) Work(ctx context.Context, run Runner) {
	for ctx.Err() == nil {
		i, ok := d.take()
		if !ok {
			return
		}
		report, err := run(ctx, d.paths[i], lockstep.Options{Ask: true, Asked: d.asked, Tabs: d.tabs})
		d.done(i, report, err)
	}
}

func (d *Drive) take() (path int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failure != nil || d.next == len(d.paths) {
		return 0, false
	}
	d.next++
	return d.next - 1, true
}

// asked says whether a server was asked in such a place before, and notes that it is now.
func (d *Drive) asked(p lockstep.Place) bool {
	s, _ := reduced(p.State, d.tabs)
	p = p.With(s)
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.was[p]
	d.was[p] = true
	return before
}

func (d *Drive) done(path int, r lockstep.Report, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.steps[path] = r.Steps
	d.did.Steps += r.Steps
	for _, sum := range []struct{ all, more map[string]int }{{d.did.Actions, r.Actions}, {d.did.Committed, r.Committed}, {d.did.Asked, r.Asked}} {
		for k, n := range sum.more {
			sum.all[k] += n
		}
	}
	switch {
	case err == nil && r.Steps == len(d.paths[path]):
		d.did.Paths++
	case d.failure == nil:
		d.failure = &Failure{Index: path, Path: d.paths[path], Err: err}
	}
}

// Failure is the first; nil is none.
func (d *Drive) Failure() *Failure {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failure
}

// Did says what was done so far.
func (d *Drive) Did() Did {
	d.mu.Lock()
	defer d.mu.Unlock()
	did := d.did
	did.Places = len(d.was)
	did.Actions, did.Committed, did.Asked = maps.Clone(did.Actions), maps.Clone(did.Committed), maps.Clone(did.Asked)
	return did
}

// Taken says how many steps of a path were taken.
func (d *Drive) Taken(path int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.steps[path]
}
