package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// person sits before a local terminal in which podlife runs, in this process.
type person struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	before unix.Termios
	code   chan int
	cancel context.CancelCauseFunc

	mu     sync.Mutex // guards the following
	screen []byte
	more   chan struct{} // closed and replaced whenever the screen grows
}

// sit has podlife shell run there.
func sit(t *testing.T, m *Main, args ...string) *person {
	t.Helper()
	return sitAt(t, m, append([]string{"shell"}, args...)...)
}

// sitAt has any command run there.
func sitAt(t *testing.T, m *Main, args ...string) *person {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(slave, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	before, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, master: master, slave: slave, before: *before, code: make(chan int, 1), more: make(chan struct{})}
	var ctx context.Context
	ctx, p.cancel = context.WithCancelCause(t.Context())
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			p.mu.Lock()
			p.screen = append(p.screen, b[:n]...)
			close(p.more)
			p.more = make(chan struct{})
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	running := make(chan struct{})
	go func() {
		defer close(running)
		p.code <- m.Run(ctx, args, slave, slave, slave)
	}()
	t.Cleanup(func() {
		p.cancel(nil)
		<-running
		slave.Close()
		<-reading // the last slave's end is the master's
		master.Close()
	})
	return p
}

// sees waits until a text was on the screen, whatever came after it, and forgets all up to it. It gives what stood before it.
func (p *person) sees(text string) (before string) {
	p.t.Helper()
	deadline := time.After(15 * time.Second)
	for {
		p.mu.Lock()
		i, more := bytes.Index(p.screen, []byte(text)), p.more
		if i >= 0 {
			before = string(p.screen[:i])
			p.screen = p.screen[i+len(text):]
		}
		screen := string(p.screen)
		p.mu.Unlock()
		if i >= 0 {
			return before
		}
		select {
		case <-more:
		case <-deadline:
			p.t.Fatalf("no %q on the screen, but %q", text, screen)
		}
	}
}

func (p *person) types(s string) {
	p.t.Helper()
	if _, err := p.master.WriteString(s); err != nil {
		p.t.Fatal(err)
	}
}

// ends waits for the command's end: this exit code, and the terminal as it was.
func (p *person) ends(code int) {
	p.t.Helper()
	select {
	case got := <-p.code:
		if got != code {
			p.t.Errorf("exit code %d, want %d", got, code)
		}
	case <-time.After(15 * time.Second):
		p.t.Fatal("it does not end")
	}
	p.restored()
}

// Of a pod that is ready nothing is booted, and nobody is told so. A boot that says nothing for a while is told.
func TestShellSaysThatItBootsOnlyWhereItDoes(t *testing.T) {
	for name, c := range map[string]struct {
		boot func(*fakeTerminal)
		says bool
	}{
		"ready":         {func(*fakeTerminal) {}, false},
		"a slow boot":   {func(*fakeTerminal) { time.Sleep(2 * bootSilence) }, true},
		"a boot's step": {func(c *fakeTerminal) { c.say(map[string]any{"type": "step", "step": "start", "status": "started"}) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeServer(t, func(ft *fakeTerminal) {
				ft.say(map[string]any{"type": "state", "state": "booting"})
				ft.say(map[string]any{"type": "state", "state": "booting", "incarnation": 1})
				c.boot(ft)
				ft.attach(1)
				ft.print("prompt> ")
				ft.exit(0)
			})
			out, errOut, code := f.main(t).run(t, "", "shell")
			if said := strings.Contains(out+errOut, "booting your pod"); said != c.says || code != 0 {
				t.Errorf("exit %d, it says so: %v, want %v; %q %q", code, said, c.says, out, errOut)
			}
		})
	}
}

func (p *person) termios() unix.Termios {
	p.t.Helper()
	now, err := unix.IoctlGetTermios(int(p.slave.Fd()), unix.TCGETS)
	if err != nil {
		p.t.Fatal(err)
	}
	return *now
}

func (p *person) restored() {
	p.t.Helper()
	if d := cmp.Diff(p.before, p.termios()); d != "" {
		p.t.Errorf("the terminal is not as it was (-before +now):\n%s", d)
	}
}

