package lockstep

import (
	"context"
	"fmt"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

func (r *runner) takeAttach(ctx context.Context, g *group) error {
	step := g.first()
	c := step.Client
	switch step.Action {
	case podruntime.Probe:
		a := r.attach(c)
		r.flight[c] = a
		if err := r.committed(ctx, step.Action, c, 0); err != nil {
			return err
		}
		return r.heldShell(ctx, beforeShell, a)
	case podruntime.Dial:
		if err := r.release(ctx, beforeShell, 0, r.flight[c].session, nil); err != nil {
			return err
		}
		return r.heldShell(ctx, afterShell, r.flight[c])
	case podruntime.DialFails:
		return r.dialFails(ctx, g, c)
	case podruntime.AttachReady, podruntime.AttachAgain:
		return r.attachOpens(ctx, step)
	case podruntime.AttachMoved:
		return r.attachMoved(ctx, g, c)
	case podruntime.AttachGuarded:
		return r.attachGuarded(ctx, g, c)
	case podruntime.Repair:
		return r.repair(ctx, g)
	case podruntime.Detach:
		return r.detach(ctx, c)
	}
	return fmt.Errorf("there is no way to take %s", step)
}

// heldShell waits until an attach is held at a point.
func (r *runner) heldShell(ctx context.Context, at point, a *attachCall) error {
	return r.await(ctx, fmt.Sprintf("%s of %s", at, a.client), func() bool { return r.life.floor.find(at, 0, a.session) != nil })
}

// dialFails lets the dial find no marker, or no container, where the path has it what the server does then; else the client gives up.
func (r *runner) dialFails(ctx context.Context, g *group, c string) error {
	a := r.flight[c]
	delete(r.flight, c)
	repairs, lost := g.has(podruntime.Repair), g.has(podruntime.ContainerLost)
	if !repairs && !lost {
		return r.leaves(ctx, "Attach", &a.call)
	}
	if err := r.release(ctx, beforeShell, 0, a.session, nil); err != nil {
		return err
	}
	if repairs {
		return r.repairs(ctx, g, a)
	}
	if err := r.answered(ctx, "Attach", &a.call); err != nil {
		return err
	}
	return refusedAs("Attach", a.err, podlifecycle.Pod{Ctr: podlifecycle.Asleep, Inc: r.place.State.Pod().Inc})
}

// repair is an attach that finds the marker gone. Of a tab that has a terminal, the server does not commit the probe of another one.
func (r *runner) repair(ctx context.Context, g *group) error {
	a := r.attach(podlifecycle.ClientName(attacher(r.place.State, r.tabs)))
	if err := r.release(ctx, beforeShell, 0, a.session, nil); err != nil {
		return err
	}
	return r.repairs(ctx, g, a)
}

// repairs waits until an attach has begun a repair. It is left to wait for its end where the path has it go on then.
func (r *runner) repairs(ctx context.Context, g *group, a *attachCall) error {
	if err := r.committed(ctx, podruntime.Repair, "", 0); err != nil {
		return err
	}
	n := r.place.State.Pod().Inc
	if err := r.begins(ctx, n); err != nil {
		return err
	}
	if r.comesBack(g, a.client, n) {
		r.repaired[a.client] = a
		return nil
	}
	return r.leaves(ctx, "Attach", &a.call)
}

// looksAgain is the attach that has waited for the end of a repair.
func (r *runner) looksAgain(ctx context.Context, c string) error {
	a := r.repaired[c]
	delete(r.repaired, c)
	r.flight[c] = a
	if err := r.committed(ctx, podruntime.Probe, c, 0); err != nil {
		return err
	}
	return r.heldShell(ctx, beforeShell, a)
}

// attachOpens hands the shell over.
func (r *runner) attachOpens(ctx context.Context, step Step) error {
	c := step.Client
	a := r.flight[c]
	delete(r.flight, c)
	if err := r.release(ctx, afterShell, 0, a.session, nil); err != nil {
		return err
	}
	if err := r.answered(ctx, "Attach", &a.call); err != nil {
		return err
	}
	if a.err != nil {
		return differs("the answer of Attach", "a terminal", answerOf(a.err))
	}
	r.open[c] = a
	if p := r.place.State.Pod(); p.At(p.Inc).Box.Box == podruntime.BoxRunning {
		if err := r.w.Type(ctx, a.a); err != nil {
			return differs("what is typed into the terminal of "+c, "the shell of a container that is set up answers", err.Error())
		}
	}
	return a.in(r.place.State.Tab(tabIndex(c)).Term.Inc)
}

// attachMoved lets the server ask the pod again, where the path has it look at the next incarnation then, which it does; else the client gives up while its shell starts.
func (r *runner) attachMoved(ctx context.Context, g *group, c string) error {
	a := r.flight[c]
	if !g.has(podruntime.Probe) {
		delete(r.flight, c)
		return r.leaves(ctx, "Attach", &a.call)
	}
	if err := r.release(ctx, afterShell, 0, a.session, nil); err != nil {
		return err
	}
	if err := r.committed(ctx, podruntime.Probe, c, 0); err != nil {
		return err
	}
	return r.heldShell(ctx, beforeShell, a)
}

// attachGuarded is an attach to a pod that is not ready: one whose shell has started, or a new one; or a boot, where one follows.
func (r *runner) attachGuarded(ctx context.Context, g *group, c string) error {
	a := r.flight[c]
	delete(r.flight, c)
	if g.has(podruntime.StartBoot) {
		if err := r.startBoot(ctx, g, c); err != nil {
			return err
		}
	} else {
		asked := a
		if a == nil || g.before.State.Tab(tabIndex(c)).Term.At != podruntime.AtDialed {
			asked = r.attach(c)
		} else {
			a = nil
			if err := r.release(ctx, afterShell, 0, asked.session, nil); err != nil {
				return err
			}
		}
		if err := r.answered(ctx, "Attach", &asked.call); err != nil {
			return err
		}
		if err := refusedAs("Attach", asked.err, r.outside()); err != nil {
			return err
		}
	}
	if a == nil {
		return nil
	}
	return r.leaves(ctx, "the attach that was under way", &a.call)
}

// detach closes a terminal.
func (r *runner) detach(ctx context.Context, c string) error {
	a := r.open[c]
	delete(r.open, c)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = a.a.Close() // its container may be gone
	}()
	if err := r.committed(ctx, podruntime.Detach, c, 0); err != nil {
		return err
	}
	return wait(ctx, "the end of the shell", done)
}
