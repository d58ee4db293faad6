package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"podlife/runtime/host/client"
	"podlife/runtime/host/frame"
)

// box is a container whose first process is the host, removed when the test ends.
type box struct {
	t  *testing.T
	id string
}

func newBox(t *testing.T, options ...string) *box {
	if os.Getenv("PODLIFE_TEST_DOCKER") != "1" {
		t.Skip("not_run: needs Docker; set PODLIFE_TEST_DOCKER=1")
	}
	binary := filepath.Join(t.TempDir(), "testhost")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "podlife/runtime/host/testhost")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v: %s", err, out)
	}
	b := &box{t: t}
	args := append([]string{"run", "-d", "--stop-signal", "SIGRTMIN+3", "--network", "none", "--label", "podlife.host.test=1", "-v", binary + ":/testhost:ro", "--entrypoint", "/testhost"}, options...)
	b.id = strings.TrimSpace(b.docker(append(args, "podlife/base:bookworm", "init")...))
	t.Cleanup(func() { b.docker("rm", "-f", "-v", b.id) })
	b.inside("touch", "/marker-u")
	return b
}

func (b *box) docker(args ...string) string {
	b.t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command("docker", args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		b.t.Fatalf("docker %s: %v: %s", strings.Join(args, " "), err, errs.String())
	}
	return out.String()
}

func (b *box) inside(args ...string) string {
	b.t.Helper()
	return b.docker(append([]string{"exec", b.id}, args...)...)
}

// relayed is a relay's standard input and output.
type relayed struct {
	io.Reader
	io.WriteCloser
	cmd *exec.Cmd
}

func (r *relayed) Close() error { return r.WriteCloser.Close() }

// dial starts a relay in the container and says hello through it.
func (b *box) dial() (*client.Client, *relayed) {
	b.t.Helper()
	cmd := exec.Command("docker", "exec", "-i", b.id, "/testhost", "relay")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	r, w := io.Pipe()
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { // ends with the relay
		_ = cmd.Wait()
		w.Close()
		close(ended)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	relay := &relayed{r, in, cmd}
	c, err := client.Dial(ctx, &whole{relay, r})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		c.Close()
		<-ended
	})
	return c, relay
}

// whole closes both directions: the pipe that a reader waits at, too.
type whole struct {
	*relayed
	r *io.PipeReader
}

func (w *whole) Close() error {
	_ = w.r.Close()
	return w.relayed.Close()
}

func (b *box) open(c *client.Client, o client.Open) *term {
	b.t.Helper()
	o.Want = frame.Marker{Pod: "u", Incarnation: 1, Recipe: "r"}
	return (&rig{t: b.t}).open(c, o)
}

func TestDockerATerminalThroughTheRelay(t *testing.T) {
	b := newBox(t)
	c, first := b.dial()
	w := b.open(c, client.Open{Tab: "main", Cols: 93, Rows: 31})
	w.await("$ ")
	w.types("stty size; echo par''ent $PPID\r")
	w.await("31 93")
	w.await("parent 1\r\n")

	_, err := c.Open(w.ctx, client.Open{Tab: "main", Want: frame.Marker{Pod: "other"}})
	var no *client.RefusedError
	if !errors.As(err, &no) || no.Reason != "marker_missing" {
		t.Errorf("without a marker: %v", err)
	}

	// A relay that is killed ends neither the session nor another relay.
	second, _ := b.dial()
	other := b.open(second, client.Open{Tab: "main", ReadOnly: true})
	have := w.have()
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	third, _ := b.dial()
	if third.Instance() != second.Instance() {
		t.Error("the host is another one")
	}
	back := b.open(third, client.Open{Tab: "main", Epoch: w.Opened().Epoch, Have: have})
	if back.Opened().Reset {
		t.Errorf("%+v", back.Opened())
	}
	back.types("echo st''ill; exit 7\r")
	other.await("still")
	if e := other.awaitExit(); e.Code != 7 {
		t.Errorf("%+v", e)
	}
	// What the server left behind has ended inside, too.
	for deadline := time.Now().Add(10 * time.Second); len(b.relays()) != 2; {
		if time.Now().After(deadline) {
			t.Fatalf("the relays are %q", b.relays())
		}
	}
}

