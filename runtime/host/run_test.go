package host

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podlife/runtime/host/client"
	"podlife/runtime/host/command"
	"podlife/runtime/host/frame"
	"podlife/runtime/host/process"
)

// newRunRig is a host that runs programs, too.
func newRunRig(t testing.TB, change func(*Config)) *rig {
	var r *rig
	r = newRig(t, func(c *Config) {
		c.Run = func(ctx context.Context, s command.Spec) (command.Process, error) {
			runner := &process.Runner{Children: r.children, Program: program}
			return runner.Run(ctx, s)
		}
		if change != nil {
			change(c)
		}
	})
	return r
}

func program(s command.Spec) (process.Program, error) {
	path, err := exec.LookPath(s.Argv[0])
	if err != nil {
		path = s.Argv[0]
	}
	return process.Program{Path: path, Args: s.Argv, Env: append([]string{"PATH=" + os.Getenv("PATH")}, s.Env...), Dirs: []string{s.Dir, "/"}}, nil
}

// ran is a command whose outputs are collected.
type ran struct {
	*client.Command
	t           testing.TB
	ctx         context.Context
	out, errors []byte
	at          uint64
	exit        *frame.Exit
	silent      bool
}

func (r *rig) run(c *client.Client, o client.Run) *ran {
	r.t.Helper()
	ctx := r.ctx2()
	m, err := c.Run(ctx, o)
	if err != nil {
		r.t.Fatal(err)
	}
	return &ran{Command: m, t: r.t, ctx: ctx}
}

func sh(script string) client.Run { return client.Run{Argv: []string{"sh", "-c", script}} }

func (m *ran) step() {
	m.t.Helper()
	got, err := m.Next(m.ctx)
	if err != nil {
		m.t.Fatal(err)
	}
	add := func(to *[]byte, at uint64, data []byte) {
		if at != m.at {
			m.t.Fatalf("output from %d on, with everything up to %d there", at, m.at)
		}
		*to = append(*to, data...)
		m.at += uint64(len(data))
		if !m.silent {
			m.Ack(m.at)
		}
	}
	switch got := got.(type) {
	case *frame.Output:
		add(&m.out, got.Offset, got.Data)
	case *frame.Errors:
		add(&m.errors, got.Offset, got.Data)
	case *frame.Exit:
		if got.At != m.at {
			m.t.Fatalf("it ended at %d, and %d were told", got.At, m.at)
		}
		m.exit = got
	}
}

func (m *ran) end() *frame.Exit {
	m.t.Helper()
	for m.exit == nil {
		m.step()
	}
	return m.exit
}

func (m *ran) awaitOut(text string) {
	m.t.Helper()
	for !bytes.Contains(m.out, []byte(text)) {
		m.step()
	}
}

func TestACommandHasStreamsApartAndItsOwnExitCode(t *testing.T) {
	r := newRunRig(t, nil)
	c := r.dial()
	m := r.run(c, client.Run{Argv: []string{"sh", "-c", "pwd; echo $MINE; echo wrong >&2; [ -t 0 ] || echo no terminal; exit 7"}, Dir: "/usr", Env: []string{"MINE=x y"}})
	if exit := m.end(); exit.Code != 7 || string(m.out) != "/usr\nx y\nno terminal\n" || string(m.errors) != "wrong\n" {
		t.Errorf("%+v, %q, %q", exit, m.out, m.errors)
	}
	m = r.run(c, sh("kill -9 $$"))
	if exit := m.end(); exit.Code != 137 || exit.Signal != "SIGKILL" {
		t.Errorf("%+v", exit)
	}
}

