package lockstep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

// last makes the server go on where it would take a step that the table forbids here, and reports what it does instead. A *Difference is a step that it takes where the table that ships refuses it, or
// an invariant that is broken afterwards: it may well take the step later, after others that make it right. A step that is allowed here is a *BadPathError.
func (r *runner) last(ctx context.Context) error {
	step := *r.o.Last
	guard, forbidden := r.forbids(step)
	if !forbidden {
		return &BadPathError{At: len(r.path), Step: step, Problem: "the specification allows it there, so it is a step of the path"}
	}
	truth, err := r.w.Look(ctx)
	if err != nil {
		return err
	}
	if p := r.place.State.Pod(); p.Ctr == podruntime.Unknown {
		r.belief.finds(p.Store, truth)
	}
	var opened []*attachCall // before
	for _, a := range r.attaches {
		if a.a != nil {
			opened = append(opened, a)
		}
	}
	said := r.push(ctx, step)
	r.moment(ctx)
	var steps []pod.Step
	r.hub.look(func() { steps = slices.Clone(r.life.steps[r.folded:]) })
	r.folded += len(steps)
	what := step.String() + ", refused by " + guard
	if p := r.place.State.Pod(); p.Ctr == podruntime.Unknown && nothing(p) {
		r.belief.pod = podruntime.Pod{} // such a pod is not even known, and asleep
	}
	for i, s := range steps {
		if err := r.belief.take(s); err != nil {
			return r.wrong(len(r.path)-1, &Difference{Asked: what, Lines: []Line{{"commits", "what the table that ships allows", namesOf(steps[:i+1]) + ": " + err.Error()}}})
		}
	}
	if truth, err = r.w.Look(ctx); err != nil {
		return err
	}
	if box := truth[step.Inc]; step.Action == podruntime.ScriptSkips && box.Script == podruntime.ScriptOK && box.Setup != podruntime.SetupAll {
		return r.wrong(len(r.path)-1, &Difference{Asked: what, Lines: []Line{{"the script", "it does its steps", "it has ended well, and the setup is " + box.Setup.String()}}})
	}
	for _, a := range r.attaches {
		if a.a == nil || a.given || slices.Contains(opened, a) {
			continue
		}
		if d, is := asDifference(a.in(r.belief.pod.Inc)); is {
			d.Asked = what
			return r.wrong(len(r.path)-1, d)
		}
	}
	stored, err := r.stored(ctx)
	if err != nil {
		return err
	}
	var l lines
	if r.belief.pod.Ctr != podruntime.Unknown {
		r.invariants(&l, truth, stored)
	}
	if d, is := asDifference(l.err()); is {
		d.Asked = what
		return r.wrong(len(r.path)-1, d)
	}
	r.report.Last = fmt.Sprintf("%s is refused: %s is false; %s; committed: %s", step, guard, said, namesOf(steps))
	return nil
}

// moment is how long is waited, in a world that cannot tell when nothing moves any more, for what must not happen.
func (r *runner) moment(ctx context.Context) {
	if r.w.Settle() {
		return
	}
	limit := time.NewTimer(200 * time.Millisecond)
	defer limit.Stop()
	select {
	case <-limit.C:
	case <-ctx.Done():
	}
}

// push lets go on what could take a step, and says what it was told.
func (r *runner) push(ctx context.Context, step Step) string {
	if p := r.place.State.Pod(); p.Ctr == podruntime.Unknown && !r.unseen && step.Action != podruntime.RecoverReady && step.Action != podruntime.RecoverAsleep {
		// It listens to nobody before it has looked.
		if err := errors.Join(r.release(ctx, atRecoverNow, 0, "", nil), r.recoverEnds(ctx)); err != nil {
			return err.Error()
		}
	}
	var c *call
	switch step.Action {
	case podruntime.StartBoot:
		c = &r.boot(step.Client).call
	case podruntime.Destroy, podruntime.DestroyAnswered:
		c = &r.destroy().call
	case podruntime.Probe, podruntime.AttachGuarded, podruntime.Repair:
		client := step.Client
		if client == "" {
			client = "c1"
		}
		c = &r.attach(client).call
	case podruntime.IdleSleep:
		if err := r.askSweep(ctx); err != nil {
			return err.Error()
		}
		return "the idle sweep has looked"
	case podruntime.ScriptSkips, podruntime.ScriptMarks:
		action := step.Action
		if r.place.State.Pod().At(step.Inc).Box.Setup != podruntime.SetupAll && action == podruntime.ScriptMarks {
			action = podruntime.ScriptWorks // one of its steps: if it is one that marks, that is seen
		}
		if err := r.w.Take(ctx, action, step.Inc); err != nil {
			return err.Error()
		}
		return "the script went on"
	case podruntime.ContainerLost:
		if err := r.hint(ctx, true); err != nil {
			return err.Error()
		}
		return "the server has looked at the container"
	default:
		return r.pushHeld(ctx, step)
	}
	r.w.Settle()
	if _ = r.await(ctx, "an answer", func() bool { return c.over || len(r.life.floor.held) > 0 }); !r.told(c) {
		c.giveUp()
		return "the call waits"
	}
	return "the call is answered: " + answerOf(c.err)
}

// pushHeld lets go on what the server has under way for a step.
func (r *runner) pushHeld(ctx context.Context, step Step) string {
	places := map[string][]point{
		podruntime.CreateContainer: {atRunBegins}, podruntime.StartContainer: {atStart}, podruntime.LaunchFails: {atStart}, podruntime.BeginScript: {atLaunched},
		podruntime.ScriptSucceeded: {atReply}, podruntime.ScriptFailed: {atReply}, podruntime.ScriptGone: {atReply}, podruntime.FinishBoot: {atReply},
		podruntime.EndRun: {atReply}, podruntime.BootFailed: {atReply}, podruntime.BootLost: {atReply}, podruntime.DropReply: {atRunBegins, atLaunched, atReply},
		podruntime.TearDown: {atRemove, atList}, podruntime.RecoverReady: {atRecoverNow}, podruntime.RecoverAsleep: {atRecoverNow},
		podruntime.Dial: {beforeShell, afterShell}, podruntime.DialWakes: {beforeShell, afterShell}, podruntime.AttachReady: {afterShell},
		podruntime.AttachAgain: {afterShell}, podruntime.AttachMoved: {afterShell}, podruntime.DialFails: {beforeShell},
	}
	said := "nothing is under way for it"
	if i := r.place.State.Pod().At(step.Inc); i.Run == podruntime.RunScript && (i.Box.Script == podruntime.ScriptOK || i.Box.Script == podruntime.ScriptBad) {
		r.w.Reply(step.Inc)                                                                                       // whatever it is
		_ = r.await(ctx, string(atReply), func() bool { return r.life.floor.find(atReply, step.Inc, "") != nil }) // what is not there then, is not let go
	}
	for _, at := range places[step.Action] {
		session := ""
		if a := r.flight[step.Client]; a != nil {
			session = a.session
		}
		var h *held
		r.hub.change(func() {
			if h = r.life.floor.find(at, step.Inc, session); h != nil {
				r.life.floor.drop(h)
			}
		})
		if h != nil {
			h.free(nil)
			said = "the server went on from: " + string(at)
			r.moment(ctx)
		}
	}
	return said
}
