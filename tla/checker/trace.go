package checker

import (
	"context"
	"fmt"

	"podlife/tla/eval"
	"podlife/tla/value"
)

// trace recomputes the behavior that a stop ends: the states that lead to the one at which it came up, and the step from there.
func (r *run) trace(end *stop) []TraceState {
	if end.verdict == VerdictInterrupted {
		return nil
	}
	var states []TraceState
	switch {
	case end.behavior != nil:
		states = end.behavior
	case end.initial != nil:
		states = []TraceState{{State: end.initial}}
	case end.index >= 0:
		states, r.traceErr = r.late().replay(r.history, end.index)
	}
	if end.step != nil {
		states = append(states, TraceState{State: end.step.Next, Action: end.step.Action, Args: end.step.Args})
	}
	e := r.late().eval
	for i := range states {
		next := states[min(i+1, len(states)-1)].State // as TLC: after the last state it stays
		if v, has, err := e.Alias(states[i].State, next); err != nil {
			states[i].AliasErr = err
		} else if has {
			states[i].Alias = v
		}
	}
	return states
}

// replay takes the steps again that first led to a state. It is an error when they lead elsewhere: the specification is not deterministic, as when
// it uses RandomElement.
func (w *worker) replay(h *history, index int64) ([]TraceState, error) {
	path := h.path(index)
	states := make([]TraceState, 0, len(path))
	found := false
	place := int64(0)
	err := w.eval.Initial(func(s eval.State) bool {
		if found = place == path[0]; found {
			states = append(states, TraceState{State: s})
		}
		place++
		return !found
	})
	for i := 1; err == nil && found && i < len(path); i++ {
		found, place = false, 0
		err = w.eval.Successors(states[i-1].State, func(step eval.Step) bool {
			if found = place == path[i]; found {
				states = append(states, TraceState{State: step.Next, Action: step.Action, Args: step.Args})
			}
			place++
			return !found
		})
		if err == nil && found {
			fp, end := w.fingerprint(states[i].State)
			found = end == nil && w.seen.has(fp)
		}
	}
	if err == nil && !found {
		err = fmt.Errorf("the behavior cannot be found again from its state %d on: the specification gives other states when it is evaluated again", len(states))
	}
	return states, err
}

// late is a worker for what is to be done after the search, even if the context is done by then.
func (r *run) late() *worker {
	if r.lateWorker == nil {
		// The error can only be that of SYMMETRY, and the workers before had none.
		r.lateWorker, _ = newWorker(r, context.WithoutCancel(r.ctx), 0)
		r.lateWorker.eval.CopyRegisters(r.crew.lead().eval)
	}
	return r.lateWorker
}

// A standpoint is where in the search a worker is, for those who ask for the behavior up to there.
type standpoint struct {
	index    int64        // of the state whose successors are being generated; -1: there is none
	to       eval.State   // the successor, or initial state, that is being checked; nil: there is none
	walk     []TraceState // in place of the index, when simulating
	replayer *worker
}

// behavior is the one that the worker is at the end of. While it is asked for, nobody adds to the history.
func (w *worker) behavior(r *run) []eval.State {
	before := w.at.walk
	if w.at.index >= 0 {
		if w.at.replayer == nil {
			// The error can only be that of SYMMETRY, and w had none.
			w.at.replayer, _ = newWorker(r, context.WithoutCancel(r.ctx), 0)
			w.at.replayer.eval.CopyRegisters(w.eval)
		}
		var err error
		if before, err = w.at.replayer.replay(r.history, w.at.index); err != nil {
			value.Raise(codeTrace, "%v", err)
		}
	}
	var states []eval.State
	for _, s := range before {
		states = append(states, s.State)
	}
	if w.at.to != nil {
		states = append(states, w.at.to)
	}
	return states
}

// codeTrace is the code of the error for a behavior that cannot be computed again.
const codeTrace value.ErrorCode = "trace"