func TestACommandReadsUntilTheEndOfItsInput(t *testing.T) {
	r := newRunRig(t, nil)
	m := r.run(r.dial(), client.Run{Argv: []string{"cat"}})
	text := bytes.Repeat([]byte("0123456789abcdef"), 1<<18) // 4 MiB: many windows, both ways
	sent := make(chan error, 1)
	go func() {
		err := m.Input(m.ctx, text)
		m.EOF()
		sent <- err
	}()
	if exit := m.end(); exit.Code != 0 || !bytes.Equal(m.out, text) {
		t.Errorf("%+v, %d of %d bytes", exit, len(m.out), len(text))
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
}

// Who writes to a program that reads no more is not kept waiting.
func TestInputForAProgramThatReadsNothing(t *testing.T) {
	r := newRunRig(t, nil)
	m := r.run(r.dial(), sh("exec <&-; exec sleep 1000"))
	sent := make(chan error, 1)
	go func() {
		sent <- m.Input(m.ctx, make([]byte, 4<<20))
		m.Signal("SIGTERM") // all of it was sent before the program ended
	}()
	if exit := m.end(); exit.Signal != "SIGTERM" {
		t.Errorf("%+v", exit)
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
}

func TestAProgramWaitsForWhoDoesNotAcknowledge(t *testing.T) {
	r := newRunRig(t, func(c *Config) { c.Command.Window = 64 << 10 })
	m := r.run(r.dial(), sh("head -c 10000000 /dev/zero; echo done >&2"))
	m.silent = true
	for m.at < 64<<10 {
		m.step()
	}
	if m.at > 64<<10+2*32<<10 {
		t.Errorf("%d bytes without an acknowledgement", m.at)
	}
	ctx, cancel := context.WithTimeout(m.ctx, 100*time.Millisecond)
	defer cancel()
	for { // what was read before it was full may come yet
		got, err := m.Next(ctx)
		if err != nil {
			break
		}
		if out, ok := got.(*frame.Output); ok {
			m.at += uint64(len(out.Data))
		}
	}
	if m.at > 64<<10+2*32<<10 {
		t.Errorf("%d bytes without an acknowledgement", m.at)
	}
	m.silent, m.out = false, make([]byte, m.at)
	m.Ack(m.at)
	if exit := m.end(); exit.Code != 0 || len(m.out) != 10_000_000 || string(m.errors) != "done\n" {
		t.Errorf("%+v, %d bytes, %q", exit, len(m.out), m.errors)
	}
}

func TestSignalsReachAProgramAndWhatItStarted(t *testing.T) {
	r := newRunRig(t, nil)
	c := r.dial()
	m := r.run(c, sh("trap 'echo heard; exit 5' INT; echo ready; while :; do sleep 0.02; done"))
	m.awaitOut("ready")
	m.Signal("SIGNONE")
	m.Signal(strings.Repeat("x", 1000))
	m.Signal("SIGINT")
	if exit := m.end(); exit.Code != 5 || !bytes.HasSuffix(m.out, []byte("heard\n")) {
		t.Errorf("%+v, %q", exit, m.out)
	}
}

// A command does not outlive its caller: neither one that closes it, nor one whose connection breaks; also not if it ignores the hangup, or waits with a full pipe.
func TestACommandEndsWithItsCaller(t *testing.T) {
	r := newRunRig(t, nil)
	for name, leave := range map[string]func(*client.Client, *ran){"closes it": func(_ *client.Client, m *ran) { m.Close() }, "is gone": func(c *client.Client, _ *ran) { c.Close() }} {
		for _, script := range []string{"sleep 1000", "trap '' HUP; while :; do sleep 0.02; done", "yes"} {
			c := r.dial()
			m := r.run(c, sh("echo $$; exec 3>&1; "+script))
			m.awaitOut("\n")
			pid := string(m.out[:bytes.IndexByte(m.out, '\n')])
			leave(c, m)
			deadline := time.Now().Add(patience)
			for _, err := os.Stat("/proc/" + pid); err == nil; _, err = os.Stat("/proc/" + pid) {
				if time.Now().After(deadline) {
					t.Fatalf("%q lives on when its caller %s", script, name)
				}
				time.Sleep(time.Millisecond)
			}
		}
	}
}

// What can be put in order when a caller goes is.
func TestACommandHearsThatItsCallerGoes(t *testing.T) {
	r := newRunRig(t, nil)
	note := filepath.Join(t.TempDir(), "note")
	m := r.run(r.dial(), client.Run{Argv: []string{"sh", "-c", "trap 'echo heard > $NOTE; exit' HUP; echo ready; while :; do sleep 0.02; done"}, Env: []string{"NOTE=" + note}})
	m.awaitOut("ready")
	m.Close()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if text, err := os.ReadFile(note); err == nil && string(text) == "heard\n" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("it was not hung up")
		}
	}
}

