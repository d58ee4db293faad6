package host

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"podlife/runtime/host/frame"
)

const (
	// maxControl bounds the answers that wait to be written; nothing more is read from who does not take them.
	maxControl = 256
	// maxOpening bounds the requests of one connection that are being worked on.
	maxOpening = 256
	// lastWords is how long the reason for an end may take to be written.
	lastWords = 100 * time.Millisecond
	// batch is how much is gathered for one write, in bytes, at least, if there is so much.
	batch = 64 << 10
)

// conn is one connection: a reader, a writer, and a goroutine for each request that may take long.
type conn struct {
	host     *Host
	rwc      io.ReadWriteCloser // set once more when it is admitted, before it is served; close takes it under the lock
	since    time.Time
	greeted  atomic.Bool
	ctx      context.Context // ends with the connection
	cancel   context.CancelFunc
	requests sync.WaitGroup
	working  chan struct{} // one element for each request that is being worked on

	mu      sync.Mutex // guards the following
	changed sync.Cond
	control []frame.Message
	ready   []*looker // who may have something to be told, each once
	lookers map[uint32]*looker
	ending  bool // what is in control is written, and then no more
	closed  bool
}

// looker is a viewer as its connection knows it.
type looker struct {
	id   uint32
	done func() // gives its place back

	// guarded by the connection's lock
	queued  bool // it is in ready
	left    bool
	viewer  talker // nil while it is being opened
	pace    pace
	resting bool // its output streams, and is gathered for a moment
	due     bool // it was marked while it rested
}

// talker is who has something to say over a connection, and is told: a viewer of a session, or a command.
type talker interface {
	Next(buf []byte) frame.Message
	Input([]byte)
	Resize(cols, rows uint16)
	Ack(offset uint64)
	Close()
}

func newConn(h *Host, rwc io.ReadWriteCloser) *conn {
	c := &conn{host: h, rwc: rwc, since: time.Now(), working: make(chan struct{}, maxOpening), lookers: map[uint32]*looker{}}
	c.changed.L = &c.mu
	c.ctx, c.cancel = context.WithCancel(h.ctx)
	return c
}

// admitted puts what is served in the place of what connected. False if the connection was closed meanwhile: then that is too.
func (c *conn) admitted(rwc io.ReadWriteCloser) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		_ = rwc.Close() // nobody was served
		return false
	}
	c.rwc = rwc
	return true
}

// serve returns when the connection has ended, and nothing of it runs any more.
func (c *conn) serve() {
	var writer sync.WaitGroup
	writer.Go(c.write)
	err := c.read()
	c.mu.Lock()
	if m := lastWord(err); m != nil {
		c.control = append(c.control, m)
	}
	c.ending = true
	c.changed.Broadcast()
	c.mu.Unlock()
	c.cancel()
	timer := time.AfterFunc(lastWords, c.close)
	writer.Wait()
	timer.Stop()
	c.close()
	c.requests.Wait()
	for _, l := range c.all() {
		c.leave(l)
	}
}

// lastWord is what the other side is told of the end of a connection, if it is its own fault.
func lastWord(err error) frame.Message {
	var version *frame.VersionError
	var long *frame.TooLongError
	switch {
	case errors.As(err, &version):
		return &frame.Refused{Reason: frame.BadVersion, Code: frame.Version, Detail: err.Error()}
	case errors.As(err, &long), errors.Is(err, frame.ErrMalformed):
		return &frame.Refused{Reason: frame.BadRequest, Detail: err.Error()}
	}
	return nil
}

// close ends the connection; safe to call twice and from any goroutine.
func (c *conn) close() {
	c.mu.Lock()
	c.closed = true
	rwc := c.rwc
	c.changed.Broadcast()
	c.mu.Unlock()
	c.cancel()
	_ = rwc.Close() // it is over either way
}

func (c *conn) all() []*looker {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]*looker, 0, len(c.lookers))
	for _, l := range c.lookers {
		all = append(all, l)
	}
	return all
}

// read takes messages until the connection ends. The error says how: what the other side did wrong, or what the connection says.
func (c *conn) read() error {
	r := frame.NewReader(bufio.NewReaderSize(c.rwc, frame.MaxData), frame.MaxServerFrame)
	m, err := r.Next()
	if err != nil {
		return err
	}
	hello, ok := m.(*frame.Hello)
	if !ok {
		return frame.ErrMalformed
	}
	if hello.Version != frame.Version {
		return &frame.VersionError{Theirs: hello.Version}
	}
	c.greeted.Store(true)
	c.say(&frame.Welcome{Version: frame.Version, Instance: c.host.instance})
	for {
		m, err := r.Next()
		if err != nil {
			return err
		}
		if err := c.take(m); err != nil {
			return err
		}
	}
}

