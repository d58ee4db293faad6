package lockstep

import (
	"context"
	"errors"
	"slices"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

// ask asks the server, where it rests, for what the table forbids there. Each is refused with a typed answer, or is without effect; nothing is committed, nothing stored, and the engine is as it was.
func (r *runner) ask(ctx context.Context) error {
	if p := r.place.State.Pod(); p.Ctr == podruntime.Unknown && !r.unseen {
		return nil // a server that has just started listens to nobody
	}
	saves := r.life.store.count()
	asked := ""
	try := func(step Step, do func() error) error {
		guard, forbidden := r.forbids(step)
		if !forbidden {
			return nil
		}
		asked = step.String() + ", refused by " + guard
		switch err := do(); {
		case err == errNotAsked:
			return nil
		case err != nil:
			return err
		}
		r.report.Asked[step.Action+"."+guard]++
		return r.quiet()
	}
	err := r.askTabs(ctx, try)
	if err == nil {
		err = r.askPod(ctx, try)
	}
	if err == nil {
		err = r.askUnstored(ctx, &asked)
	}
	if err == nil && asked != "" {
		asked = "all of it"
		if n := r.life.store.count(); n != saves {
			err = differs("writes to the store", "none", "there were some")
		} else {
			err = r.state(ctx)
		}
	}
	if d, ok := asDifference(err); ok {
		d.Asked = asked
	}
	return err
}

// forbids gives the first guard that refuses a step, if the table does.
func (r *runner) forbids(step Step) (guard string, forbidden bool) {
	_, err := r.effect(r.place.State, step)
	var refused *model.NotEnabledError
	if !errors.As(err, &refused) {
		return "", false
	}
	return refused.FalseGuards[0], true
}

// quiet wants nothing to be committed.
func (r *runner) quiet() error {
	r.w.Settle()
	var steps []pod.Step
	r.hub.look(func() { steps = slices.Clone(r.life.steps[r.folded:]) })
	if len(steps) == 0 {
		return nil
	}
	return differs("commits", "none", namesOf(steps))
}

// errNotAsked says that there is no way to ask now.
var errNotAsked = errors.New("there is no way to ask")

type asking func(step Step, do func() error) error

func (r *runner) askTabs(ctx context.Context, try asking) error {
	p := r.place.State.Pod()
	for i := range r.tabs {
		c, t := podlifecycle.ClientName(i), r.place.State.Tab(i)
		// A tab that believes, and is wrong, is sent back and boots again: that is two steps, and both are allowed.
		// So are the boots that only the bound of the constants forbids.
		wakes := t.Phase == podlifecycle.Idle && p.Ctr == podruntime.Asleep
		if !wakes && !(booted(t) && p.Ctr != podruntime.Ready) {
			if err := try(Step{podruntime.StartBoot, c, 0}, func() error { return r.askBoot(ctx, c, t) }); err != nil {
				return err
			}
		}
		box := p.At(p.Inc).Box
		switch {
		case !booted(t):
			if err := try(Step{podruntime.Probe, c, 0}, func() error { return r.askAttach(ctx, c) }); err != nil {
				return err
			}
		case t.Term.At == podruntime.AtOpen && box.Box == podruntime.BoxRunning && box.Marker == podruntime.MarkerOwn:
			if err := try(Step{podruntime.Probe, c, 0}, func() error { return r.askSecond(ctx, c) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// askBoot boots: it joins what is under way, or waits for a pod that is unknown, and then the caller leaves; or it is answered at once, since the tab has what it asks for.
func (r *runner) askBoot(ctx context.Context, c string, t podruntime.Client) error {
	b := r.boot(c)
	if !booted(t) {
		return r.waitsAndLeaves(ctx, "Boot", &b.call)
	}
	if err := r.answered(ctx, "Boot", &b.call); err != nil {
		return err
	}
	if b.err != nil || b.inc != r.place.State.Pod().Inc {
		return differs("the answer of Boot to a tab that has booted", "success", answerOf(b.err))
	}
	return nil
}

func (r *runner) waitsAndLeaves(ctx context.Context, what string, c *call) error {
	r.w.Settle()
	if r.told(c) {
		return differs("the answer of "+what, "it waits", answerOf(c.err))
	}
	return r.leaves(ctx, what, c)
}

func (r *runner) askAttach(ctx context.Context, c string) error {
	a := r.attach(c)
	if err := r.answered(ctx, "Attach", &a.call); err != nil {
		return err
	}
	return refusedAs("Attach", a.err, r.outside())
}

// askSecond opens another terminal of a tab that has one, and closes it: the specification has one for each tab.
func (r *runner) askSecond(ctx context.Context, c string) error {
	a := r.attach(c)
	for _, at := range []point{beforeShell, afterShell} {
		if err := r.release(ctx, at, 0, a.session, nil); err != nil {
			return err
		}
	}
	if err := r.answered(ctx, "Attach", &a.call); err != nil {
		return err
	}
	if a.err != nil {
		return differs("the answer of Attach for a second terminal", "a terminal", answerOf(a.err))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = a.a.Close() // says nothing that matters here
	}()
	return wait(ctx, "the end of the second shell", done)
}

func (r *runner) askPod(ctx context.Context, try asking) error {
	p := r.place.State.Pod()
	if !p.Awake() && (p.Settled == p.Inc || !removedUpTo(p, p.Inc) || p.Ctr == podruntime.Unknown) && !(p.Settled == p.Inc && r.lives > 1) {
		// Else it is answered, which is DestroyAnswered; a server that has been started since does not know that it was answered before, and commits it again.
		if err := try(Step{podruntime.Destroy, "", 0}, func() error { return r.askDestroy(ctx, p) }); err != nil {
			return err
		}
	}
	if err := try(Step{podruntime.IdleSleep, "", 0}, func() error { return r.askSweep(ctx) }); err != nil {
		return err
	}
	if r.life.gated.onDied == nil {
		return nil
	}
	for _, died := range []bool{true, false} {
		if err := try(Step{podruntime.ContainerLost, "", 0}, func() error { return r.hint(ctx, died) }); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) askDestroy(ctx context.Context, p podruntime.Pod) error {
	d := r.destroy()
	if p.Ctr == podruntime.Unknown || !removedUpTo(p, p.Inc) {
		return r.waitsAndLeaves(ctx, "Destroy", &d.call)
	}
	if err := r.answered(ctx, "Destroy", &d.call); err != nil {
		return err
	}
	if d.err != nil {
		return differs("the answer of Destroy to a pod that is gone", "success", answerOf(d.err))
	}
	return nil
}

// askSweep runs the idle sweep, long after anybody has used the pod, as if its timer had run out at the moment at which it was stopped.
func (r *runner) askSweep(ctx context.Context) error {
	sweep := r.life.clock.late()
	if sweep == nil {
		return errNotAsked
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		sweep()
	}()
	return wait(ctx, "the end of the sweep", done)
}
