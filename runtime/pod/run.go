package pod

import (
	"context"
	"errors"
	"sync"
	"time"

	"podlife/model/podruntime"
)

// launchTimeout bounds the making of a container; the boot's own limit bounds the script.
const launchTimeout = 2 * time.Minute

// unseenTries is how often something is tried again, a second apart, while the engine cannot be reached.
const unseenTries = 60

// historySize is how many pieces of progress a run keeps for those who join late.
const historySize = 512

// run is one run of the boot script against one incarnation. All boots of that incarnation that arrive meanwhile share it.
type run struct {
	inc      Incarnation
	launched chan struct{} // closed by the run's goroutine once the launch is decided
	done     chan struct{} // closed by the run's goroutine once the outcome was taken

	// Written before launched is closed, read only after.
	container ContainerID

	mu        sync.Mutex // guards the following
	history   []Progress // newest historySize
	listeners map[*listener]struct{}
}

// errOver ends a run whose incarnation ended before the next thing was done for it.
var errOver = errors.New("the incarnation is over")

// keptError is a boot of a ready pod that failed, without anything that says that the pod is not what it was: the incarnation stays. With vouched its marker says that there was nothing to do.
type keptError struct {
	err     error
	vouched bool
}

func (e *keptError) Error() string { return e.err.Error() }
func (e *keptError) Unwrap() error { return e.err }

// startRun begins the boot run of the current incarnation. p.mu is held and p.run is nil.
func (p *Pod) startRun() {
	r := &run{
		inc:       Incarnation{Pod: p.id, Inc: p.state.Inc},
		launched:  make(chan struct{}),
		done:      make(chan struct{}),
		container: p.container,
		listeners: map[*listener]struct{}{},
	}
	p.run = r
	p.goWork(func() { p.runBoot(r) })
}

// runBoot is a run's goroutine: launch the container if there is none yet, run the script, and hand the outcome to the actor.
func (p *Pod) runBoot(r *run) {
	defer close(r.done)
	p.log.Debug("a boot run begins", "incarnation", r.inc.Inc)
	err := p.launch(r)
	if err == nil {
		p.log.Debug("a boot run has its container", "incarnation", r.inc.Inc)
		if err = p.runScript(r); err != nil {
			err = p.reconsider(r, p.blame(r, err))
		}
	}
	p.log.Debug("a boot run replies", "incarnation", r.inc.Inc, "err", err)
	for !p.takeOutcome(r, err) && p.pause(retryPause) {
	}
}

// launch makes the incarnation's container, after every other one of the pod is gone, and hands it to the actor. A container whose incarnation has ended meanwhile is the teardown's to remove.
func (p *Pod) launch(r *run) error {
	defer close(r.launched)
	if r.container != "" {
		return nil
	}
	n := r.inc.Inc
	err := p.await(p.base, func() bool { return !p.current(r) || p.enabled(podruntime.CreateContainer, at(n)) })
	if err != nil {
		return err
	}
	if !p.current(r) {
		p.mu.Unlock()
		return errOver
	}
	p.must(podruntime.CreateContainer, at(n), "boot") // from here on it may exist
	p.mu.Unlock()

	r.publish(Progress{Step: "start", Status: StepStarted})
	err = p.untilSeen(r, func() (err error) {
		ctx, cancel := context.WithTimeout(p.base, launchTimeout)
		defer cancel()
		r.container, err = p.o.Containers.Launch(ctx, r.inc)
		return err
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		r.publish(Progress{Step: "start", Status: StepFailed, Detail: err.Error()})
		if p.base.Err() == nil {
			p.must(podruntime.LaunchFails, at(n), "boot")
		}
		return err
	}
	r.publish(Progress{Step: "start", Status: StepDone})
	p.must(podruntime.StartContainer, at(n), "boot")
	if p.current(r) {
		p.container = r.container
	}
	return nil
}

// runScript runs the script until its outcome is known. When the engine went out of sight meanwhile, nothing is known of the script: it is idempotent, so it is run again once the engine is back,
// and only an engine that stays away for unseenTries seconds is a failed boot.
func (p *Pod) runScript(r *run) error {
	p.mu.Lock()
	begun := p.current(r) && p.commit(podruntime.BeginScript, at(r.inc.Inc), "boot") == nil
	p.mu.Unlock()
	if !begun {
		return errOver
	}
	return p.untilSeen(r, func() error {
		err := p.o.Containers.Boot(p.base, r.container, r.inc, r.publish)
		var gone *GoneError
		if errors.As(err, &gone) {
			// A container that cannot run the script now, but lives, is not gone: it may be paused.
			if alive, aerr := p.o.Containers.Alive(p.base, r.container); aerr != nil || alive {
				return &UnseenError{Err: errors.Join(err, aerr)}
			}
		}
		var failed *BootError
		if errors.As(err, &failed) {
			p.log.Warn("a boot failed", "incarnation", r.inc.Inc, "step", failed.Step, "exit_code", failed.ExitCode, "err", failed)
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

// reconsider keeps a ready pod whose boot has failed: a full disk, an engine that is away, or a script that does not run twice is no reason to take a container from those who work in it; only its
// death is. When the marker vouches, there was nothing to do and the boot has succeeded; else its clients are told what went wrong, and the guard lets nobody in until a boot succeeds.
func (p *Pod) reconsider(r *run, err error) error {
	p.mu.Lock()
	ready := p.current(r) && p.state.Ctr == podruntime.Ready
	p.mu.Unlock()
	var gone *GoneError
	if !ready || errors.As(err, &gone) {
		return err
	}
	ctx, cancel := context.WithTimeout(p.base, launchTimeout)
	defer cancel()
	if verdict := p.o.Containers.Provisioned(ctx, r.container, r.inc); verdict != nil {
		return &keptError{err: err}
	}
	p.log.Warn("the boot of a ready pod failed, and its marker vouches: nothing was to be done", "incarnation", r.inc.Inc, "err", err)
	return &keptError{err: err, vouched: true}
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

func (p *Pod) isCurrent(r *run) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current(r)
}

// current says whether a run still belongs to the incarnation that the pod is in. p.mu is held.
func (p *Pod) current(r *run) bool { return p.run == r && p.state.Current(r.inc.Inc) }

// pause waits, unless the server stops.
func (p *Pod) pause(d time.Duration) bool { return pause(p.base, p.o.Clock, d) }

// pause waits, unless the context ends.
func pause(ctx context.Context, clock Clock, d time.Duration) bool {
	over := make(chan struct{})
	stop := clock.AfterFunc(d, func() { close(over) })
	select {
	case <-over:
		return true
	case <-ctx.Done():
		stop()
		return false
	}
}
