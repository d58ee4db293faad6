package client

import (
	"context"
	"sync"

	"podlife/runtime/host/frame"
)

// MaxInput is how many bytes of a command's input may be on their way before the program has taken them.
const MaxInput = 256 << 10

// Run is what a program without a terminal is asked for; see frame.Run.
type Run struct {
	Argv []string
	Want frame.Marker
	Dir  string
	// Exactly says that Dir has to exist.
	Exactly bool
	Env     []string
}

// Command is a program that runs in the container, for as long as it is not closed and the connection is there. Its messages are taken by Next, by one goroutine at a time; Input and EOF are for one
// goroutine, everything else may be called from any.
type Command struct {
	v *Viewer

	mu    sync.Mutex // guards the following
	sent  uint64
	taken uint64
	over  bool
	moved chan struct{} // has an element when taken or over may have changed
}

// Run starts a program. *RefusedError for a no; the client's error when the connection has ended.
func (c *Client) Run(ctx context.Context, r Run) (*Command, error) {
	v, _, err := c.enter(ctx, func(id uint32) frame.Message {
		return &frame.Run{Request: id, Viewer: id, Want: r.Want, Argv: r.Argv, Dir: r.Dir, Exactly: r.Exactly, Env: r.Env}
	})
	if err != nil {
		return nil, err
	}
	return &Command{v: v, moved: make(chan struct{}, 1)}, nil
}

// Next gives the next *frame.Output, *frame.Errors or *frame.Exit, in their order, and the errors that [Viewer.Next] gives. What was dealt with is to be acknowledged.
func (m *Command) Next(ctx context.Context) (frame.Message, error) {
	for {
		got, err := m.v.Next(ctx)
		if err != nil {
			m.move(func() { m.over = true })
			return nil, err
		}
		switch got := got.(type) {
		case *frame.Taken:
			m.move(func() { m.taken = max(m.taken, got.Offset) })
		case *frame.Exit:
			m.move(func() { m.over = true })
			return got, nil
		default:
			return got, nil
		}
	}
}

func (m *Command) move(change func()) {
	m.mu.Lock()
	change()
	m.mu.Unlock()
	select {
	case m.moved <- struct{}{}:
	default:
	}
}

// room waits until some input may be sent, and gives how much. ErrClosed when the program has ended.
func (m *Command) room(ctx context.Context) (int, error) {
	for {
		m.mu.Lock()
		n, over := MaxInput-int(m.sent-m.taken), m.over
		m.mu.Unlock()
		switch {
		case over:
			return 0, ErrClosed
		case n > 0:
			return n, nil
		}
		select {
		case <-m.moved:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// Input gives the program something to read. It waits for a program that does not read, as long as somebody takes its messages by Next. ErrClosed when it has ended.
func (m *Command) Input(ctx context.Context, b []byte) error {
	for len(b) > 0 {
		n, err := m.room(ctx)
		if err != nil {
			return err
		}
		n = min(n, len(b), frame.MaxData)
		if err := m.v.client.send(ctx, &frame.Input{Viewer: m.v.id, Data: b[:n]}); err != nil {
			return err
		}
		m.mu.Lock()
		m.sent += uint64(n)
		m.mu.Unlock()
		b = b[n:]
	}
	return nil
}

// EOF ends the program's input. It does not wait.
func (m *Command) EOF() { m.v.client.post(m.v, "eof", &frame.EOF{Viewer: m.v.id}) }

// Signal sends the program, and what it has started in its group, a signal, by its name. It does not wait; of two of one name that the host has not been told yet, one is, as with the kernel's own.
func (m *Command) Signal(name string) {
	s := &frame.Signal{Viewer: m.v.id, Name: name}
	if frame.Check(s) == nil { // a longer name is no signal's
		m.v.client.post(m.v, "signal "+name, s)
	}
}

// Ack says that both outputs were dealt with up to an offset in both together. It does not wait.
func (m *Command) Ack(offset uint64) { m.v.Ack(offset) }

// Close ends the program, if it has not ended. Safe to call twice.
func (m *Command) Close() {
	m.v.Close()
	m.move(func() { m.over = true })
}
