package lockstep

import (
	"context"
	"errors"
	"slices"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

// Unstored counts, in Report.Asked, what was asked, or was to happen, while nothing could be stored: "StartBoot.unstored", "Destroy.unstored", "BootFailed.unstored"... What cannot be stored does not
// happen, and where nobody is there to be told, the server tries again.
const Unstored = "unstored"

// stumbles makes the server want to take a step that nobody asked for; now and then first while nothing can be stored, so that it has to try again.
func (r *runner) stumbles(ctx context.Context, g *group, do func() error) error {
	if g.at%3 == 0 {
		return do()
	}
	action := g.first().Action
	r.life.store.refusing(true)
	defer r.life.store.refusing(false)
	if err := do(); err != nil {
		return err
	}
	if err := r.await(ctx, "another try of "+action+", which could not be stored", func() bool { return r.life.clock.has(retry) }); err != nil {
		return err
	}
	var steps []pod.Step
	r.hub.look(func() { steps = slices.Clone(r.life.steps[r.folded:]) })
	if slices.ContainsFunc(steps, func(s pod.Step) bool { return s.Action == action }) {
		return differs("commits while nothing can be stored", "not "+action, namesOf(steps))
	}
	r.report.Asked[action+"."+Unstored]++
	r.life.store.refusing(false)
	r.life.clock.fire(retry)
	return nil
}

// askUnstored asks for a wake and for a destroy that the table allows, while the store refuses everything.
func (r *runner) askUnstored(ctx context.Context, asked *string) error {
	r.life.store.refusing(true)
	defer r.life.store.refusing(false)
	p := r.place.State.Pod()
	switch {
	case p.Awake():
		*asked = "Destroy, while nothing can be stored"
		d := r.destroy()
		if err := r.notStored(ctx, "Destroy", &d.call); err != nil {
			return err
		}
	case p.Ctr == podruntime.Asleep && r.place.State.Tab(0).Phase == podlifecycle.Idle:
		*asked = "StartBoot(c1), while nothing can be stored"
		b := r.boot(podlifecycle.ClientName(0))
		if err := r.notStored(ctx, "StartBoot", &b.call); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) notStored(ctx context.Context, action string, c *call) error {
	if err := r.answered(ctx, action, c); err != nil {
		return err
	}
	var refused *pod.StoreError
	if !errors.As(c.err, &refused) {
		return differs("the answer", "*pod.StoreError", answerOf(c.err))
	}
	r.report.Asked[action+"."+Unstored]++
	return r.quiet()
}
