package checker

import (
	"errors"
	"time"

	"podlife/tla/eval"
	"podlife/tla/value"
)

// search explores all states. The stop is nil when it came to its end; with Options.Continue the first violation is then in r.found.
func (r *run) search() *stop {
	if end := r.initialStates(); end != nil {
		return end
	}
	r.crew.brief()
	for r.level = 1; r.frontier.advance(); r.level++ {
		for r.frontier.left > 0 {
			if end := r.pause(); end != nil {
				return end
			}
			if end := r.portion(); end != nil {
				return end
			}
		}
	}
	r.publish()
	r.complete = true
	return nil
}

// The time that a portion of the work should take: long enough to be worth the workers' turns, short enough to get to pause often and to waste
// little when it turns out to contain a violation.
const (
	worthSharing  = 200 * time.Microsecond
	longest       = 50 * time.Millisecond
	mostPerWorker = 2048
	shareStates   = 64
)

// portion explores some states from the front of the current level, and chooses how many and with how many workers. What comes of it does not depend on that choice.
func (r *run) portion() *stop {
	began := r.opt.Now()
	n := max(1, r.batch*2)
	if r.perState > 0 {
		n = min(n, max(1, int64(longest/r.perState)))
	}
	n = min(n, r.frontier.left)
	workers := int64(len(r.crew.workers))
	var end *stop
	if workers == 1 || r.graph != nil || n < 2 || time.Duration(n)*r.perState < worthSharing {
		n = min(n, shareStates)
		r.batch = n
		end = r.explore(r.frontier.take(int(n)))
	} else {
		n = min(n*workers, mostPerWorker*workers, r.frontier.left)
		r.batch = n / workers
		end = r.exploreTogether(n)
	}
	r.perState = r.opt.Now().Sub(began) / time.Duration(n)
	return end
}

// initialStates generates and checks the initial states.
func (r *run) initialStates() *stop {
	w := r.crew.lead()
	var end *stop
	w.eval.SetLevel(1)
	err := w.eval.Initial(func(s eval.State) bool {
		place := r.generated
		w.at.to = s
		r.generated++
		end = r.initialState(w, s, place)
		if end == nil && r.generated%1024 == 0 {
			end = r.pause()
		}
		return end == nil
	})
	w.at.to = nil
	if r.generated > 0 {
		r.depth = 1
	}
	if end == nil && err != nil {
		r.countIncomplete(err)
		end = failed(err, "")
	}
	return end
}

// countIncomplete counts a state in which a variable has no value, as TLC does.
func (r *run) countIncomplete(err error) {
	var e *eval.Error
	if errors.As(err, &e) && e.Code == eval.CodeIncomplete {
		r.generated++
	}
}

// initialState takes in one generated initial state.
func (r *run) initialState(w *worker, s eval.State, place int64) *stop {
	at := func(end *stop) *stop {
		if end != nil {
			end.initial = s
		}
		return end
	}
	within, end := w.within(nil, s)
	if end != nil {
		return at(end)
	}
	if within {
		fp, end := w.fingerprint(s)
		if end != nil {
			return at(end)
		}
		if !r.seen.insert(fp) {
			return nil
		}
		r.initial++
		r.distinct++
		index := r.history.count
		r.history.addInitial(place)
		if end := r.enqueue(w, index, s); end != nil {
			return at(end)
		}
		if end := r.graph.state(fp, index, s, true); end != nil {
			return end
		}
	} else {
		r.excluded++
	}
	if end := r.tolerate(at(w.always(s))); end != nil {
		return end
	}
	return r.tolerate(at(w.initial(s)))
}

// enqueue puts a state into the frontier.
func (r *run) enqueue(w *worker, index int64, s eval.State) *stop {
	if err := value.Catch(func() { w.buffer = appendState(w.buffer[:0], s) }); err != nil {
		return failed(err, "")
	}
	r.frontier.add(index, w.buffer)
	return nil
}

// explore finds and checks the successors of a page of states, with one worker.
func (r *run) explore(p page) *stop {
	for p.count > 0 {
		if r.opt.Stats.exit.Load() {
			r.frontier.waiting += int64(p.count)
			return &stop{verdict: VerdictOK, index: -1}
		}
		index := p.first
		s, err := p.pop(r.crew.lead().reader)
		if err != nil {
			return failed(err, "")
		}
		if end := r.exploreState(s, index); end != nil {
			r.frontier.waiting += int64(p.count)
			return end
		}
	}
	return nil
}

func (r *run) exploreState(s eval.State, index int64) *stop {
	w := r.crew.lead()
	r.publish()
	var end *stop
	place := int64(0)
	intermediate := w.eval.Intermediate()
	w.eval.SetLevel(r.level)
	w.at.index = index
	err := w.eval.Successors(s, func(step eval.Step) bool {
		r.generated++
		r.actions[step.Action.Index].Generated++
		w.eval.SetLevel(r.level + 1)
		w.at.to = step.Next
		end = r.successor(w, s, index, place, step)
		w.at.to = nil
		w.eval.SetLevel(r.level)
		place++
		if place%1024 == 0 && end == nil {
			end = r.pause()
		}
		return end == nil
	})
	r.generated += w.eval.Intermediate() - intermediate
	switch {
	case end != nil:
	case err != nil:
		r.countIncomplete(err)
		end = failed(err, "")
	case place == 0 && !r.opt.NoDeadlock:
		end = &stop{verdict: VerdictDeadlock}
	}
	if end != nil && end.step == nil {
		end.index = index
	}
	return end
}

// successor takes in one generated successor, in TLC's order: first it is counted, then its invariants are checked, then the step.
func (r *run) successor(w *worker, s eval.State, index, place int64, step eval.Step) *stop {
	at := func(end *stop) *stop {
		if end != nil {
			taken := step // a copy, so that step itself need not be on the heap
			end.index, end.step = index, &taken
		}
		return end
	}
	within, end := w.within(s, step.Next)
	if end != nil {
		return at(end)
	}
	fresh := true
	to := int64(-1)
	if within {
		fp, end := w.fingerprint(step.Next)
		if end != nil {
			return at(end)
		}
		if fresh = r.seen.insert(fp); fresh {
			to = r.history.count
			r.history.add(index, place)
			r.distinct++
			r.actions[step.Action.Index].Distinct++
			r.depth = r.level + 1
		}
		if end := r.graph.edge(fp, index, to, step); end != nil {
			return end
		}
	} else {
		r.excluded++
	}
	if fresh {
		if end := r.tolerate(at(w.always(step.Next))); end != nil {
			return end
		}
	}
	if end := r.tolerate(at(w.step(s, step.Next))); end != nil {
		return end
	}
	if to >= 0 {
		return at(r.enqueue(w, to, step.Next))
	}
	return nil
}

// tolerate passes a stop on, unless it is a violation and Options.Continue asks to go on.
func (r *run) tolerate(end *stop) *stop {
	if end == nil || !r.opt.Continue || end.verdict != VerdictInvariant && end.verdict != VerdictProperty {
		return end
	}
	r.violated++
	if r.found == nil {
		r.found = end
	}
	return nil
}
