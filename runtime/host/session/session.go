// Package session is one tab: a process on a terminal, its output in a ring, what a terminal must be told before a replay, and its viewers, each with a cursor of its own.
//
// It imports runtime/host/ring, modes and frame. Processes are behind an interface; nothing here touches one. Read session.go first; viewer.go is who looks, flow.go who is waited for, resume.go what
// somebody who comes back is given.
//
// Locks: a session has one, and calls nothing of its users' under it but Wake and the Resize of its PTY, which must not block.
package session

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"podlife/runtime/host/frame"
	"podlife/runtime/host/modes"
	"podlife/runtime/host/ring"
)

// readSize is how much is read from a terminal at once, in bytes.
const readSize = 32 << 10

// Spec says which process is wanted.
type Spec struct {
	Tab        string
	Cols, Rows uint16 // of its terminal, before it starts
	Dir        string
	Env        []string
	Argv       []string // what is run in place of the user's shell; empty is the shell
}

// PTY is a process on a terminal of its own. Read and Write may be called at the same time.
type PTY interface {
	// Read gives output; any error is the end of it.
	io.Reader
	// Write types. It may take less than it is given.
	io.Writer
	// Resize sets the terminal's size, each 1 to 1000. It does not block.
	Resize(cols, rows uint16) error
	// Wait returns when the process has ended; called once.
	Wait() Exit
	// Hangup does what a terminal's end does to the processes on it; Kill ends the process and what is in front on its terminal. Both return at once and may come at any time.
	Hangup()
	Kill()
	// Close gives the terminal back; Read and Write return.
	Close() error
}

// Exit is how a process ended.
type Exit struct {
	Code   int    // 128 and the number for a signal
	Signal string // its name, such as SIGKILL, or empty
}

// Config has the bounds of a session. The zero value of a field means the default.
type Config struct {
	Ring     int           // bytes of output that are kept, 1 MiB
	Window   int           // bytes that a viewer may have unacknowledged, 512 KiB; at most half of Ring
	GoOn     int           // unacknowledged bytes at which a viewer that was full goes on, 128 KiB; less than Window
	Replay   int           // bytes of output that a picture is made of, 256 KiB
	Input    int           // bytes that may wait to be typed, 256 KiB
	EndGrace time.Duration // how long a process has after the hangup before it is killed, 200 ms
	Drain    time.Duration // how long output is still read after the process has ended, if its terminal stays open, 300 ms
}

// WithDefaults fills what is not set, and bounds what would not work.
func (c Config) WithDefaults() Config {
	set := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	set(&c.Ring, 1<<20)
	set(&c.Window, 512<<10)
	c.Window = max(1, min(c.Window, c.Ring/2))
	set(&c.GoOn, 128<<10)
	c.GoOn = min(c.GoOn, c.Window/4)
	set(&c.Replay, 256<<10)
	set(&c.Input, 256<<10)
	if c.EndGrace <= 0 {
		c.EndGrace = 200 * time.Millisecond
	}
	if c.Drain <= 0 {
		c.Drain = 300 * time.Millisecond
	}
	return c
}

// typed is something that a viewer typed.
type typed struct {
	by   *Viewer
	data []byte
}

// Session is a tab's process and its output. Safe for use by several goroutines at once.
type Session struct {
	Epoch   uint64 // no other session has it, ever: chosen at random
	Started time.Time

	config Config
	pty    PTY
	gone   chan struct{} // closed when the process has ended
	done   chan struct{} // closed when its output has too, and nothing of the session runs any more

	mu        sync.Mutex // guards the following
	tab       string
	ring      *ring.Ring
	modes     *modes.Tracker
	cuts      []cut
	viewers   map[*Viewer]struct{}
	size      size
	owner     *Viewer // who decides the size: typed last
	waiting   []typed
	queued    int // bytes in waiting
	lastInput time.Time
	ended     bool // the process has: its output is read whoever looks
	exited    bool // all its output is there
	exit      Exit
	stopped   bool // nothing is typed any more
	readable  sync.Cond
	typing    sync.Cond
}

// New takes a process that runs and gives its session, which reads and types from now on and ends by itself after the process.
func New(spec Spec, epoch uint64, pty PTY, c Config) *Session {
	c = c.WithDefaults()
	s := &Session{
		tab: spec.Tab, Epoch: epoch, Started: time.Now(), config: c, pty: pty, gone: make(chan struct{}), done: make(chan struct{}),
		ring: ring.New(c.Ring), modes: modes.New(int(spec.Rows)), viewers: map[*Viewer]struct{}{}, size: size{spec.Cols, spec.Rows},
	}
	s.readable.L, s.typing.L = &s.mu, &s.mu
	s.cuts = []cut{{0, s.modes.State()}}
	go s.live()
	return s
}

