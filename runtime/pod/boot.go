package pod

import (
	"context"
	"fmt"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// BootResult is a boot that succeeded.
type BootResult struct {
	Incarnation int
}

// bootAnswer is what one waiter of a boot gets.
type bootAnswer struct {
	result BootResult
	err    error
}

// Boot makes the client's pod ready (actions StartBoot and FinishBoot, or BootLost) and answers when it is. It wakes an asleep pod as a new incarnation; concurrent boots share one wake and one
// run of the script. A pod that is still unknown after a start of the server is waited for. progress may be nil; it is called in order, from the caller's goroutine; one that is slow misses pieces
// of the log (it is told so) and holds up nobody.
//
// Errors: *BootError when a step failed (the container is then gone), ErrBootLost when the pod was put to sleep meanwhile, ErrRecovering, ErrClosed, that of RefuseBoots or RefuseWakes, *TooManyRunningError, ErrTooManyClients, *StoreError, which leaves
// everything as it was, or the context's error, which leaves the boot running.
func (p *Pod) Boot(ctx context.Context, c ClientID, progress func(Progress)) (BootResult, error) {
	if err := p.awaitKnown(ctx); err != nil {
		return BootResult{}, err
	}
	answer, r, err := p.startBoot(c)
	if err != nil {
		return BootResult{}, err
	}
	var l *listener
	var news <-chan struct{}
	if r != nil && progress != nil {
		l = r.listen()
		defer r.leave(l)
		news = l.news
	}
	for {
		select {
		case <-news:
			l.drain(progress)
		case a := <-answer:
			if l != nil {
				l.drain(progress) // what was said before the answer comes before it
			}
			return a.result, a.err
		case <-ctx.Done():
			p.dropWaiter(c, answer)
			return BootResult{}, ctx.Err()
		case <-p.base.Done():
			return BootResult{}, ErrClosed
		}
	}
}

// startBoot is the action StartBoot, or joins the client's boot that is under way.
func (p *Pod) startBoot(c ClientID) (chan bootAnswer, *run, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return nil, nil, ErrClosed
	case p.refused != nil:
		return nil, nil, p.refused
	}
	if !p.state.Awake() {
		if p.unwakeable != nil {
			return nil, nil, p.unwakeable
		}
		if err := p.running.take(p.id, p.of, p.o.MaxRunning); err != nil {
			return nil, nil, err
		}
		defer p.count() // which gives it back where nothing comes of it
	}
	t, err := p.tabOf(c)
	if err != nil {
		return nil, nil, err
	}
	answer := make(chan bootAnswer, 1)
	//model:guard Touch.clock
	//model:guard Wake.clock
	p.touch()
	switch {
	case t.model.Phase == podlifecycle.Booting:
		t.waiters = append(t.waiters, answer)
		return answer, p.run, nil
	case t.model.Phase != podlifecycle.Idle && p.state.Ctr == podruntime.Ready:
		// It believes, and is right: nothing to boot.
		answer <- bootAnswer{result: BootResult{Incarnation: p.state.Inc}}
		return answer, nil, nil
	case t.model.Phase == podlifecycle.Believes:
		p.refuseAttach(c, t, "boot")
	}
	if !p.state.Awake() && p.enabled(podruntime.StartBoot, of(c)) {
		// The number is durable before anything can exist under it, so that no incarnation's number is ever used twice.
		r := Record{Pod: p.id, Inc: p.state.Inc + 1, Awake: true, UpdatedAt: p.o.Clock.Now()}
		if err := p.o.Store.Save(p.base, r); err != nil {
			return nil, nil, &StoreError{fmt.Errorf("incarnation %d: %w", r.Inc, err)}
		}
	}
	if err := p.commit(podruntime.StartBoot, of(c), "boot"); err != nil {
		return nil, nil, err
	}
	t.waiters = append(t.waiters, answer)
	if p.run == nil {
		p.startRun()
	}
	return answer, p.run, nil
}

func (p *Pod) dropWaiter(c ClientID, answer chan bootAnswer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tabs[c]
	if t == nil {
		return
	}
	for i, w := range t.waiters {
		if w == answer {
			t.waiters = append(t.waiters[:i], t.waiters[i+1:]...)
			return
		}
	}
}

// finishBoots is FinishBoot for every client that boots this incarnation, and EndRun. With err the incarnation is as ready as it was, and the clients are told what went wrong with their boot.
// p.mu is held.
func (p *Pod) finishBoots(r *run, err error) {
	for c, t := range p.tabs {
		if t.model.Phase != podlifecycle.Booting {
			continue
		}
		if refused := p.commit(podruntime.FinishBoot, subject{c, r.inc.Inc}, "boot_done"); refused != nil {
			p.log.Error("a boot finished for a client that cannot take it", "client", string(c), "err", refused)
			t.answer(bootAnswer{err: refused})
			continue
		}
		if err != nil {
			t.answer(bootAnswer{err: err})
			continue
		}
		t.answer(bootAnswer{result: BootResult{Incarnation: r.inc.Inc}})
	}
	p.must(podruntime.EndRun, at(r.inc.Inc), "boot_done")
}

// answer tells everybody who waits for this client's boot. p.mu is held.
func (t *tab) answer(a bootAnswer) {
	for _, w := range t.waiters {
		w <- a
	}
	t.waiters = nil
}
