package agent

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// started runs a shell script as the leader of a session of its own, as a terminal's shell is, and waits until it says that it is ready.
func started(t *testing.T, script string) (identity, <-chan error) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script+"\necho ready; while :; do sleep 75; done")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	p, err := readProc(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	ended, gone := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(gone)
		ended <- cmd.Wait()
	}()
	t.Cleanup(func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); <-gone })
	return identity{pid: cmd.Process.Pid, start: p.start, server: "s1"}, ended
}

// signalOf gives what ended the process.
func signalOf(err error) syscall.Signal {
	exit, ok := err.(*exec.ExitError)
	if !ok {
		return 0
	}
	return exit.Sys().(syscall.WaitStatus).Signal()
}

func sessionLayout(t *testing.T) Layout {
	t.Helper()
	return Layout{RunDir: t.TempDir()}
}

func TestEndingASessionHangsItUp(t *testing.T) {
	l := sessionLayout(t)
	id, ended := started(t, "")
	if err := l.recordSession("a", id); err != nil {
		t.Fatal(err)
	}
	if err := l.EndSession(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if s := signalOf(<-ended); s != syscall.SIGHUP {
		t.Errorf("ended by %s", s)
	}
	if err := l.EndSession(t.Context(), "a"); err != nil {
		t.Errorf("again: %v", err)
	}
}

func TestASessionThatIgnoresAHangupIsKilledWithItsGroup(t *testing.T) {
	l := sessionLayout(t)
	id, ended := started(t, "trap '' HUP; sleep 76 &")
	if err := l.recordSession("a", id); err != nil {
		t.Fatal(err)
	}
	if err := l.EndSession(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if s := signalOf(<-ended); s != syscall.SIGKILL {
		t.Errorf("ended by %s", s)
	}
	eventually(t, "its group is gone", func() bool { return !alive(t, "sleep\x0076") })
}

// A number that was given to another process names nobody.
func TestAProcessWithAnotherStartTimeIsNotTouched(t *testing.T) {
	l := sessionLayout(t)
	id, ended := started(t, "")
	stale := id
	stale.start += "0"
	if err := l.recordSession("a", stale); err != nil {
		t.Fatal(err)
	}
	if err := l.EndSession(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		t.Errorf("it was ended: %v", err)
	default:
	}
	if !id.alive() {
		t.Error("it is gone")
	}
}

func TestASessionThatWasEndedFirstCannotBegin(t *testing.T) {
	l := sessionLayout(t)
	if err := l.EndSession(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := l.recordSession("a", identity{pid: 1, start: "1", server: "s"}); err != errSessionEnded {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"", "../x", "a/b", "a b", strings.Repeat("x", 65)} {
		if err := l.EndSession(t.Context(), bad); err == nil {
			t.Errorf("%q is taken for a name", bad)
		}
	}
}

func TestLeftoversOfAnotherServerAreEndedAndOursAreNot(t *testing.T) {
	l := sessionLayout(t)
	ours, oursEnded := started(t, "")
	theirs, theirsEnded := started(t, "")
	theirs.server = "s0"
	dead, deadEnded := started(t, "")
	syscall.Kill(-dead.pid, syscall.SIGKILL)
	<-deadEnded
	for session, id := range map[string]identity{"ours": ours, "theirs": theirs, "dead": dead} {
		if err := l.recordSession(session, id); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.endLeftovers(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	if s := signalOf(<-theirsEnded); s != syscall.SIGHUP {
		t.Errorf("theirs ended by %s", s)
	}
	select {
	case err := <-oursEnded:
		t.Errorf("ours was ended: %v", err)
	default:
	}
	if _, err := os.Stat(filepath.Join(l.sessions(), "dead")); !os.IsNotExist(err) {
		t.Errorf("the note of a dead one: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(l.sessions(), ".new-*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// A tab that reconnects for a week leaves a note per terminal; what every new shell has to read is what lives and one minute's past.
func TestNotesOfEndedSessionsAreForgottenAfterAMinute(t *testing.T) {
	l := sessionLayout(t)
	live, _ := started(t, "")
	for range 3 {
		for _, session := range []string{"old-a", "old-b", "fresh", "live"} {
			if session == "live" {
				if err := l.recordSession(session, live); err != nil && err != errSessionEnded {
					t.Fatal(err)
				}
			} else if err := l.EndSession(t.Context(), session); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(l.sessions(), ".new-old"), nil, 0o600); err != nil { // of a shell that was killed while it wrote
			t.Fatal(err)
		}
		for name, age := range map[string]time.Duration{"old-a": 61 * time.Second, "old-b": 24 * time.Hour, ".new-old": time.Hour, "fresh": 30 * time.Second, "live": time.Hour} {
			at := time.Now().Add(-age)
			if err := os.Chtimes(filepath.Join(l.sessions(), name), at, at); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.endLeftovers(t.Context(), "s1"); err != nil {
			t.Fatal(err)
		}
		var left []string
		entries, err := os.ReadDir(l.sessions())
		for _, e := range entries {
			left = append(left, e.Name())
		}
		if err != nil || strings.Join(left, " ") != "fresh live" {
			t.Errorf("left: %v, %v", left, err)
		}
	}
	if !live.alive() {
		t.Error("the living session was ended")
	}
}

// A process may call itself what it likes.
func TestProcIsReadBehindTheName(t *testing.T) {
	dir := t.TempDir()
	evil := filepath.Join(dir, "a) S 1 1")
	if err := os.Symlink("/bin/sleep", evil); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(evil, "77")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	eventually(t, "it has its name", func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		return err == nil && strings.Contains(string(text), "(a) S 1 1)")
	})
	p, err := readProc(cmd.Process.Pid)
	if err != nil || p.group != cmd.Process.Pid || p.state == "" || p.start == "" {
		t.Errorf("%+v, %v", p, err)
	}
}
