// Package host is the session host: what owns the terminals of one container. It listens inside the container, serves any number of connections, each of which carries many terminals, and lives as long as
// the container does; servers come and go.
//
// It imports the packages in its own folder and nothing else of the project: the check of the marker, and what a shell is, are given to it. Read host.go first, then tabs.go (which sessions there are),
// conn.go (one connection) and peer.go (who may connect); run.go (programs without a terminal); relay.go is the other end of the socket. The packages inside: ring, vt and modes are pure; session is one tab; command a program without a terminal; process is real terminals; frame is
// the protocol, and client its other side.
package host

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"podlife/runtime/host/command"
	"podlife/runtime/host/frame"
	"podlife/runtime/host/session"
)

// Config is what a host is made of. The zero value of a bound means the default.
type Config struct {
	Session     session.Config
	Command     command.Config
	Sessions    int           // that run, at most: 64
	Memory      int           // bytes for the output of all sessions, also of those that have exited: 64 MiB
	Viewers     int           // of all sessions, and commands: 256
	Commands    int           // that run: 64
	Connections int           // 16; a new one ends the oldest of those that never said hello
	Finished    int           // sessions that have exited and are kept for those who were away: 16
	FinishedFor time.Duration // and how long: 10 minutes
	StopGrace   time.Duration // how long processes have after the hangup when the host stops: 100 ms

	// Check says why no shell may be opened for what the marker has to vouch for; empty if one may. It is asked for every Open, in this process, right before the session is looked up or started.
	Check func(frame.Marker) frame.Reason
	// Start starts a tab's process. *process.NoShellError, or anything with a method ShellCode() int, is told as no_shell with that code.
	Start func(context.Context, session.Spec) (session.PTY, error)
	// Run starts a program without a terminal; nil: there are none. Errors as those of Start, told as no_command.
	Run func(context.Context, command.Spec) (command.Process, error)
	// Epoch gives a number that no session ever had; nil is a random one of 64 bits.
	Epoch func() uint64
}

func (c Config) withDefaults() Config {
	set := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	c.Session = c.Session.WithDefaults()
	set(&c.Sessions, 64)
	set(&c.Memory, 64<<20)
	set(&c.Viewers, 256)
	set(&c.Commands, 64)
	set(&c.Connections, 16)
	set(&c.Finished, 16)
	if c.FinishedFor <= 0 {
		c.FinishedFor = 10 * time.Minute
	}
	if c.StopGrace <= 0 {
		c.StopGrace = 100 * time.Millisecond
	}
	if c.Epoch == nil {
		c.Epoch = random
	}
	return c
}

// random gives 64 bits by chance, never 0. That two of a container's sessions, or of a tab's incarnations, come out equal will not be seen.
func random() uint64 {
	for {
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails
		if n := binary.BigEndian.Uint64(b[:]); n != 0 {
			return n
		}
	}
}

// Host owns the sessions and the connections of a container. Stop ends it.
type Host struct {
	config   Config
	instance string
	tabs     *tabs
	ctx      context.Context // ends when the host stops
	cancel   context.CancelFunc

	mu       sync.Mutex // guards the following
	conns    map[*conn]struct{}
	viewers  int
	commands int
	stopping bool
	serving  sync.WaitGroup // connections, and commands until they have ended
}

// New gives a host that serves nobody yet.
func New(c Config) *Host {
	var id [8]byte
	_, _ = rand.Read(id[:])
	h := &Host{config: c.withDefaults(), instance: hex.EncodeToString(id[:]), conns: map[*conn]struct{}{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.tabs = newTabs(h.ctx, h.config)
	return h
}

// acceptPause is how long a listener that cannot accept is left alone.
const acceptPause = 100 * time.Millisecond

// Admit says whether one who has connected may speak at all, and gives what is served then; its Close closes the connection too.
type Admit func(net.Conn) (io.ReadWriteCloser, error)

// Serve accepts connections until the listener is closed, which Stop does not do. admit is asked in the connection's own goroutine; nil admits all.
// The error is that of a listener that cannot accept when the host stops, nil when it was closed.
func (h *Host) Serve(l net.Listener, admit Admit) error {
	for {
		c, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case err != nil:
			// Too many files are open, or whoever came has gone: the sessions must not end for that.
			select {
			case <-time.After(acceptPause):
				continue
			case <-h.ctx.Done():
				return err
			}
		}
		if !h.serve(c, func() (io.ReadWriteCloser, error) {
			if admit == nil {
				return c, nil
			}
			return admit(c)
		}) {
			c.Close()
		}
	}
}

// Connect serves one connection in a goroutine of the host's, until it breaks, is closed or the host stops. False if the host is stopping or has no room: then it is closed.
func (h *Host) Connect(rwc io.ReadWriteCloser) bool {
	ok := h.serve(rwc, func() (io.ReadWriteCloser, error) { return rwc, nil })
	if !ok {
		rwc.Close()
	}
	return ok
}

func (h *Host) serve(rwc io.ReadWriteCloser, admit func() (io.ReadWriteCloser, error)) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopping || len(h.conns) >= h.config.Connections && !h.makeRoom() {
		return false
	}
	c := newConn(h, rwc)
	h.conns[c] = struct{}{}
	h.serving.Go(func() {
		if served, err := admit(); err == nil && c.admitted(served) {
			c.serve()
		}
		c.close()
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.conns, c)
	})
	return true
}

// makeRoom ends the connection that has been open the longest without a hello. Those that have said it stay: no connection is able to end another.
func (h *Host) makeRoom() bool {
	var oldest *conn
	for c := range h.conns {
		if !c.greeted.Load() && (oldest == nil || c.since.Before(oldest.since)) {
			oldest = c
		}
	}
	if oldest == nil {
		return false
	}
	oldest.close()
	return true
}

// takeViewer makes room for one more; done gives it back.
func (h *Host) takeViewer() (done func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.viewers >= h.config.Viewers {
		return nil, false
	}
	h.viewers++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.viewers--
	}, true
}

// Tabs gives what List does.
func (h *Host) Tabs() []frame.Tab { return h.tabs.list() }

// Stop hangs all terminals up, kills what does not heed it, closes the connections, and returns when nothing of the host runs any more, or with the context's error.
func (h *Host) Stop(ctx context.Context) error {
	h.mu.Lock()
	h.stopping = true
	h.mu.Unlock()
	err := h.tabs.stop(ctx, h.config.StopGrace)
	h.cancel()
	h.mu.Lock()
	for c := range h.conns {
		c.close()
	}
	h.mu.Unlock()
	done := make(chan struct{})
	go func() { // ends when the connections and the sessions have: they were all told to
		h.serving.Wait()
		h.tabs.wait()
		close(done)
	}()
	select {
	case <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
