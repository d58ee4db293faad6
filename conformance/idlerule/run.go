// Package idlerule drives the pods of a server along IdleRule and holds what they do against the table, after every step.
//
// A [Run] is a runtime/pod Manager with a real store, over the simulated engine, in a bubble of testing/synctest: a step is over when nothing moves any more. Its clock moves only when it is told to. Beside
// it the table of model/idlerule is stepped along, and then the two are compared (compare.go): also that the idle sleep comes at the moment at which it may, and not before. What is there in truth is put
// through the invariants (judge.go) without a look at what the table would have done: that is how mutants/idlerule judges a wrong server.
//
// It imports model and runtime. Read this file first, then op.go; path.go makes paths that take every step of a small configuration.
package idlerule

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"podlife/model"
	"podlife/model/idlerule"
)

// Run is a pod and a table that go the same way. It has to be made and used inside a bubble of testing/synctest, by one goroutine.
type Run struct {
	c     idlerule.Constants
	table model.Table[idlerule.Local]
	state idlerule.State
	took  func(action string, before, after idlerule.State)
	world *world
	judge judge
	path  []Op
}

// Start gives a run with a database in dir. took is told each action of the table that is taken; nil for nobody.
func Start(c idlerule.Constants, dir string, took func(action string, before, after idlerule.State)) (*Run, error) {
	if took == nil {
		took = func(string, idlerule.State, idlerule.State) {}
	}
	w, err := newWorld(c.Idle, c.MaxLease, dir)
	if err != nil {
		return nil, err
	}
	return &Run{c: c, table: idlerule.Table(c), state: idlerule.First(), took: took, world: w, judge: newJudge(c)}, nil
}

// Close ends the server and its store.
func (r *Run) Close() error { return r.world.close() }

// State is what the table has come to.
func (r *Run) State() idlerule.State { return r.state }

// Broke are the invariants that were broken so far in truth, each once, in the order found.
func (r *Run) Broke() []string { return slices.Clone(r.judge.broke) }

// Path is what was done so far.
func (r *Run) Path() []Op { return slices.Clone(r.path) }

// A Difference says in what the server is not as the table is.
type Difference struct {
	After Op
	What  string
	Table idlerule.State
}

func (d *Difference) Error() string {
	return fmt.Sprintf("after %s: %s; the table is at %+v", d.After, d.What, d.Table)
}

// A BrokenError says which invariants a step has broken in truth.
type BrokenError struct {
	After      Op
	Invariants []string
}

func (e *BrokenError) Error() string { return fmt.Sprintf("%s breaks %v", e.After, e.Invariants) }

var errNotPossible = errors.New("that cannot be done now")

// Do does an operation, waits until nothing moves, and compares. The error is a [*Difference] where server and table do not agree, a [*BrokenError] where an invariant is broken in truth, or says that the
// server cannot be followed any more. After the first two the run may go on, which is for wrong servers: the world is then no longer what the table says.
func (r *Run) Do(o Op) error {
	r.path = append(r.path, o)
	known := len(r.judge.broke)
	due := r.enabled(idlerule.Sweep, 0)
	if err := r.inWorld(o, due); err != nil {
		return fmt.Errorf("%s: %w", o, err)
	}
	r.world.settle()
	if err := r.judge.look(r.world, o); err != nil {
		return fmt.Errorf("%s: %w", o, err)
	}
	err := r.inTable(o)
	var d *Difference
	if err == nil {
		d, err = r.compare()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o, err)
	}
	if more, err := r.late(); err != nil {
		return fmt.Errorf("%s: %w", o, err)
	} else if d == nil {
		d = more
	}
	if d != nil {
		d.After = o
		return d
	}
	if len(r.judge.broke) > known {
		return &BrokenError{After: o, Invariants: slices.Clone(r.judge.broke[known:])}
	}
	return nil
}

// late has the idle sweep come where the table does not have it, by a timer that is due all the same or was stopped too late: nothing may come of it.
func (r *Run) late() (*Difference, error) {
	if !r.state.Up || r.world.pod == nil || r.enabled(idlerule.Sweep, 0) {
		return nil, nil
	}
	r.world.clock.run()
	r.world.clock.late()
	r.world.settle()
	if err := r.judge.look(r.world, Op{Kind: Sweep}); err != nil {
		return nil, err
	}
	d, err := r.compare()
	if d != nil {
		d.What = "the sweep comes though it may not, and " + d.What
	}
	return d, err
}

