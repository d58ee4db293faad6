package pod

import (
	"context"
	"errors"
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
func (p *Pod) sleep(cause string, failure error) {
	p.must(podlifecycle.Sleep, "", cause)
	asleep := Record{Pod: p.id, Inc: p.state.Inc, UpdatedAt: p.o.Clock.Now()}
	stored := p.o.Store.Save(p.base, asleep)
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
		ended := Ended{Cause: cause}
		errors.As(failure, &ended.Failure)
		a.end(ended)
	}
	clear(p.attachments)
	td := &teardown{done: make(chan struct{})}
	if p.goWork(func() { p.tearDown(td, before, r, c, asleep, stored) }) {
		p.teardown = td
	}
}

// tearDown removes an incarnation's container, also one whose launch was still under way, and tries until it is gone or the server stops; what is left then is removed by the next start.
// A sleep that could not be stored is stored first: or else a crash would find a ready container that its owner has destroyed.
func (p *Pod) tearDown(td, before *teardown, r *run, c ContainerID, asleep Record, stored error) {
	for stored != nil && !errors.Is(stored, ErrOlderRecord) {
		p.log.Error("could not store that the pod sleeps; trying again", "err", stored)
		if !p.pause(removeRetry) {
			return
		}
		stored = p.o.Store.Save(p.base, asleep)
	}
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