// relays gives the numbers of the relays that run in the container.
func (b *box) relays() []string {
	b.t.Helper()
	return strings.Fields(b.inside("sh", "-c", "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline 2>/dev/null | grep -q '^/testhost relay' && echo ${p#/proc/}; done; true"))
}

// Root inside can kill a relay, though the host has its files: the connection ends, and the next one finds everything.
func TestDockerARelayThatIsKilledInside(t *testing.T) {
	b := newBox(t)
	c, _ := b.dial()
	w := b.open(c, client.Open{Tab: "main"})
	w.await("$ ")
	w.types("kill -9 " + strings.Join(b.relays(), " ") + "; echo st''ill\r")
	select {
	case <-c.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the connection did not end with its relay")
	}
	again, _ := b.dial()
	back := b.open(again, client.Open{Tab: "main"})
	back.await("still")
	if left := b.relays(); len(left) != 1 {
		t.Errorf("the relays are %q", left)
	}
}

// Root inside, without the right to trace, reaches neither the host nor its socket.
func TestDockerTheUserInsideReachesNothing(t *testing.T) {
	b := newBox(t)
	c, _ := b.dial()
	w := b.open(c, client.Open{Tab: "main", Cols: 200, Rows: 50})
	w.await("$ ")
	for command, want := range map[string]string{
		"/testhost relay </dev/null; echo co''de $?":               "code 1",
		"(/testhost relay </dev/null & ) ; sleep 0.3; echo do''ne": "done",
		"cat /proc/1/environ >/dev/null; echo co''de $?":           "code 1",
		"readlink /proc/1/fd/0; echo co''de $?":                    "code 1",
		"head -c1 /proc/1/mem >/dev/null; echo co''de $?":          "code 1",
		"for s in 37 TERM INT KILL STOP HUP QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 ALRM STKFLT XCPU XFSZ VTALRM IO PWR SYS PIPE URG CHLD PROF; do kill -$s 1; done; echo al''ive": "alive",
	} {
		w.got, w.from = nil, w.have()
		w.types(command + "\r")
		w.await(want)
	}
	w.got, w.from = nil, w.have()
	w.types("(sleep 9.5 & echo $! >/tmp/p; wait $!; echo co''de $?) & sleep 0.2; kill -TERM $(cat /tmp/p); wait; grep SigBlk /proc/self/status\r") // what is started here is not deaf
	w.await("code 143")
	w.await("SigBlk:\t0000000000000000")
	// Neither has the relay become open again, which runs for us.
	relays := b.relays()
	if len(relays) != 1 {
		t.Fatalf("the relays are %q", relays)
	}
	w.got, w.from = nil, w.have()
	w.types("readlink /proc/" + relays[0] + "/exe; echo co''de $?\r")
	w.await("code 1")
	if c.Err() != nil {
		t.Error(c.Err())
	}
}

func TestDockerStopIsQuickAndNoZombieIsLeft(t *testing.T) {
	b := newBox(t)
	c, _ := b.dial()
	w := b.open(c, client.Open{Tab: "main"})
	w.await("$ ")
	w.types("for i in 1 2 3 4 5 6 7 8 9; do (sleep 0.05 &) ; done; trap '' HUP TERM; echo de''af\r")
	w.await("deaf")
	deadline := time.Now().Add(5 * time.Second)
	for {
		left := b.inside("sh", "-c", "grep -l '^State:.Z' /proc/[0-9]*/status; pgrep sleep; true")
		if strings.TrimSpace(left) == "" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("left: %s", left)
		}
	}
	begun := time.Now()
	b.docker("stop", "-t", "10", b.id)
	if d := time.Since(begun); d > 2*time.Second {
		t.Errorf("docker stop took %s", d)
	}
	if code := strings.TrimSpace(b.docker("inspect", "-f", "{{.State.ExitCode}}", b.id)); code != "0" {
		t.Errorf("exit code %s", code)
	}
}

