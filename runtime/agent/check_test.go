package agent

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"podlife/runtime/boot"
)

type fakeFiles struct {
	content string
	err     error
}

func (f fakeFiles) ReadFile(_ string, limit int) ([]byte, error) {
	return []byte(f.content[:min(len(f.content), limit+1)]), f.err
}

func TestTheCheckTakesNothingForProvisionedThatIsNot(t *testing.T) {
	want := boot.Marker{Pod: "alice", Incarnation: 2, Recipe: strings.Repeat("0", 64)}
	good := string(want.Format())
	for name, c := range map[string]struct {
		files fakeFiles
		want  Verdict
	}{
		"right":             {fakeFiles{content: good}, Verdict{OK: true}},
		"missing":           {fakeFiles{err: &fs.PathError{Err: fs.ErrNotExist}}, Verdict{Reason: boot.MarkerMissing}},
		"not readable":      {fakeFiles{content: good, err: fs.ErrPermission}, Verdict{Reason: boot.MarkerUnreadable}},
		"some other error":  {fakeFiles{content: good, err: errors.New("disk")}, Verdict{Reason: boot.MarkerUnreadable}},
		"empty":             {fakeFiles{}, Verdict{Reason: boot.MarkerUnreadable}},
		"cut":               {fakeFiles{content: good[:len(good)-4]}, Verdict{Reason: boot.MarkerUnreadable}},
		"much too long":     {fakeFiles{content: good + strings.Repeat("\n", boot.MaxMarker)}, Verdict{Reason: boot.MarkerUnreadable}},
		"other incarnation": {fakeFiles{content: strings.Replace(good, "n 2", "n 1", 1)}, Verdict{Reason: boot.OtherIncarnation}},
		"other recipe":      {fakeFiles{content: strings.Replace(good, "000\n", "001\n", 1)}, Verdict{Reason: boot.OtherRecipe}},
	} {
		var out bytes.Buffer
		if got := Check(c.files, "/m", want); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
		if code := RunCheck(c.files, "/m", want, &out); (code == 0) != c.want.OK || (code == ExitRefused) == c.want.OK {
			t.Errorf("%s: exit code %d", name, code)
		}
	}
}

// What is not a regular file neither blocks the guard nor passes it.
func TestTheMarkerIsARegularFile(t *testing.T) {
	dir := t.TempDir()
	want := boot.Marker{Pod: "alice", Incarnation: 2, Recipe: strings.Repeat("0", 64)}
	real := filepath.Join(dir, "real")
	if err := os.WriteFile(real, want.Format(), 0o644); err != nil {
		t.Fatal(err)
	}
	link, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, ok := range map[string]bool{real: true, link: false, pipe: false, dir: false, "/dev/zero": false, filepath.Join(dir, "none"): false} {
		begun := time.Now()
		if v := Check(OSFiles{}, path, want); v.OK != ok || time.Since(begun) > 5*time.Second {
			t.Errorf("%s: %+v", path, v)
		}
	}
}

func TestAGuardLineIsReadAsItWasWritten(t *testing.T) {
	for _, g := range []Guard{{OK: true}, {Reason: boot.MarkerMissing}, {Reason: NoShell, ExitCode: 127, Detail: "no such file: <\n>"}} {
		line := g.Line()
		if bytes.Count(line, []byte("\n")) != 1 || len(line) > MaxGuardLine {
			t.Errorf("%q is not one line", line)
		}
		for _, end := range []string{"\n", "\r\n", ""} { // a terminal makes the second of the first
			got, err := ParseGuard(append(bytes.TrimSuffix(line, []byte("\n")), end...))
			if err != nil || got != g {
				t.Errorf("%q: %+v, %v", line, got, err)
			}
		}
	}
	for _, bad := range []string{"", "\n", "podlife-guard:", "podlife-guard:{}", `podlife-guard:{"ok":true,"reason":"x"}`, ` podlife-guard:{"ok":true}`, `{"ok":true}`, "podlife-guard:true", "podlife-guard:{\"ok\":true}x"} {
		if g, err := ParseGuard([]byte(bad)); err == nil {
			t.Errorf("%q is taken for %+v", bad, g)
		}
	}
}

// Nothing is a shell, and nothing is noted, where the marker does not vouch.
func TestARefusedShellDoesNothing(t *testing.T) {
	h := newHost(t, nil)
	o := ShellOptions{Want: boot.Marker{Pod: "alice", Incarnation: 7, Recipe: strings.Repeat("0", 64)}, Session: "s", Server: "x", Tab: "main", Cols: 80, Rows: 24}
	run := func(o ShellOptions) (Guard, int) {
		t.Helper()
		null, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		var out bytes.Buffer
		code := RunShell(h.Layout, o, null, &out)
		g, err := ParseGuard(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return g, code
	}
	if g, code := run(o); code != ExitRefused || g.Reason != boot.MarkerMissing {
		t.Errorf("%+v, %d", g, code)
	}
	h.write(h.Marker, string(o.Want.Format()), 0o644)
	if g, code := run(o); code != 1 || g.Reason != AgentFailed || !strings.Contains(g.Detail, "terminal") { // the file that is no terminal
		t.Errorf("%+v, %d", g, code)
	}
	if _, err := os.Stat(h.sessions()); err == nil {
		t.Error("a shell that did not start was noted")
	}
	for _, spoil := range []func(*ShellOptions){
		func(o *ShellOptions) { o.Session = "../x" }, func(o *ShellOptions) { o.Tab = "a b" }, func(o *ShellOptions) { o.Server = "" },
		func(o *ShellOptions) { o.Cols = 0 }, func(o *ShellOptions) { o.Rows = 1001 },
	} {
		bad := o
		spoil(&bad)
		if g, code := run(bad); code != 2 || g.Reason != AgentFailed {
			t.Errorf("%+v: %+v, %d", bad, g, code)
		}
	}
}

// A guard line that nobody read could be thrown away by the next program: the shell starts when it was seen, and finds only what was typed after.
func TestTheShellStartsWhenTheGuardLineWasSeen(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer tty.Close()
	done := make(chan error, 1)
	go func() { done <- handOver(tty, tty) }()
	read := bufio.NewReader(master)
	line, err := read.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if g, err := ParseGuard(line); err != nil || !g.OK {
		t.Errorf("%q: %+v, %v", line, g, err)
	}
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	if _, err := master.WriteString(GuardSeen + "typed\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	typed, err := bufio.NewReader(tty).ReadString('\n')
	if err != nil || typed != "typed\n" {
		t.Errorf("the shell reads %q, %v", typed, err)
	}
	if _, err := master.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	if b, err := read.ReadByte(); err != nil || b != 'x' { // the echo is back, and nothing was echoed before
		t.Errorf("the terminal shows %q, %v", b, err)
	}
}

func TestAWrongAnswerToTheGuardLineStartsNothing(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	if _, err := master.WriteString("ls\n"); err != nil {
		t.Fatal(err)
	}
	if err := handOver(tty, tty); err == nil {
		t.Error("an answer that is none was taken")
	}
	master.Close()
	if err := handOver(tty, tty); err == nil {
		t.Error("a terminal without anybody was taken")
	}
}
