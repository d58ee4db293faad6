package container

import (
	"context"
	"errors"
	"fmt"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/host/client"
	"podlife/runtime/host/frame"
	"podlife/runtime/pod"
)

// openTime is how long the session host may take to open a terminal.
const openTime = 10 * time.Second

// reasonNoHost is the Reason of a ShellError where no session host answers in a container that lives.
const reasonNoHost = "no_host"

var idPattern = pattern(`^[A-Za-z0-9_-]{1,64}$`)

// ShellError says that a container which may well be provisioned gave no shell.
type ShellError struct {
	Reason   string // no_shell, no_command, too_many_sessions, too_many_viewers, bad_request, stopping, failed, or no_host when no session host answers
	ExitCode int    // 126 or 127 when there is a shell that cannot be run, or none; else 0
	Err      error
}

// Error gives reason and cause.
func (e *ShellError) Error() string {
	var no *client.RefusedError
	switch detailed := errors.As(e.Err, &no) && no.Detail != ""; {
	case detailed && e.Reason == string(frame.NoCommand):
		return no.Detail
	case detailed && e.Reason == string(frame.NoShell):
		return "nothing can be run in this terminal: " + no.Detail
	}
	return fmt.Sprintf("no shell in the container: %s: %v", e.Reason, e.Err)
}

// Unwrap gives the cause.
func (e *ShellError) Unwrap() error { return e.Err }

// Word is the reason in a word, for those who know no more of the world than that.
func (e *ShellError) Word() string { return e.Reason }

// ShellCode is what a shell would say of a program that cannot be run: 126 or 127; else 0.
func (e *ShellError) ShellCode() int { return e.ExitCode }

// shell is a terminal on a session of a container's session host.
type shell struct {
	c      *Containers
	id     pod.ContainerID
	viewer *client.Viewer
}

// Shell opens a terminal; see pod.Containers. The context bounds the opening alone. Besides the errors of the interface there is *ShellError.
func (c *Containers) Shell(ctx context.Context, id pod.ContainerID, inc pod.Incarnation, req pod.ShellRequest) (pod.Shell, error) {
	if req.Follow {
		return c.follow(ctx, id, inc, req)
	}
	if err := engine.ValidateSize(req.Cols, req.Rows); err != nil {
		return nil, &ShellError{Reason: string(frame.BadRequest), Err: err}
	}
	if !idPattern().MatchString(req.Tab) {
		return nil, &ShellError{Reason: string(frame.BadRequest), Err: fmt.Errorf("tab %.80q is no name", req.Tab)}
	}
	v, err := letIn(ctx, c, id, func(ctx context.Context, host *client.Client) (*client.Viewer, error) {
		return host.Open(ctx, client.Open{
			Tab: req.Tab, Want: c.wanted(inc), Cols: req.Cols, Rows: req.Rows, Dir: c.o.Recipe.Repo.Dir, Epoch: req.Epoch, Have: req.Have, ReadOnly: req.ReadOnly, Argv: req.Argv,
		})
	})
	if err != nil {
		return nil, err
	}
	return &shell{c: c, id: id, viewer: v}, nil
}

// follow is Shell for who only follows.
func (c *Containers) follow(ctx context.Context, id pod.ContainerID, inc pod.Incarnation, req pod.ShellRequest) (pod.Shell, error) {
	v, err := letIn(ctx, c, id, func(ctx context.Context, host *client.Client) (*client.Viewer, error) {
		return host.Follow(ctx, c.wanted(inc), req.Epoch, req.Have)
	})
	var no *ShellError
	switch {
	case err == nil:
		return &shell{c: c, id: id, viewer: v}, nil
	case errors.As(err, &no) && no.Reason == string(frame.NoTab):
		return nil, pod.ErrNoTab
	}
	return nil, err
}

// letIn asks a container's session host to let something in. The context bounds the asking alone.
func letIn[T any](ctx context.Context, c *Containers, id pod.ContainerID, ask func(context.Context, *client.Client) (T, error)) (let T, err error) {
	host, err := c.sessions(ctx, id)
	if err != nil {
		return let, err
	}
	asking, cancel := context.WithTimeoutCause(ctx, openTime, errNoAnswer)
	defer cancel()
	asking, stop := c.unlessPaused(asking, id)
	defer stop()
	if let, err = ask(asking, host); err != nil {
		return let, c.notOpened(ctx, asking, id, err)
	}
	return let, nil
}

