package agent

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/host"
	"podlife/runtime/host/client"
	"podlife/runtime/host/frame"
	"podlife/runtime/host/process"
)

// sessions is the session host of a layout, as a container has it, and a server's connection to it.
func (h *box) sessions() *client.Client {
	h.t.Helper()
	children := process.NewChildren(false)
	s := host.New(HostConfig(h.Layout, children))
	here, there := net.Pipe()
	s.Connect(there)
	c, err := client.Dial(h.t.Context(), here)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		c.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			h.t.Error(err)
		}
		children.Wait()
	})
	return c
}

var (
	vouched = boot.Marker{Pod: "alice", Incarnation: 7, Recipe: strings.Repeat("0", 64)}
	wanted  = frame.Marker{Pod: vouched.Pod, Incarnation: uint64(vouched.Incarnation), Recipe: vouched.Recipe}
)

func refusal(t *testing.T, err error) *client.RefusedError {
	t.Helper()
	var no *client.RefusedError
	if !errors.As(err, &no) {
		t.Fatalf("not refused: %v", err)
	}
	return no
}

// Nothing is a shell, and no program runs, where the marker does not vouch.
func TestNothingRunsWithoutTheMarker(t *testing.T) {
	h := newBox(t, nil)
	c := h.sessions()
	note := filepath.Join(h.root, "ran")
	try := func(reason boot.Reason) {
		t.Helper()
		_, err := c.Open(t.Context(), client.Open{Tab: "main", Want: wanted})
		if no := refusal(t, err); no.Reason != frame.Reason(reason) {
			t.Errorf("a shell: %v, want %s", no, reason)
		}
		_, err = c.Run(t.Context(), client.Run{Argv: []string{"touch", note}, Want: wanted})
		if no := refusal(t, err); no.Reason != frame.Reason(reason) {
			t.Errorf("a program: %v, want %s", no, reason)
		}
	}
	try(boot.MarkerMissing)
	other := vouched
	other.Incarnation = 6
	h.write(h.Marker, string(other.Format()), 0o644)
	try(boot.OtherIncarnation)
	if tabs, err := c.List(t.Context()); err != nil || len(tabs) != 0 {
		t.Errorf("%+v, %v", tabs, err)
	}
	if _, err := os.Stat(note); err == nil {
		t.Error("the program ran")
	}
}

// said opens a shell, types, and gives what it shows when it has ended.
func said(t *testing.T, c *client.Client, o client.Open, typed string) (text string, exit *frame.Exit) {
	t.Helper()
	o.Want, o.Cols, o.Rows = wanted, 80, 24
	v, err := c.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if err := v.Input(t.Context(), []byte(typed)); err != nil {
		t.Fatal(err)
	}
	for {
		m, err := v.Next(t.Context())
		if err != nil {
			t.Fatalf("%v; it shows %q", err, text)
		}
		switch m := m.(type) {
		case *frame.Output:
			text += string(m.Data)
			v.Ack(m.Offset + uint64(len(m.Data)))
		case *frame.Reset:
			text += string(m.Data)
		case *frame.Exit:
			return text, m
		}
	}
}

func TestAShellHasItsSetupItsFolderAndItsExitCode(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		if got := h.boot(boot.Recipe{}); !got.result.OK {
			t.Fatalf("%+v", got)
		}
		h.write(h.Marker, string(vouched.Format()), 0o644)
		dir := filepath.Join(h.root, "work")
		h.write(filepath.Join(dir, "file"), "", 0o644)
		text, exit := said(t, h.sessions(), client.Open{Tab: "one", Dir: dir}, "echo \"[$PWD|$HOME|$PODLIFE_TAB|$TERM]\"; exit 3\n")
		if want := "[" + dir + "|" + h.Home + "|one|xterm-256color]"; exit.Code != 3 || !strings.Contains(text, want) {
			t.Errorf("%+v, it shows %q, want %q", exit, text, want)
		}
	})
}

// Bug report B55: an image without a shell is told apart from one whose shell cannot be run.
func TestAnImageWithoutAShell(t *testing.T) {
	h := newBox(t, nil)
	h.write(h.Marker, string(vouched.Format()), 0o644)
	for _, c := range []struct {
		spoil func()
		code  int
	}{{func() { h.program("../shell", "exit 0"); _ = os.Chmod(h.Shell, 0o600) }, 126}, {func() { _ = os.Remove(h.Shell) }, 127}} {
		c.spoil()
		if _, _, err := findShell(nil, h.Shell); err == nil {
			t.Fatal("it is there")
		}
		_, _, err := findShell([]string{"/no/bash"}, h.Shell)
		var no *process.NoShellError
		if err := notRun(err); !errors.As(err, &no) || no.Code != c.code {
			t.Errorf("%v, want code %d", err, c.code)
		}
	}
}

func TestAProgramIsFoundAsAShellFindsIt(t *testing.T) {
	h := newBox(t, nil)
	h.write(h.Marker, string(vouched.Format()), 0o644)
	h.program("mine", `echo "mine $# $1 [$PODLIFE_TAB] $EXTRA $HOME"; exit 4`)
	dir := filepath.Join(h.root, "work")
	h.write(filepath.Join(dir, "here"), "#!/bin/sh\npwd\n", 0o755)
	h.write(filepath.Join(h.bin, "plain"), "no program\n", 0o644)
	c := h.sessions()
	for _, try := range []struct {
		argv []string
		out  string
		code uint16
	}{{[]string{"mine", "a b"}, "mine 1 a b [] x " + h.Home + "\n", 4}, {[]string{"./here"}, dir + "\n", 0}, {[]string{filepath.Join(dir, "here")}, dir + "\n", 0}} {
		m, err := c.Run(t.Context(), client.Run{Argv: try.argv, Want: wanted, Dir: dir, Env: []string{"EXTRA=x", "PODLIFE_OTHER=y"}})
		if err != nil {
			t.Fatal(err)
		}
		var out string
		for {
			got, err := m.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if o, ok := got.(*frame.Output); ok {
				out += string(o.Data)
				continue
			}
			if e, ok := got.(*frame.Exit); ok {
				if e.Code != try.code || out != try.out {
					t.Errorf("%q: %+v, %q, want %q", try.argv, e, out, try.out)
				}
				break
			}
		}
	}
	for name, code := range map[string]int{"nothing-of-the-kind": 127, "./none": 127, "plain": 126} {
		_, err := c.Run(t.Context(), client.Run{Argv: []string{name}, Want: wanted, Dir: dir})
		if no := refusal(t, err); no.Reason != frame.NoCommand || no.Code != code {
			t.Errorf("%s: %v", name, no)
		}
	}
}

// Of two variables of one name in what is set, the later counts, and nothing of ours is passed on.
func TestTheEnvironment(t *testing.T) {
	got := strings.Join(environment([]string{"A=1", "PODLIFE_X=1", "B=2", "PATH=/p"}, "A=3", "C=4", "A=5"), " ")
	if got != "B=2 PATH=/p C=4 A=5" {
		t.Errorf("%s", got)
	}
}

// Both ends of a relay's pipes, when nobody listens.
func TestARelayWithoutAHostSaysSo(t *testing.T) {
	if err := Relay(t.Context(), os.Stdin, os.Stdout); err == nil {
		t.Error("there is no host, and no error")
	}
}
