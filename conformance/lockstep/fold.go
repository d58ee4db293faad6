package lockstep

import (
	"context"
	"slices"
	"strings"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

// fold takes what the server has committed since the last group, and wants it to be what the path names.
func (r *runner) fold(ctx context.Context, g *group) error {
	wanted := r.wanted(g)
	r.arrive(ctx, wanted)
	var steps []pod.Step
	var never []string
	r.hub.look(func() {
		steps = slices.Clone(r.life.steps[r.folded:])
		never = slices.Clone(r.life.never)
	})
	if len(never) > 0 {
		return differs("the server's log", "nothing of the kind", strings.Join(never, "; "))
	}
	r.folded += len(steps)
	r.seen = append(r.seen, steps...)
	for _, s := range steps {
		r.report.Committed[s.Action]++
		step := Step{s.Action, string(s.Client), s.Inc}
		if err := r.belief.take(s); err != nil {
			return differs("the commit of "+step.String(), "the table that ships allows it", err.Error())
		}
		if s.Cause == pod.CauseObserved && slices.Contains(podruntime.WorldActions(), s.Action) {
			continue
		}
		if i := slices.Index(wanted, step); i >= 0 {
			wanted = slices.Delete(wanted, i, i+1)
		} else if !r.may(g, step) {
			return differs("commits", names(r.wanted(g)), namesOf(steps))
		}
	}
	if len(wanted) > 0 {
		return differs("commits", names(r.wanted(g)), namesOf(steps))
	}
	return nil
}

// arrive waits, in a world that cannot tell when nothing moves any more, until everything that is wanted was committed. What is missing then is told by fold.
func (r *runner) arrive(ctx context.Context, wanted []Step) {
	_ = r.await(ctx, "commits", func() bool {
		left := slices.Clone(wanted)
		for _, s := range r.life.steps[r.folded:] {
			if i := slices.Index(left, Step{s.Action, string(s.Client), s.Inc}); i >= 0 {
				left = slices.Delete(left, i, i+1)
			}
		}
		return len(left) == 0
	})
}

// wanted gives what the server has to commit for a group. The world's steps it commits when it finds out; a reply with what it makes of it; and that a shell has started, with its being handed over.
func (r *runner) wanted(g *group) []Step {
	var all []Step
	for i, s := range g.steps {
		switch s.Action {
		case podruntime.Crash, podruntime.CrashOtherRecipe, podruntime.ScriptSucceeded, podruntime.ScriptFailed, podruntime.ScriptGone, podruntime.Dial,
			podruntime.ScriptSkips, podruntime.ScriptWorks, podruntime.ScriptMarks, podruntime.ScriptFails, podruntime.ContainerDies, podruntime.MarkerRemoved:
			continue
		case podruntime.RecoverAsleep:
			if nothing(g.before.State.Pod()) {
				continue
			}
		case podruntime.AttachReady, podruntime.AttachAgain:
			all = append(all, Step{podruntime.Dial, s.Client, 0})
		case podruntime.AttachMoved:
			s.Action = podruntime.DialFails // it was not committed that the shell has started
		case podruntime.Repair:
			if c := attacher(g.before.State, r.tabs); i == 0 && g.before.State.Tab(c).Term.At == podruntime.AtNone {
				name := podlifecycle.ClientName(c)
				all = append(all, Step{podruntime.Probe, name, 0}, Step{podruntime.DialFails, name, 0}) // which lead back to where they came from
			}
		}
		all = append(all, s)
	}
	return all
}

// may says whether the server may commit what the path does not name now: the reply that it is taking, which the path has named before; and, where its container has died unseen, that it begins the
// script.
func (r *runner) may(g *group, s Step) bool {
	switch first := g.first(); s.Action {
	case podruntime.ScriptSucceeded, podruntime.ScriptFailed, podruntime.ScriptGone:
		takes := slices.ContainsFunc(g.steps, func(t Step) bool {
			return t.Inc == s.Inc && slices.Contains([]string{podruntime.FinishBoot, podruntime.EndRun, podruntime.BootFailed, podruntime.DropReply}, t.Action)
		})
		gone := g.before.State.Pod().At(s.Inc).Box.Box != podruntime.BoxRunning
		return takes && (r.lag[s.Inc] == s.Action || s.Action == podruntime.ScriptGone && gone)
	case podruntime.BeginScript:
		return first.Action == podruntime.ScriptGone && first.Inc == s.Inc
	}
	return false
}

func names(steps []Step) string {
	if len(steps) == 0 {
		return "none"
	}
	var all []string
	for _, s := range steps {
		all = append(all, s.String())
	}
	return strings.Join(all, " ")
}

func namesOf(steps []pod.Step) string {
	var all []Step
	for _, s := range steps {
		all = append(all, Step{s.Action, string(s.Client), s.Inc})
	}
	return names(all)
}
