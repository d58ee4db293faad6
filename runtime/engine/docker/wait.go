package docker

import (
	"context"
	"errors"
	"regexp"
	"time"

	"github.com/docker/docker/api/types/container"

	"podlife/runtime/engine"
)

const (
	exitPollMin   = 2 * time.Millisecond   // pause after the first look; doubled with each up to
	exitPollMax   = 100 * time.Millisecond // this once the stream has ended, and up to
	alivePoll     = time.Second            // this while it is open: its end is the usual sign
	lostGrace     = 500 * time.Millisecond // how long an exec may seem to run in a container that does not
	unstartGrace  = 5 * time.Second        // how long an exec may seem never to have run after its stream ended
	startPollMin  = 2 * time.Millisecond
	startPollMax  = 50 * time.Millisecond
	notRunnable   = 126
	notFound      = 127
	drainMax      = 64 << 10 // of the daemon's words about a command that could not be run
	drainReadSize = 4 << 10
)

var (
	errLost     = errors.New("its container ended before the exit code could be read")
	errNoRecord = errors.New("the engine no longer knows the process")
)

// Wait polls, because the API has no call that waits for an exec. An exec record shows exit code 0 also for a process that still runs or never ran, so Running and the PID are looked at first.
func (p *process) Wait(ctx context.Context) (int, error) {
	var (
		pause   = exitPollMin
		endedAt time.Time // when the stream was seen to have ended
		lostAt  time.Time // when the container was first seen not to run
	)
	for {
		if endedAt.IsZero() && p.streamEnded() {
			endedAt, pause = time.Now(), exitPollMin
		}
		rec, err := p.e.cli.ContainerExecInspect(ctx, p.exec)
		if err != nil {
			return 0, p.waitFailed(ctx, err)
		}
		if !rec.Running && (rec.Pid != 0 || rec.ExitCode != 0) {
			return p.exitCode(rec)
		}
		if !rec.Running || !endedAt.IsZero() || p.closed.Load() { // else a living process on an open stream: its container runs
			c, err := p.e.Inspect(ctx, p.container)
			switch {
			case err != nil:
				return 0, p.fail("wait", engine.KindOf(err), err)
			case c.State == engine.Running || c.State == engine.Paused:
				if !rec.Running && !endedAt.IsZero() && time.Since(endedAt) > unstartGrace {
					return 0, p.fail("wait", engine.Failed, errors.New("the process was never started"))
				}
			case lostAt.IsZero():
				lostAt, pause = time.Now(), exitPollMin
			case time.Since(lostAt) > lostGrace:
				return 0, p.fail("wait", engine.NotRunning, errLost)
			}
		}
		if err := p.pause(ctx, &pause, endedAt.IsZero() && lostAt.IsZero()); err != nil {
			return 0, p.fail("wait", engine.Canceled, err)
		}
	}
}

func (p *process) streamEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// pause waits for the next look, each time twice as long; while the stream is open its end cuts the pause short.
func (p *process) pause(ctx context.Context, next *time.Duration, open bool) error {
	d := *next
	if !open {
		*next = min(2*d, exitPollMax)
		return sleep(ctx, d)
	}
	*next = min(2*d, alivePoll)
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.ended:
		return nil
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitFailed types the failure of a look: a record that is gone means that the container is, or that nobody asked for five minutes.
func (p *process) waitFailed(ctx context.Context, err error) error {
	kind := kindOf(ctx, err)
	if kind != engine.NotFound {
		return p.fail("wait", kind, err)
	}
	c, err := p.e.Inspect(ctx, p.container)
	switch {
	case err != nil:
		return p.fail("wait", engine.KindOf(err), err)
	case c.State != engine.Running && c.State != engine.Paused:
		return p.fail("wait", engine.NotRunning, errLost)
	default:
		return p.fail("wait", engine.Failed, errNoRecord)
	}
}

var missing = regexp.MustCompile(`executable file not found|no such file or directory`)

// exitCode gives the code of a process that ended. Engine 20.10 says 126 for every command that could not be run; whether it was not found, and the code so 127 (B55), is in its words on the stream.
func (p *process) exitCode(rec container.ExecInspect) (int, error) {
	if rec.Pid != 0 || rec.ExitCode != notRunnable {
		return rec.ExitCode, nil
	}
	p.drain()
	p.outMu.Lock()
	defer p.outMu.Unlock()
	if missing.Match(p.head) {
		return notFound, nil
	}
	return notRunnable, nil
}

// drain reads the short text of a command that could not be run, in case nobody does, and keeps it for the next Read.
func (p *process) drain() {
	p.readMu.Lock()
	defer p.readMu.Unlock()
	for len(p.early) < drainMax {
		b := make([]byte, drainReadSize)
		n, err := p.read(b)
		if err != nil {
			return
		}
		p.early = append(p.early, b[:n]...)
	}
}

// waitStarted returns when the process has a PID.
func (p *process) waitStarted(ctx context.Context) error {
	for d := startPollMin; !p.started.Load(); d = min(2*d, startPollMax) {
		rec, err := p.e.cli.ContainerExecInspect(ctx, p.exec)
		switch {
		case err != nil:
			kind := kindOf(ctx, err)
			return p.fail("resize", kind, err)
		case rec.Running && rec.Pid != 0:
			p.started.Store(true)
			return nil
		case !rec.Running && (rec.Pid != 0 || rec.ExitCode != 0 || p.streamEnded()):
			return p.fail("resize", engine.NotRunning, errors.New("the process has ended"))
		}
		if cut := p.cut(); cut != nil {
			return p.fail("resize", engine.Canceled, cut)
		}
		if err := sleep(ctx, d); err != nil {
			return p.fail("resize", engine.Canceled, err)
		}
	}
	return nil
}
