package lockstep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

// callers holds what those who wait have been told against the state: whoever boots waits, or was answered; and whoever has a terminal in an incarnation that is over was told so.
func (r *runner) callers(ctx context.Context, g *group) error {
	var waiting []*bootCall
	for _, b := range r.boots {
		if r.place.State.Tab(tabIndex(b.client)).Phase == podlifecycle.Booting {
			waiting = append(waiting, b)
			if r.told(&b.call) {
				return differs("the boot of "+b.client, "it is not answered yet", answerOf(b.err))
			}
			continue
		}
		if err := r.answered(ctx, "the boot of "+b.client, &b.call); err != nil {
			return err
		}
		if err := r.bootAnswer(g, b); err != nil {
			return err
		}
	}
	r.boots = waiting
	p := r.place.State.Pod()
	for _, c := range slices.Sorted(maps.Keys(r.open)) {
		if a := r.open[c]; r.place.State.Tab(tabIndex(c)).Term.At != podruntime.AtOpen {
			delete(r.open, c)
			if err := r.ended(ctx, c, a, p.Why); err != nil {
				return err
			}
		} else if closed(a.a.Ended()) {
			return differs("the terminal of "+c, "it goes on", "it was told that it has ended: "+a.a.Why().Cause)
		}
	}
	return r.destroyers(ctx, g)
}

// told says whether a call was answered.
func (r *runner) told(c *call) (over bool) {
	r.hub.look(func() { over = c.over })
	return over
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// bootAnswer holds a boot's answer against what has become of it.
func (r *runner) bootAnswer(g *group, b *bootCall) error {
	what := "the answer of the boot of " + b.client
	var failed *pod.BootError
	switch i := slices.IndexFunc(g.steps, func(s Step) bool {
		return s.Client == b.client && (s.Action == podruntime.FinishBoot || s.Action == podruntime.BootLost)
	}); {
	case i < 0:
		return differs(what, "none", answerOf(b.err))
	case g.steps[i].Action == podruntime.FinishBoot && g.before.State.Pod().At(g.steps[i].Inc).Run == podruntime.RunOK:
		if b.err != nil || b.inc != g.steps[i].Inc {
			return differs(what, fmt.Sprintf("success, incarnation %d", g.steps[i].Inc), fmt.Sprintf("%s, incarnation %d", answerOf(b.err), b.inc))
		}
	case g.steps[i].Action == podruntime.FinishBoot:
		if b.err == nil {
			return differs(what, "what failed, of a pod that stays ready", answerOf(b.err))
		}
	case r.place.State.Pod().Why == podruntime.WhyFailed:
		if !errors.As(b.err, &failed) {
			return differs(what, fmt.Sprintf("%T", failed), answerOf(b.err))
		}
	case !errors.Is(b.err, pod.ErrBootLost):
		return differs(what, answerOf(pod.ErrBootLost), answerOf(b.err))
	}
	return nil
}

// ended wants a terminal's end to be told with its cause, and closes the shell.
func (r *runner) ended(ctx context.Context, c string, a *attachCall, why podruntime.Why) error {
	if err := wait(ctx, "the end of the terminal of "+c, a.a.Ended()); err != nil {
		return differs("the terminal of "+c, "it is told that the incarnation is over", err.Error())
	}
	causes := map[podruntime.Why]string{
		podruntime.WhyDestroy: pod.CauseDestroy, podruntime.WhyIdle: pod.CauseIdle, podruntime.WhyLost: pod.CauseLost, podruntime.WhyFailed: pod.CauseBootFailed,
	}
	if cause := a.a.Why().Cause; cause != causes[why] {
		return differs("the cause that the terminal of "+c+" was told", causes[why], cause)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = a.a.Close() // its container is going
	}()
	return wait(ctx, "the end of the shell", done)
}

// destroyers wants each call of destroy to be answered as soon as nothing is left that it is about, and not before.
func (r *runner) destroyers(ctx context.Context, g *group) error {
	var waiting []*destroyCall
	for _, d := range r.destroys {
		if d.given {
			continue
		}
		if d.last == 0 {
			d.last = r.place.State.Pod().Inc
		}
		if !removedUpTo(r.place.State.Pod(), d.last) {
			waiting = append(waiting, d)
			if r.told(&d.call) {
				return differs("a call of Destroy", "it waits for the removal", answerOf(d.err))
			}
			continue
		}
		if !slices.ContainsFunc(g.steps, wakes) && !r.told(&d.call) {
			waiting = append(waiting, d) // a wake of the next incarnation makes it true, and the server looks at the next removal
			continue
		}
		if err := r.answered(ctx, "Destroy", &d.call); err != nil {
			return err
		}
		if d.err != nil {
			return differs("the answer of Destroy", "success", answerOf(d.err))
		}
		if !g.has(podruntime.DestroyAnswered) {
			r.history.settled = max(r.history.settled, d.last) // it was told that these are gone, while the next is awake
		}
	}
	r.destroys = waiting
	return nil
}
