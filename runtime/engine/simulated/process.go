package simulated

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"podlife/runtime/engine"
)

const (
	killed    = 137
	notFound  = 127
	stderrMax = 8 << 10
)

var (
	// ErrEnded is what a program gets from its streams and files after its process ended.
	ErrEnded  = errors.New("the process has ended")
	errNobody = errors.New("nobody is connected")
)

// process is one process of a container, and for an exec also the client's side of it.
type process struct {
	e      *Engine
	box    *box
	pid    int
	spec   engine.ExecSpec
	stdin  *pipe
	stdout *pipe
	tail   *tail
	done   chan struct{}      // closed when it has ended
	cancel context.CancelFunc // of its program's context; nil if none ever ran
	ctx    context.Context    // of Exec; nil for PID 1
	stop   func() bool        // stops watching ctx

	// The following are guarded by Engine.mu.
	over       bool
	code       int
	cols, rows uint16

	cutMu sync.Mutex // guards the following
	cut   error      // why the client's side was disconnected
}

var _ engine.Process = (*process)(nil)

// newProcess adds a process to a container. The caller holds Engine.mu.
func (e *Engine) newProcess(b *box, spec engine.ExecSpec) *process {
	b.pids++
	p := &process{e: e, box: b, pid: b.pids, spec: spec, stdin: newPipe(true), stdout: newPipe(false), tail: &tail{}, done: make(chan struct{})}
	b.procs[p.pid] = p
	return p
}

// endLocked ends a process. The caller holds Engine.mu.
func (e *Engine) endLocked(p *process, code int) {
	if p.over {
		return
	}
	p.over, p.code = true, code
	delete(p.box.procs, p.pid)
	p.stdout.update(func() { p.stdout.eof = true })
	p.stdin.update(func() { p.stdin.readErr, p.stdin.writeErr = ErrEnded, ErrEnded })
	p.tail.close()
	if p.cancel != nil {
		p.cancel() // when its streams have ended: a program that hears of its end first could still write
	}
	close(p.done)
}

// Exec starts a process in a running container.
func (e *Engine) Exec(ctx context.Context, id engine.ID, spec engine.ExecSpec) (engine.Process, error) {
	if err := spec.Validate(); err != nil {
		return nil, fail("exec", string(id), engine.Invalid, err)
	}
	program := e.lookup(slices.Clone(spec.Command))
	var p *process
	err := e.call(ctx, "exec", string(id), func() error {
		b := e.boxes[id]
		switch {
		case b == nil:
			return fail("exec", string(id), engine.NotFound, errGone)
		case b.info.State != engine.Running:
			return fail("exec", string(id), engine.NotRunning, fmt.Errorf("container is %s", b.info.State))
		}
		spec.Command, spec.Env = slices.Clone(spec.Command), slices.Clone(spec.Env)
		p = e.newProcess(b, spec)
		p.ctx = ctx
		if program != nil {
			e.run(p, program)
			return nil
		}
		_, _ = fmt.Fprintf(p.stdout, "exec failed: %q: executable file not found\r\n", spec.Command[0]) // fits the buffer
		e.endLocked(p, notFound)
		return nil
	})
	if err != nil {
		if p != nil {
			p.detach(err) // it runs, and nobody will ever know: as on the real engine
		}
		return nil, err
	}
	p.stop = context.AfterFunc(ctx, func() { p.detach(ctx.Err()) })
	return p, nil
}

// detach disconnects the client's side; the process goes on, its output is dropped.
func (p *process) detach(why error) {
	p.cutMu.Lock()
	defer p.cutMu.Unlock()
	if p.cut != nil {
		return
	}
	p.cut = why
	p.stdout.update(func() { p.stdout.readErr, p.stdout.discard = why, true })
	p.stdin.update(func() {
		p.stdin.writeErr = why
		if !p.spec.TTY && why != errNobody {
			p.stdin.eof = true
		}
	})
}

