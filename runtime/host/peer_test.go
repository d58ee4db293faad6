package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// world is a folder that plays /proc, with this process in it.
type world struct {
	t    *testing.T
	root string
}

func newWorld(t *testing.T) *world {
	w := &world{t, t.TempDir()}
	if err := os.Mkdir(w.at(""), 0o755); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	w.link(exe)
	w.process(0, 500)
	w.tracer(0)
	return w
}

func (w *world) at(name string) string { return filepath.Join(w.root, fmt.Sprint(os.Getpid()), name) }

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(w.at(name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) process(parent, start int) {
	w.write("stat", fmt.Sprintf("%d (a ) 1 2) S %d 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 %d 1 1\n", os.Getpid(), parent, start))
}

func (w *world) tracer(pid int) { w.write("status", fmt.Sprintf("Name:\tx\nTracerPid:\t%d\n", pid)) }

func (w *world) link(exe string) {
	w.t.Helper()
	_ = os.Remove(w.at("exe")) // there may be none yet
	if err := os.Symlink(exe, w.at("exe")); err != nil {
		w.t.Fatal(err)
	}
}

// connect gives what Admit says of a process that answers in that way; between is done between the two looks.
func (w *world) connect(answer byte, between func()) error {
	w.t.Helper()
	l, err := Listen(filepath.Join(w.root, "host.sock"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer l.Close()
	there, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		w.t.Fatal(err)
	}
	here, err := l.Accept()
	if err != nil {
		w.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer there.Close()
		var b [1]byte
		if _, err := io.ReadFull(there, b[:]); err != nil || b[0] != admitted {
			return
		}
		if between != nil {
			between()
		}
		_, _ = there.Write([]byte{answer}) // an error is that it was not admitted, which Admit says
	}()
	err = Peers{Proc: w.root}.Admit(here)
	here.Close()
	<-done
	return err
}

func TestWhoMayConnect(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(*world)
		answer  byte
		between func(*world)
		want    string // in the error; empty is none
	}{
		{name: "started by the engine", answer: closed},
		{name: "started inside", prepare: func(w *world) { w.process(17, 500) }, answer: closed, want: "inside"},
		{name: "another program", prepare: func(w *world) { w.link("/bin/sh") }, answer: closed, want: "another program"},
		{name: "traced", prepare: func(w *world) { w.tracer(9) }, answer: closed, want: "traced"},
		{name: "traced since", answer: closed, between: func(w *world) { w.tracer(9) }, want: "traced"},
		{name: "its number is another's", answer: closed, between: func(w *world) { w.process(0, 501) }, want: "another now"},
		{name: "it does not close itself off", answer: 'x', want: "close itself off"},
		{name: "gone", prepare: func(w *world) { _ = os.Remove(w.at("stat")) }, answer: closed, want: "no such file"},
	} {
		w := newWorld(t)
		if c.prepare != nil {
			c.prepare(w)
		}
		err := w.connect(c.answer, func() {
			if c.between != nil {
				c.between(w)
			}
		})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (!errors.Is(err, ErrNotAdmitted) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// What this test is was started by another process of this machine: it is not admitted, and a relay is told so.
func TestARelayThatIsNotAdmittedSaysSo(t *testing.T) {
	r := newRig(t, nil)
	l, err := Listen(filepath.Join(t.TempDir(), "host.sock"))
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve(l, Peers{}.Admit) }()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := Relay(ctx, l.Addr().String(), strings.NewReader(""), io.Discard); !errors.Is(err, ErrNotAdmitted) {
		t.Errorf("%v", err)
	}
	if info, err := os.Stat(l.Addr().String()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info, err)
	}
	l.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
