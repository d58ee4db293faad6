// Package workspace drives the named pods of a server along Workspace, and holds what becomes of them and of their homes against the table, after every step.
//
// A [Run] is a runtime/workspace Catalogue with a real store, a real runtime/pod Manager and runtime/container over the simulated engine, in a bubble of testing/synctest: a step is over when nothing moves any
// more. Whatever the server does by itself waits at a gate (gate.go), so that one operation is one action of the table (op.go, place.go). Beside it the table of model/workspace is stepped along, and then
// the two are compared (look.go): what the engine, the store and the server have. What is there is also put through the invariants (judge.go), without a look at what the table would have done: that is how
// mutants/workspace judges a wrong server. What the table does not have is asked for too (refused.go).
//
// It imports model and runtime. Read this file first, then place.go and act.go; path.go makes paths that take every step of a small configuration.
package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"podlife/model/workspace"
)

// Run is a server and a table that go the same way. It has to be made and used inside a bubble of testing/synctest, by one goroutine.
type Run struct {
	design design
	place  Place
	took   func(Step)
	world  *world
	judge  judge
	path   []Op
}

// Start gives a run with a database in dir. took is told each action of the table that is taken; nil for nobody.
func Start(c workspace.Constants, dir string, took func(Step)) (*Run, error) {
	if took == nil {
		took = func(Step) {}
	}
	w, err := newWorld(c.Foreign, dir)
	if err != nil {
		return nil, err
	}
	return &Run{design: newDesign(c), took: took, world: w, judge: newJudge(c)}, nil
}

// Close ends the server and its store.
func (r *Run) Close() error { return r.world.close() }

// Possible gives what can be done now.
func (r *Run) Possible() []Op { return r.design.possible(r.place) }

// Broke are the invariants that were broken so far in truth, each once, in the order found.
func (r *Run) Broke() []string { return slices.Clone(r.judge.broke) }

// Path is what was done so far, as [Parse] reads it.
func (r *Run) Path() string {
	var words []string
	for _, o := range r.path {
		words = append(words, o.String())
	}
	return strings.Join(words, " ")
}

// A Difference says in what the server is not as the table is.
type Difference struct {
	After Op
	What  string
}

func (d *Difference) Error() string { return fmt.Sprintf("after %s: %s", d.After, d.What) }

// A BrokenError says which invariants a step has broken in truth.
type BrokenError struct {
	After      Op
	Invariants []string
}

func (e *BrokenError) Error() string { return fmt.Sprintf("%s breaks %v", e.After, e.Invariants) }

// Do does an operation, waits until nothing moves, and compares; then everything is read, and what the table refuses is asked for, which may change nothing. The error is a [*Difference] where server and table
// do not agree, a [*BrokenError] where an invariant is broken in truth, or says that the server cannot be followed any more. After the first two the run may go on, which is for wrong servers: the world is then
// no longer what the table says.
func (r *Run) Do(o Op) error {
	r.path = append(r.path, o)
	known := len(r.judge.broke)
	before := r.place
	var what []string
	switch err := r.world.act(o, before); {
	case errors.Is(err, errAway):
		what = append(what, err.Error())
	case err != nil:
		return fmt.Errorf("%s: %w", o, err)
	}
	r.world.settle()
	r.judge.done(r.world, o, before.State)
	place, steps, err := r.design.do(before, o)
	if err != nil {
		return fmt.Errorf("%s: %w", o, err)
	}
	r.place = place
	for _, s := range steps {
		r.took(s)
	}
	if err := r.phases(o, &what); err != nil {
		return fmt.Errorf("%s: %w", o, err)
	}
	if len(what) > 0 {
		return &Difference{o, what[0]}
	}
	if len(r.judge.broke) > known {
		return &BrokenError{After: o, Invariants: slices.Clone(r.judge.broke[known:])}
	}
	return nil
}

// phases looks after the operation, after everything was read, and after what is refused was asked for.
func (r *Run) phases(o Op, what *[]string) error {
	w := r.world
	compare := func(when string, why func(p int) workspace.Woken) error {
		out, err := r.judge.look(w, why)
		if d := r.compare(out); d != "" && err == nil {
			*what = append(*what, when+d)
		}
		return err
	}
	by := map[string]workspace.Woken{workspace.Boot: workspace.ByBoot, workspace.Access: workspace.ByAccess}
	if err := compare("", func(p int) workspace.Woken {
		if why, ok := by[string(o.Kind)]; ok && p == o.P {
			return why
		}
		return workspace.ByRead
	}); err != nil || w.catalogue == nil {
		return err
	}
	w.read()
	w.settle()
	if err := compare("when it is read, ", func(int) workspace.Woken { return workspace.ByRead }); err != nil {
		return err
	}
	if d := r.refuse(); d != "" {
		*what = append(*what, d)
	}
	w.settle()
	return compare("when it has refused, ", func(p int) workspace.Woken {
		if r.place.Pods[p].Life == workspace.There {
			return workspace.ByAccess
		}
		return workspace.ByBoot
	})
}

// compare says in what the two differ; "" is nothing.
func (r *Run) compare(out seen) string {
	got, want := out.s, r.place.State
	if len(out.strange) > 0 {
		return out.strange[0]
	}
	for p := range r.design.c.Pods {
		if !want.Pods[p].Rec.HasHome() {
			want.Pods[p].Rec.Keep, got.Pods[p].Rec.Keep = false, false
		}
		if got.Pods[p] != want.Pods[p] {
			return fmt.Sprintf("%s is\n%+v, the table has it as\n%+v", names()[p], got.Pods[p], want.Pods[p])
		}
		if d := r.world.answers(p, want.Pods[p]); d != "" {
			return d
		}
	}
	if got != want {
		return fmt.Sprintf("%+v is not the table's %+v", got, want)
	}
	return ""
}

// answers says which call was answered that should not be, or the other way round; "" is none.
func (w *world) answers(p int, at workspace.Pod) string {
	k := w.pods[p]
	for _, c := range []struct {
		r    *request
		over bool
		ok   bool
	}{
		{k.create, at.Life != workspace.Making, at.Life == workspace.There},
		{k.start, at.State != workspace.Starting, at.State == workspace.IsReady},
		{k.remove, at.Life == workspace.Over, true},
	} {
		switch {
		case c.r == nil:
		case c.r.answered() != c.over:
			return fmt.Sprintf("%s of %s: answered %v, and is to be %v", c.r.what, names()[p], c.r.answered(), c.over)
		case c.over && c.r.first && (c.r.err == nil) != c.ok:
			return fmt.Sprintf("%s of %s is answered %v", c.r.what, names()[p], c.r.err)
		}
		if c.r.answered() {
			c.r.first = false
		}
	}
	return ""
}
