package client

import (
	"context"
	"errors"
	"sync"

	"podlife/runtime/host/frame"
)

// maxQueue bounds what waits for one viewer, in bytes: far more than the host sends to one that does not acknowledge, a window and a picture. A program that writes a byte at a time to its two outputs in turn is told piece by piece; the
// host makes no more than command.MaxPieces of what waits there.
const maxQueue = 16 << 20

// ErrOverrun says that the host sent a viewer more than it may. The viewer has ended.
var ErrOverrun = errors.New("session host: more than the window was sent")

// Open is what a terminal asks for; see frame.Open.
type Open struct {
	Tab        string
	Want       frame.Marker
	Cols, Rows uint16
	Dir        string
	Env        []string
	Argv       []string // see frame.Open
	Epoch      uint64
	Have       uint64
	ReadOnly   bool
}

// Viewer is a terminal that looks at a session. Its messages are taken by Next, by one goroutine at a time; everything else may be called from any.
type Viewer struct {
	client *Client
	id     uint32
	opened frame.Opened
	posted map[string]place // by the kind of message; guarded by the client's lock

	mu    sync.Mutex // guards the following
	queue []frame.Message
	size  int // bytes in queue
	err   error
	ready chan struct{} // has an element when queue or err may have changed
}

// Open opens a terminal, and starts its tab's process if there is none. *RefusedError for a no; the client's error when the connection has ended.
func (c *Client) Open(ctx context.Context, o Open) (*Viewer, error) {
	return c.opened(ctx, func(id uint32) frame.Message {
		return &frame.Open{
			Request: id, Viewer: id, Tab: o.Tab, Want: o.Want, Cols: o.Cols, Rows: o.Rows, Dir: o.Dir, Env: o.Env, Argv: o.Argv, Epoch: o.Epoch, Have: o.Have, ReadOnly: o.ReadOnly,
		}
	})
}

// Follow opens a viewer that does not count on the session of an epoch; see frame.Follow. Errors as those of Open.
func (c *Client) Follow(ctx context.Context, want frame.Marker, epoch, have uint64) (*Viewer, error) {
	return c.opened(ctx, func(id uint32) frame.Message {
		return &frame.Follow{Request: id, Viewer: id, Want: want, Epoch: epoch, Have: have}
	})
}

// opened asks for a viewer and waits for Opened.
func (c *Client) opened(ctx context.Context, request func(id uint32) frame.Message) (*Viewer, error) {
	v, got, err := c.enter(ctx, request)
	if err != nil {
		return nil, err
	}
	opened, ok := got.(*frame.Opened)
	if !ok {
		v.Close()
		return nil, frame.ErrMalformed
	}
	v.opened = *opened
	return v, nil
}

// enter asks for something that has a number from then on, and gives it with the answer. *RefusedError for a no.
func (c *Client) enter(ctx context.Context, request func(id uint32) frame.Message) (*Viewer, frame.Message, error) {
	answer := make(chan frame.Message, 1)
	id, err := c.expect(answer)
	if err != nil {
		return nil, nil, err
	}
	v := &Viewer{client: c, id: id, posted: map[string]place{}, ready: make(chan struct{}, 1)}
	m := request(id)
	if err := frame.Check(m); err != nil {
		c.forget(id)
		return nil, nil, &RefusedError{Reason: frame.BadRequest, Detail: err.Error()}
	}
	c.mu.Lock()
	c.viewers[id] = v
	c.mu.Unlock()
	if err := c.send(ctx, m); err != nil {
		c.forget(id)
		v.forgotten()
		return nil, nil, err
	}
	got, err := c.wait(ctx, id, answer)
	if err != nil {
		v.Close() // also when it is not open yet: the host lets it go then
		return nil, nil, err
	}
	if r, ok := got.(*frame.Refused); ok {
		v.forgotten()
		return nil, nil, refused(r)
	}
	return v, got, nil
}

// Opened says what the viewer was let into.
func (v *Viewer) Opened() frame.Opened { return v.opened }

// ID is the viewer's number, which frame.Size has as By when it decided.
func (v *Viewer) ID() uint32 { return v.id }