// A child that keeps the pipes open keeps nobody waiting, and what it wrote before is there.
func TestWhoKeepsThePipesOpenIsNotWaitedFor(t *testing.T) {
	r := newRunRig(t, nil)
	m := r.run(r.dial(), sh("(echo child; exec sleep 1000) & echo $!; exit 0"))
	exit := m.end()
	pid := strings.Fields(string(m.out))
	if exit.Code != 0 || len(pid) != 2 {
		t.Fatalf("%+v, %q", exit, m.out)
	}
	for _, p := range pid {
		if p != "child" {
			if err := exec.Command("kill", "-9", p).Run(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestWhatIsNoProgram(t *testing.T) {
	r := newRunRig(t, func(c *Config) { c.Commands = 1 })
	c := r.dial()
	var no *client.RefusedError
	for argv, want := range map[string]int{"/no/such": 127, "/etc/passwd": 126} {
		if _, err := c.Run(r.ctx2(), client.Run{Argv: []string{argv}}); !errors.As(err, &no) || no.Reason != frame.NoCommand || no.Code != want {
			t.Errorf("%s: %v", argv, err)
		}
	}
	for _, o := range []client.Run{{}, {Argv: []string{""}}, {Argv: []string{"a\x00b"}}, {Argv: []string{"true"}, Env: []string{"="}}, {Argv: []string{"true"}, Dir: "\x00"}} {
		if _, err := c.Run(r.ctx2(), o); !errors.As(err, &no) || no.Reason != frame.BadRequest {
			t.Errorf("%q: %v", o.Argv, err)
		}
	}
	m := r.run(c, sh("sleep 1000"))
	if _, err := c.Run(r.ctx2(), sh("true")); !errors.As(err, &no) || no.Reason != frame.TooManySessions {
		t.Errorf("one too many: %v", err)
	}
	m.Close()
	reason := frame.Reason("marker_missing")
	r.marker.Store(&reason)
	if _, err := c.Run(r.ctx2(), sh("true")); !errors.As(err, &no) || no.Reason != reason {
		t.Errorf("without a marker: %v", err)
	}
}

func TestAHostThatStopsLeavesNoCommand(t *testing.T) {
	r := newRunRig(t, nil)
	m := r.run(r.dial(), sh("trap '' HUP; while :; do sleep 0.02; done"))
	start := time.Now()
	if err := r.Stop(r.ctx2()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > patience {
		t.Errorf("it took %v", took)
	}
	var lost *client.LostError
	if _, err := m.Next(m.ctx); !errors.As(err, &lost) {
		t.Errorf("%v", err)
	}
}

// A close that comes right behind what it closes, in one piece, is heard: nobody is left whom nobody knows.
func TestACloseRightBehindItsBeginningIsHeard(t *testing.T) {
	r := newRunRig(t, nil)
	near, far := net.Pipe()
	if !r.Connect(far) {
		t.Fatal("no room")
	}
	t.Cleanup(func() { near.Close() })
	go func() { // ends with the connection
		for b := make([]byte, 1024); ; {
			if _, err := near.Read(b); err != nil {
				return
			}
		}
	}()
	said := frame.Append(nil, &frame.Hello{Version: frame.Version})
	for i := range uint32(20) {
		said = frame.Append(said, &frame.Open{Request: 100 + i, Viewer: 100 + i, Tab: "main", Cols: 80, Rows: 24})
		said = frame.Append(said, &frame.Close{Viewer: 100 + i})
		said = frame.Append(said, &frame.Run{Request: 200 + i, Viewer: 200 + i, Argv: []string{"sleep", "60"}})
		said = frame.Append(said, &frame.Close{Viewer: 200 + i})
	}
	if _, err := near.Write(said); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * patience); ; <-tick.C {
		r.mu.Lock()
		viewers, commands := r.viewers, r.commands
		r.mu.Unlock()
		tabs := r.Tabs()
		if viewers == 0 && commands == 0 && len(tabs) == 1 && tabs[0].Viewers == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d viewers, %d programs, %+v", viewers, commands, tabs)
		}
	}
}
