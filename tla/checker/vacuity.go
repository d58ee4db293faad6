package checker

import (
	"errors"
	"fmt"
	"maps"

	"podlife/tla/eval"
)

// eachKept goes through the states that were kept, the first of the search.
func (r *run) eachKept(do func(s eval.State) bool) error {
	n := 0
	for _, p := range r.frontier.kept {
		for p.count > 0 {
			s, err := p.pop(r.crew.lead().reader)
			if err != nil {
				return err
			}
			if n++; n > r.opt.Vacuity.States || r.ctx.Err() != nil || !do(s) {
				return nil
			}
		}
	}
	return nil
}

// allKept tells whether every state was kept.
func (r *run) allKept() bool { return r.distinct <= int64(r.opt.Vacuity.States) && r.ctx.Err() == nil }

// errNoVariant is why nothing can be tried.
var errNoVariant = errors.New("there is no way to compile the specification again")

// variant compiles the program again; see Vacuity.Variant.
func (r *run) variant(drop *eval.Conjunct, coverage bool) (*eval.Program, error) {
	if r.opt.Vacuity.Variant == nil {
		return nil, errNoVariant
	}
	return r.opt.Vacuity.Variant(drop, coverage)
}

// coverageOfKept evaluates everything once more, on the states that were kept, and counts; complete tells whether those are all states, and each was
// evaluated to the end. The error says why it cannot be done.
func (r *run) coverageOfKept() (c *eval.Coverage, complete bool, err error) {
	p, err := r.variant(nil, true)
	if err != nil {
		return nil, false, err
	}
	checks := newChecks(p)
	w := &worker{checks: &checks, eval: p.NewEvaluator(r.ctx)}
	w.eval.CopyRegisters(r.crew.lead().eval)
	// The search had no errors. One that comes now is of a specification that is another one each time, and means that something was not counted.
	first := w.eval.Initial(func(s eval.State) bool {
		w.within(nil, s)
		w.always(s)
		w.initial(s)
		return true
	})
	var inStep error
	kept := r.eachKept(func(s eval.State) bool {
		inStep = w.eval.Successors(s, func(step eval.Step) bool {
			w.within(s, step.Next)
			w.step(s, step.Next)
			w.always(step.Next)
			return true
		})
		return inStep == nil
	})
	return w.eval.Coverage(), r.allKept() && first == nil && kept == nil && inStep == nil, nil
}

// A trial is a conjunct whose effect has not been seen yet.
type trial struct {
	action   *eval.Action
	conjunct *eval.Conjunct
	eval     *eval.Evaluator // without it
}

// conjuncts looks for conjuncts of actions that have no effect: without them, the actions have the same successors.
func (f *findings) conjuncts(r *run) {
	trials := f.trials(r)
	if len(trials) == 0 {
		return
	}
	// Unlike late, it ends with the context. The error can only be that of SYMMETRY, and the workers before had none.
	w, _ := newWorker(r, r.ctx, 0)
	w.eval.CopyRegisters(r.crew.lead().eval)
	err := r.eachKept(func(s eval.State) bool {
		with := successorsByAction(w.eval, s)
		kept := trials[:0]
		for _, t := range trials {
			without := successorsByAction(t.eval, s)
			if with != nil && without != nil && maps.Equal(with[t.action.Index], without[t.action.Index]) {
				kept = append(kept, t)
			}
		}
		trials = kept
		return len(trials) > 0
	})
	for _, t := range trials {
		c := t.conjunct
		name := c.Name
		if name == "" {
			name = "This conjunct"
		}
		known := err == nil && r.allKept()
		where := "in every reachable state"
		if !known {
			where = fmt.Sprintf("in each of the first %d states; the others were not looked at", min(r.distinct, int64(r.opt.Vacuity.States)))
		}
		x := f.add(FindingConjunct, known, c.Definition, c.Span, "%s of %s makes no difference: without it, the action has the same successors %s.", name, c.Definition, where)
		if c.VacuousOK != "" {
			x.Accepted = c.VacuousOK
		}
	}
}

// trials prepares an evaluator for each conjunct of each action that fires.
func (f *findings) trials(r *run) []trial {
	var trials []trial
	for _, c := range r.actions {
		if c.Generated == 0 {
			continue
		}
		for _, conjunct := range c.Action.Conjuncts {
			if r.ctx.Err() != nil {
				return nil
			}
			p, err := r.variant(conjunct, false)
			if err != nil {
				f.add(FindingConjunct, false, conjunct.Definition, conjunct.Span, "Whether this conjunct of %s makes a difference was not looked at: %s", conjunct.Definition, err)
				continue
			}
			trials = append(trials, trial{c.Action, conjunct, p.NewEvaluator(r.ctx)})
		}
	}
	return trials
}

// successorsByAction gives the fingerprints of a state's successors, by the action's index. It is nil after an error.
func successorsByAction(e *eval.Evaluator, s eval.State) map[int]map[uint64]bool {
	all := map[int]map[uint64]bool{}
	err := e.Successors(s, func(step eval.Step) bool {
		k := step.Action.Index
		if all[k] == nil {
			all[k] = map[uint64]bool{}
		}
		all[k][plain(step.Next)] = true
		return true
	})
	if err != nil {
		return nil
	}
	return all
}
