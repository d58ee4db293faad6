package lockstep

import (
	"context"
	"fmt"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

// take makes the server take a group of steps: the first is brought about, and what follows comes with it.
func (r *runner) take(ctx context.Context, g *group) error {
	step, n := g.first(), g.first().Inc
	switch step.Action {
	case podruntime.StartBoot, podruntime.CreateContainer, podruntime.StartContainer, podruntime.LaunchFails, podruntime.BeginScript:
		return r.takeBoot(ctx, g)
	case podruntime.ScriptSkips, podruntime.ScriptWorks, podruntime.ScriptMarks, podruntime.ScriptFails, podruntime.ContainerDies, podruntime.MarkerRemoved:
		return r.w.Take(ctx, step.Action, n)
	case podruntime.ScriptSucceeded, podruntime.ScriptFailed, podruntime.ScriptGone:
		return r.takeReply(ctx, step)
	case podruntime.FinishBoot, podruntime.EndRun:
		err := r.taken(ctx, n, podruntime.EndRun)
		if last := g.steps[len(g.steps)-1]; err == nil && last.Action == podruntime.Probe {
			return r.looksAgain(ctx, last.Client)
		}
		return err
	case podruntime.BootFailed:
		if err := r.stumbles(ctx, g, func() error { return r.release(ctx, atReply, n, "", nil) }); err != nil {
			return err
		}
		return r.committed(ctx, podruntime.BootFailed, "", n)
	case podruntime.DropReply:
		return r.takeDrop(ctx, n)
	case podruntime.Crash, podruntime.CrashOtherRecipe:
		return r.takeCrash(ctx, step)
	case podruntime.RecoverReady, podruntime.RecoverAsleep:
		return r.takeRecovery(ctx, step)
	case podruntime.Destroy, podruntime.IdleSleep, podruntime.ContainerLost, podruntime.TearDown, podruntime.DestroyAnswered:
		return r.takeSleep(ctx, g)
	}
	return r.takeAttach(ctx, g)
}

func (r *runner) takeBoot(ctx context.Context, g *group) error {
	step, n := g.first(), g.first().Inc
	switch step.Action {
	case podruntime.StartBoot:
		return r.startBoot(ctx, g, step.Client)
	case podruntime.CreateContainer:
		if err := r.release(ctx, atRunBegins, n, "", nil); err != nil {
			return err
		}
		return r.created(ctx, n)
	case podruntime.StartContainer:
		if err := r.release(ctx, atStart, n, "", nil); err != nil {
			return err
		}
		return r.both(ctx, step, atLaunched, n)
	case podruntime.LaunchFails:
		if err := r.release(ctx, atStart, n, "", errRefused); err != nil {
			return err
		}
		return r.both(ctx, step, atReply, n)
	default: // BeginScript
		if err := r.release(ctx, atLaunched, n, "", nil); err != nil {
			return err
		}
		if err := r.committed(ctx, step.Action, "", n); err != nil {
			return err
		}
		return r.w.Take(ctx, podruntime.BeginScript, n)
	}
}

// both waits for a commit, and for what is held then.
func (r *runner) both(ctx context.Context, step Step, at point, n int) error {
	if err := r.committed(ctx, step.Action, step.Client, step.Inc); err != nil {
		return err
	}
	return r.await(ctx, fmt.Sprintf("%s (%d)", at, n), func() bool { return r.life.floor.find(at, n, "") != nil })
}

func (r *runner) created(ctx context.Context, n int) error {
	return r.both(ctx, Step{podruntime.CreateContainer, "", n}, atStart, n)
}

// startBoot is a call of Boot; a tab that believes goes back through its boot by the same call.
func (r *runner) startBoot(ctx context.Context, g *group, client string) error {
	before := g.places[len(g.places)-1].State.Tab(tabIndex(client)).BootInc
	was := g.before.State.Pod()
	b := r.boot(client)
	r.boots = append(r.boots, b)
	if err := r.committed(ctx, podruntime.StartBoot, client, 0); err != nil {
		return err
	}
	n := before
	switch {
	case was.Current(n) && was.At(n).Run != podruntime.RunNone:
		return nil // it joins
	case was.Current(n):
		return r.begins(ctx, n)
	}
	if r.eager[n] = r.waits(g, n); r.eager[n] {
		return r.release(ctx, atRunBegins, n, "", nil)
	}
	return r.await(ctx, fmt.Sprintf("%s (%d)", atRunBegins, n), func() bool { return r.life.floor.find(atRunBegins, n, "") != nil })
}

// begins brings a run that needs no container to where it is about to begin the script.
func (r *runner) begins(ctx context.Context, n int) error {
	if err := r.release(ctx, atRunBegins, n, "", nil); err != nil {
		return err
	}
	return r.await(ctx, fmt.Sprintf("%s (%d)", atLaunched, n), func() bool { return r.life.floor.find(atLaunched, n, "") != nil })
}

// takeReply lets a reply arrive. The server commits it together with what it makes of it.
func (r *runner) takeReply(ctx context.Context, step Step) error {
	n := step.Inc
	p := r.place.State.Pod()
	inc := p.At(n)
	r.lag[n] = step.Action
	switch {
	case step.Action != podruntime.ScriptGone:
		if step.Action == podruntime.ScriptFailed && p.Current(n) && p.Ctr == podruntime.Ready && inc.Box.Marker == podruntime.MarkerOwn {
			// The server looks whether there was anything to do; a look that fails is no reason to believe so.
			r.hub.change(func() { r.life.gated.blind = 1 })
			defer r.hub.change(func() { r.life.gated.blind = 0 })
		}
		r.w.Reply(n)
	case inc.Run == podruntime.RunBegin:
		if err := r.release(ctx, atLaunched, n, "", nil); err != nil {
			return err
		}
	}
	return r.await(ctx, fmt.Sprintf("%s (%d)", atReply, n), func() bool { return r.life.floor.find(atReply, n, "") != nil })
}

// taken lets the pod take a reply.
func (r *runner) taken(ctx context.Context, n int, action string) error {
	if err := r.release(ctx, atReply, n, "", nil); err != nil {
		return err
	}
	return r.committed(ctx, action, "", n)
}

// takeDrop lets the pod take the reply of a run that is over, wherever that is.
func (r *runner) takeDrop(ctx context.Context, n int) error {
	for at, run := range map[point]podruntime.Run{atRunBegins: podruntime.RunCreate, atLaunched: podruntime.RunBegin} {
		if r.place.State.Pod().At(n).Run == run && !(at == atRunBegins && r.eager[n]) {
			if err := r.release(ctx, at, n, "", nil); err != nil {
				return err
			}
		}
	}
	return r.taken(ctx, n, podruntime.DropReply)
}

// kill ends the server. Whoever waits for it hears nothing sensible any more.
func (r *runner) kill() {
	r.life.dies()
	for _, c := range r.calls() {
		c.cancel()
		<-c.done
	}
	for _, a := range r.attaches {
		if a.a != nil {
			_ = a.a.Close() // of a server that is dead
		}
	}
	r.w.Died()
	r.boots, r.attaches, r.destroys = nil, nil, nil
	clear(r.open)
	clear(r.flight)
	clear(r.repaired)
	clear(r.lag)
	clear(r.eager)
	r.lists, r.known = nil, nil
	r.life = nil
}

// calls gives every call that may be under way.
func (r *runner) calls() []*call {
	var all []*call
	for _, b := range r.boots {
		all = append(all, &b.call)
	}
	for _, d := range r.destroys {
		all = append(all, &d.call)
	}
	for _, a := range r.attaches {
		all = append(all, &a.call)
	}
	return all
}

// takeCrash ends the server, and starts the next. It is held before it has looked at anything; or, where it looks for a marker, it cannot see it yet, so that the pod is unknown and can be asked.
func (r *runner) takeCrash(ctx context.Context, step Step) error {
	recipe := r.life.recipe
	if step.Action == podruntime.CrashOtherRecipe {
		recipe++
	}
	r.kill()
	r.belief.forget()
	if err := r.born(recipe); err != nil {
		return err
	}
	s := r.place.State.Pod().Store
	r.unseen = s.Awake && r.place.State.Pod().At(s.Inc).Box.Box == podruntime.BoxRunning
	if !r.unseen {
		return r.await(ctx, string(atRecoverNow), func() bool { return r.life.floor.find(atRecoverNow, 0, "") != nil })
	}
	r.hub.change(func() { r.life.gated.blind = 1 })
	if err := r.release(ctx, atRecoverNow, 0, "", nil); err != nil {
		return err
	}
	return r.recoverEnds(ctx)
}

// recoverEnds waits until Recover has been answered.
func (r *runner) recoverEnds(ctx context.Context) error {
	if err := r.await(ctx, "the end of Recover", func() bool { return r.life.gated.onDied != nil || len(r.life.recovery) > 0 && r.life.gated.recovered }); err != nil {
		return err
	}
	if err := <-r.life.recovery; err != nil {
		return differs("the answer of Recover", "success", answerOf(err))
	}
	return nil
}

// takeRecovery lets the server see.
func (r *runner) takeRecovery(ctx context.Context, step Step) error {
	p := r.place.State.Pod()
	truth, err := r.w.Look(ctx)
	if err != nil {
		return err
	}
	r.belief.finds(p.Store, truth)
	if r.unseen {
		if err := r.await(ctx, "the timer of the next look at a pod that is unknown", func() bool { return r.life.clock.has(retry) }); err != nil {
			return err
		}
		r.life.clock.fire(retry)
		return r.committed(ctx, step.Action, "", 0)
	}
	if err := r.release(ctx, atRecoverNow, 0, "", nil); err != nil {
		return err
	}
	if err := r.recoverEnds(ctx); err != nil {
		return err
	}
	if nothing(p) {
		// A pod of which nothing is stored and nothing found is not even known: asleep, as every other is.
		return r.belief.take(pod.Step{Action: step.Action})
	}
	return r.committed(ctx, step.Action, "", 0)
}

// nothing says that a pod left nothing behind.
func nothing(p podruntime.Pod) bool {
	for _, i := range p.Incs {
		if i.Box.Box != podruntime.BoxNone {
			return false
		}
	}
	return p.Store == (podruntime.Record{})
}

// outside is what a caller is told of the pod. Of one that is unknown a server that has just started can say no more than what is stored: that it was to be awake.
func (r *runner) outside() podlifecycle.Pod {
	p := r.place.State.Pod()
	before := podlifecycle.Pod{Inc: p.Store.Inc}
	if p.Store.Awake {
		before.Ctr = podlifecycle.Provisioning
	}
	return p.Outside(before)
}
