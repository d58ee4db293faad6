package session

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"podlife/runtime/host/frame"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakePTY is a process that does what the test says.
type fakePTY struct {
	mu     sync.Mutex
	cond   sync.Cond
	out    []byte // written by the process, not read yet
	eof    bool
	closed bool
	take   int // how much Write takes at once; 0 is all, -1 is that it blocks
	typed  []byte
	sizes  []size
	exit   chan Exit
	hungup chan struct{}
	killed chan struct{}
	once   [2]sync.Once
}

func newFake() *fakePTY {
	f := &fakePTY{exit: make(chan Exit, 1), hungup: make(chan struct{}), killed: make(chan struct{})}
	f.cond.L = &f.mu
	return f
}

func (f *fakePTY) Read(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.out) == 0 && !f.eof && !f.closed {
		f.cond.Wait()
	}
	if len(f.out) == 0 || f.closed {
		return 0, io.EOF
	}
	n := copy(b, f.out)
	f.out = f.out[n:]
	f.cond.Broadcast()
	return n, nil
}

func (f *fakePTY) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.take < 0 && !f.closed {
		f.cond.Wait()
	}
	if f.closed {
		return 0, errors.New("closed")
	}
	n := len(b)
	if f.take > 0 {
		n = min(n, f.take)
	}
	f.typed = append(f.typed, b[:n]...)
	f.cond.Broadcast()
	return n, nil
}

func (f *fakePTY) Resize(cols, rows uint16) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sizes = append(f.sizes, size{cols, rows})
	return nil
}

func (f *fakePTY) Wait() Exit { return <-f.exit }
func (f *fakePTY) Hangup()    { f.once[0].Do(func() { close(f.hungup) }) }
func (f *fakePTY) Kill() {
	f.once[1].Do(func() {
		close(f.killed)
		f.end(Exit{Code: 137, Signal: "SIGKILL"})
	})
}

func (f *fakePTY) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.cond.Broadcast()
	return nil
}

func (f *fakePTY) write(b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.out = append(f.out, b...)
	f.cond.Broadcast()
}

// end ends the process, after its output.
func (f *fakePTY) end(e Exit) {
	f.mu.Lock()
	f.eof = true
	f.cond.Broadcast()
	f.mu.Unlock()
	f.exit <- e
}

func (f *fakePTY) left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.out)
}

func (f *fakePTY) all() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.Clone(f.typed)
}

// watcher is a viewer with what it was told. It pulls by itself only when asked to.
type watcher struct {
	*Viewer
	epoch    uint64
	from     uint64 // where its bytes begin in the stream
	got      []byte // since the last reset
	picture  []byte
	resets   int
	open     *frame.Opened
	exit     *frame.Exit
	size     *frame.Size
	refused  []frame.Reason
	inReset  bool
	messages int
}

func look(s *Session, o Opening) *watcher {
	if o.Wake == nil {
		o.Wake = func() {}
	}
	w := &watcher{}
	w.Viewer = s.Open(o)
	return w
}

// pull takes at most n messages and says what of the protocol they break.
func (w *watcher) pull(n int) error {
	buf := make([]byte, frame.MaxData)
	for range n {
		m := w.Next(buf)
		if m == nil {
			return nil
		}
		w.messages++
		if err := frame.Check(m); err != nil {
			return err
		}
		if w.exit != nil {
			return errors.New("something after the exit")
		}
		switch m := m.(type) {
		case *frame.Opened:
			if w.open != nil {
				return errors.New("opened twice")
			}
			w.open, w.epoch, w.from = m, m.Epoch, m.From
			w.inReset = m.Reset
		case *frame.Reset:
			if m.First {
				w.resets++
				w.picture = nil
			} else if !w.inReset {
				return errors.New("a piece of a picture that has no beginning")
			}
			w.picture = append(w.picture, m.Data...)
			w.from, w.got, w.inReset = m.From, nil, !m.Last
		case *frame.Output:
			if w.open == nil || w.inReset {
				return errors.New("output before its time")
			}
			if m.Offset != w.from+uint64(len(w.got)) {
				return errors.New("output is lost or doubled")
			}
			w.got = append(w.got, m.Data...)
		case *frame.Exit:
			if m.At != w.have() {
				return errors.New("the exit before the last output")
			}
			w.exit = m
		case *frame.Size:
			w.size = m
		case *frame.Refused:
			w.refused = append(w.refused, m.Reason)
		}
	}
	return nil
}

// have is the offset up to which it has the output.
func (w *watcher) have() uint64 { return w.from + uint64(len(w.got)) }

func (f *fakePTY) resized() []size {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sizes)
}
