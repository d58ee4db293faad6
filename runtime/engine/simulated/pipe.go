package simulated

import (
	"io"
	"sync"
)

// pipeSize is how much a writer may be ahead of the reader, as with a socket.
const pipeSize = 64 << 10

// pipe is one direction of a process's streams: a bounded buffer with an end on each side.
type pipe struct {
	mu       sync.Mutex // guards the following
	buf      []byte
	eof      bool          // nothing more will be written
	discard  bool          // nobody will read: writes succeed and are dropped
	frozen   bool          // the program's side is suspended
	inside   bool          // the program reads it; else it writes it
	readErr  error         // ends reading at once, whatever is in the buffer
	writeErr error         // ends writing at once
	changed  chan struct{} // closed and made anew at each change
}

func newPipe(inside bool) *pipe { return &pipe{inside: inside, changed: make(chan struct{})} }

// update changes the pipe and wakes whoever waits for a change.
func (p *pipe) update(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	close(p.changed)
	p.changed = make(chan struct{})
}

// try does a step if it can be done now, or gives the channel to wait on.
func (p *pipe) try(step func() (done bool)) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !step() {
		return p.changed
	}
	close(p.changed)
	p.changed = make(chan struct{})
	return nil
}

// Read blocks for the next bytes.
func (p *pipe) Read(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	for {
		wait := p.try(func() bool {
			switch {
			case p.readErr != nil:
				err = p.readErr
			case p.frozen && p.inside:
				return false
			case len(p.buf) > 0:
				n = copy(b, p.buf)
				p.buf = p.buf[n:]
			case p.eof:
				err = io.EOF
			default:
				return false
			}
			return true
		})
		if wait == nil {
			return n, err
		}
		<-wait
	}
}

// Write blocks until all bytes are in the buffer.
func (p *pipe) Write(b []byte) (n int, err error) {
	for {
		done := false
		wait := p.try(func() bool {
			switch {
			case p.writeErr != nil:
				err, done = p.writeErr, true
			case p.eof:
				err, done = io.ErrClosedPipe, true
			case p.frozen && !p.inside:
				return false
			case p.discard || len(b) == n:
				n, done = len(b), true
			case len(p.buf) < pipeSize:
				m := min(len(b)-n, pipeSize-len(p.buf))
				p.buf = append(p.buf, b[n:n+m]...)
				n += m
				done = n == len(b)
			default:
				return false
			}
			return true
		})
		if done {
			return n, err
		}
		if wait != nil {
			<-wait
		}
	}
}
