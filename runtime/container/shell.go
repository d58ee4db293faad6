package container

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"podlife/runtime/agent"
	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// guardTime is how long the guard may take to speak.
const guardTime = 10 * time.Second

var idPattern = pattern(`^[A-Za-z0-9_-]{1,64}$`)

// ShellError says that a container which may well be provisioned gave no shell.
type ShellError struct {
	Reason   string // no_shell, session_ended, agent_failed, or no_guard when nothing sensible was said at all
	ExitCode int    // 126 or 127 when there is a shell that cannot be run, or none; else 0
	Err      error
}

// Error gives reason and cause.
func (e *ShellError) Error() string {
	return fmt.Sprintf("no shell in the container: %s: %v", e.Reason, e.Err)
}

// Unwrap gives the cause.
func (e *ShellError) Unwrap() error { return e.Err }

// shell is a shell whose guard has agreed.
type shell struct {
	c       *Containers
	id      pod.ContainerID
	session string
	p       engine.Process
	release context.CancelFunc // of the context that the process was started with

	early  []byte // what came together with the guard line; for the one reader
	exited atomic.Bool

	closing  sync.Once
	closeErr error
}

// Shell starts the guarded shell; see pod.Containers. The context bounds the start alone: the shell lives until it exits or is closed.
// Besides the errors of the interface there is *ShellError.
func (c *Containers) Shell(ctx context.Context, id pod.ContainerID, inc pod.Incarnation, req pod.ShellRequest) (pod.Shell, error) {
	if err := engine.ValidateSize(req.Cols, req.Rows); err != nil {
		return nil, &ShellError{Reason: string(agent.AgentFailed), Err: err}
	}
	if !idPattern().MatchString(req.Session) || !idPattern().MatchString(req.Tab) {
		return nil, &ShellError{Reason: string(agent.AgentFailed), Err: fmt.Errorf("session %.80q or tab %.80q is no name", req.Session, req.Tab)}
	}
	starting, cancel := context.WithTimeout(ctx, guardTime)
	defer cancel()
	// The engine ends a process's streams with the context that started it, and the shell is to outlive this call.
	living, release := context.WithCancel(context.WithoutCancel(ctx))
	unbind := context.AfterFunc(starting, release)
	p, err := c.o.Engine.Exec(living, engine.ID(id), engine.ExecSpec{Command: c.shellCommand(inc, req), TTY: true})
	if err != nil {
		unbind()
		release()
		if starting.Err() != nil {
			// It may have been started all the same.
			c.endSession(id, req.Session)
			return nil, &pod.UnseenError{Err: fmt.Errorf("container %s: shell: %w", id, starting.Err())}
		}
		return nil, c.why(ctx, id, err)
	}
	s := &shell{c: c, id: id, session: req.Session, p: p, release: release}
	err = s.readGuard(starting)
	if !unbind() && err == nil {
		err = starting.Err()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (c *Containers) shellCommand(inc pod.Incarnation, req pod.ShellRequest) []string {
	args := append([]string{boot.AgentPath, "agent", "shell"}, wantArgs(c.marker(inc))...)
	args = append(args, "--session", req.Session, "--server", c.server, "--tab", req.Tab,
		"--cols", strconv.Itoa(int(req.Cols)), "--rows", strconv.Itoa(int(req.Rows)))
	if dir := c.o.Recipe.Repo.Dir; dir != "" {
		args = append(args, "--dir", dir)
	}
	return args
}

// readGuard reads the guard's line and nothing behind it. Nil means that the shell has started.
func (s *shell) readGuard(ctx context.Context) error {
	var head []byte
	buf := make([]byte, 1024)
	for {
		n, err := s.p.Read(buf)
		head = append(head, buf[:n]...)
		if at := bytes.IndexByte(head, '\n'); at >= 0 && at < agent.MaxGuardLine {
			s.early = head[at+1:]
			return s.guard(ctx, head[:at+1])
		}
		switch {
		case len(head) >= agent.MaxGuardLine:
			return &ShellError{Reason: "no_guard", Err: fmt.Errorf("a line of more than %d bytes", agent.MaxGuardLine)}
		case err != nil:
			return s.noGuard(ctx, head, err)
		}
	}
}

func (s *shell) guard(ctx context.Context, line []byte) error {
	g, err := agent.ParseGuard(line)
	switch {
	case err != nil:
		return s.noGuard(ctx, line, err)
	case g.OK:
		if _, err := s.p.Write([]byte(agent.GuardSeen)); err != nil {
			return s.noGuard(ctx, line, err)
		}
		return nil
	}
	switch g.Reason {
	case boot.MarkerMissing, boot.MarkerUnreadable, boot.OtherIncarnation, boot.OtherRecipe:
		return &pod.NotProvisionedError{Reason: string(g.Reason)}
	}
	return &ShellError{Reason: string(g.Reason), ExitCode: g.ExitCode, Err: errors.New(g.Detail)}
}

// noGuard says why no guard line came: the container is gone, or the agent cannot be run in it.
func (s *shell) noGuard(ctx context.Context, said []byte, err error) error {
	if ctx.Err() != nil {
		return &pod.UnseenError{Err: fmt.Errorf("container %s: the guard did not speak: %w", s.id, ctx.Err())}
	}
	if kind := engine.KindOf(err); kind != "" {
		return s.c.why(ctx, s.id, err)
	}
	// What said this may well go on, and then has no exit code. The time is for its end, and for the look at its container that may follow.
	bound, cancel := context.WithTimeout(ctx, 2*goneTime)
	defer cancel()
	code, werr := s.c.exit(bound, s.id, s.p)
	var g *pod.GoneError
	var u *pod.UnseenError
	if errors.As(werr, &g) || errors.As(werr, &u) && bound.Err() == nil {
		return werr
	}
	return &ShellError{Reason: "no_guard", ExitCode: code, Err: fmt.Errorf("it said %.200q: %w", said, err)}
}

// Read gives terminal bytes.
func (s *shell) Read(b []byte) (int, error) {
	if len(s.early) > 0 {
		n := copy(b, s.early)
		s.early = s.early[n:]
		return n, nil
	}
	return s.p.Read(b)
}

// Write types.
func (s *shell) Write(b []byte) (int, error) { return s.p.Write(b) }

// Resize sets the terminal's size.
func (s *shell) Resize(ctx context.Context, cols, rows uint16) error {
	return s.p.Resize(ctx, cols, rows)
}

// Wait gives the exit code, or a GoneError.
func (s *shell) Wait(ctx context.Context) (int, error) {
	code, err := s.c.exit(ctx, s.id, s.p)
	var g *pod.GoneError
	if err == nil || errors.As(err, &g) {
		s.exited.Store(true)
	}
	return code, err
}

// Close ends the shell's process and then the connection; an engine has no call for the first (B41).
func (s *shell) Close() error {
	s.closing.Do(func() {
		if !s.exited.Load() {
			s.closeErr = s.c.endSession(s.id, s.session)
		}
		s.release()
		if err := s.p.Close(); err != nil && s.closeErr == nil {
			s.closeErr = err
		}
	})
	return s.closeErr
}

// endSession ends what a session's name stands for, with a time of its own: whoever wanted the session may have given up.
func (c *Containers) endSession(id pod.ContainerID, session string) error {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	_, _, err := c.command(ctx, id, []string{"end", "--session", session})
	var g *pod.GoneError
	if errors.As(err, &g) {
		return nil
	}
	if err != nil {
		c.log.Warn("a shell may be left in a container", "container", id, "session", session, "err", err)
	}
	return err
}