// cutError types why this side is disconnected; nil if it is not.
func (p *process) cutError(op string) error {
	if p.ctx.Err() != nil {
		p.detach(p.ctx.Err()) // before its watcher got to it
	}
	p.cutMu.Lock()
	defer p.cutMu.Unlock()
	switch {
	case p.cut == nil:
		return nil
	case errors.Is(p.cut, errUnavailable):
		return p.fail(op, engine.Unavailable, p.cut)
	default:
		return p.fail(op, engine.Canceled, p.cut)
	}
}

func (p *process) fail(op string, kind engine.Kind, err error) error {
	return fail(op, string(p.box.info.ID), kind, err)
}

// Read gives output.
func (p *process) Read(b []byte) (int, error) {
	if err := p.cutError("read"); err != nil {
		return 0, err
	}
	n, err := p.stdout.Read(b)
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	return n, p.cutError("read")
}

// Write feeds input.
func (p *process) Write(b []byte) (int, error) {
	if err := p.cutError("write"); err != nil {
		return 0, err
	}
	n, err := p.stdin.Write(b)
	if err == nil {
		return n, nil
	}
	if cut := p.cutError("write"); cut != nil {
		return n, cut
	}
	return n, p.fail("write", engine.Failed, err)
}

// CloseWrite ends the input.
func (p *process) CloseWrite() error {
	if p.spec.TTY {
		return p.fail("closewrite", engine.Invalid, errors.New("a terminal's input ends with byte 0x04"))
	}
	if err := p.cutError("closewrite"); err != nil {
		return err
	}
	p.stdin.update(func() { p.stdin.eof = true })
	return nil
}

// Resize sets the terminal's size.
func (p *process) Resize(ctx context.Context, cols, rows uint16) error {
	if err := engine.ValidateSize(cols, rows); err != nil {
		return p.fail("resize", engine.Invalid, err)
	}
	if !p.spec.TTY {
		return p.fail("resize", engine.Invalid, errors.New("the process has no terminal"))
	}
	if err := ctx.Err(); err != nil {
		return p.fail("resize", engine.Canceled, err)
	}
	p.e.mu.Lock()
	defer p.e.mu.Unlock()
	switch {
	case p.e.down:
		return p.fail("resize", engine.Unavailable, errUnavailable)
	case p.over:
		return p.fail("resize", engine.NotRunning, ErrEnded)
	}
	p.cols, p.rows = cols, rows
	return nil
}

// Stderr gives the last 8 KiB of stderr.
func (p *process) Stderr() string { return p.tail.String() }

// Wait waits for the exit code; 137 when the process or its container was killed. NotFound when the container was removed, as on the real engine, whose record of the process goes with it.
func (p *process) Wait(ctx context.Context) (int, error) {
	id := string(p.box.info.ID)
	if err := p.e.enter(ctx, "wait", id); err != nil {
		return 0, err
	}
	p.e.mu.Lock()
	err, down := p.e.failpointLocked("wait", id), p.e.wentDown
	p.e.mu.Unlock()
	if err != nil {
		return 0, err
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		return 0, fail("wait", id, engine.Canceled, ctx.Err())
	case <-down:
		return 0, fail("wait", id, engine.Unavailable, errUnavailable)
	}
	if err := p.e.stop(ctx, "wait", id, true); err != nil {
		return 0, err
	}
	p.e.mu.Lock()
	defer p.e.mu.Unlock()
	if p.box.info.State == engine.Removing { // the record went with the container
		return 0, fail("wait", id, engine.NotFound, errGone)
	}
	return p.code, nil
}

// Close disconnects; the process goes on.
func (p *process) Close() error {
	p.stop()
	p.detach(engine.ErrClosed)
	return nil
}

// tail keeps the end of what was written.
type tail struct {
	mu     sync.Mutex // guards the following
	buf    []byte
	closed bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return 0, ErrEnded
	}
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - stderrMax; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(b), nil
}

func (t *tail) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