// live owns the session's goroutines: it ends when they have.
func (s *Session) live() {
	read := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(s.typeInput)
	go func() { s.readOutput(); close(read) }()

	exit := s.pty.Wait()
	s.mu.Lock()
	s.ended = true
	s.readable.Broadcast()
	s.mu.Unlock()
	close(s.gone)

	timer := time.NewTimer(s.config.Drain)
	select {
	case <-read:
	case <-timer.C: // somebody else has the terminal open
	}
	timer.Stop()
	_ = s.pty.Close() // the process is gone: there is nobody to tell
	<-read
	s.mu.Lock()
	s.exited, s.exit = true, exit
	s.stopTyping()
	s.wakeAll()
	s.mu.Unlock()
	writing.Wait()
	close(s.done)
}

// readOutput reads. What it has read is not output before somebody keeps up, or nobody looks; until then nothing more is read.
func (s *Session) readOutput() {
	b := make([]byte, readSize)
	for {
		n, err := s.pty.Read(b)
		if n > 0 {
			s.output(b[:n])
		}
		if err != nil {
			return
		}
	}
}

func (s *Session) output(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Here and not before the read, which may have begun when somebody kept up who has left since, or when nobody looked: who came back meanwhile, with the oldest byte that is there, would lose it.
	for !s.mayRead() { //model:guard Produce.notStalled
		s.readable.Wait()
	}
	s.ring.Append(b)
	s.modes.Feed(b)
	s.keepCut()
	s.stall()
	s.wakeAll()
}

// typeInput writes what was typed, in order, and all of it, however little the terminal takes at once.
func (s *Session) typeInput() {
	for {
		s.mu.Lock()
		for len(s.waiting) == 0 && !s.stopped {
			s.typing.Wait()
		}
		if s.stopped {
			s.mu.Unlock()
			return
		}
		t := s.waiting[0]
		s.waiting[0] = typed{}
		s.waiting = s.waiting[1:]
		s.mu.Unlock()
		err := writeAll(s.pty, t.data)
		s.mu.Lock()
		s.queued = max(0, s.queued-len(t.data))
		t.by.took(len(t.data)) // also what a terminal that is gone did not take: nobody is to wait for that
		if err != nil {
			s.stopTyping()
		}
		s.mu.Unlock()
	}
}

// stopTyping drops what waits to be typed, and lets nothing more be. s.mu is held.
func (s *Session) stopTyping() {
	for _, t := range s.waiting {
		t.by.took(len(t.data))
	}
	s.stopped, s.waiting, s.queued = true, nil, 0
	s.typing.Broadcast()
}

// writeAll writes until all is taken. Bug report B59: a short write is not the end.
func writeAll(w io.Writer, b []byte) error {
	for idle := 0; len(b) > 0; {
		n, err := w.Write(b)
		if err != nil && !errors.Is(err, io.ErrShortWrite) {
			return err
		}
		if idle++; n > 0 {
			idle = 0
		}
		if idle > 100 {
			return io.ErrNoProgress
		}
		b = b[n:]
	}
	return nil
}

// Gone is closed when the process has ended, Done when all its output is there and every goroutine of the session has ended. The session's viewers go on after that.
func (s *Session) Gone() <-chan struct{} { return s.gone }

// Done is closed after Gone: see there.
func (s *Session) Done() <-chan struct{} { return s.done }

// End hangs the terminal up, kills what is still there after the grace, and returns when the process is gone, or with the context's error.
func (s *Session) End(ctx context.Context) error { return s.EndWithin(ctx, s.config.EndGrace) }

// EndWithin is End with another grace.
func (s *Session) EndWithin(ctx context.Context, grace time.Duration) error {
	s.pty.Hangup()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-s.gone:
		return nil
	case <-timer.C:
	case <-ctx.Done():
	}
	s.pty.Kill()
	select {
	case <-s.gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Tab gives the session's name.
func (s *Session) Tab() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tab
}

// Rename gives it another.
func (s *Session) Rename(tab string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tab = tab
}

// Info is what a list says about a session.
func (s *Session) Info() frame.Tab {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := frame.Tab{
		Name: s.tab, Epoch: s.Epoch, Hi: s.ring.Hi(), Viewers: uint16(min(s.looking(), 1<<16-1)), Started: uint64(s.Started.UnixMilli()), Exited: s.exited, Code: uint16(s.exit.Code),
	}
	if !s.lastInput.IsZero() {
		t.LastInput = uint64(s.lastInput.UnixMilli())
	}
	return t
}
