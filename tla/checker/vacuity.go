package checker

import (
	"context"
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

// coverageOfKept evaluates everything once more, on the states that were kept, and counts. It is nil where that cannot be done; complete tells whether those
// are all states.
func (r *run) coverageOfKept() (c *eval.Coverage, complete bool) {
	if r.opt.Vacuity.Variant == nil {
		return nil, false
	}
	p, err := r.opt.Vacuity.Variant(nil, true)
	if err != nil {
		return nil, false
	}
	checks := newChecks(p)
	w := &worker{checks: &checks, eval: p.NewEvaluator(r.ctx)}
	// Errors have been found before, in the search.
	_ = w.eval.Initial(func(s eval.State) bool {
		w.within(nil, s)
		w.always(s)
		w.initial(s)
		return true
	})
	_ = r.eachKept(func(s eval.State) bool {
		_ = w.eval.Successors(s, func(step eval.Step) bool {
			w.within(s, step.Next)
			w.step(s, step.Next)
			w.always(step.Next)
			return true
		})
		return true
	})
	return w.eval.Coverage(), r.allKept()
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
	w := r.late()
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
			if r.opt.Vacuity.Variant == nil {
				continue
			}
			p, err := r.opt.Vacuity.Variant(conjunct, false)
			if err != nil {
				f.add(FindingConjunct, false, conjunct.Definition, conjunct.Span, "Whether this conjunct of %s makes a difference was not looked at: %s", conjunct.Definition, err)
				continue
			}
			trials = append(trials, trial{c.Action, conjunct, p.NewEvaluator(context.WithoutCancel(r.ctx))})
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
