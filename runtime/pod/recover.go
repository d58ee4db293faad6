package pod

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"podlife/model/podlifecycle"
)

// otherRecipe is the guard's word for a marker that is right but for the recipe's hash.
const otherRecipe = "other_recipe"

// Recover brings the pods back to the truth after a start of the server: what the store says was meant, what the engine has, and what the markers inside vouch for. A provisioned container is
// ready again; one that is not, is removed, and so is every container of ours that no pod owns. It fails when store or engine cannot be asked: then nothing is known, and nothing is removed.
func (m *Manager) Recover(ctx context.Context) error {
	records, err := m.o.Store.Load(ctx)
	if err != nil {
		return fmt.Errorf("load the pods: %w", err)
	}
	found, err := m.o.Containers.List(ctx)
	if err != nil {
		return fmt.Errorf("list the containers: %w", err)
	}
	byInc := map[Incarnation]Found{}
	for _, f := range found {
		byInc[f.Incarnation] = f
	}
	var wg sync.WaitGroup
	errs := make([]error, len(records))
	for i, r := range records {
		inc := Incarnation{Pod: r.Pod, Inc: r.Inc}
		f, has := byInc[inc]
		if r.Awake && has {
			delete(byInc, inc) // its pod decides
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = m.Pod(r.Pod).recover(ctx, r, f, has)
		}()
	}
	wg.Wait()
	for _, f := range byInc {
		m.removeOrphan(f)
	}
	return errors.Join(errs...)
}

// look says what the container that was found for a record is, and when that cannot be told, whether it lives.
func (p *Pod) look(ctx context.Context, r Record, f Found, has bool) (verdict error, alive bool) {
	gone := &GoneError{Err: errors.New("no living container was found")}
	if !r.Awake || !has {
		return gone, false
	}
	verdict = p.o.Containers.Provisioned(ctx, f.Container, f.Incarnation)
	var unprovisioned *NotProvisionedError
	if verdict == nil || errors.As(verdict, &unprovisioned) {
		return verdict, true
	}
	alive, err := p.o.Containers.Alive(ctx, f.Container)
	switch {
	case err != nil:
		return errors.Join(verdict, err), false
	case !alive:
		return gone, false
	}
	return &UnseenError{Err: verdict}, true
}

// recover restores one pod from its record and the container that was found for it.
func (p *Pod) recover(ctx context.Context, r Record, f Found, has bool) error {
	verdict, alive := p.look(ctx, r, f, has)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = podlifecycle.Pod{Ctr: podlifecycle.Asleep, Inc: r.Inc}
	if !r.Awake {
		return nil
	}
	if has {
		p.container = f.Container
	}
	var unprovisioned *NotProvisionedError
	var gone *GoneError
	switch {
	case verdict == nil:
		p.state.Ctr = podlifecycle.Ready
		p.log.Info("adopted a ready container", "incarnation", r.Inc, "container", string(f.Container))
	case errors.As(verdict, &unprovisioned) && unprovisioned.Reason == otherRecipe:
		// Provisioned, by what was configured before: not ready by what is configured now, and no reason to wipe it. The next boot runs the script in place.
		p.state.Ctr = podlifecycle.Provisioning
		p.log.Warn("a container was provisioned by another recipe; the next boot runs the new one in it", "incarnation", r.Inc, "container", string(f.Container))
	case errors.As(verdict, &unprovisioned), errors.As(verdict, &gone):
		p.state.Ctr = podlifecycle.Provisioning
		p.sleep(CauseRecovery, nil)
	case alive:
		// It lives and cannot be looked into, as when it is paused: not known to be ready, so the next boot runs the script, which knows.
		p.state.Ctr = podlifecycle.Provisioning
		p.log.Warn("a container lives and cannot be looked into; the next boot decides", "incarnation", r.Inc, "container", string(f.Container), "err", verdict)
	default:
		return fmt.Errorf("look into the container of pod %s: %w", p.id, verdict)
	}
	p.touch()
	return nil
}