// Next gives the next *frame.Output, *frame.Reset, *frame.Size, *frame.Taken, *frame.Exit, or *frame.Refused for input that was not taken, in the order in which the host said them. After what came before the end,
// ErrClosed, ErrOverrun or the client's error; or the context's.
func (v *Viewer) Next(ctx context.Context) (frame.Message, error) {
	for {
		v.mu.Lock()
		if len(v.queue) > 0 {
			m := v.queue[0]
			v.queue[0] = nil
			v.queue = v.queue[1:]
			v.size -= weight(m)
			v.mu.Unlock()
			return m, nil
		}
		err := v.err
		v.mu.Unlock()
		if err != nil {
			return nil, err
		}
		select {
		case <-v.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Input types, in order, in as many messages as it takes. Whether the program took it is told by Next if it did not.
func (v *Viewer) Input(ctx context.Context, b []byte) error {
	for len(b) > 0 {
		n := min(len(b), frame.MaxData)
		if err := v.client.send(ctx, &frame.Input{Viewer: v.id, Data: b[:n]}); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// Resize says that the viewer's window has another size. It does not wait.
func (v *Viewer) Resize(cols, rows uint16) {
	v.client.post(v, "resize", &frame.Resize{Viewer: v.id, Cols: cols, Rows: rows})
}

// Ack says that the viewer has dealt with the output up to an offset. It does not wait. Who never acknowledges is sent a window's worth and no more.
func (v *Viewer) Ack(offset uint64) {
	v.client.post(v, "ack", &frame.Ack{Viewer: v.id, Offset: offset})
}

// Close lets the viewer leave; the session lives on. Safe to call twice.
func (v *Viewer) Close() {
	if v.forgotten() {
		v.client.post(v, "close", &frame.Close{Viewer: v.id})
	}
	v.end(ErrClosed)
}

// forgotten takes the viewer out of its client. False if it was not there any more.
func (v *Viewer) forgotten() bool {
	v.client.mu.Lock()
	defer v.client.mu.Unlock()
	if v.client.viewers[v.id] != v {
		return false
	}
	delete(v.client.viewers, v.id)
	return true
}

func weight(m frame.Message) int {
	const each = 128
	switch m := m.(type) {
	case *frame.Output:
		return each + len(m.Data)
	case *frame.Reset:
		return each + len(m.Data)
	case *frame.Errors:
		return each + len(m.Data)
	}
	return each
}

func (v *Viewer) push(m frame.Message) {
	v.mu.Lock()
	over := false
	if v.err == nil && !v.joined(m) {
		if over = v.size+weight(m) > maxQueue; !over {
			v.queue = append(v.queue, m)
			v.size += weight(m)
		}
	}
	v.mu.Unlock()
	if over {
		if v.forgotten() {
			v.client.post(v, "close", &frame.Close{Viewer: v.id})
		}
		v.end(ErrOverrun)
		return
	}
	v.poke()
}

// joined adds an output to the one before it that still waits, so that many small ones take no more room than one.
func (v *Viewer) joined(m frame.Message) bool {
	if len(v.queue) == 0 {
		return false
	}
	last := v.queue[len(v.queue)-1]
	switch next := m.(type) {
	case *frame.Output:
		if last, ok := last.(*frame.Output); ok && fits(last.Offset, last.Data, next.Offset, next.Data) {
			last.Data = append(last.Data, next.Data...)
			v.size += len(next.Data)
			return true
		}
	case *frame.Errors:
		if last, ok := last.(*frame.Errors); ok && fits(last.Offset, last.Data, next.Offset, next.Data) {
			last.Data = append(last.Data, next.Data...)
			v.size += len(next.Data)
			return true
		}
	case *frame.Taken:
		if last, ok := last.(*frame.Taken); ok {
			last.Offset = max(last.Offset, next.Offset)
			return true
		}
	}
	return false
}

// fits says whether what comes next can be told in one message with what came last.
func fits(at uint64, last []byte, from uint64, next []byte) bool {
	return at+uint64(len(last)) == from && len(last)+len(next) <= frame.MaxData
}

// end ends the viewer; the first reason counts.
func (v *Viewer) end(err error) {
	v.mu.Lock()
	if v.err == nil {
		v.err = err
	}
	v.mu.Unlock()
	v.poke()
}

func (v *Viewer) poke() {
	select {
	case v.ready <- struct{}{}:
	default:
	}
}
