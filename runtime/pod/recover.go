package pod

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// otherRecipe is the guard's word for a marker that is right but for the recipe's hash.
const otherRecipe = "other_recipe"

// Recover brings the pods back to the truth after a start of the server: what the store says was meant, what the engine has, and what the markers inside vouch for (actions RecoverReady and
// RecoverAsleep). A container that was provisioned is ready again; every other container of ours is removed. It fails when store or engine cannot be asked: then nothing is known, and nothing is
// removed. A pod whose container lives and cannot be looked into stays unknown, and is looked at again every second.
func (m *Manager) Recover(ctx context.Context) error {
	records, err := m.o.Store.Load(ctx)
	if err != nil {
		return fmt.Errorf("load the pods: %w", err)
	}
	if err := m.recoverLeases(ctx); err != nil {
		return err
	}
	found, err := m.o.Containers.List(ctx)
	if err != nil {
		return fmt.Errorf("list the containers: %w", err)
	}
	of := map[ID][]Found{}
	for _, f := range found {
		of[f.Incarnation.Pod] = append(of[f.Incarnation.Pod], f)
	}
	stored := map[ID]Record{}
	for _, r := range records {
		stored[r.Pod] = r
		if _, has := of[r.Pod]; !has {
			of[r.Pod] = nil
		}
	}
	var wg sync.WaitGroup
	var mu sync.Mutex // guards errs
	var errs []error
	for id, found := range of {
		r, has := stored[id]
		if !has {
			r = Record{Pod: id} // of a pod that is not stored, nothing is to be kept
		}
		wg.Go(func() {
			if err := m.Pod(id).recoverOrWait(ctx, r, found); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
		})
	}
	wg.Wait()
	err = errors.Join(errs...)
	if err == nil {
		m.isRecovered()
	}
	return err
}

// Recovered gives a channel that is closed when Recover has succeeded: before that, a pod that has a container looks as if it had none.
func (m *Manager) Recovered() <-chan struct{} { return m.recovered }

// recoverOrWait recovers a pod now, or where it cannot be looked into, in the background.
func (p *Pod) recoverOrWait(ctx context.Context, r Record, found []Found) error {
	err := p.recover(ctx, r, found)
	var unseen *UnseenError
	if !errors.As(err, &unseen) {
		return err
	}
	p.log.Warn("a container lives and cannot be looked into; until it can, nothing is known of its pod", "incarnation", r.Inc, "err", err)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.goWork(func() {
		for p.pause(time.Second) {
			err := p.recover(p.base, r, found)
			if err == nil {
				return
			}
			p.log.Debug("the pod is still unknown", "incarnation", r.Inc, "err", err)
		}
	})
	return nil
}

// knownTries is how long, in seconds, a call waits for a pod that is unknown.
const knownTries = 60

// awaitKnown waits until it is known what became of the pod, or says ErrRecovering.
func (p *Pod) awaitKnown(ctx context.Context) error {
	p.mu.Lock()
	known := p.state.Ctr != podruntime.Unknown
	p.mu.Unlock()
	if known {
		return nil
	}
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := p.o.Clock.AfterFunc(knownTries*time.Second, func() { cancel(ErrRecovering) })
	defer stop()
	if err := p.await(bounded, func() bool { return p.state.Ctr != podruntime.Unknown }); err != nil {
		if errors.Is(err, context.Canceled) && ctx.Err() == nil {
			return context.Cause(bounded)
		}
		return err
	}
	p.mu.Unlock()
	return nil
}

// recover restores one pod from its record and the containers that were found of it. An *UnseenError leaves it unknown.
func (p *Pod) recover(ctx context.Context, r Record, found []Found) error {
	state, outside, err := p.restored(ctx, r, found)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state, p.outside = state, outside
	p.count()
	if err != nil {
		return err
	}
	n := r.Inc
	switch box := state.At(n).Box; {
	case state.Adoptable():
		p.container = containerOf(found, n)
		p.must(podruntime.RecoverReady, subject{}, CauseRecovery)
		if box.Marker == podruntime.MarkerEarlier {
			p.log.Warn("adopted a container that another recipe provisioned; the next boot or attach runs the new one in it", "incarnation", n, "container", string(p.container))
			break
		}
		p.log.Info("adopted a ready container", "incarnation", n, "container", string(p.container))
	default:
		if r.Awake {
			if err := p.o.Store.Save(ctx, Record{Pod: p.id, Inc: n, UpdatedAt: p.o.Clock.Now()}); err != nil {
				return fmt.Errorf("store that pod %s sleeps: %w", p.id, err)
			}
		}
		p.must(podruntime.RecoverAsleep, subject{}, CauseRecovery)
		for _, f := range found {
			p.goWork(func() { p.tearDown(f.Incarnation.Inc, nil, f.Container) })
		}
	}
	p.broadcast()
	p.touch() //model:guard Recover.clock
	return nil
}

// restored is what the server holds right after its start: what is stored, what the engine has, and what the container of the stored incarnation shows. outside is what the pod is to the outside
// until it is recovered.
func (p *Pod) restored(ctx context.Context, r Record, found []Found) (state podruntime.Pod, outside podlifecycle.Pod, err error) {
	state = podruntime.Pod{Ctr: podruntime.Unknown, Store: podruntime.Record{Inc: r.Inc, Awake: r.Awake}}
	for _, f := range found {
		box := podruntime.Container{Box: podruntime.BoxDead}
		if f.Running {
			box.Box = podruntime.BoxRunning
		}
		inner := podruntime.Inner{Box: box}
		if r.Awake && f.Incarnation.Inc == r.Inc {
			if inner.Box, err = p.look(ctx, f); err != nil {
				break
			}
			inner.Done = inner.Box.Setup != podruntime.SetupNone
		}
		state = state.With(f.Incarnation.Inc, inner)
	}
	outside = podlifecycle.Pod{Inc: r.Inc}
	if r.Awake {
		outside.Ctr = podlifecycle.Provisioning
	}
	if state.Adoptable() {
		outside.Ctr = podlifecycle.Ready
	}
	return state, outside, err
}

// look says what the container of the stored incarnation shows; an *UnseenError when that cannot be told though it lives.
func (p *Pod) look(ctx context.Context, f Found) (podruntime.Container, error) {
	running := podruntime.Container{Box: podruntime.BoxRunning}
	verdict := p.o.Containers.Provisioned(ctx, f.Container, f.Incarnation)
	var unprovisioned *NotProvisionedError
	switch {
	case verdict == nil:
		running.Setup, running.Marker = podruntime.SetupAll, podruntime.MarkerOwn
		return running, nil
	case errors.As(verdict, &unprovisioned) && unprovisioned.Reason == otherRecipe:
		running.Setup, running.Marker = podruntime.SetupPart, podruntime.MarkerEarlier
		return running, nil
	case errors.As(verdict, &unprovisioned):
		return running, nil
	}
	alive, err := p.o.Containers.Alive(ctx, f.Container)
	switch {
	case err != nil:
		return running, fmt.Errorf("look into the container of pod %s: %w", p.id, errors.Join(verdict, err))
	case !alive:
		return podruntime.Container{Box: podruntime.BoxDead}, nil
	}
	return running, &UnseenError{Err: verdict}
}

func containerOf(found []Found, n int) ContainerID {
	for _, f := range found {
		if f.Incarnation.Inc == n {
			return f.Container
		}
	}
	return ""
}