func TestShellIsRawAndEndsWithTheRemoteCode(t *testing.T) {
	f := newFakeServer(t, func(c *fakeTerminal) {
		if c.hello["cols"] != 100.0 || c.hello["rows"] != 30.0 || c.hello["tab"] != "work" || c.hello["boot"] != true {
			t.Errorf("hello %v", c.hello)
		}
		if name, _ := c.hello["client"].(string); !regexp.MustCompile(`^cli-[A-Z0-9]{26}$`).MatchString(name) {
			t.Errorf("client %q", name)
		}
		c.say(map[string]any{"type": "state", "state": "booting"})
		c.say(map[string]any{"type": "state", "state": "booting", "incarnation": 1})
		c.say(map[string]any{"type": "step", "step": "packages", "status": "done", "detail": "\x1b[31mred"})
		c.attach(1)
		c.print("prompt> ")
		if k := c.keys(3); k != "\x03\x1ax" {
			t.Errorf("typed %q: Ctrl-C and Ctrl-Z have to arrive", k)
		}
		c.exit(7)
	})
	p := sit(t, f.main(t), "--tab", "work")
	p.sees("booting your pod]\r\n")
	if before := p.sees(`packages done: \x1b[31mred`); before != "  " { // it is said once
		t.Errorf("between booting and its first step: %q", before)
	}
	p.sees("prompt> ")
	if p.termios().Lflag&(unix.ICANON|unix.ECHO|unix.ISIG) != 0 {
		t.Error("the terminal is not in raw mode")
	}
	p.types("\x03\x1ax")
	p.ends(7)
}

func TestShellIsLeftAtALineStart(t *testing.T) {
	f := newFakeServer(t, func(c *fakeTerminal) {
		c.attach(1)
		c.print("\x1b[?1049h\x1b[?25l> ")
		if k := c.keys(6); k != "a~.b~\r" {
			t.Errorf("typed %q", k)
		}
		c.print("got it")
		c.gone()
		if len(c.typed) > 0 {
			t.Errorf("after leaving, %q was typed", c.typed)
		}
	})
	p := sit(t, f.main(t))
	p.sees("> ")
	p.types("a~.b~\r")
	p.sees("got it")
	p.types("~?")
	p.sees("~. leaves")
	p.types("~.")
	p.sees("\x1b[?25h\x1b[?1049l") // the full-screen program's traces are gone
	p.sees("left; the session goes on")
	p.ends(0)
}

func TestShellReconnectsAsTheSameClientAndSaysSo(t *testing.T) {
	var first any
	f := newFakeServer(t,
		func(c *fakeTerminal) {
			first = c.hello["client"]
			c.attach(1)
			c.print("one")
			c.keys(1)
			c.drop()
		},
		func(c *fakeTerminal) {
			if c.hello["client"] != first {
				t.Errorf("client %v, before %v", c.hello["client"], first)
			}
			c.attach(1)
			c.print("two")
			c.keys(1)
			c.end(1001, "stopping")
		},
		func(c *fakeTerminal) {
			c.attach(2)
			c.print("three")
			c.keys(1)
			c.exit(0)
		})
	p := sit(t, f.main(t))
	p.sees("one")
	p.types("x")
	p.sees("the connection is lost; your programs keep running")
	p.sees("connected again")
	p.sees("two")
	p.types("x")
	p.sees("the server is stopping")
	p.sees("a new container (incarnation 2)")
	p.sees("three")
	p.types("x")
	p.ends(0)
}

func TestShellSaysOnceThatItsSessionIsRecorded(t *testing.T) {
	recorded := func(epoch, says string) func(*fakeTerminal) {
		return func(c *fakeTerminal) {
			c.say(map[string]any{"type": "attached", "incarnation": 1, "epoch": epoch, "recorded": true})
			c.print(says)
			c.keys(1)
			c.drop()
		}
	}
	f := newFakeServer(t, recorded("00000000000000a1", "one"), recorded("00000000000000a1", "two"), recorded("00000000000000a2", "three"), func(c *fakeTerminal) { c.attach(1); c.exit(0) })
	p := sit(t, f.main(t))
	p.sees("[podlife: this session is recorded]")
	p.sees("one")
	p.types("x")
	if before := p.sees("two"); strings.Contains(before, "recorded") {
		t.Errorf("of the same session it is said again: %q", before)
	}
	p.types("x")
	p.sees("[podlife: this session is recorded]")
	p.sees("three")
	p.types("x")
	p.ends(0)
}

func TestShellRefusesKeysVisiblyWhileNothingIsAttached(t *testing.T) {
	f := newFakeServer(t, func(c *fakeTerminal) {
		c.say(map[string]any{"type": "state", "state": "booting", "incarnation": 1})
		c.gone()
		if len(c.typed) > 0 {
			t.Errorf("typed into a booting terminal: %q", c.typed)
		}
	})
	p := sit(t, f.main(t))
	p.sees("booting")
	p.types("ls\r")
	p.sees("no shell is attached: keys are not sent")
	p.types("\x03")
	p.ends(0)
}

