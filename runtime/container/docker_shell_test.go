package container_test

import (
	"errors"
	"fmt"
	"testing"

	"podlife/runtime/container"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// B52: the first command already sees the browser's size.
func TestDockerTheFirstCommandSeesTheSize(t *testing.T) {
	// Without the multiplexer, which throws away what was printed before it.
	w := newWorld(t, withUserScript("echo 'stty size' >/root/.bashrc"))
	id := w.launch(first)
	w.boot(id, first)
	for i := range 5 {
		s := w.attach(id, first, fmt.Sprint("size", i))
		s.expect("37 123\r\n")
		s.Close()
	}
}

// B41: an engine does not end a process whose reader went away.
func TestDockerNoShellIsLeftAfterAttachAndClose(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	for i := range 20 {
		s := w.attach(id, first, fmt.Sprint("cycle", i))
		if i%2 == 0 {
			s.expect("alice:") // half of them are closed while they still start
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	// What stays is the multiplexer and the one shell that the tab has inside it.
	if left := w.inside(id, "pgrep -fc '[b]ash -l -i'"); left != "0\n" {
		t.Errorf("%s shells are left: %s", left, w.inside(id, "ps -ef"))
	}
	if left := w.inside(id, "tmux list-clients | wc -l"); left != "0\n" {
		t.Errorf("%s multiplexer clients are left", left)
	}
	if left := w.inside(id, "tmux list-panes -a | wc -l"); left != "1\n" {
		t.Errorf("%s panes", left)
	}
}

// A server that is killed cannot close its shells; the next one's first attach does.
func TestDockerShellsOfAKilledServerAreEnded(t *testing.T) {
	var o container.Options
	w := newWorld(t, func(opts *container.Options) { o = *opts })
	id := w.launch(first)
	w.boot(id, first)
	old := w.attach(id, first, "old")
	old.expect("alice:")
	next, err := container.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := next.Shell(t.Context(), id, first, pod.ShellRequest{Session: "new", Tab: "main", Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	newScreen(t, s).expect("alice:")
	<-old.done
	if left := w.inside(id, "pgrep -fc '[b]ash -l -i'"); left != "1\n" {
		t.Errorf("%s shells", left)
	}
}

// B18: what a user sent to the background outlives the tab.
func TestDockerBackgroundWorkOutlivesItsShell(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	w.inside(id, "sed -i '/>>> podlife/,/<<< podlife/d' /root/.bashrc") // a plain shell, without the multiplexer's help
	s := w.attach(id, first, "plain")
	s.expect("alice:")
	s.send("nohup sleep 4321 >/dev/null 2>&1 &\necho started $((40+2))\n")
	s.expect("started 42")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := w.inside(id, "pgrep -fc '^sleep 4321'; pgrep -fc '[b]ash -l -i'"); n != "1\n0\n" {
		t.Errorf("sleeps and shells: %q", n)
	}
}

// The multiplexer does not pass its shell's exit code on by itself.
func TestDockerTheShellsExitCode(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	exits := func(session, typed string, want int) {
		t.Helper()
		s := w.attach(id, first, session)
		s.expect("alice:")
		s.send(typed)
		if code, err := s.Wait(t.Context()); code != want || err != nil {
			t.Errorf("%q gave %d, %v: %q", typed, code, err, s.text())
		}
	}
	exits("a", "exit 3\n", 3)
	exits("b", "\x04", 0) // the next shell of the same tab does not find the last one's code
	exits("c", "tmux kill-session\n", 0)
	exits("d", "bash -c 'exit 4'; exit\n", 4)
	w.inside(id, "sed -i '/>>> podlife/,/<<< podlife/d' /root/.bashrc")
	exits("plain", "exit 5\n", 5)
}

func TestDockerADetachedUserGetsAPlainShell(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	s := w.attach(id, first, "detach")
	s.expect("alice:")
	s.send("\x02d") // the multiplexer's own key for it
	s.expect("[detached")
	s.send("echo out:${TMUX:-none}:$((40+2))\n")
	s.expect("out:none:42")
	s.send("bash -i -c 'echo in:${TMUX:-none}:$((40+3))'\n")
	s.expect("in:none:43")
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

func TestDockerAShellInAContainerThatIsKilledIsGone(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	s := w.attach(id, first, "gone")
	s.expect("alice:")
	w.inside(id, "kill -TERM 1")
	var g *pod.GoneError
	if code, err := s.Wait(t.Context()); !errors.As(err, &g) {
		t.Errorf("got %d, %v", code, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
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
		_, err := w.Shell(t.Context(), id, first, pod.ShellRequest{Session: c.session, Tab: "main", Cols: 80, Rows: 24})
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
