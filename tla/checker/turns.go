package checker

import (
	"podlife/tla/eval"
	"podlife/tla/value"
)

// generate fills a unit with its candidates.
func (w *worker) generate(u *unit) {
	p := u.page
	intermediate := w.eval.Intermediate()
	w.place.to = nil
	for p.count > 0 && !u.trouble {
		index := p.first
		s, err := p.pop(w.reader)
		if err != nil {
			u.trouble = true
			return
		}
		place := int64(0)
		w.eval.SetLevel(u.level)
		w.place.index = index
		err = w.eval.Successors(s, func(step eval.Step) bool {
			u.generated++
			u.actions[step.Action.Index]++
			w.eval.SetLevel(u.level + 1)
			w.place.to = step.Next
			u.trouble = u.trouble || !w.candidate(u, s, index, place, step)
			w.place.to = nil
			w.eval.SetLevel(u.level)
			place++
			return !u.trouble
		})
		if err != nil || place == 0 && w.deadlock {
			u.trouble = true
		}
		u.asked(w)
	}
	u.generated += w.eval.Intermediate() - intermediate
}

// candidate takes in one successor. It is false when there is trouble.
func (w *worker) candidate(u *unit, s eval.State, index, place int64, step eval.Step) bool {
	within, end := w.within(s, step.Next)
	if end != nil {
		return false
	}
	if within {
		fp, end := w.fingerprint(step.Next)
		if end != nil {
			return false
		}
		if !w.seen.has(fp) {
			if len(u.candidates) == maxCandidates {
				u.overflow = true
				return false
			}
			u.candidates = append(u.candidates, candidate{fp: fp, state: step.Next, index: index, place: place, action: step.Action.Index})
		}
	} else {
		u.excluded++
		if w.always(step.Next) != nil {
			return false
		}
	}
	return w.step(s, step.Next) == nil
}

// sortOut finds which candidates are fresh, as far as their fingerprints belong to the worker. No other worker touches those shards or candidates.
func (r *run) sortOut(w *worker, units []*unit) {
	workers := len(r.crew.workers)
	for _, u := range units {
		for i := range u.candidates {
			c := &u.candidates[i]
			if shard(c.fp)%workers == w.number {
				c.fresh = r.seen.insert(c.fp)
			}
		}
	}
}

// finish checks and encodes the fresh candidates of a unit.
func (w *worker) finish(u *unit) {
	w.eval.SetLevel(u.level + 1)
	for i := range u.candidates {
		c := &u.candidates[i]
		if !c.fresh {
			continue
		}
		w.place.index, w.place.to = c.index, c.state
		if w.always(c.state) != nil {
			u.trouble = true
			return
		}
		before := len(u.encoded)
		if value.Catch(func() { u.encoded = appendState(u.encoded, c.state) }) != nil {
			u.trouble = true
			return
		}
		c.size = len(u.encoded) - before
	}
	w.place.to = nil
	u.asked(w)
}

// asked makes it trouble when the specification has asked for the end of the run, so that it ends where it would with one worker.
func (u *unit) asked(w *worker) {
	if w.eval.ExitRequested() {
		u.trouble, u.exit = true, true
	}
}

// takeIn makes a unit's result a part of the search's.
func (r *run) takeIn(u *unit) {
	r.generated += u.generated
	r.excluded += u.excluded
	for i, n := range u.actions {
		r.actions[i].Generated += n
	}
	encoded := u.encoded
	for i := range u.candidates {
		c := &u.candidates[i]
		if !c.fresh {
			continue
		}
		r.frontier.add(r.history.count, encoded[:c.size])
		encoded = encoded[c.size:]
		r.history.add(c.index, c.place)
		r.distinct++
		r.actions[c.action].Distinct++
		r.depth = r.level + 1
	}
}
