package lockstep

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// history is what no state shows: it is remembered, across crashes.
type history struct {
	done    map[int]bool // incarnations that were seen to have all
	settled int          // the highest incarnation that a caller of destroy was told is gone
}

// compare holds everything against the state after a group: what was committed, what the server holds, what is stored, what the engine has, what callers were told.
func (r *runner) compare(ctx context.Context, g *group) error {
	if err := r.fold(ctx, g); err != nil {
		return err
	}
	for _, step := range g.steps {
		r.remember(step)
	}
	if err := r.listing(ctx); err != nil {
		return err
	}
	if err := r.endAttempts(ctx); err != nil {
		return err
	}
	if err := r.callers(ctx, g); err != nil {
		return err
	}
	return r.state(ctx)
}

// remember keeps what later steps ask for.
func (r *runner) remember(step Step) {
	switch step.Action {
	case podruntime.EndRun, podruntime.DropReply, podruntime.BootFailed:
		delete(r.lag, step.Inc)
		delete(r.eager, step.Inc)
	case podruntime.TearDown:
		r.known = slices.DeleteFunc(r.known, func(n int) bool { return n == step.Inc })
	case podruntime.DestroyAnswered:
		r.history.settled = r.place.State.Pod().Inc
	case podruntime.RecoverReady, podruntime.RecoverAsleep:
		r.unseen = false
		for _, i := range r.place.State.Pod().Incs {
			if i.Tear == podruntime.TearRemove {
				r.known = append(r.known, i.N)
			}
		}
	}
}

// endAttempts gives up the attaches that are under way for a tab that has no terminal any more: it has been told that the incarnation is over.
func (r *runner) endAttempts(ctx context.Context) error {
	for _, c := range slices.Sorted(maps.Keys(r.flight)) {
		if r.place.State.Tab(tabIndex(c)).Term.At != podruntime.AtNone {
			continue
		}
		a := r.flight[c]
		delete(r.flight, c)
		if err := r.leaves(ctx, "the attach that was under way", &a.call); err != nil {
			return err
		}
	}
	return nil
}

// state holds the server's belief, the store and the engine against the state, and the invariants against what is the case.
func (r *runner) state(ctx context.Context) error {
	var l lines
	want, held := r.place.State.Pod(), r.belief.pod
	l.add("pod", fmt.Sprintf("%s %d, why %s", want.Ctr, want.Inc, want.Why), fmt.Sprintf("%s %d, why %s", held.Ctr, held.Inc, held.Why))
	truth, err := r.w.Look(ctx)
	if err != nil {
		return fmt.Errorf("look into the containers: %w", err)
	}
	stored, err := r.stored(ctx)
	if err != nil {
		return err
	}
	l.add("store", want.Store, stored)
	for n := 1; n <= max(want.Inc, want.Store.Inc, held.Inc)+1; n++ {
		r.incarnation(&l, want, n, truth[n])
	}
	for n := range truth {
		if n > max(want.Inc, want.Store.Inc, held.Inc)+1 {
			l.add(fmt.Sprintf("container %d", n), "none", truth[n].Box)
		}
	}
	for i := range r.tabs {
		r.tab(&l, i)
	}
	r.invariants(&l, truth, stored)
	return l.err()
}

// incarnation holds what the server believes of one, and what is the case, against the state.
func (r *runner) incarnation(l *lines, want podruntime.Pod, n int, truth podruntime.Container) {
	w, h := want.At(n).Inner, r.belief.pod.At(n).Inner
	run := h.Run
	if late := run == podruntime.RunScript || run == podruntime.RunBegin; late && r.lag[n] != "" {
		run = w.Run // the reply has come, and is committed with what the server makes of it
	}
	l.add(fmt.Sprintf("run %d", n), w.Run, run)
	l.add(fmt.Sprintf("tear %d", n), w.Tear, h.Tear)
	l.add(fmt.Sprintf("container %d", n), w.Box, truth)
	if want.Ctr == podruntime.Unknown {
		return // the server has not looked
	}
	box := h.Box.Box
	if (w.Box.Box == podruntime.BoxDead && box == podruntime.BoxRunning) || (w.Box.Box == podruntime.BoxCreated && box == podruntime.BoxDead) {
		box = w.Box.Box // it learns of a death later; and of what never ran its start has found only that it does not run
	}
	l.add(fmt.Sprintf("container %d, as the server has it", n), w.Box.Box, box)
	if r.place.State.Pod().Current(n) && want.Ctr == podruntime.Ready && r.place.unvouched == (h.Box.Marker == podruntime.MarkerOwn) {
		l.add(fmt.Sprintf("the server knows that the marker of %d is not its own", n), r.place.unvouched, !r.place.unvouched)
	}
}

func (r *runner) tab(l *lines, i int) {
	name := podlifecycle.ClientName(i)
	w, h := r.place.State.Tab(i), r.belief.tabs[name]
	if w.Term.At == podruntime.AtDialed && h.Term.At == podruntime.AtProbed {
		h.Term.At = podruntime.AtDialed // it is committed when the shell is handed over
	}
	show := func(c podruntime.Client) string {
		return fmt.Sprintf("%s, booted %d, attached %d, terminal %s %d", c.Phase, c.BootInc, c.AttInc, c.Term.At, c.Term.Inc)
	}
	l.add("tab "+name, show(w), show(h))
}

// invariants evaluates those of the table on what the server holds, with the truth in the place of all that it can only believe.
func (r *runner) invariants(l *lines, truth map[int]podruntime.Container, stored podruntime.Record) {
	p := r.belief.pod
	for n := 1; n <= max(p.Inc, r.place.State.Pod().Inc, stored.Inc); n++ {
		i := p.At(n).Inner
		i.Box = truth[n]
		if i.Box.Setup == podruntime.SetupAll {
			r.history.done[n] = true
		}
		i.Done = r.history.done[n]
		p = p.With(n, i)
	}
	p.Store, p.Settled = stored, r.history.settled
	for i := range r.tabs {
		local := podruntime.Local{Pod: p, Client: r.belief.tabs[podlifecycle.ClientName(i)]}
		for _, inv := range r.table.Invariants {
			if !inv.Holds(local) {
				l.add(inv.Name, "holds", fmt.Sprintf("is broken by tab %s", podlifecycle.ClientName(i)))
			}
		}
	}
}

// stored gives the record of the pod.
func (r *runner) stored(ctx context.Context) (podruntime.Record, error) {
	records, err := r.setup.Store.Load(ctx)
	if err != nil {
		return podruntime.Record{}, fmt.Errorf("read the store: %w", err)
	}
	for _, rec := range records {
		if rec.Pod == r.setup.Pod {
			return podruntime.Record{Inc: rec.Inc, Awake: rec.Awake}, nil
		}
	}
	return podruntime.Record{}, nil
}
