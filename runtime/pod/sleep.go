package pod

import (
	"context"
	"errors"
	"fmt"
	"time"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// retryPause is the pause before what failed is tried again: a removal, a record that could not be stored.
const retryPause = time.Second

// Ended says why an attachment's incarnation ended.
type Ended struct {
	Cause   string     // CauseDestroy, CauseIdle, CauseLost, CauseBootFailed; CauseReleased where it goes on, and whoever wants may attach again
	Failure *BootError // with CauseBootFailed
	// Deleted says that it was the pod's last: nothing starts it any more.
	Deleted bool
	// HomeStays says that what is in the pod's home outlives the incarnation.
	HomeStays bool
}

// Destroy puts the pod to sleep (action Destroy) and answers when its container and disk are gone (DestroyAnswered). Concurrent calls join; destroying an asleep pod waits for what is still being
// removed. A sleep that cannot be stored does not happen, and is a *StoreError.
func (p *Pod) Destroy(ctx context.Context) error {
	if err := p.awaitKnown(ctx); err != nil {
		return err
	}
	last, err := p.startDestroy()
	if err != nil {
		return err
	}
	if err := p.await(ctx, func() bool { return p.removedUpTo(last) }); err != nil {
		return err
	}
	defer p.mu.Unlock()
	if p.enabled(podruntime.DestroyAnswered, subject{}) {
		p.must(podruntime.DestroyAnswered, subject{}, CauseDestroy)
	}
	return nil
}

// startDestroy is the action Destroy, where there is something to destroy; last is the newest incarnation that the call is about.
func (p *Pod) startDestroy() (last int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, ErrClosed
	}
	if p.enabled(podruntime.Destroy, subject{}) {
		err = p.fallAsleep(podruntime.Destroy, subject{}, CauseDestroy, nil)
	}
	return p.state.Inc, err
}

// removedUpTo says whether no container is left to be removed of an incarnation up to last. p.mu is held.
func (p *Pod) removedUpTo(last int) bool {
	for _, i := range p.state.Incs {
		if (i.N <= last || !p.state.Awake()) && i.Tear != podruntime.TearNone {
			return false
		}
	}
	return true
}

// Died is a hint that a container ended by itself. It looks before it believes: only a container of the current incarnation that really does not live any more is a sleep (action ContainerLost).
// An engine that cannot be asked says nothing, so nothing changes; the hint is kept, and looked into again every second until there is an answer.
func (p *Pod) Died(ctx context.Context, c ContainerID) {
	if c == "" || !p.has(c) || p.looked(ctx, c) || errors.Is(ctx.Err(), context.Canceled) {
		return // who asked has left: that is no answer of the engine's
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.suspected == c || p.container != c {
		return
	}
	p.suspected = c
	started := p.goWork(func() {
		for p.pause(retryPause) && p.has(c) && !p.looked(p.base, c) {
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.suspected == c {
			p.suspected = ""
		}
	})
	if !started {
		p.suspected = ""
	}
}

// looked says whether it could be seen if a container lives; if it does not, that is dealt with.
func (p *Pod) looked(ctx context.Context, c ContainerID) bool {
	alive, err := p.o.Containers.Alive(ctx, c)
	if err != nil {
		p.log.Warn("cannot see whether the container lives; nothing is concluded, and it is looked at again", "container", string(c), "err", err)
		return false
	}
	if !alive {
		p.lost(c)
	}
	return true
}

// lost is ContainerLost, if this is still the container of the current incarnation; what cannot be stored is tried again until it can.
func (p *Pod) lost(c ContainerID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.container != c {
		return
	}
	n := at(p.state.Inc)
	if p.state.At(n.inc).Box.Box == podruntime.BoxRunning {
		p.must(podruntime.ContainerDies, n, CauseObserved)
	}
	if !p.enabled(podruntime.ContainerLost, subject{}) {
		return
	}
	if err := p.fallAsleep(podruntime.ContainerLost, subject{}, CauseLost, nil); err != nil {
		p.log.Error("could not store that the container is lost; trying again", "err", err)
		p.goWork(func() {
			if p.pause(retryPause) {
				p.lost(c)
			}
		})
	}
}

// fallAsleep is one of the actions that end an incarnation, with all that follows from it: it is stored before it happens, attached clients learn it (Reconnect), booting ones too (BootLost), and
// the container goes. An error is a *StoreError, or the table's refusal, and then nothing has happened. p.mu is held.
func (p *Pod) fallAsleep(action string, s subject, cause string, failure error) error {
	if _, err := p.table.Take(action, p.local(action, s)); err != nil {
		return err // before anything is stored of it
	}
	asleep := Record{Pod: p.id, Inc: p.state.Inc, UpdatedAt: p.o.Clock.Now()}
	if err := p.o.Store.Save(p.base, asleep); err != nil {
		return &StoreError{fmt.Errorf("the sleep of incarnation %d: %w", asleep.Inc, err)}
	}
	n := p.state.Inc
	if err := p.commit(action, s, cause); err != nil {
		return err
	}
	p.closedTabs = nil
	p.warned = time.Time{}
	p.warning.Store(false)
	r, c := p.run, p.container
	p.run, p.container = nil, ""
	if p.stopSweep != nil {
		p.stopSweep()
		p.stopSweep = nil
	}
	for id, t := range p.tabs {
		switch t.model.Phase {
		case podlifecycle.Attached:
			p.must(podruntime.Reconnect, of(id), cause)
			t.attempt = nil
		case podlifecycle.Booting:
			p.must(podruntime.BootLost, of(id), cause)
			if failure != nil {
				t.answer(bootAnswer{err: failure})
			} else {
				t.answer(bootAnswer{err: ErrBootLost})
			}
		}
		t.open = 0
	}
	for a := range p.attachments {
		ended := Ended{Cause: cause, Deleted: p.deleted, HomeStays: p.homeStays}
		errors.As(failure, &ended.Failure)
		a.end(ended)
	}
	clear(p.attachments)
	p.goWork(func() { p.tearDown(n, r, c) })
	p.broadcast()
	return nil
}

// tearDown removes an incarnation's container (action TearDown), also one whose launch was still under way, and tries until it is gone or the server stops; what is left then is removed by the next
// start.
func (p *Pod) tearDown(n int, r *run, c ContainerID) {
	if c == "" && r != nil {
		<-r.launched //model:guard TearDown.launched
		c = r.container
	}
	for {
		err := p.removeContainer(n, c)
		if err == nil {
			break
		}
		if p.base.Err() != nil {
			return
		}
		p.log.Warn("could not remove the container; trying again", "container", string(c), "err", err)
		if !p.pause(retryPause) {
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.base.Err() != nil {
		return
	}
	p.must(podruntime.TearDown, at(n), "removed")
	p.broadcast()
}

// removeContainer removes the container of an incarnation. That of one whose launch failed has no known id, and may be there all the same: what the launch could not remove, or what the engine made
// and did not answer. So it is looked for.
func (p *Pod) removeContainer(n int, c ContainerID) error {
	if c != "" {
		return p.o.Containers.Remove(p.base, c)
	}
	found, err := p.o.Containers.List(p.base)
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.Incarnation == (Incarnation{Pod: p.id, Inc: n}) {
			err = errors.Join(err, p.o.Containers.Remove(p.base, f.Container))
		}
	}
	return err
}
