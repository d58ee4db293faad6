package docker

import (
	"context"
	"net"

	"github.com/docker/docker/api/types/container"

	"podlife/runtime/engine"
)

// detachKeys is a sequence that nobody types. The daemon always has one: without it Ctrl-P is held back until the next key and Ctrl-P Ctrl-Q cuts the session (B57). The first key of the sequence
// is held back likewise, so it is the one that programs use least, Ctrl-^; the rest only has to make an accident impossible.
const detachKeys = "ctrl-^,ctrl-@,ctrl-_,ctrl-],ctrl-^,ctrl-@,ctrl-_,ctrl-],ctrl-^,ctrl-@,ctrl-_,ctrl-],ctrl-^,ctrl-@,ctrl-_,ctrl-]"

// Exec starts a process in a running container. The daemon takes three calls for it: create a record, attach (which starts it), and later inspect for the exit code.
func (e *Engine) Exec(ctx context.Context, id engine.ID, spec engine.ExecSpec) (engine.Process, error) {
	if err := spec.Validate(); err != nil {
		return nil, fail("exec", string(id), engine.Invalid, err)
	}
	if !isID(id) {
		return nil, fail("exec", string(id), engine.NotFound, errNoID)
	}
	rec, err := e.cli.ContainerExecCreate(ctx, string(id), container.ExecOptions{
		Cmd:          spec.Command,
		Env:          spec.Env,
		WorkingDir:   spec.Dir,
		Tty:          spec.TTY,
		AttachStdin:  true,
		AttachStdout: true,
		AttachStderr: true,
		DetachKeys:   detachKeys,
	})
	if err != nil {
		kind := kindOf(ctx, err)
		if kind == engine.Conflict { // 409: stopped, paused or restarting
			kind = engine.NotRunning
		}
		return nil, fail("exec", string(id), kind, err)
	}
	p := &process{e: e, ctx: ctx, container: id, exec: rec.ID, tty: spec.TTY, ended: make(chan struct{})}
	if err := p.attach(ctx); err != nil {
		return nil, fail("exec", string(id), e.whyNotAttached(ctx, id, err), err)
	}
	return p, nil
}

// whyNotAttached types an attach error. The library makes a plain string of the daemon's answer ("unable to upgrade to tcp, received 409"), so the container is asked.
func (e *Engine) whyNotAttached(ctx context.Context, id engine.ID, attach error) engine.Kind {
	if ctx.Err() != nil {
		return engine.Canceled
	}
	c, err := e.Inspect(ctx, id)
	switch {
	case err != nil:
		return engine.KindOf(err)
	case c.State != engine.Running:
		return engine.NotRunning
	default:
		return kindOf(ctx, attach)
	}
}

type captureKey struct{}

// capture hands a new connection to whoever asked for it through the context: the library's attach looks at its context only while it dials, so the request that follows is ended by closing the
// connection under it.
func capture(ctx context.Context, conn net.Conn) {
	if f, ok := ctx.Value(captureKey{}).(func(net.Conn)); ok {
		f(conn)
	}
}

// attach starts the process and takes its streams; the context ends it at any moment.
func (p *process) attach(ctx context.Context) error {
	var unwatch func() bool
	captured := context.WithValue(ctx, captureKey{}, func(conn net.Conn) {
		unwatch = context.AfterFunc(ctx, func() { _ = conn.Close() })
	})
	resp, err := p.e.cli.ContainerExecAttach(captured, p.exec, container.ExecAttachOptions{Tty: p.tty})
	if err != nil {
		if unwatch != nil {
			unwatch()
		}
		return err
	}
	p.conn, p.in, p.unwatch = resp.Conn, resp.Reader, unwatch
	return nil
}
