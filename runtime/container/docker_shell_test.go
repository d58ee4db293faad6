package container_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// B52: the first command already sees the browser's size.
func TestDockerTheFirstCommandSeesTheSize(t *testing.T) {
	w := newWorld(t, withUserScript("echo 'stty size' >/root/.bashrc"))
	id := w.launch(first)
	w.boot(id, first)
	for i := range 5 {
		s := w.attach(id, first, fmt.Sprint("size", i))
		s.expect("37 123\r\n")
		s.Close()
	}
}

// Without the multiplexer there is still a shell.
func TestDockerAMissingMultiplexerLocksNobodyOut(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	w.inside(id, "rm /usr/bin/tmux")
	s := w.attach(id, first, "plain")
	s.send("echo here:$((40+2))\n")
	s.expect("here:42")
}

// B55: a shell that is not there is an error with its code, not text on a screen.
func TestDockerAMissingShellIsATypedError(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	for _, c := range []struct {
		session, damage string
		code            int
	}{{"x126", "chmod a-x /bin/bash /bin/dash", 126}, {"x127", "rm /bin/bash /bin/dash", 127}} {
		w.inside(id, c.damage)
		_, err := w.Shell(t.Context(), id, first, pod.ShellRequest{Attempt: c.session, Tab: c.session, Cols: 80, Rows: 24})
		var se *container.ShellError
		if !errors.As(err, &se) || se.Reason != "no_shell" || se.ExitCode != c.code {
			t.Errorf("want %d, got %v", c.code, err)
		}
		if c.code == 126 {
			p, err := w.engine.Exec(t.Context(), engine.ID(id), engine.ExecSpec{Command: []string{"chmod", "a+x", "/bin/bash", "/bin/dash"}})
			if err != nil {
				t.Fatal(err)
			}
			p.Wait(t.Context())
			p.Close()
		}
	}
	// And a boot has nothing to run its script with.
	_, err := w.tryBoot(t.Context(), id, pod.Incarnation{Pod: "alice", Inc: 2})
	var failed *pod.BootError
	if !errors.As(err, &failed) || failed.Step != "shell" || failed.ExitCode != 127 {
		t.Errorf("boot: %#v", err)
	}
}

// B41: an engine does not end a process whose reader went away. A tab has one shell, however often somebody comes and goes.
func TestDockerComingAndGoingLeavesTheOneShell(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	before := w.inside(id, "ps -e --no-headers | wc -l")
	for i := range 20 {
		s := w.attach(id, first, "main")
		if i%2 == 0 {
			s.expect("alice:") // half of them leave while they still open
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if left := w.inside(id, "pgrep -fc '[b]ash -l -i'; pgrep -fc '[a]gent relay'"); left != "1\n1\n" {
		t.Errorf("shells and relays: %q: %s", left, w.inside(id, "ps -ef"))
	}
	t.Logf("processes before the first: %s", before)
}

// A server that is killed leaves its shells to the next one.
func TestDockerTheNextServerHasTheSessionsOfTheLast(t *testing.T) {
	var o container.Options
	w := newWorld(t, func(opts *container.Options) { o = *opts })
	id := w.launch(first)
	w.boot(id, first)
	old := w.attach(id, first, "main")
	old.send("mine=$((40+2))\n")
	old.expect("alice:")
	w.Close()
	<-old.done
	next, err := container.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(next.Close)
	s, err := next.Shell(t.Context(), id, first, pod.ShellRequest{Attempt: "new", Tab: "main", Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	if s.Opened().Started || s.Opened().Epoch != old.Opened().Epoch {
		t.Errorf("%+v, after %+v", s.Opened(), old.Opened())
	}
	sc := newScreen(t, s)
	sc.send("echo still:$mine\n")
	sc.expect("still:42")
}

// B18: what a user sent to the background outlives the shell.
func TestDockerBackgroundWorkOutlivesItsShell(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	s := w.attach(id, first, "plain")
	s.expect("alice:")
	s.send("nohup sleep 4321 >/dev/null 2>&1 &\necho started $((40+2))\n")
	s.expect("started 42")
	s.send("exit\n")
	if code, err := s.exit(); code != 0 || err != nil {
		t.Errorf("%d, %v", code, err)
	}
	if n := w.inside(id, "pgrep -fc '^sleep 4321'; pgrep -fc '[b]ash -l -i'"); n != "1\n0\n" {
		t.Errorf("sleeps and shells: %q", n)
	}
}

func TestDockerTheShellsExitCode(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	for _, c := range []struct {
		typed string
		code  int
	}{{"exit 3\n", 3}, {"\x04", 0}, {"bash -c 'exit 4'; exit\n", 4}, {"kill -9 $$\n", 137}} {
		s := w.attach(id, first, "main") // the next shell of the same tab is a new one
		s.expect("alice:")
		s.send(c.typed)
		if code, err := s.exit(); code != c.code || err != nil {
			t.Errorf("%q gave %d, %v: %q", c.typed, code, err, s.text())
		}
		s.Close()
	}
}

// Nobody inside can end the session host, by whatever signal, nor take its place or its name away.
func TestDockerNobodyInsideEndsTheHost(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	s := w.attach(id, first, "main")
	s.expect("alice:")
	s.send("for s in $(seq 1 64); do kill -$s 1 2>/dev/null; done; rm -rf /run/podlife; echo tried:$((40+2))\n")
	s.expect("tried:42")
	other := w.attach(id, first, "other")
	other.send("echo here:$((40+2))\n")
	other.expect("here:42")
	if said := w.inside(id, boot.AgentPath+" agent relay </dev/null 2>&1; echo code $?"); !strings.Contains(said, "code 1") {
		t.Errorf("a relay that a process inside has started: %q", said)
	}
}

func TestDockerATerminalInAContainerThatIsRemovedIsGone(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	s := w.attach(id, first, "gone")
	s.expect("alice:")
	if err := w.Remove(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	var g *pod.GoneError
	if code, err := s.exit(); !errors.As(err, &g) {
		t.Errorf("got %d, %v", code, err)
	}
}