// Whoever takes all processes that a container may have takes them from themselves: the host lives, says that it can start no more, and can again when there are some.
func TestDockerTheHostOutlivesAFullContainer(t *testing.T) {
	b := newBox(t, "--pids-limit", "100")
	c, _ := b.dial()
	w := b.open(c, client.Open{Tab: "main", Cols: 80, Rows: 24})
	w.await("$ ")
	w.types("for i in $(seq 200); do sleep 300 & done 2>/dev/null; echo fu''ll\r")
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(b.pids(), "100"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it has %s processes", b.pids())
		}
	}
	var asked sync.WaitGroup
	for i := range 40 {
		asked.Go(func() {
			v, err := c.Open(w.ctx, client.Open{Tab: fmt.Sprint("t", i), Want: frame.Marker{Pod: "u", Incarnation: 1, Recipe: "r"}})
			if err == nil {
				v.Close()
			}
			var no *client.RefusedError
			if err != nil && !errors.As(err, &no) {
				t.Errorf("tab %d: %v", i, err)
			}
			if _, err := c.List(w.ctx); err != nil {
				t.Errorf("the list: %v", err)
			}
		})
	}
	asked.Wait()
	if state := strings.TrimSpace(b.docker("inspect", "-f", "{{.State.Status}} {{.State.ExitCode}}", b.id)); state != "running 0" {
		t.Fatalf("the container: %s: %s", state, b.docker("logs", b.id))
	}
	b.kill("sleep")
	if err := c.End(w.ctx, "main"); err != nil { // whose shell has not asked for their exit codes
		t.Error(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		v, err := c.Open(w.ctx, client.Open{Tab: "again", Want: frame.Marker{Pod: "u", Incarnation: 1, Recipe: "r"}})
		if err == nil {
			v.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	b.open(c, client.Open{Tab: "again"}).await("$ ")
}

// pids is how many tasks the container has, as its control group counts them.
func (b *box) pids() string {
	for _, file := range []string{"/sys/fs/cgroup/pids/docker/" + b.id + "/pids.current", "/sys/fs/cgroup/system.slice/docker-" + b.id + ".scope/pids.current", "/sys/fs/cgroup/docker/" + b.id + "/pids.current"} {
		if text, err := os.ReadFile(file); err == nil {
			return strings.TrimSpace(string(text))
		}
	}
	return b.docker("stats", "--no-stream", "--format", "{{.PIDs}}", b.id)
}

// kill ends the container's programs of a name, from outside: nothing can be started in it.
func (b *box) kill(name string) {
	b.t.Helper()
	for _, line := range strings.Split(b.docker("top", b.id, "-eo", "pid,comm"), "\n") {
		if f := strings.Fields(line); len(f) == 2 && f[1] == name {
			if pid, err := strconv.Atoi(f[0]); err == nil {
				_ = unix.Kill(pid, unix.SIGKILL) // it may have ended
			}
		}
	}
}

// Where memory runs out, a user's process goes, and not the host, however large it is beside them.
func TestDockerTheUsersProcessesGoFirst(t *testing.T) {
	b := newBox(t)
	c, _ := b.dial()
	w := b.open(c, client.Open{Tab: "main", Cols: 80, Rows: 24})
	w.await("$ ")
	w.types("cat /proc/1/oom_score_adj /proc/self/oom_score_adj; sh -c 'echo child $(cat /proc/self/oom_score_adj)'\r")
	w.await("0\r\n500\r\nchild 500\r\n")
}
