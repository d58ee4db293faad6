package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"

	"github.com/creack/pty"

	"podlife/runtime/client"
	"podlife/runtime/engine"
)

// The size of every terminal here.
const (
	columns = 80
	lines   = 24
)

// shell is an interactive shell on a terminal, however it is reached.
type shell interface {
	io.Writer
	// next gives the next piece of output, valid until the next call.
	next(ctx context.Context) ([]byte, error)
	close()
}

// login is the shell that podlife starts in a tab.
func login() []string { return []string{"bash", "-l", "-i"} }

// terminal is a shell of ours.
type terminal struct{ *client.Terminal }

// clients numbers the terminals of this process: each is a page load of its own.
type clients struct{ n atomic.Int64 }

func (c *clients) name() string { return "bench" + strconv.FormatInt(c.n.Add(1), 10) }

// hello is what a terminal of this bench says first.
func (c *clients) hello(tab string) client.Hello {
	return client.Hello{Client: c.name(), Tab: tab, Cols: columns, Rows: lines}
}

// open opens a terminal and waits until it is live: after its picture, or where it goes on.
func open(ctx context.Context, c *client.Client, h client.Hello) (terminal, error) {
	t, err := c.Terminal(ctx, h)
	if err != nil {
		return terminal{}, err
	}
	for {
		m, err := t.Next(ctx)
		if err != nil {
			t.Close()
			return terminal{}, err
		}
		switch m := m.(type) {
		case client.Live, client.Resumed:
			return terminal{t}, nil
		case client.Closed:
			t.Close()
			return terminal{}, fmt.Errorf("terminal: closed with %d %s", m.Code, m.Reason)
		}
	}
}

func (t terminal) next(ctx context.Context) ([]byte, error) {
	for {
		m, err := t.Next(ctx)
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case client.Output:
			return m, nil
		case client.Reset:
			return nil, fmt.Errorf("terminal: reset, %s", m.Reason)
		case client.State:
			if m.State != "booting" && m.State != "ready" {
				return nil, fmt.Errorf("terminal: the pod is %s (%s): %s", m.State, m.Reason, m.Message)
			}
		case client.Closed:
			return nil, fmt.Errorf("terminal: closed with %d %s", m.Code, m.Reason)
		}
	}
}

func (t terminal) close() { t.Terminal.Close() }

// plain is a shell by an exec with a terminal, through the engine's API. The context that it was started with ends it.
type plain struct {
	engine.Process
	buf []byte
}

func openPlain(ctx context.Context, e engine.Engine, id engine.ID) (*plain, error) {
	p, err := e.Exec(ctx, id, engine.ExecSpec{Command: login(), Env: []string{"TERM=xterm-256color"}, TTY: true})
	if err != nil {
		return nil, err
	}
	if err := p.Resize(ctx, columns, lines); err != nil {
		p.Close()
		return nil, err
	}
	return &plain{p, make([]byte, 64<<10)}, nil
}

func (p *plain) next(context.Context) ([]byte, error) {
	n, err := p.Read(p.buf)
	return p.buf[:n], orNil(n, err)
}

// close leaves the shell behind, as every exec that is left does; it goes with its pod.
func (p *plain) close() { p.Process.Close() }

// local is a program on a terminal of this machine: a shell, or the docker command. The context that it was started with ends it.
type local struct {
	*os.File
	cmd *exec.Cmd
	buf []byte
}

func openLocal(ctx context.Context, argv ...string) (*local, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: columns, Rows: lines})
	if err != nil {
		return nil, err
	}
	return &local{f, cmd, make([]byte, 64<<10)}, nil
}

func (l *local) next(context.Context) ([]byte, error) {
	n, err := l.Read(l.buf)
	return l.buf[:n], orNil(n, err)
}

// close ends the program. A shell that the docker command has entered is left behind, and goes with its pod.
func (l *local) close() {
	_ = l.cmd.Process.Kill() // it may have ended
	l.File.Close()
	_ = l.cmd.Wait() // how it ended does not matter
}

// orNil leaves an error that came with bytes to the next call.
func orNil(n int, err error) error {
	if n > 0 {
		return nil
	}
	return err
}

// prompt is what prepare has the shell show. The keys that are measured are not in it.
const prompt = "ready> "

// prepare gives a shell the prompt that the measurements wait for.
func prepare(ctx context.Context, s shell) error {
	if _, err := s.Write([]byte("PS1='rea''dy> '\n")); err != nil {
		return err
	}
	_, err := await(ctx, s, prompt)
	return err
}

// await takes output up to a text and gives what came behind it. The text may be cut between two pieces.
func await(ctx context.Context, s shell, text string) (rest []byte, err error) {
	want, kept := []byte(text), []byte(nil)
	for {
		p, err := s.next(ctx)
		if err != nil {
			return nil, fmt.Errorf("while %q was to come: %w", text, err)
		}
		kept = append(kept, p...)
		if at := bytes.Index(kept, want); at >= 0 {
			return kept[at+len(want):], nil
		}
		if more := len(kept) - len(want); more > 0 {
			kept = append(kept[:0], kept[more:]...)
		}
	}
}
