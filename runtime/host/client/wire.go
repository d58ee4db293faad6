package client

import (
	"bufio"
	"context"

	"podlife/runtime/host/frame"
)

// send queues a message. It waits while too much is not written yet.
func (c *Client) send(ctx context.Context, m frame.Message) error {
	defer context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	})()
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.out) >= maxOut && c.err == nil && ctx.Err() == nil {
		c.changed.Wait()
	}
	switch {
	case c.err != nil:
		return c.err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	c.out = frame.Append(c.out, m)
	c.changed.Broadcast()
	return nil
}

// maxKinds is with how many small messages of one viewer waiting to be written another signal is not told: so many signals there are not, so it has no signal's name.
const maxKinds = 80

// place is where in what waits to be written a viewer's message of some kind is, if it is still in there.
type place struct {
	writes  uint64
	from, n int
}

// post queues a viewer's small message without waiting, for those who must not. One of the same kind that still waits gives way to it, so that it is no matter how often they are said to a host that takes nothing.
// On a connection that has ended it is lost, as everything is.
func (c *Client) post(v *Viewer, kind string, m frame.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	if p, ok := v.posted[kind]; ok && p.writes == c.writes {
		if b := frame.Append(nil, m); len(b) == p.n {
			copy(c.out[p.from:], b)
			return
		}
	}
	for kind, p := range v.posted {
		if p.writes != c.writes {
			delete(v.posted, kind)
		}
	}
	if _, signal := m.(*frame.Signal); signal && len(v.posted) >= maxKinds {
		return
	}
	from := len(c.out)
	c.out = frame.Append(c.out, m)
	v.posted[kind] = place{c.writes, from, len(c.out) - from}
	c.changed.Broadcast()
}

// write is the one that writes to the connection.
func (c *Client) write() {
	var b []byte
	for {
		c.mu.Lock()
		for len(c.out) == 0 && c.err == nil {
			c.changed.Wait()
		}
		if c.err != nil {
			c.mu.Unlock()
			return
		}
		b, c.out = c.out, b[:0]
		c.writes++
		c.changed.Broadcast()
		c.mu.Unlock()
		if _, err := c.rwc.Write(b); err != nil {
			c.fail(&LostError{err})
			return
		}
	}
}

// read takes what the host says, and gives it to whom it is for.
func (c *Client) read() {
	r := frame.NewReader(bufio.NewReaderSize(c.rwc, 2*frame.MaxData), frame.MaxFrame)
	for {
		m, err := r.Next()
		if err == nil {
			err = c.take(m)
		}
		if err != nil {
			c.fail(&LostError{err})
			return
		}
	}
}

func (c *Client) take(m frame.Message) error {
	switch m := m.(type) {
	case *frame.Welcome:
		c.answer(0, m)
	case *frame.Opened:
		c.answer(m.Request, m)
	case *frame.Ran:
		c.answer(m.Request, m)
	case *frame.Listed:
		c.answer(m.Request, m)
	case *frame.Ended:
		c.answer(m.Request, m)
	case *frame.Refused:
		switch {
		case m.Request != 0:
			c.answer(m.Request, m)
		case m.Viewer != 0:
			c.give(m.Viewer, m)
		case !c.answer(0, m): // it is the connection that is refused
			return refused(m)
		}
	case *frame.Output:
		m.Data = append([]byte(nil), m.Data...)
		c.give(m.Viewer, m)
	case *frame.Reset:
		m.Data = append([]byte(nil), m.Data...)
		c.give(m.Viewer, m)
	case *frame.Errors:
		m.Data = append([]byte(nil), m.Data...)
		c.give(m.Viewer, m)
	case *frame.Taken:
		c.give(m.Viewer, m)
	case *frame.Size:
		c.give(m.Viewer, m)
	case *frame.Exit:
		c.give(m.Viewer, m)
	default: // a message of a server's
		return frame.ErrMalformed
	}
	return nil
}

// answer gives a message to who asked. False if nobody waits for it any more.
func (c *Client) answer(request uint32, m frame.Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	answer, ok := c.answers[request]
	if ok {
		delete(c.answers, request)
		answer <- m // it has room for the one
	}
	return ok
}

// give puts a message into a viewer's queue; that of one who has left is dropped.
func (c *Client) give(viewer uint32, m frame.Message) {
	c.mu.Lock()
	v := c.viewers[viewer]
	c.mu.Unlock()
	if v != nil {
		v.push(m)
	}
}

// fail ends the connection; the first reason counts.
func (c *Client) fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	viewers := c.viewers
	c.viewers = map[uint32]*Viewer{}
	c.changed.Broadcast()
	close(c.done)
	c.mu.Unlock()
	_ = c.rwc.Close() // it is over either way
	for _, v := range viewers {
		v.end(err)
	}
}
