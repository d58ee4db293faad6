package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// tty is the local terminal, or its absence.
type tty struct {
	raw     bool // standard input is a terminal, in raw mode
	sizeOf  *os.File
	resized chan os.Signal // the window changed; nil without a terminal
	undo    func()
}

// openTTY puts a terminal on stdin into raw mode and listens for changes of its size. Either file may be nil, or no terminal.
func openTTY(stdin, stdout *os.File) (*tty, error) {
	t := &tty{undo: func() {}}
	for _, f := range []*os.File{stdout, stdin} {
		if f != nil && t.sizeOf == nil && term.IsTerminal(int(f.Fd())) {
			t.sizeOf = f
		}
	}
	if stdin == nil || !term.IsTerminal(int(stdin.Fd())) {
		return t, nil
	}
	fd := int(stdin.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	t.raw = true
	t.resized = make(chan os.Signal, 1)
	signal.Notify(t.resized, unix.SIGWINCH)
	t.undo = func() {
		signal.Stop(t.resized)
		_ = term.Restore(fd, before) // a terminal that is gone needs nothing
	}
	return t, nil
}

// restore puts the terminal back.
func (t *tty) restore() { t.undo() }

// size gives the window's size, 80 by 24 where there is none, within what the protocol allows.
func (t *tty) size() (cols, rows int) {
	if t.sizeOf != nil {
		if c, r, err := term.GetSize(int(t.sizeOf.Fd())); err == nil && c > 0 && r > 0 {
			return min(c, 1000), min(r, 1000)
		}
	}
	return 80, 24
}

// crlfWriter writes lines on a terminal in raw mode, which does not go back to the left by itself.
type crlfWriter struct{ w io.Writer }

func (c *crlfWriter) Write(p []byte) (int, error) {
	if _, err := c.w.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// keyboard reads what is typed, in its own goroutine.
type keyboard struct {
	bytes chan []byte // closed at the end
	wait  func()      // after the context has ended
}

// readInput reads until the input or the context ends. Input that is a file is waited for with poll, so that the end of the context leaves the next key to whoever reads after us; any other reader
// cannot be interrupted, and its goroutine ends with it.
func (m *Main) readInput(ctx context.Context, r io.Reader, t *tty) *keyboard {
	in := &keyboard{bytes: make(chan []byte), wait: func() {}}
	read := r.Read
	if f, ok := r.(*os.File); ok {
		p, err := newPoller(ctx, f)
		if err == nil {
			read = p.read
			var wg sync.WaitGroup
			wg.Add(1)
			in.wait = func() { p.close(); wg.Wait(); p.release() }
			go func() { defer wg.Done(); m.copyInput(ctx, read, in.bytes) }()
			return in
		}
	}
	go m.copyInput(ctx, read, in.bytes)
	return in
}

func (m *Main) copyInput(ctx context.Context, read func([]byte) (int, error), to chan<- []byte) {
	defer m.restoreOnPanic()
	defer close(to)
	for {
		b := make([]byte, 4096)
		n, err := read(b)
		if n > 0 {
			select {
			case to <- b[:n]:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// poller reads a file descriptor that can be let go.
type poller struct {
	ctx        context.Context
	fd         int
	wakeR      *os.File
	wakeW      *os.File
	closeOnce  sync.Once
	stopNotify func() bool
}

func newPoller(ctx context.Context, f *os.File) (*poller, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &poller{ctx: ctx, fd: int(f.Fd()), wakeR: r, wakeW: w}
	p.stopNotify = context.AfterFunc(ctx, p.close)
	return p, nil
}

// close wakes a read up, for good.
func (p *poller) close() { p.closeOnce.Do(func() { p.wakeW.Close() }) }

// release gives the pipe back, once nobody reads any more.
func (p *poller) release() {
	p.stopNotify()
	p.wakeR.Close()
}

func (p *poller) read(b []byte) (int, error) {
	fds := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}, {Fd: int32(p.wakeR.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, err
		case fds[1].Revents != 0:
			return 0, io.EOF
		}
		n, err := unix.Read(p.fd, b)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
			continue
		case err != nil:
			return 0, err
		case n <= 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// restoreOnPanic is deferred by every goroutine of ours while a terminal may be raw.
func (m *Main) restoreOnPanic() {
	if r := recover(); r != nil {
		m.restoreAll()
		panic(r)
	}
}
