// Package resume drives a real session host along SessionResume and holds what each viewer is told against the table, after every step.
//
// A [Run] is a runtime/host Host with a shell in memory, its client, and the pages of several viewers, in a bubble of testing/synctest: a step is over when nothing moves any more. Beside it the table of
// model/sessionresume is stepped along (shadow.go), and then the two are compared (compare.go). What is there in truth, whose bytes a page shows, is put through the invariants (judge.go) without a look
// at what the table would have done: that is how mutants/resume judges a wrong host. A byte of the model is a [Block] of bytes of the host.
//
// It imports model, runtime/host and the packages inside it. Read this file first, then op.go.
package resume

import (
	"context"
	"fmt"
	"slices"

	"podlife/model/sessionresume"
)

// Run is a host and a table that go the same way. It has to be made and used inside a bubble of testing/synctest, by one goroutine.
type Run struct {
	world  *world
	shadow *shadow
	judge  judge
	path   []Op
}

// Start gives a run with so many viewers. Window has to be at most half of Ring, as in a host. took is told each action of the table that is taken, with the state after it; nil for nobody.
func Start(c sessionresume.Constants, viewers int, took func(action string, after sessionresume.Local)) (*Run, error) {
	if c.Ring < 2*c.Window || c.Window < 1 {
		return nil, fmt.Errorf("resume: a window of %d in a ring of %d", c.Window, c.Ring)
	}
	if took == nil {
		took = func(string, sessionresume.Local) {}
	}
	w, err := newWorld(c, viewers)
	if err != nil {
		return nil, err
	}
	r := &Run{world: w, shadow: newShadow(c, viewers, took)}
	r.judge = newJudge(c)
	return r, nil
}

// Close ends the host and the client.
func (r *Run) Close() {
	for _, p := range r.world.pages {
		r.world.drop(p)
	}
	r.world.close()
}

// Broke are the invariants that were broken so far in truth, each once, in the order found.
func (r *Run) Broke() []string { return slices.Clone(r.judge.broke) }

// Path is what was done so far.
func (r *Run) Path() []Op { return slices.Clone(r.path) }

// Do does an operation, waits until nothing moves, and compares. The error is a [*Difference] where host and table do not agree, a [*BrokenError] where an invariant is broken in truth, or says that the host
// cannot be followed any more. After a Difference or a BrokenError the run may go on, which is for wrong hosts: the world is then no longer what the table says.
func (r *Run) Do(o Op) error {
	if !r.possible(o) {
		return fmt.Errorf("%s: %w", o, errNotPossible)
	}
	r.path = append(r.path, o)
	known := len(r.judge.broke)
	if err := r.inWorld(o); err != nil {
		return fmt.Errorf("%s: %w", o, err)
	}
	settle()
	if err := r.inTable(o); err != nil {
		return fmt.Errorf("%s: %w", o, err)
	}
	host, viewers, err := r.world.hostNow()
	if err != nil {
		return fmt.Errorf("%s: %w", o, err)
	}
	look := func() { r.judge.look(r.world, host, r.shadow) }
	if !r.world.held {
		if err := r.world.collect(func(int) {
			if o.Kind == Ask {
				look()
			}
		}); err != nil {
			return fmt.Errorf("%s: %w", o, err)
		}
		look()
	}
	if d := r.compare(host, viewers); d != nil {
		d.After = o
		return d
	}
	if len(r.judge.broke) > known {
		return &BrokenError{After: o, Invariants: slices.Clone(r.judge.broke[known:])}
	}
	return nil
}

// inWorld does it to the host.
func (r *Run) inWorld(o Op) error {
	w, p := r.world, r.world.pages[o.Viewer]
	switch o.Kind {
	case Produce:
		w.proc.write()
	case Exit:
		w.proc.end()
	case Replace:
		return w.replace(false)
	case ReplaceHere:
		return w.replace(true)
	case Hold:
		w.held = true
		w.wire.hold()
	case Release:
		w.held = false
		w.wire.release()
	case Ask:
		w.ask(p)
	case Drop:
		w.drop(p)
	case Receive:
		return w.receive(r.shadow.table, o.Viewer)
	case Ack:
		if p.viewer == nil {
			return fmt.Errorf("it is not let in")
		}
		w.ack(p)
	}
	return nil
}

// inTable takes the same in the table, and what the host then does by itself.
func (r *Run) inTable(o Op) error {
	s := r.shadow
	var err error
	switch o.Kind {
	case Produce:
		s.offered++
	case Replace, ReplaceHere:
		s.offered = 0
		err = s.take(sessionresume.Replace, 0)
	case Receive:
		err = s.receive(o.Viewer)
	case Hold, Release:
	default:
		err = s.take(string(o.Kind), o.Viewer)
	}
	if err != nil {
		return err
	}
	return s.settle()
}

// All does operations until one is not as it should be. Its error is that of [Run.Do].
func (r *Run) All(ctx context.Context, ops []Op) error {
	for _, o := range ops {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.Do(o); err != nil {
			return err
		}
	}
	return nil
}
