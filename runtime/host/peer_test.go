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

	"golang.org/x/sys/unix"
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

// relay plays one that connects, answers in that way when it is admitted, and hands some files over; between is done between the two looks. It gives what Admit says, and its own end of the socket.
func (w *world) relay(answer byte, between func(), files ...*os.File) (io.ReadWriteCloser, net.Conn, error) {
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
	w.t.Cleanup(func() { there.Close() })
	here, err := l.Accept()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { here.Close() })
	done := make(chan struct{})
	go func() {
		defer close(done)
		var b [1]byte
		if _, err := io.ReadFull(there, b[:]); err != nil || b[0] != admitted {
			return
		}
		if between != nil {
			between()
		}
		var fds []int
		for _, f := range files {
			fds = append(fds, int(f.Fd()))
		}
		_, _, _ = there.(*net.UnixConn).WriteMsgUnix([]byte{answer}, unix.UnixRights(fds...), nil) // an error is that it was not admitted, which Admit says
	}()
	served, err := Peers{Proc: w.root}.Admit(here)
	if err != nil {
		here.Close()
	}
	<-done
	return served, there, err
}

// pipe gives both ends of one, which the test closes.
func (w *world) pipe() (r, out *os.File) {
	w.t.Helper()
	r, out, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		r.Close()
		out.Close()
	})
	return r, out
}

func TestWhoMayConnect(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(*world)
		answer  byte
		between func(*world)
		files   int    // that it hands over, two if it is 0
		want    string // in the error; empty is none
	}{
		{name: "started by the engine", answer: closed},
		{name: "started inside", prepare: func(w *world) { w.process(17, 500) }, answer: closed, want: "inside"},
		{name: "another program", prepare: func(w *world) { w.link("/bin/sh") }, answer: closed, want: "another program"},
		{name: "traced", prepare: func(w *world) { w.tracer(9) }, answer: closed, want: "traced"},
		{name: "traced since", answer: closed, between: func(w *world) { w.tracer(9) }, want: "traced"},
		{name: "its number is another's", answer: closed, between: func(w *world) { w.process(0, 501) }, want: "another now"},
		{name: "it does not close itself off", answer: 'x', want: "close itself off"},
		{name: "it hands over one file", answer: closed, files: 1, want: "two files"},
		{name: "it hands over three files", answer: closed, files: 3, want: "two files"},
		{name: "it hands over nothing", answer: closed, files: -1, want: "two files"},
		{name: "gone", prepare: func(w *world) { _ = os.Remove(w.at("stat")) }, answer: closed, want: "no such file"},
	} {
		w := newWorld(t)
		if c.prepare != nil {
			c.prepare(w)
		}
		in, out := w.pipe()
		files := []*os.File{in, out}
		switch {
		case c.files > 0:
			files = append(files, in)[:c.files]
		case c.files < 0:
			files = nil
		}
		before := descriptors(t)
		served, there, err := w.relay(c.answer, func() {
			if c.between != nil {
				c.between(w)
			}
		}, files...)
		if err == nil {
			served.Close()
		}
		there.Close()
		if now := descriptors(t); now > before { // the listener's and both ends of the socket have come and gone
			t.Errorf("%s: %d descriptors before, %d after", c.name, before, now)
		}
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (!errors.Is(err, ErrNotAdmitted) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// descriptors is how many this process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}

// What a relay hands over is served as the connection is, and ends with any of the three: the server's end, the relay's, and the host's.
func TestWhatARelayHandsOverIsServed(t *testing.T) {
	for name, end := range map[string]func(fromServer, toServer *os.File, relay net.Conn, served io.Closer){
		"the server goes": func(from, _ *os.File, _ net.Conn, _ io.Closer) { from.Close() },
		"the relay ends":  func(_, _ *os.File, relay net.Conn, _ io.Closer) { relay.Close() },
		"the host ends":   func(_, _ *os.File, _ net.Conn, served io.Closer) { served.Close() },
	} {
		w := newWorld(t)
		in, fromServer := w.pipe()
		toServer, out := w.pipe()
		served, relay, err := w.relay(closed, nil, in, out)
		if err != nil {
			t.Fatal(err)
		}
		in.Close()
		out.Close()
		if _, err := fromServer.WriteString("question"); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 8)
		if _, err := io.ReadFull(served, b); err != nil || string(b) != "question" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
		if _, err := served.Write([]byte("answer")); err != nil {
			t.Error(err)
		}
		if _, err := io.ReadFull(toServer, b[:6]); err != nil || string(b[:6]) != "answer" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
		time.AfterFunc(20*time.Millisecond, func() { end(fromServer, toServer, relay, served) })
		if n, err := served.Read(b); err == nil {
			t.Errorf("%s: %d bytes more", name, n)
		}
		served.Close() // as the host does when a read ends
		if n, err := toServer.Read(b); n != 0 || err == nil {
			t.Errorf("%s: the server reads %d bytes, %v", name, n, err)
		}
		if n, err := relay.Read(b); n != 0 || err == nil {
			t.Errorf("%s: the relay reads %d bytes, %v", name, n, err)
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
	if err := Relay(ctx, l.Addr().String(), os.Stdin, os.Stdout); !errors.Is(err, ErrNotAdmitted) {
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
