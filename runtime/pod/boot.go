package pod

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"podlife/model/podlifecycle"
)

// launchTimeout bounds the making of a container; the boot's own limit bounds the script.
const launchTimeout = 2 * time.Minute

// unseenTries is how often a script is begun again, a second apart, while the engine cannot be reached.
const unseenTries = 60

// historySize is how many pieces of progress a run keeps for those who join late.
const historySize = 512

// BootResult is a boot that succeeded.
type BootResult struct {
	Incarnation int
}

// bootAnswer is what one waiter of a boot gets.
type bootAnswer struct {
	result BootResult
	err    error
}

// run is one run of the boot script against one incarnation. All boots of that incarnation that arrive meanwhile share it.
type run struct {
	inc      Incarnation
	launched chan struct{} // closed by the run's goroutine once the launch is decided
	done     chan struct{} // closed by the run's goroutine once the outcome was taken

	// Written before launched is closed, read only after.
	container ContainerID
	launchErr error

	mu        sync.Mutex // guards the following
	history   []Progress // newest historySize
	listeners map[*listener]struct{}
}

// Boot makes the client's pod ready (actions StartBoot and FinishBoot, or BootLost) and answers when it is. It wakes an asleep pod as a new incarnation; concurrent boots share one wake and one
// run of the script. progress may be nil; it is called in order, from the caller's goroutine; one that is slow misses pieces of the log (it is told so) and holds up nobody.
//
// Errors: *BootError when a step failed (the container is then gone), ErrBootLost when the pod was put to sleep meanwhile, ErrClosed, ErrTooManyClients, or the context's error, which leaves the boot running.
func (p *Pod) Boot(ctx context.Context, c ClientID, progress func(Progress)) (BootResult, error) {
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
	if p.closed {
		return nil, nil, ErrClosed
	}
	t, err := p.tabOf(c)
	if err != nil {
		return nil, nil, err
	}
	answer := make(chan bootAnswer, 1)
	p.touch()
	switch {
	case t.model.Phase == podlifecycle.Booting:
		t.waiters = append(t.waiters, answer)
		return answer, p.run, nil
	case t.model.Phase != podlifecycle.Idle && p.state.Ctr == podlifecycle.Ready:
		// It believes, and is right: nothing to boot.
		answer <- bootAnswer{result: BootResult{Incarnation: p.state.Inc}}
		return answer, nil, nil
	case t.model.Phase == podlifecycle.Believes:
		p.must(podlifecycle.AttachGuarded, c, "boot")
	}
	wake := p.state.Ctr == podlifecycle.Asleep
	if wake {
		// The number is durable before anything can exist under it, so that no incarnation's number is ever used twice.
		r := Record{Pod: p.id, Inc: p.state.Inc + 1, Awake: true, UpdatedAt: p.o.Clock.Now()}
		if err := p.o.Store.Save(p.base, r); err != nil {
			return nil, nil, fmt.Errorf("store the incarnation: %w", err)
		}
	}
	if err := p.commit(podlifecycle.StartBoot, c, "boot"); err != nil {
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

// startRun begins the boot run of the current incarnation. p.mu is held and p.run is nil.
func (p *Pod) startRun() {
	r := &run{
		inc:       Incarnation{Pod: p.id, Inc: p.state.Inc},
		launched:  make(chan struct{}),
		done:      make(chan struct{}),
		container: p.container,
		listeners: map[*listener]struct{}{},
	}
	before := p.teardown
	p.run = r
	p.goWork(func() { p.runBoot(r, before) })
}

// runBoot is a run's goroutine: launch the container if there is none yet, run the script, answer.
func (p *Pod) runBoot(r *run, before *teardown) {
	defer close(r.done)
	if r.container == "" {
		p.launch(r, before)
		if r.launchErr != nil {
			p.bootDone(r, r.launchErr)
			return
		}
	} else {
		close(r.launched)
	}
	err := p.runScript(r)
	if err != nil {
		err = p.reconsider(r, p.blame(r, err))
	}
	p.bootDone(r, err)
}

// keptError is a boot of a ready pod that failed, without anything that says that the pod is not what it was: the incarnation stays.
type keptError struct{ err error }

func (e *keptError) Error() string { return e.err.Error() }
func (e *keptError) Unwrap() error { return e.err }

// reconsider keeps a ready pod whose boot has failed: a full disk, an engine that is away, or a script that does not run twice is no reason to take a container from those who work in it; only its
// death is. When the marker vouches, there was nothing to do and the boot has succeeded; else its clients are told what went wrong, and the guard lets nobody in until a boot succeeds.
func (p *Pod) reconsider(r *run, err error) error {
	p.mu.Lock()
	ready := p.current(r) && p.state.Ctr == podlifecycle.Ready
	p.mu.Unlock()
	var gone *GoneError
	if !ready || errors.As(err, &gone) {
		return err
	}
	ctx, cancel := context.WithTimeout(p.base, launchTimeout)
	defer cancel()
	if verdict := p.o.Containers.Provisioned(ctx, r.container, r.inc); verdict != nil {
		return &keptError{err}
	}
	p.log.Warn("the boot of a ready pod failed, and its marker vouches: nothing was to be done", "incarnation", r.inc.Inc, "err", err)
	return nil
}

// diedTries is how often, 100 ms apart, a boot that failed without an exit code looks whether its container died: the engine can tell of a process before it knows of the container.
const diedTries = 10

// blame tells a script that failed from one whose container ended under it. Then what the engine or the agent said last is no reason, and the boot is lost.
func (p *Pod) blame(r *run, err error) error {
	var failed *BootError
	if !errors.As(err, &failed) {
		return err // runScript has looked at the container of a GoneError
	}
	for try := 1; ; try++ {
		alive, aerr := p.o.Containers.Alive(p.base, r.container)
		if aerr == nil && !alive {
			return &GoneError{Err: err}
		}
		if failed.ExitCode != 0 || try == diedTries || !p.pause(100*time.Millisecond) {
			return err
		}
	}
}

// runScript runs the script until its outcome is known. When the engine went out of sight meanwhile, nothing is known of the script: it is idempotent, so it is run again once the engine is back,
// and only an engine that stays away for unseenTries seconds is a failed boot.
func (p *Pod) runScript(r *run) error {
	return p.untilSeen(r, func() error {
		err := p.o.Containers.Boot(p.base, r.container, r.inc, r.publish)
		var gone *GoneError
		if errors.As(err, &gone) {
			// A container that cannot run the script now, but lives, is not gone: it may be paused.
			if alive, aerr := p.o.Containers.Alive(p.base, r.container); aerr != nil || alive {
				return &UnseenError{Err: errors.Join(err, aerr)}
			}
		}
		return err
	})
}

// untilSeen does something again, a second apart, as long as the engine cannot be seen and the run's incarnation goes on.
func (p *Pod) untilSeen(r *run, do func() error) error {
	for try := 1; ; try++ {
		if !p.isCurrent(r) {
			return errOver
		}
		err := do()
		var unseen *UnseenError
		if !errors.As(err, &unseen) || try == unseenTries || !p.pause(time.Second) {
			return err
		}
	}
}

// errOver ends a run whose incarnation ended before the next thing was done for it.
var errOver = errors.New("the incarnation is over")

func (p *Pod) isCurrent(r *run) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current(r)
}

// pause waits, unless the server stops.
func (p *Pod) pause(d time.Duration) bool {
	over := make(chan struct{})
	stop := p.o.Clock.AfterFunc(d, func() { close(over) })
	select {
	case <-over:
		return true
	case <-p.base.Done():
		stop()
		return false
	}
}

// launch makes the incarnation's container, after the one before it is gone, and hands it to the actor. A container whose incarnation has ended meanwhile is the teardown's to remove.
func (p *Pod) launch(r *run, before *teardown) {
	defer close(r.launched)
	if before != nil {
		select {
		case <-before.done:
		case <-p.base.Done():
			r.launchErr = ErrClosed
			return
		}
	}
	r.publish(Progress{Step: "start", Status: StepStarted})
	r.launchErr = p.untilSeen(r, func() (err error) {
		ctx, cancel := context.WithTimeout(p.base, launchTimeout)
		defer cancel()
		r.container, err = p.o.Containers.Launch(ctx, r.inc)
		return err
	})
	if r.launchErr != nil {
		r.publish(Progress{Step: "start", Status: StepFailed, Detail: r.launchErr.Error()})
		return
	}
	r.publish(Progress{Step: "start", Status: StepDone})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current(r) {
		p.container = r.container
	}
}

// current says whether a run still belongs to the incarnation that the pod is in. p.mu is held.
func (p *Pod) current(r *run) bool {
	return p.run == r && p.state.Ctr != podlifecycle.Asleep && p.state.Inc == r.inc.Inc
}

// bootDone takes a run's outcome. One that belongs to an incarnation that has ended is dropped: nobody waits for it any more, and it must not complete its successor.
func (p *Pod) bootDone(r *run, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.current(r) { //model:guard FinishBoot.sameInc
		p.log.Info("dropped the late reply of a boot", "incarnation", r.inc.Inc, "now", p.state.Inc, "err", err)
		return
	}
	p.run = nil
	p.touch()
	var kept *keptError
	var gone *GoneError
	var failed *BootError
	var unseen *UnseenError
	switch {
	case err == nil:
		p.finishBoots(r, nil)
		p.lastFailure = ""
	case p.base.Err() != nil:
		// The server is stopping: the container stays as it is, for the next start to judge.
		return
	case errors.As(err, &kept):
		p.lastFailure = err.Error()
		p.finishBoots(r, kept.err)
	case errors.As(err, &gone):
		p.sleep(CauseLost, nil)
	case errors.As(err, &failed), errors.As(err, &unseen):
		p.lastFailure = err.Error()
		p.sleep(CauseBootFailed, err)
	default:
		p.lastFailure = err.Error()
		p.sleep(CauseBootFailed, &BootError{Step: "boot", Err: err})
	}
	p.scheduleSweep()
}

// finishBoots is FinishBoot for every client that boots this incarnation. With err the incarnation is as ready as it was, and the clients are told what went wrong with their boot. p.mu is held.
func (p *Pod) finishBoots(r *run, err error) {
	for c, t := range p.tabs {
		if t.model.Phase != podlifecycle.Booting {
			continue
		}
		if refused := p.commit(podlifecycle.FinishBoot, c, "boot_done"); refused != nil {
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
}

// answer tells everybody who waits for this client's boot. p.mu is held.
func (t *tab) answer(a bootAnswer) {
	for _, w := range t.waiters {
		w <- a
	}
	t.waiters = nil
}
