package checker

import (
	"podlife/tla/eval"
	"podlife/tla/value"
)

// generate fills a share with its candidates.
func (w *worker) generate(sh *share) {
	p := sh.page
	intermediate := w.eval.Intermediate()
	w.at.to = nil
	for p.count > 0 && !sh.trouble {
		index := p.first
		s, err := p.pop(w.reader)
		if err != nil {
			sh.trouble = true
			return
		}
		place := int64(0)
		w.eval.SetLevel(sh.level)
		w.at.index = index
		err = w.eval.Successors(s, func(step eval.Step) bool {
			sh.generated++
			sh.actions[step.Action.Index]++
			w.eval.SetLevel(sh.level + 1)
			w.at.to = step.Next
			sh.trouble = sh.trouble || !w.candidate(sh, s, index, place, step)
			w.at.to = nil
			w.eval.SetLevel(sh.level)
			place++
			return !sh.trouble
		})
		if err != nil || place == 0 && w.deadlock {
			sh.trouble = true
		}
		sh.asked(w)
	}
	sh.generated += w.eval.Intermediate() - intermediate
}

// candidate takes in one successor. It is false when there is trouble.
func (w *worker) candidate(sh *share, s eval.State, index, place int64, step eval.Step) bool {
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
			if len(sh.candidates) == maxCandidates {
				sh.overflow = true
				return false
			}
			sh.candidates = append(sh.candidates, candidate{fp: fp, state: step.Next, index: index, place: place, action: step.Action.Index})
		}
	} else {
		sh.excluded++
		if w.always(step.Next) != nil {
			return false
		}
	}
	return w.step(s, step.Next) == nil
}

// sortOut finds which candidates are fresh, as far as their fingerprints belong to the worker. No other worker touches those shards or candidates.
func (r *run) sortOut(w *worker, shares []*share) {
	workers := len(r.crew.workers)
	for _, sh := range shares {
		for i := range sh.candidates {
			c := &sh.candidates[i]
			if shard(c.fp)%workers == w.number {
				c.fresh = r.seen.insert(c.fp)
			}
		}
	}
}

// finish checks and encodes the fresh candidates of a share.
func (w *worker) finish(sh *share) {
	w.eval.SetLevel(sh.level + 1)
	for i := range sh.candidates {
		c := &sh.candidates[i]
		if !c.fresh {
			continue
		}
		w.at.index, w.at.to = c.index, c.state
		if w.always(c.state) != nil {
			sh.trouble = true
			return
		}
		before := len(sh.encoded)
		if value.Catch(func() { sh.encoded = appendState(sh.encoded, c.state) }) != nil {
			sh.trouble = true
			return
		}
		c.size = len(sh.encoded) - before
	}
	w.at.to = nil
	sh.asked(w)
}

// asked makes it trouble when the specification has asked for the end of the run, so that it ends where it would with one worker.
func (sh *share) asked(w *worker) {
	if w.eval.ExitRequested() {
		sh.trouble, sh.exit = true, true
	}
}

// takeIn makes a share's result a part of the search's.
func (r *run) takeIn(sh *share) {
	r.generated += sh.generated
	r.excluded += sh.excluded
	for i, n := range sh.actions {
		r.actions[i].Generated += n
	}
	encoded := sh.encoded
	for i := range sh.candidates {
		c := &sh.candidates[i]
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