func TestShellWaitsForAKeyAfterADestroy(t *testing.T) {
	f := newFakeServer(t, func(c *fakeTerminal) {
		c.attach(1)
		c.print("here")
		c.say(map[string]any{"type": "state", "state": "destroyed", "reason": "destroy", "message": "It was destroyed."})
		if m := c.control(); m["type"] != "boot" {
			t.Errorf("got %v, want boot", m)
		}
		c.say(map[string]any{"type": "state", "state": "booting", "incarnation": 2})
		c.attach(2)
		c.exit(0)
	})
	p := sit(t, f.main(t))
	p.sees("here")
	p.sees("It was destroyed.")
	p.sees("press a key")
	p.types(" ")
	p.sees("a new container (incarnation 2)")
	p.ends(0)
}

func TestShellTellsTheWindowsSize(t *testing.T) {
	f := newFakeServer(t, func(c *fakeTerminal) {
		c.attach(1)
		c.print("ready")
		if m := c.control(); m["type"] != "resize" || m["cols"] != 120.0 || m["rows"] != 40.0 {
			t.Errorf("got %v", m)
		}
		c.exit(0)
	})
	p := sit(t, f.main(t))
	p.sees("ready")
	if err := pty.Setsize(p.slave, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil { // the pty is not this process's own
		t.Fatal(err)
	}
	p.ends(0)
}

func TestShellRestoresTheTerminalWhenASignalEndsIt(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		f := newFakeServer(t, func(c *fakeTerminal) {
			c.attach(1)
			c.print("\x1b[?1000hhere")
			c.gone()
		})
		p := sit(t, f.main(t))
		p.sees("here")
		p.cancel(&signalError{sig})
		p.sees("\x1b[?1000l")
		p.ends(128 + int(sig))
	}
}

func TestShellRestoresTheTerminalWhenItPanics(t *testing.T) {
	f := newFakeServer(t, func(c *fakeTerminal) { c.attach(1); c.drop() })
	m := f.main(t)
	m.delay = func(int) time.Duration { panic("boom") }
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer slave.Close()
	p := &person{t: t, slave: slave}
	p.before = p.termios()
	func() {
		defer func() {
			if r := recover(); r != "boom" {
				t.Errorf("recovered %v", r)
			}
		}()
		m.Run(t.Context(), []string{"shell"}, slave, slave, slave)
	}()
	p.restored()
}

func TestShellEndsTypedWhenTryingAgainCannotHelp(t *testing.T) {
	for name, c := range map[string]struct {
		talk func(*fakeTerminal)
		code int
		says string
	}{
		"the boot failed": {func(c *fakeTerminal) {
			c.say(map[string]any{"type": "state", "state": "failed", "reason": "boot_failed", "message": "m", "step": "repository", "exit_code": 128, "log_tail": "fatal: \x1b]0;x\x07\n"})
			c.gone()
		}, 3, "    fatal: \\x1b]0;x\\a\r\npodlife: the boot failed in step repository with exit code 128\r\n"},
		"no engine": {func(c *fakeTerminal) {
			c.say(map[string]any{"type": "state", "state": "failed", "reason": "engine_unavailable", "message": "no docker"})
			c.gone()
		}, 7, "no docker"},
		"the pod is being deleted": {func(c *fakeTerminal) {
			c.say(map[string]any{"type": "state", "state": "failed", "reason": "pod_going", "message": "deleted"})
			c.gone()
		}, 9, "podlife: deleted"},
		"no shell": {func(c *fakeTerminal) {
			c.say(map[string]any{"type": "state", "state": "failed", "reason": "no_shell", "message": "none"})
			c.gone()
		}, 1, "podlife: none"},
		"no such program": {func(c *fakeTerminal) {
			c.say(map[string]any{"type": "state", "state": "failed", "reason": "no_shell", "message": "x: not found", "exit_code": 127})
			c.gone()
		}, 1, "podlife: x: not found"}, // 127 is for a program that this command was asked to run
		"too many terminals": {func(c *fakeTerminal) { c.end(4429, "too many") }, 6, "too many terminals are open"},
		"a broken peer":      {func(c *fakeTerminal) { c.end(4400, "bad") }, 1, "the server closed the terminal (4400): bad"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeServer(t, c.talk)
			p := sit(t, f.main(t))
			p.sees(c.says)
			p.ends(c.code)
		})
	}
}

