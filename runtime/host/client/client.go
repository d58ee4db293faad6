// Package client is the server's side of a session host: many terminals over one connection, each with its own queue, so that one that nobody takes from holds up no other.
//
// It imports runtime/host/frame. Read client.go first, then viewer.go and command.go; wire.go has the one reader and the one writer.
package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"podlife/runtime/host/frame"
)

// maxOut bounds what waits to be written, in bytes; a sender waits beyond it.
const maxOut = 256 << 10

// ErrClosed says that the connection, or the viewer, was closed by this side.
var ErrClosed = errors.New("session host: closed")

// LostError says that the connection to the host broke. The sessions live on in the container, as far as that does.
type LostError struct{ Err error }

// Error gives the cause.
func (e *LostError) Error() string {
	return "the connection to the session host broke: " + e.Err.Error()
}

// Unwrap gives the cause.
func (e *LostError) Unwrap() error { return e.Err }

// RefusedError is the host's no.
type RefusedError struct {
	Reason frame.Reason
	Code   int    // for frame.NoShell: 126 or 127
	Detail string // for people
}

// Error gives reason and detail.
func (e *RefusedError) Error() string {
	if e.Detail == "" {
		return "the session host refuses: " + string(e.Reason)
	}
	return fmt.Sprintf("the session host refuses: %s: %s", e.Reason, e.Detail)
}

// Client is a connection to a host. Safe for use by several goroutines at once.
type Client struct {
	rwc      io.ReadWriteCloser
	instance string
	running  sync.WaitGroup // reader and writer
	done     chan struct{}  // closed when the connection has ended

	mu      sync.Mutex // guards the following
	err     error      // why it ended
	next    uint32
	answers map[uint32]chan frame.Message // by request; each takes one
	viewers map[uint32]*Viewer
	out     []byte // what waits to be written
	writes  uint64 // how often that was taken to be written
	changed sync.Cond
}

// Dial says hello over a connection and waits for the host's. It takes the connection over, also when it fails. *frame.VersionError, *RefusedError, *LostError or the context's error.
func Dial(ctx context.Context, rwc io.ReadWriteCloser) (*Client, error) {
	c := &Client{rwc: rwc, done: make(chan struct{}), answers: map[uint32]chan frame.Message{}, viewers: map[uint32]*Viewer{}}
	c.changed.L = &c.mu
	welcome := make(chan frame.Message, 1)
	c.answers[0] = welcome
	c.running.Go(c.read)
	c.running.Go(c.write)
	err := c.send(ctx, &frame.Hello{Version: frame.Version})
	if err == nil {
		var m frame.Message
		if m, err = c.wait(ctx, 0, welcome); err == nil {
			switch m := m.(type) {
			case *frame.Welcome:
				c.instance = m.Instance
				return c, nil
			case *frame.Refused:
				err = refused(m)
			}
		}
	}
	c.fail(ErrClosed)
	c.running.Wait()
	return nil, err
}

// Instance names the life of the host: two connections with the same have the same sessions behind them.
func (c *Client) Instance() string { return c.instance }

// Done is closed when the connection has ended; Err then says why.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err is nil as long as the connection is there, then ErrClosed or a *LostError.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection and returns when nothing of it runs any more. The sessions live on.
func (c *Client) Close() error {
	c.fail(ErrClosed)
	c.running.Wait()
	return nil
}

// End ends a tab's session, and returns when its process is gone; success when there is none.
func (c *Client) End(ctx context.Context, tab string) error {
	_, err := c.ask(ctx, func(id uint32) frame.Message { return &frame.End{Request: id, Tab: tab} })
	return err
}

// Rename gives a tab's session another name. *RefusedError with frame.NoTab or frame.NameTaken.
func (c *Client) Rename(ctx context.Context, tab, to string) error {
	_, err := c.ask(ctx, func(id uint32) frame.Message { return &frame.Rename{Request: id, Tab: tab, To: to} })
	return err
}

// List gives the tabs that run, and those that have exited and are kept.
func (c *Client) List(ctx context.Context) ([]frame.Tab, error) {
	m, err := c.ask(ctx, func(id uint32) frame.Message { return &frame.List{Request: id} })
	if err != nil {
		return nil, err
	}
	listed, ok := m.(*frame.Listed)
	if !ok {
		return nil, fmt.Errorf("session host: %T instead of a list", m)
	}
	return listed.Tabs, nil
}

// ask sends a request and gives its answer. *RefusedError for a no.
func (c *Client) ask(ctx context.Context, request func(id uint32) frame.Message) (frame.Message, error) {
	answer := make(chan frame.Message, 1)
	id, err := c.expect(answer)
	if err != nil {
		return nil, err
	}
	m := request(id)
	if err := frame.Check(m); err != nil {
		c.forget(id)
		return nil, &RefusedError{Reason: frame.BadRequest, Detail: err.Error()}
	}
	if err := c.send(ctx, m); err != nil {
		c.forget(id)
		return nil, err
	}
	got, err := c.wait(ctx, id, answer)
	if err != nil {
		return nil, err
	}
	if r, ok := got.(*frame.Refused); ok {
		return nil, refused(r)
	}
	return got, nil
}

func refused(m *frame.Refused) error {
	if m.Reason == frame.BadVersion {
		return &frame.VersionError{Theirs: m.Code}
	}
	return &RefusedError{Reason: m.Reason, Code: int(m.Code), Detail: m.Detail}
}

// expect gives a number for a request whose answer is to go there.
func (c *Client) expect(answer chan frame.Message) (uint32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	for {
		c.next++
		if _, used := c.answers[c.next]; !used && c.next != 0 && c.viewers[c.next] == nil {
			break
		}
	}
	c.answers[c.next] = answer
	return c.next, nil
}

func (c *Client) forget(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.answers, id)
}

func (c *Client) wait(ctx context.Context, id uint32, answer chan frame.Message) (frame.Message, error) {
	select {
	case m := <-answer:
		return m, nil
	case <-c.done:
		select {
		case m := <-answer: // it came before the end
			return m, nil
		default:
			return nil, c.Err()
		}
	case <-ctx.Done():
		c.forget(id)
		return nil, ctx.Err()
	}
}