// errNoAnswer is the cause of the end of an opening that took too long; errPaused of one in a container that is paused: a host in it answers nobody, and is not waited for.
var (
	errNoAnswer = errors.New("the session host did not answer")
	errPaused   = errors.New("the container is paused")
)

// unlessPaused gives a context that ends at once when a look at the container, which it begins, finds it paused. stop waits for the look.
func (c *Containers) unlessPaused(ctx context.Context, id pod.ContainerID) (_ context.Context, stop func()) {
	ctx, end := context.WithCancelCause(ctx)
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		if state, err := c.look(ctx, id); err == nil && state == engine.Paused {
			end(errPaused)
		}
	}()
	return ctx, func() { end(nil); <-looked }
}

func (c *Containers) wanted(inc pod.Incarnation) frame.Marker {
	m := c.marker(inc)
	return frame.Marker{Pod: m.Pod, Incarnation: uint64(m.Incarnation), Recipe: m.Recipe}
}

// notOpened is why a session host opened nothing.
func (c *Containers) notOpened(ctx, opening context.Context, id pod.ContainerID, err error) error {
	var no *client.RefusedError
	switch {
	case errors.As(err, &no):
		switch boot.Reason(no.Reason) {
		case boot.MarkerMissing, boot.MarkerUnreadable, boot.OtherIncarnation, boot.OtherRecipe:
			return &pod.NotProvisionedError{Reason: string(no.Reason)}
		}
		return &ShellError{Reason: string(no.Reason), ExitCode: no.Code, Err: err}
	case opening.Err() != nil:
		return &pod.UnseenError{Err: fmt.Errorf("container %s: %w", id, context.Cause(opening))}
	}
	if gone := c.lost(ctx, id, err); gone != nil {
		return gone
	}
	return &ShellError{Reason: reasonNoHost, Err: err}
}

// Opened says what the terminal was let into.
func (s *shell) Opened() pod.Opened {
	o := s.viewer.Opened()
	return pod.Opened{Epoch: o.Epoch, Have: o.From, Reset: o.Reset, Tab: o.Tab, Cols: o.Cols, Rows: o.Rows, Started: o.Started}
}

// Next gives what the session says next; see pod.Shell.
func (s *shell) Next(ctx context.Context) (pod.ShellEvent, error) {
	for {
		m, err := s.viewer.Next(ctx)
		if err != nil {
			return nil, s.c.cutOff(ctx, s.id, err)
		}
		switch m := m.(type) {
		case *frame.Output:
			return pod.Output{From: m.Offset, Data: m.Data}, nil
		case *frame.Reset:
			return pod.Picture{First: m.First, Last: m.Last, From: m.From, Data: m.Data}, nil
		case *frame.Size:
			return pod.Size{Cols: m.Cols, Rows: m.Rows}, nil
		case *frame.Taken:
			return pod.Taken{Bytes: m.Offset}, nil
		case *frame.Refused:
			return pod.Refused{Reason: string(m.Reason)}, nil
		case *frame.Exit:
			return pod.Exit{Code: int(m.Code), Signal: m.Signal}, nil
		}
	}
}

// cutOff is why nothing more comes from a session host. The end of a connection is looked into: it may be the container's.
func (c *Containers) cutOff(ctx context.Context, id pod.ContainerID, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var lost *client.LostError
	if errors.As(err, &lost) {
		if gone := c.lost(ctx, id, err); gone != nil {
			return gone
		}
	}
	return &pod.LostError{Err: err}
}

// Input types; see pod.Shell.
func (s *shell) Input(ctx context.Context, b []byte) error { return s.viewer.Input(ctx, b) }

// Resize says that the terminal's window has another size.
func (s *shell) Resize(cols, rows uint16) { s.viewer.Resize(cols, rows) }

// Ack says what the terminal has dealt with.
func (s *shell) Ack(have uint64) { s.viewer.Ack(have) }

// Close lets the terminal leave.
func (s *shell) Close() error {
	s.viewer.Close()
	return nil
}
