package resume

import (
	"io"
	"net"
	"sync"
)

// wire is a connection between a client and a host, whose writers never wait. What the host says is held back when the driver asks for it.
type wire struct {
	up, down *stream // to the host, to the client
}

// stream is one direction.
type stream struct {
	mu      sync.Mutex // guards the following
	changed sync.Cond
	b       []byte
	held    bool
	closed  bool
}

func newStream() *stream {
	s := &stream{}
	s.changed.L = &s.mu
	return s
}

func (s *stream) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for (len(s.b) == 0 || s.held) && !s.closed {
		s.changed.Wait()
	}
	if s.closed {
		return 0, io.EOF
	}
	n := copy(b, s.b)
	s.b = s.b[n:]
	return n, nil
}

func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, net.ErrClosed
	}
	s.b = append(s.b, b...)
	s.changed.Broadcast()
	return len(b), nil
}

func (s *stream) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.changed.Broadcast()
}

// end is one end of a wire.
type end struct {
	io.Reader
	io.Writer
	wire wire
}

// Close breaks the wire, and with it what is under way.
func (e end) Close() error {
	for _, s := range []*stream{e.wire.up, e.wire.down} {
		s.set(func() { s.closed = true })
	}
	return nil
}

func newWire() (w wire, client, host io.ReadWriteCloser) {
	w = wire{newStream(), newStream()}
	return w, end{w.down, w.up, w}, end{w.up, w.down, w}
}

// hold keeps back what the host says from now on, release lets it go.
func (w wire) hold()    { w.down.set(func() { w.down.held = true }) }
func (w wire) release() { w.down.set(func() { w.down.held = false }) }
