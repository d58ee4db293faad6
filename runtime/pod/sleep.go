package pod

import (
	"context"
	"time"

	"podlife/model/podlifecycle"
)

// removeRetry is the pause before a failed removal is tried again.
const removeRetry = time.Second

// teardown is the end of one incarnation's container and disk.
type teardown struct {
	done chan struct{} // closed when both are gone
}

// Ended says why an attachment's incarnation ended.
type Ended struct {
	Cause   string     // CauseDestroy, CauseIdle, CauseLost, CauseBootFailed
	Failure *BootError // with CauseBootFailed
}

// Destroy puts the pod to sleep (action Sleep) and answers when its container and disk are gone. Concurrent calls join; destroying an asleep pod waits for what is still being removed.
func (p *Pod) Destroy(ctx context.Context) error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return ErrClosed
	}
	if p.enabled(podlifecycle.Sleep, "") {
		p.sleep(CauseDestroy, nil)
	}
	td := p.teardown
	p.mu.Unlock()
	if td == nil {
		return nil
	}
	select {
	case <-td.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.base.Done():
		return ErrClosed
	}
}

// Died is a hint that a container ended by itself. It looks before it believes: only a container of the current incarnation that really does not live any more is a Sleep.
// An engine that cannot be asked says nothing, so nothing changes.
func (p *Pod) Died(ctx context.Context, c ContainerID) {
	p.mu.Lock()
	is := c != "" && p.container == c
	p.mu.Unlock()
	if !is {
		return
	}
	alive, err := p.o.Containers.Alive(ctx, c)
	if err != nil {
		p.log.Warn("cannot see whether the container lives; nothing is concluded", "container", string(c), "err", err)
		return
	}
	if alive {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.container == c && p.enabled(podlifecycle.Sleep, "") {
		p.sleep(CauseLost, nil)
	}
}

// sleep is the action Sleep with all that follows from it: the intent is stored before the engine acts, attached clients learn it (Reconnect), booting ones too (BootLost), and the container goes.
// p.mu is held and Sleep is enabled.
func (p *Pod) sleep(cause string, failure *BootError) {
	p.must(podlifecycle.Sleep, "", cause)
	if err := p.o.Store.Save(p.base, Record{Pod: p.id, Inc: p.state.Inc, UpdatedAt: p.o.Clock.Now()}); err != nil {
		// The removal goes ahead: after a crash now, the missing container says the same.
		p.log.Error("could not store that the pod sleeps", "err", err)
	}
	r, c, before := p.run, p.container, p.teardown
	p.run, p.container = nil, ""
	if p.stopSweep != nil {
		p.stopSweep()
		p.stopSweep = nil
	}
	for id, t := range p.tabs {
		switch t.model.Phase {
		case podlifecycle.Attached:
			p.must(podlifecycle.Reconnect, id, cause)
		case podlifecycle.Booting:
			p.must(podlifecycle.BootLost, id, cause)
			if failure != nil {
				t.answer(bootAnswer{err: failure})
			} else {
				t.answer(bootAnswer{err: ErrBootLost})
			}
		}
	}
	for a := range p.attachments {
		a.end(Ended{Cause: cause, Failure: failure})
	}
	clear(p.attachments)
	td := &teardown{done: make(chan struct{})}
	if p.goWork(func() { p.tearDown(td, before, r, c) }) {
		p.teardown = td
	}
}

// tearDown removes an incarnation's container, also one whose launch was still under way, and tries until it is gone or the server stops; what is left then is removed by the next start.
func (p *Pod) tearDown(td, before *teardown, r *run, c ContainerID) {
	if before != nil {
		select {
		case <-before.done:
		case <-p.base.Done():
			return
		}
	}
	if c == "" && r != nil {
		<-r.launched // bounded by launchTimeout and by the server's end
		c = r.container
	}
	for c != "" {
		err := p.o.Containers.Remove(p.base, c)
		if err == nil {
			break
		}
		if p.base.Err() != nil {
			return
		}
		p.log.Warn("could not remove the container; trying again", "container", string(c), "err", err)
		if !p.pause(removeRetry) {
			return
		}
	}
	close(td.done)
}

// touch is activity: the idle clock restarts. p.mu is held.
func (p *Pod) touch() {
	p.lastActivity = p.o.Clock.Now()
	p.scheduleSweep()
}

// holds names what keeps the pod awake now, whatever the clock says. p.mu is held.
func (p *Pod) holds() []string {
	var h []string
	if p.run != nil {
		h = append(h, "boot")
	}
	if len(p.attachments) > 0 {
		h = append(h, "terminal")
	}
	return h
}

// scheduleSweep sets the one timer of the idle sweep to the earliest moment at which the pod could be idle. p.mu is held.
func (p *Pod) scheduleSweep() {
	if p.stopSweep != nil {
		p.stopSweep()
		p.stopSweep = nil
	}
	if p.closed || p.o.IdleTimeout <= 0 || !p.enabled(podlifecycle.Sleep, "") || len(p.holds()) > 0 {
		return
	}
	d := p.lastActivity.Add(p.o.IdleTimeout).Sub(p.o.Clock.Now())
	p.stopSweep = p.o.Clock.AfterFunc(max(d, 0), p.sweep)
}

// sweep looks again, inside the actor, at the moment it acts.
func (p *Pod) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.holds()) > 0 || !p.enabled(podlifecycle.Sleep, "") {
		return
	}
	if p.o.Clock.Now().Before(p.lastActivity.Add(p.o.IdleTimeout)) {
		p.scheduleSweep()
		return
	}
	p.sleep(CauseIdle, nil)
}