// take does what a message asks for. What may take long is done in a goroutine of its own, so that nobody's keys wait for it.
func (c *conn) take(m frame.Message) error {
	switch m := m.(type) {
	case *frame.Open:
		return c.let(m.Request, m.Viewer, func(l *looker) { c.open(m, l) })
	case *frame.Follow:
		return c.let(m.Request, m.Viewer, func(l *looker) { c.follow(m, l) })
	case *frame.Run:
		return c.let(m.Request, m.Viewer, func(l *looker) { c.run(m, l) })
	case *frame.EOF:
		if p := c.command(m.Viewer); p != nil {
			p.EOF()
		}
	case *frame.Signal:
		if p := c.command(m.Viewer); p != nil {
			p.Signal(m.Name)
		}
	case *frame.End:
		return c.work(func() { c.end(m) })
	case *frame.Rename:
		return c.work(func() { c.rename(m) })
	case *frame.List:
		c.say(&frame.Listed{Request: m.Request, Tabs: c.host.Tabs()})
	case *frame.Input:
		if v := c.viewer(m.Viewer); v != nil {
			v.Input(m.Data)
		}
	case *frame.Resize:
		if v := c.viewer(m.Viewer); v != nil {
			v.Resize(m.Cols, m.Rows)
		}
	case *frame.Ack:
		if v := c.viewer(m.Viewer); v != nil {
			v.Ack(m.Offset)
		}
	case *frame.Close:
		c.mu.Lock()
		l := c.lookers[m.Viewer]
		c.mu.Unlock()
		if l != nil {
			c.leave(l)
		}
	default: // a message of a host's
		return frame.ErrMalformed
	}
	return nil
}

// let gives somebody a number, and then lets them in, which may take long. The number is taken here, so that what comes next on the connection finds it.
func (c *conn) let(request, viewer uint32, in func(*looker)) error {
	l := &looker{id: viewer}
	if err := c.admit(l); err != nil {
		return c.work(func() { c.refuse(request, viewer, err) })
	}
	return c.work(func() { in(l) })
}

// work runs f in a goroutine of the connection's. Where too many are being worked on it waits.
func (c *conn) work(f func()) error {
	select {
	case c.working <- struct{}{}:
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	c.requests.Go(func() {
		defer func() { <-c.working }()
		f()
	})
	return nil
}

// viewer gives the viewer with a number, nil if there is none, or not yet.
func (c *conn) viewer(id uint32) talker {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.lookers[id]; l != nil {
		return l.viewer
	}
	return nil
}

// write is the one that writes to the connection.
func (c *conn) write() {
	out, buf := make([]byte, 0, 2*batch), make([]byte, frame.MaxData)
	for {
		control, ok := c.await()
		if !ok {
			return
		}
		out = out[:0]
		for _, m := range control {
			out = frame.Append(out, m)
		}
		for len(out) < batch {
			l, v := c.next()
			if l == nil {
				break
			}
			if v == nil { // it is being opened, and is marked again then
				continue
			}
			if m := v.Next(buf); m != nil {
				out = frame.Append(out, m)
				c.told(l, m)
			}
		}
		if len(out) == 0 {
			continue
		}
		if _, err := c.rwc.Write(out); err != nil {
			c.close()
			return
		}
	}
}

// await waits for something to write, and gives the answers of it. False when there will be nothing more.
func (c *conn) await() ([]frame.Message, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.control) == 0 && len(c.ready) == 0 && !c.ending && !c.closed {
		c.changed.Wait()
	}
	if c.closed || c.ending && len(c.control) == 0 {
		return nil, false
	}
	control := c.control
	c.control = nil
	c.changed.Broadcast()
	return control, true
}

// next gives the next viewer that may have something, nil if there is none.
func (c *conn) next() (*looker, talker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ready) == 0 {
		return nil, nil
	}
	l := c.ready[0]
	c.ready = c.ready[1:]
	l.queued = false
	return l, l.viewer
}

// mark says that a viewer may have something.
func (c *conn) mark(l *looker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.resting {
		l.due = true
		return
	}
	if !l.queued && !l.left {
		l.queued = true
		c.ready = append(c.ready, l)
		c.changed.Broadcast()
	}
}

// say queues an answer. It waits while too many are not written.
func (c *conn) say(m frame.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.control) >= maxControl && !c.closed && !c.ending {
		c.changed.Wait()
	}
	if !c.closed && !c.ending {
		c.control = append(c.control, m)
		c.changed.Broadcast()
	}
}
