package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// programsOnDocker runs programs without a terminal in a pod that is ready, and copies files in and out, through the whole stack.
func programsOnDocker(t *testing.T, m *Main, binary string) {
	t.Helper()
	for _, c := range []struct {
		input       string
		args        []string
		out, errOut string
		code        int
	}{
		{"", []string{"exec", "--", "sh", "-c", "echo out; echo err >&2; exit 3"}, "out\n", "err\n", 3},
		{"a line\nand no end of it", []string{"exec", "--", "cat"}, "a line\nand no end of it", "", 0},
		{"", []string{"exec", "sh", "-c", "echo no dashes"}, "no dashes\n", "", 0},
		{"cat <<'EOF'\nx $HOME\nEOF\necho over\n", []string{"exec", "--", "sh"}, "x $HOME\nover\n", "", 0}, // bug report B65
		{"never read", []string{"exec", "-n", "--", "cat"}, "", "", 0},
		{"", []string{"exec", "--dir", "/tmp", "-e", "A=b c", "--", "sh", "-c", `pwd; echo "$A"`}, "/tmp\nb c\n", "", 0},
		{"", []string{"exec", "--", "sh", "-c", "kill -KILL $$"}, "", "", 137},
		{"", []string{"exec", "--", "nonesuch"}, "", "", 127},
		{"", []string{"exec", "--", "/etc/passwd"}, "", "", 126},
		{"", []string{"exec", "--dir", "/nonesuch", "--", "touch", "/tmp/never"}, "", "", 126},
		{"", []string{"exec", "--", "test", "-e", "/tmp/never"}, "", "", 1},
		{"", []string{"exec", "--dir", "/bin", "--", "./true"}, "", "", 0},
		{"", []string{"exec"}, "", "", 2},
		{"", []string{"exec", "--dir", "x", "--", "true"}, "", "", 2},
		{"", []string{"exec", "--env", "x", "--", "true"}, "", "", 2},
	} {
		out, errOut, code := m.run(t, c.input, c.args...)
		if out != c.out || code != c.code || code != 127 && code != 126 && code != 2 && errOut != c.errOut {
			t.Errorf("%q: exit %d, %q, %q", c.args, code, out, errOut)
		}
	}
	out, errOut, code := m.run(t, "", "exec", "--json", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
	var said map[string]any
	if err := json.Unmarshal([]byte(out), &said); err != nil || code != 3 || said["exit_code"] != 3.0 || said["stdout"] != "out\n" || said["stderr"] != "err\n" {
		t.Errorf("--json: exit %d, %v, %s%s", code, err, out, errOut)
	}
	big := make([]byte, 5<<20)
	if _, err := rand.Read(big); err != nil {
		t.Fatal(err)
	}
	if out, errOut, code := m.run(t, string(big), "exec", "--", "sh", "-c", "cat; exit 9"); code != 9 || out != string(big) {
		t.Errorf("5 MiB through cat: exit %d, %d bytes, %q", code, len(out), errOut)
	}
	if out, errOut, code := m.run(t, "", "shell", "--", "sh", "-c", "test -t 0 && test -t 1 && echo a terminal; exit 6"); code != 6 || !strings.HasSuffix(out, "a terminal\r\n") {
		t.Errorf("a program on a terminal: exit %d, %q, %q", code, out, errOut)
	}
	signalsOnDocker(t, m, binary)
	copiesOnDocker(t, m)
}

// signalsOnDocker sends signals to a command of its own process: the program gets them, and its end is the command's.
func signalsOnDocker(t *testing.T, m *Main, binary string) {
	t.Helper()
	for _, c := range []struct {
		sig    syscall.Signal
		script string
		out    string
		code   int
	}{
		{syscall.SIGINT, `trap 'echo heard; exit 5' INT; echo ready; while :; do sleep 0.05; done`, "ready\nheard\n", 5},
		{syscall.SIGTERM, `echo ready; exec sleep 60`, "ready\n", 143},
	} {
		cmd := exec.Command(binary, "exec", "-n", "--", "sh", "-c", c.script)
		cmd.Env = append(os.Environ(), m.Environ...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		var said bytes.Buffer
		sent := false
		for b := make([]byte, 1024); ; {
			n, err := out.Read(b)
			said.Write(b[:n])
			if !sent && strings.HasPrefix(said.String(), "ready\n") {
				sent = true
				if err := cmd.Process.Signal(c.sig); err != nil {
					t.Error(err)
				}
			}
			if err != nil {
				break
			}
		}
		_ = cmd.Wait() // the code says it
		kill.Stop()
		if code := cmd.ProcessState.ExitCode(); code != c.code || said.String() != c.out {
			t.Errorf("%v: exit %d, %q", c.sig, code, said.String())
		}
	}
	// A command that is killed takes its program with it.
	cmd := exec.Command(binary, "exec", "-n", "--", "sh", "-c", "exec sleep 7654")
	cmd.Env = append(os.Environ(), m.Environ...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	runs := func() bool {
		_, _, code := m.run(t, "", "exec", "--", "sh", "-c", `cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\0" " " | grep -q "sleep 765[4]"`)
		return code == 0
	}
	until := func(what string, want bool) {
		for deadline := time.Now().Add(20 * time.Second); runs() != want; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("never happened: " + what)
			}
		}
	}
	until("the program runs", true)
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was killed
	until("the program is gone", false)
}

func copiesOnDocker(t *testing.T, m *Main) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	for name, content := range map[string]string{"a": "one\n", "deep/b": "two\n", "deep/c": strings.Repeat("x", 3<<20)} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a", dir+"/link"); err != nil {
		t.Fatal(err)
	}
	do := func(want int, args ...string) (out, errOut string) {
		t.Helper()
		out, errOut, code := m.run(t, "", args...)
		if code != want {
			t.Errorf("%q: exit %d, %q, %q", args, code, out, errOut)
		}
		return out, errOut
	}
	do(0, "cp", dir, ":/tmp")
	if out, _ := do(0, "exec", "--", "sh", "-c", "cd /tmp/project && cat a deep/b && readlink link && stat -c '%a %s' deep/c"); out != "one\ntwo\na\n640 3145728\n" {
		t.Errorf("in the pod: %q", out)
	}
	out, _ := do(0, "cp", "--json", ":/tmp/project", dir+"/../back")
	var report struct{ Files, Folders, Bytes int64 }
	if err := json.Unmarshal([]byte(out), &report); err != nil || report.Files != 4 || report.Folders != 2 || report.Bytes != 3<<20+8 {
		t.Errorf("%v, %s", err, out)
	}
	if diff, err := exec.Command("diff", "-r", "--no-dereference", dir, dir+"/../back").CombinedOutput(); err != nil {
		t.Errorf("what came back is not what went: %v, %s", err, diff)
	}
	do(0, "cp", dir+"/a", ":/tmp/renamed")
	do(0, "cp", ":/tmp/renamed", dir+"/deep")
	if b, err := os.ReadFile(dir + "/deep/renamed"); err != nil || string(b) != "one\n" {
		t.Errorf("%q, %v", b, err)
	}
	for _, args := range [][]string{
		{"cp", dir + "/nonesuch", ":/tmp"}, {"cp", ":/nonesuch", dir}, {"cp", dir + "/a", ":/nonesuch/a"}, {"cp", ":/tmp/renamed", dir + "/nonesuch/a"},
		{"cp", dir + "/a", ":/tmp/project/deep/b/c"}, {"cp", dir, ":/tmp/renamed"},
	} {
		if _, errOut := do(1, args...); !strings.HasPrefix(errOut, "podlife: ") || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%q says %q", args, errOut)
		}
	}
	do(2, "cp", dir, dir)
	do(2, "cp", ":a", ":b")
	do(2, "cp", ":a")
	do(2, "cp", ":/tmp/.", dir)
}