func (r *Run) enabled(action string, d int) bool {
	a, err := r.table.Action(action)
	return err == nil && a.Enabled(idlerule.Local{State: r.state, D: d})
}

// inWorld does it to the server. due is whether the pod may be put to sleep already: then a tick does not have the sweep come.
func (r *Run) inWorld(o Op, due bool) error {
	w := r.world
	if w.pod == nil && o.Kind != Tick && o.Kind != Lose && o.Kind != Recover {
		return errNotPossible
	}
	switch o.Kind {
	case Tick:
		return r.tick(due)
	case Wake:
		w.booted = true
		return w.bootMain()
	case WakeSlowly:
		w.half = true
		w.startBoot(main)
	case Touch:
		w.booted = w.booted || !w.booting()
		return w.bootMain()
	case HoldTerminal, HoldProgram, HoldBoot:
		return w.hold(o.Kind)
	case Release:
		return w.release(o.N)
	case Extend:
		until, err := w.pod.Extend(endless(), time.Duration(o.N)*tick)
		r.judge.answered(w.ticks(until))
		return err
	case Sweep:
		w.clock.run()
		w.settle()
		w.slept()
	case Destroy:
		err := w.pod.Destroy(endless())
		w.slept()
		return err
	case Lose:
		err := w.lose()
		w.settle()
		w.slept()
		return err
	case Crash:
		return w.crash()
	case Recover:
		if w.half {
			w.half = false
			r.judge.lost()
		}
		return w.start()
	}
	return nil
}

// tick lets a tick pass. A millisecond before its end, the sweep comes if it comes.
func (r *Run) tick(due bool) error {
	w := r.world
	w.clock.advance(tick - time.Millisecond)
	if !due && w.pod != nil {
		w.clock.run()
		w.clock.late()
		w.settle()
		if err := r.judge.look(w, Op{Kind: Sweep}); err != nil {
			return err
		}
	}
	w.clock.advance(time.Millisecond)
	return nil
}

// inTable takes the same in the table.
func (r *Run) inTable(o Op) error {
	switch o.Kind {
	case WakeSlowly:
		return errors.Join(r.take(idlerule.Wake, 0), r.take(idlerule.Hold, 0))
	case HoldTerminal, HoldProgram, HoldBoot:
		return r.take(idlerule.Hold, 0)
	case Destroy, Lose:
		return r.take(idlerule.Sleep, 0)
	case Recover:
		if r.judge.half {
			r.judge.half = false
			return errors.Join(r.take(idlerule.Sleep, 0), r.take(idlerule.Recover, 0)) // a boot that nobody ended ends with its container
		}
	}
	return r.take(string(o.Kind), o.N)
}

// take takes an action.
func (r *Run) take(action string, d int) error {
	after, err := r.table.Take(action, idlerule.Local{State: r.state, D: d})
	if err != nil {
		return fmt.Errorf("the table refuses it: %w", err)
	}
	r.took(action, r.state, after.State)
	r.state = after.State
	return nil
}

// Possible gives what can be done now. Leases are asked for up to the longest.
func (r *Run) Possible() []Op {
	var all []Op
	w := r.world
	may := func(action string, kinds ...Kind) {
		if r.enabled(action, 1) {
			for _, k := range kinds {
				all = append(all, Op{Kind: k})
			}
		}
	}
	may(idlerule.Tick, Tick)
	may(idlerule.Wake, Wake)
	if r.c.MaxHolds > 0 {
		may(idlerule.Wake, WakeSlowly)
	}
	may(idlerule.Touch, Touch)
	if !w.half {
		may(idlerule.Hold, HoldTerminal, HoldProgram)
		if !w.booting() {
			may(idlerule.Hold, HoldBoot)
		}
	}
	for n := range w.holds {
		all = append(all, Op{Kind: Release, N: n})
	}
	if r.enabled(idlerule.Extend, 1) {
		for d := 1; d <= r.c.MaxLease; d++ {
			all = append(all, Op{Kind: Extend, N: d})
		}
	}
	may(idlerule.Sweep, Sweep)
	if r.state.Up {
		may(idlerule.Sleep, Destroy)
	}
	may(idlerule.Sleep, Lose)
	may(idlerule.Crash, Crash)
	may(idlerule.Recover, Recover)
	return all
}