func TestShellWithAWrongTokenSaysWhichFile(t *testing.T) {
	f := newFakeServer(t)
	m := f.main(t)
	wrong := t.TempDir() + "/wrong"
	if err := os.WriteFile(wrong, []byte("wrong"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := sit(t, m, "--token-file", wrong)
	p.sees("does not know the token in " + wrong)
	p.ends(4)
}

func TestShellTypesPipedInputOnceThereIsAShell(t *testing.T) {
	f := newFakeServer(t, func(c *fakeTerminal) {
		c.say(map[string]any{"type": "state", "state": "booting", "incarnation": 1})
		c.attach(1)
		if k := c.keys(6); k != "~.ls\n\x04" {
			t.Errorf("typed %q", k)
		}
		c.print("\x1b[?25lout")
		c.exit(5)
	})
	out, _, code := f.main(t).run(t, "~.ls\n", "shell")
	if out != "\x1b[?25lout" || code != 5 {
		t.Errorf("output %q, exit code %d", out, code)
	}
}

// A shell that begins throws away what was typed before it reads: an end of the input that comes once may be gone.
func TestShellSaysAgainThatItsInputHasEnded(t *testing.T) {
	f := newFakeServer(t, func(c *fakeTerminal) {
		c.attach(1)
		if k := c.keys(3); k != "\x04\x04\x04" {
			t.Errorf("typed %q", k)
		}
		c.exit(0)
	})
	if out, _, code := f.main(t).run(t, "", "shell"); out != "" || code != 0 {
		t.Errorf("output %q, exit code %d", out, code)
	}
}

// What the local terminal shows is what the next connection goes on from, to the byte.
func TestShellGoesOnWhereItsConnectionBroke(t *testing.T) {
	const epoch = "00000000000000ab"
	f := newFakeServer(t,
		func(c *fakeTerminal) {
			if c.hello["epoch"] != nil || c.hello["have"] != nil {
				t.Errorf("hello %v", c.hello)
			}
			c.say(map[string]any{"type": "attached", "incarnation": 1, "epoch": epoch})
			c.say(map[string]any{"type": "reset", "reason": "new"})
			c.print("a picture ")
			c.say(map[string]any{"type": "live", "from": 100})
			c.print("one")
			c.keys(1)
			c.drop()
		},
		func(c *fakeTerminal) {
			if c.hello["epoch"] != epoch || c.hello["have"] != 103.0 {
				t.Errorf("hello %v", c.hello)
			}
			c.say(map[string]any{"type": "attached", "incarnation": 1, "epoch": epoch})
			c.say(map[string]any{"type": "resumed", "from": 103})
			c.say(map[string]any{"type": "reset", "reason": "slow"})
			c.print("half")
			c.keys(1)
			c.drop()
		},
		func(c *fakeTerminal) {
			if c.hello["epoch"] != nil {
				t.Errorf("with half a picture: hello %v", c.hello)
			}
			c.attach(1)
			c.exit(0)
		})
	p := sit(t, f.main(t))
	p.sees("one")
	p.types("x")
	p.sees("connected again")
	p.sees("half")
	p.types("x")
	p.ends(0)
}

func TestShellLeavesWhenItsTerminalIsGoneAndTypesNothing(t *testing.T) {
	gone, closing := make(chan string, 1), make(chan struct{})
	f := newFakeServer(t, func(c *fakeTerminal) {
		c.attach(1)
		c.print("here")
		<-closing
		c.print(".") // ends the read that keeps the closed master open
		c.gone()
		gone <- string(c.typed)
	})
	p := sit(t, f.main(t))
	p.sees("here")
	p.master.Close()
	close(closing) // a closed window; as a child of a terminal it would get SIGHUP too
	if typed := <-gone; typed != "" {
		t.Errorf("typed %q", typed)
	}
	if code := <-p.code; code != 0 && code != 1 { // 1 when its last words could not be written
		t.Errorf("exit code %d", code)
	}
}

func TestShellCanBeLeftWhileItConnects(t *testing.T) {
	entered := make(chan struct{})
	f := newFakeServer(t)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	}))
	defer slow.Close()
	p := sit(t, f.main(t), "--server", slow.URL)
	<-entered
	began := time.Now()
	p.types("\x03")
	p.ends(0)
	if took := time.Since(began); took > 10*time.Second { // the handshake alone would take 15 s
		t.Errorf("it took %s", took)
	}
}
