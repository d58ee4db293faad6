package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"podlife/runtime/client"
)

// program is a running `podlife serve`, built as it is shipped.
type program struct {
	t      *testing.T
	binary string
	dir    string
	cmd    *exec.Cmd
	out    string // the file that has its output
	ended  chan error
	extra  []string // further flags
}

func (p *program) args() []string {
	return append([]string{"serve", "--listen", "127.0.0.1:0", "--data-dir", p.dir, "--image", "podlife/test:bookworm", "--network", "none", "--name-prefix", "cmdtest"}, p.extra...)
}

// start starts the server and waits until it has said where it listens.
func (p *program) start() {
	p.t.Helper()
	out, err := os.Create(p.out)
	if err != nil {
		p.t.Fatal(err)
	}
	defer out.Close()
	p.cmd = exec.Command(p.binary, p.args()...)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.ended = make(chan error, 1)
	go func(c *exec.Cmd, ended chan<- error) { ended <- c.Wait() }(p.cmd, p.ended)
	deadline := time.After(30 * time.Second)
	for {
		if _, err := os.Stat(filepath.Join(p.dir, "address")); err == nil {
			return
		}
		select {
		case err := <-p.ended:
			p.t.Fatalf("it ended: %v\n%s", err, p.said())
		case <-deadline:
			p.t.Fatal("it does not listen")
		case <-time.After(20 * time.Millisecond): // polling another process
		}
	}
}

// said gives what it has printed since its start.
func (p *program) said() string {
	p.t.Helper()
	b, err := os.ReadFile(p.out)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

// stop sends a signal and gives the exit code.
func (p *program) stop(sig syscall.Signal) int {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(30 * time.Second):
		_ = p.cmd.Process.Kill()
		p.t.Fatal("it does not stop")
		return -1
	}
}

func TestServeOnDockerFromStartToStop(t *testing.T) {
	if os.Getenv("PODLIFE_TEST_DOCKER") != "1" {
		t.Skip("not_run: needs Docker; set PODLIFE_TEST_DOCKER=1")
	}
	p := &program{t: t, binary: filepath.Join(t.TempDir(), "podlife"), dir: filepath.Join(t.TempDir(), "data"), out: filepath.Join(t.TempDir(), "out")}
	build := exec.Command("go", "build", "-o", p.binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m := &Main{Environ: []string{"PODLIFE_DATA_DIR=" + p.dir}}
	status := func() (s client.Status) {
		t.Helper()
		out, errOut, code := m.run(t, "", "status", "--json")
		if err := json.Unmarshal([]byte(out), &s); err != nil || code != 0 {
			t.Fatalf("status: exit %d, %v, %s%s", code, err, out, errOut)
		}
		return s
	}
	p.start()
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			<-p.ended
		}
	})
	if text := p.said(); !strings.Contains(text, "/#login=") {
		t.Errorf("no login link in %q", text)
	}
	out, errOut, code := m.run(t, "", "boot")
	if code != 0 || out != "local is ready (incarnation 1)\n" {
		t.Fatalf("boot: exit %d, %q, %q", code, out, errOut)
	}
	// A second server for the folder is refused and leaves the first alone.
	second, err := exec.Command(p.binary, p.args()...).CombinedOutput()
	if err == nil || !strings.Contains(string(second), "another podlife serve") {
		t.Errorf("a second server: %v, %s", err, second)
	}
	// A shell of the pod, through the whole stack; the multiplexer is there.
	out, errOut, code = m.run(t, "echo \"[${PODLIFE_HOOK:+set} up]\"\nexit\n", "shell")
	if code != 0 || !strings.Contains(out, "[set up]") {
		t.Errorf("shell: exit %d, %q, %q", code, out, errOut)
	}
	// Bug report B51: what is no text is output like any other.
	if out, errOut, code := m.run(t, "cat /bin/true; exit 4\n", "shell"); code != 4 || !strings.Contains(out, "\x7fELF") || !strings.Contains(out, "\xff") {
		t.Errorf("cat of a program: exit %d, %d bytes, %q", code, len(out), errOut)
	}
	programsOnDocker(t, m, p.binary)
	before := status()
	if code := p.stop(syscall.SIGTERM); code != 0 {
		t.Errorf("SIGTERM: exit %d\n%s", code, p.said())
	}
	if _, err := os.Stat(filepath.Join(p.dir, "address")); !os.IsNotExist(err) {
		t.Errorf("the address stays behind: %v", err)
	}
	if _, errOut, code := m.run(t, "", "status", "--server", "http://127.0.0.1:1"); code != 5 {
		t.Errorf("status of a stopped server: exit %d, %s", code, errOut)
	}
	p.start()
	if after := status(); after.State != "ready" || after.Container != before.Container || after.Incarnation != 1 {
		t.Errorf("after a restart %+v, before %+v", after, before)
	}
	if out, errOut, code := m.run(t, "", "destroy", "--yes", "--json"); code != 0 || out != `{"pod":"local","state":"asleep","incarnation":1}`+"\n" {
		t.Errorf("destroy: exit %d, %q, %q", code, out, errOut)
	}
	if code := p.stop(syscall.SIGINT); code != 0 {
		t.Errorf("SIGINT: exit %d\n%s", code, p.said())
	}
}
