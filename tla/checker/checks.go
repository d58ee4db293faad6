package checker

import (
	"context"
	"errors"

	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/value"
)

// checks are a program's predicates, sorted by where they are to hold.
type checks struct {
	constraints       []*eval.Predicate
	actionConstraints []*eval.Predicate
	always            []check // of each state
	initial           []check // of each initial state
	step              []check // of each step
}

// A check is a predicate to hold, and the verdict when it does not.
type check struct {
	*eval.Predicate
	name    string // of the invariant or property
	verdict Verdict
}

func newChecks(p *eval.Program) checks {
	c := checks{constraints: p.Constraints(), actionConstraints: p.ActionConstraints()}
	for _, i := range p.Invariants() {
		c.always = append(c.always, check{i, i.Name, VerdictInvariant})
	}
	for _, property := range p.Properties() {
		for _, x := range property.Always {
			c.always = append(c.always, check{x, property.Name, VerdictInvariant})
		}
		for _, x := range property.Initial {
			c.initial = append(c.initial, check{x, property.Name, VerdictProperty})
		}
		for _, x := range property.Step {
			c.step = append(c.step, check{x, property.Name, VerdictProperty})
		}
	}
	return c
}

// A stop is a reason to end the search, and where it came up.
type stop struct {
	verdict Verdict
	name    string
	span    diag.Span
	err     error

	// Where it came up: at the state with this index (-1: none), or the last of the behavior, or an initial state that may have no index; and the step from there, nil for none.
	index    int64
	behavior []TraceState
	initial  eval.State
	step     *eval.Step
}

// failed is the stop for an error of the evaluator. what is the predicate that was being evaluated, or "".
func failed(err error, what string) *stop {
	s := &stop{verdict: VerdictEvaluation, name: what, err: err, index: -1}
	var e *eval.Error
	if errors.As(err, &e) {
		s.span = e.Span
		if e.Code == eval.CodeInterrupted {
			s.verdict = VerdictInterrupted
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		s.verdict = VerdictInterrupted
	}
	return s
}

// A worker evaluates for one goroutine.
type worker struct {
	number   int
	deadlock bool // a state without successor is to be reported
	checks   *checks
	eval     *eval.Evaluator
	prints   *fingerprinter
	reader   *reader
	seen     *seen // to look at only
	buffer   []byte
	at       standpoint
}

func newWorker(r *run, ctx context.Context, number int) (*worker, error) {
	w := &worker{number: number, deadlock: !r.opt.NoDeadlock, checks: &r.checks, eval: r.program.NewEvaluator(ctx), seen: r.seen,
		reader: newReader(len(r.program.Variables()))}
	w.at.index = -1
	w.eval.SetTrace(func() []eval.State { return w.behavior(r) })
	var err error
	w.prints, err = newFingerprinter(w.eval)
	return w, err
}

// within tells whether a state and the step to it, unless from is nil, satisfy the constraints.
func (w *worker) within(from, to eval.State) (bool, *stop) {
	for _, c := range w.checks.constraints {
		if ok, err := w.eval.Holds(c, to); err != nil || !ok {
			return false, failedUnless(err, c.Name)
		}
	}
	if from == nil {
		return true, nil
	}
	for _, c := range w.checks.actionConstraints {
		if ok, err := w.eval.HoldsStep(c, from, to); err != nil || !ok {
			return false, failedUnless(err, c.Name)
		}
	}
	return true, nil
}

func failedUnless(err error, what string) *stop {
	if err == nil {
		return nil
	}
	return failed(err, what)
}

// always checks what is to hold in each state.
func (w *worker) always(s eval.State) *stop {
	return w.all(w.checks.always, func(c check) (bool, error) { return w.eval.Holds(c.Predicate, s) })
}

// initial checks what is to hold in each initial state.
func (w *worker) initial(s eval.State) *stop {
	return w.all(w.checks.initial, func(c check) (bool, error) { return w.eval.Holds(c.Predicate, s) })
}

// step checks what is to hold of each step.
func (w *worker) step(s, t eval.State) *stop {
	return w.all(w.checks.step, func(c check) (bool, error) { return w.eval.HoldsStep(c.Predicate, s, t) })
}

func (w *worker) all(checks []check, holds func(check) (bool, error)) *stop {
	for _, c := range checks {
		ok, err := holds(c)
		if err != nil {
			return failed(err, c.name)
		}
		if !ok {
			return &stop{verdict: c.verdict, name: c.name, span: c.Span, index: -1}
		}
	}
	return nil
}

// fingerprint is that of a state, or what went wrong with it.
func (w *worker) fingerprint(s eval.State) (uint64, *stop) {
	var fp uint64
	var err error
	if raised := value.Catch(func() { fp, err = w.prints.of(s) }); raised != nil {
		err = raised
	}
	return fp, failedUnless(err, "")
}
