package checker

import (
	"math/rand/v2"
	"sync/atomic"

	"podlife/tla/eval"
)

const defaultSimulationDepth = 100

// A walk is one random behavior.
type walk struct {
	number    int64
	generated int64
	depth     int
	end       *stop
}

// simulate takes random behaviors. Which ones depends on the seed and their numbers only: workers take them in groups, and of several violations in a
// group, that of the first behavior counts.
func (r *run) simulate() *stop {
	if r.opt.Simulate.Depth == 0 {
		r.opt.Simulate.Depth = defaultSimulationDepth
	}
	states, end := r.startingStates()
	if end != nil || len(states) == 0 {
		return end
	}
	r.crew.brief()
	group := int64(1)
	for next := int64(0); r.opt.Simulate.Num == 0 || next < r.opt.Simulate.Num; {
		if end := r.pause(); end != nil {
			return end
		}
		n := group
		if r.opt.Simulate.Num > 0 {
			n = min(n, r.opt.Simulate.Num-next)
		}
		if end := r.walks(states, next, n); end != nil {
			return end
		}
		next += n
		group = min(2*group, 16*int64(r.opt.Workers))
	}
	return nil
}

// startingStates are the initial states within the constraints; all are checked.
func (r *run) startingStates() ([]eval.State, *stop) {
	w := r.crew.lead()
	var states []eval.State
	var end *stop
	w.eval.SetLevel(1)
	err := w.eval.Initial(func(s eval.State) bool {
		r.generated++
		r.depth = 1
		w.at.to = s
		var within bool
		if within, end = w.within(nil, s); end == nil && within {
			states = append(states, s)
			r.initial++
		}
		if end == nil {
			end = w.always(s)
		}
		if end == nil {
			end = w.initial(s)
		}
		if end != nil {
			end.initial = s
		}
		return end == nil
	})
	w.at.to = nil
	if end == nil {
		end = failedUnless(err, "")
	}
	return states, end
}

// walks takes the behaviors with n numbers from first on.
func (r *run) walks(states []eval.State, first, n int64) *stop {
	done := make([]walk, n)
	var next atomic.Int64
	r.crew.together(func(w *worker) {
		for i := next.Add(1) - 1; i < n; i = next.Add(1) - 1 {
			done[i].number = first + i
			w.walk(&done[i], states, r.opt.Simulate)
			if done[i].end != nil {
				next.Store(n) // those before have been begun, and will be finished
			}
		}
	})
	for _, d := range done {
		r.generated += d.generated
		r.depth = max(r.depth, d.depth)
		if d.end != nil {
			return d.end
		}
		r.behaviors++
	}
	return nil
}

// walk takes one behavior: as TLC, it chooses among the actions that are possible, and then among the action's successors.
func (w *worker) walk(k *walk, states []eval.State, opt *Simulate) {
	chance := rand.New(rand.NewPCG(uint64(opt.Seed), uint64(k.number)))
	behavior := []TraceState{{State: states[chance.IntN(len(states))]}}
	for len(behavior) < opt.Depth {
		s := behavior[len(behavior)-1].State
		w.at.walk = behavior
		steps, end := w.steps(k, s, len(behavior))
		if end != nil {
			end.behavior = behavior
			k.end = end
			break
		}
		if len(steps) == 0 {
			break
		}
		step := choose(chance, steps)
		behavior = append(behavior, TraceState{State: step.Next, Action: step.Action, Args: step.Args})
	}
	k.depth = len(behavior)
}

// steps are the steps from a state within the constraints; all generated ones are checked.
func (w *worker) steps(k *walk, s eval.State, level int) ([]eval.Step, *stop) {
	var steps []eval.Step
	var end *stop
	generated := k.generated
	w.eval.SetLevel(level)
	err := w.eval.Successors(s, func(step eval.Step) bool {
		k.generated++
		w.eval.SetLevel(level + 1)
		w.at.to = step.Next
		defer func() {
			w.at.to = nil
			w.eval.SetLevel(level)
		}()
		var within bool
		within, end = w.within(s, step.Next)
		if end == nil {
			end = w.always(step.Next)
		}
		if end == nil {
			end = w.step(s, step.Next)
		}
		if end != nil {
			taken := step
			end.step = &taken
			return false
		}
		if within {
			steps = append(steps, step)
		}
		return true
	})
	switch {
	case end != nil:
		return nil, end
	case err != nil:
		return nil, failed(err, "")
	case k.generated == generated && w.deadlock:
		return nil, &stop{verdict: VerdictDeadlock, index: -1}
	}
	return steps, nil
}

// choose takes one of the actions, each as likely, and one of its steps. Steps of an action follow each other.
func choose(chance *rand.Rand, steps []eval.Step) eval.Step {
	var starts []int
	for i, s := range steps {
		if i == 0 || s.Action != steps[i-1].Action {
			starts = append(starts, i)
		}
	}
	i := chance.IntN(len(starts))
	from, to := starts[i], len(steps)
	if i+1 < len(starts) {
		to = starts[i+1]
	}
	return steps[from+chance.IntN(to-from)]
}
