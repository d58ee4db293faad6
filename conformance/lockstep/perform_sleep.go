package lockstep

import (
	"context"
	"fmt"
	"slices"

	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

func (r *runner) takeSleep(ctx context.Context, g *group) error {
	step, n := g.first(), g.first().Inc
	switch step.Action {
	case podruntime.Destroy:
		d := r.destroy()
		r.destroys = append(r.destroys, d)
		if err := r.committed(ctx, step.Action, "", 0); err != nil {
			return err
		}
		if !r.stays(g) {
			return r.leaves(ctx, "Destroy", &d.call)
		}
		return nil
	case podruntime.IdleSleep:
		if err := r.await(ctx, "the timer of the idle sweep of a pod that nothing holds", func() bool { return r.life.clock.has(idleTimeout) }); err != nil {
			return err
		}
		err := r.stumbles(ctx, g, func() error { r.life.clock.fire(idleTimeout); return nil })
		if err != nil {
			return err
		}
		return r.committed(ctx, step.Action, "", 0)
	case podruntime.ContainerLost:
		if err := r.stumbles(ctx, g, func() error { return r.hint(ctx, g.at%2 == 0) }); err != nil {
			return err
		}
		return r.committed(ctx, step.Action, "", 0)
	case podruntime.TearDown:
		return r.tearDown(ctx, g, n)
	default: // DestroyAnswered
		d := r.destroy()
		if err := r.answered(ctx, "Destroy", &d.call); err != nil {
			return err
		}
		if d.err != nil {
			return differs("the answer of Destroy", "success", answerOf(d.err))
		}
		return nil
	}
}

// hint tells the server that containers may have died, or gives it the list of them, as a watch of the engine does.
func (r *runner) hint(ctx context.Context, died bool) error {
	var onList func([]pod.Found)
	var onDied func(pod.ContainerID)
	r.hub.look(func() { onList, onDied = r.life.gated.onList, r.life.gated.onDied })
	found, err := r.life.gated.Containers.List(ctx)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if !died {
			onList(found)
			return
		}
		for _, f := range found {
			onDied(f.Container)
		}
	}()
	return wait(ctx, "the end of what the watch was told", done)
}

// tearDown lets a removal go on. What waits for it in the server comes with it.
func (r *runner) tearDown(ctx context.Context, g *group, n int) error {
	if i := slices.Index(r.lists, n); i >= 0 {
		var h *held
		err := r.await(ctx, fmt.Sprintf("%s (%d)", atList, n), func() bool {
			k := 0
			for _, x := range r.life.floor.held {
				if x.at == atList {
					if k == i {
						h = x
						return true
					}
					k++
				}
			}
			return false
		})
		if err != nil {
			return err
		}
		r.lists = slices.Delete(r.lists, i, i+1)
		r.hub.change(func() { r.life.floor.drop(h) })
		h.free(nil)
		if r.place.State.Pod().At(n).Box.Box != podruntime.BoxNone {
			if err := r.release(ctx, atRemove, n, "", nil); err != nil {
				return err
			}
		}
	} else if err := r.release(ctx, atRemove, n, "", nil); err != nil {
		return err
	}
	if err := r.committed(ctx, podruntime.TearDown, "", n); err != nil {
		return err
	}
	for _, s := range g.steps[1:] {
		switch s.Action {
		case podruntime.CreateContainer:
			delete(r.eager, s.Inc)
			if err := r.created(ctx, s.Inc); err != nil {
				return err
			}
		case podruntime.DestroyAnswered:
			if err := r.committed(ctx, s.Action, "", 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// listing notes the removals that have begun, since a group was taken, for a container whose id the server does not know: they look for it.
func (r *runner) listing(ctx context.Context) error {
	p := r.place.State.Pod()
	for _, i := range p.Incs {
		launching := i.Run == podruntime.RunStart || i.Run == podruntime.RunCreate && !(r.eager[i.N] && !p.Current(i.N))
		never := i.Box.Box == podruntime.BoxNone || i.Box.Box == podruntime.BoxCreated
		if i.Tear == podruntime.TearRemove && !launching && never && !slices.Contains(r.lists, i.N) && !slices.Contains(r.known, i.N) {
			r.lists = append(r.lists, i.N)
		}
	}
	return r.await(ctx, fmt.Sprintf("%d removals of a container that is not known", len(r.lists)), func() bool {
		k := 0
		for _, h := range r.life.floor.held {
			if h.at == atList {
				k++
			}
		}
		return k == len(r.lists)
	})
}
