package container_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/engine"
	"podlife/runtime/engine/docker"
	"podlife/runtime/pod"
	"podlife/runtime/pod/podtest"
)

const testImage = "podlife/test:bookworm"

// agentBinary builds the agent once for all tests of this run.
var agentBinary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "podlife-agent-")
	if err != nil {
		return "", err
	}
	agentDir = dir
	path := filepath.Join(dir, "podlife")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, "podlife/runtime/agent/testagent")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the agent: %w: %s", err, out)
	}
	return path, nil
})

// world is containers on the real engine, all of them removed when the test ends.
type world struct {
	*container.Containers
	t      *testing.T
	engine *docker.Engine
}

func newWorld(t *testing.T, change func(*container.Options)) *world {
	t.Helper()
	if os.Getenv("PODLIFE_TEST_DOCKER") != "1" {
		t.Skip("not_run: needs Docker; set PODLIFE_TEST_DOCKER=1")
	}
	binary, err := agentBinary()
	if err != nil {
		t.Fatal(err)
	}
	e, err := docker.New(docker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := container.Options{
		Engine: e, Instance: "containertest-" + rand.Text(), NamePrefix: "pctest" + rand.Text()[:6], Image: testImage, Network: "none", AgentPath: binary,
		Recipe: boot.Recipe{Repo: boot.Repo{URL: "file:///srv/example.git"}},
	}
	if change != nil {
		change(&o)
	}
	c, err := container.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		defer e.Close()
		found, err := c.List(ctx)
		if err != nil {
			t.Error(err)
		}
		for _, f := range found {
			if err := c.Remove(ctx, f.Container); err != nil {
				t.Error(err)
			}
		}
	})
	return &world{Containers: c, t: t, engine: e}
}

func (w *world) launch(inc pod.Incarnation) pod.ContainerID {
	w.t.Helper()
	id, err := w.Launch(w.t.Context(), inc)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) boot(id pod.ContainerID, inc pod.Incarnation) []string {
	w.t.Helper()
	steps, err := w.tryBoot(w.t.Context(), id, inc)
	if err != nil {
		w.t.Fatal(err)
	}
	return steps
}

func (w *world) tryBoot(ctx context.Context, id pod.ContainerID, inc pod.Incarnation) ([]string, error) {
	var steps []string
	err := w.Boot(ctx, id, inc, func(p pod.Progress) {
		if p.Step != "" {
			steps = append(steps, p.Step+" "+string(p.Status))
		}
	})
	return steps, err
}

// inside runs a command in the container without the agent, and gives what it printed.
func (w *world) inside(id pod.ContainerID, command string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	p, err := w.engine.Exec(ctx, engine.ID(id), engine.ExecSpec{Command: []string{"sh", "-c", command}})
	if err != nil {
		w.t.Fatal(err)
	}
	defer p.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(p); err != nil {
		w.t.Fatal(err)
	}
	return out.String()
}

// eventually polls, because what is looked at is another process's doing.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within 15 s: %s", what)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// agentDir is where agentBinary built, for TestMain to remove.
var agentDir string

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if agentDir != "" {
			os.RemoveAll(agentDir)
		}
		os.Exit(code)
	}))
}

// signal sends PID 1 a signal from outside, as only the engine can.
func (w *world) signal(id pod.ContainerID, signal string) {
	w.t.Helper()
	if out, err := exec.Command("docker", "kill", "--signal", signal, string(id)).CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
}

var first = pod.Incarnation{Pod: "alice", Inc: 1}

func (w *world) attach(id pod.ContainerID, inc pod.Incarnation, tab string) *screen {
	w.t.Helper()
	s, err := w.Shell(w.t.Context(), id, inc, pod.ShellRequest{Attempt: tab, Tab: tab, Cols: 123, Rows: 37})
	if err != nil {
		w.t.Fatal(err)
	}
	return newScreen(w.t, s)
}

// screen reads a terminal's output in the background until it ends.
type screen struct {
	*podtest.Stream
	t    *testing.T
	done chan struct{} // closed when the output has ended
	mu   sync.Mutex    // guards out
	out  bytes.Buffer
}

func newScreen(t *testing.T, s pod.Shell) *screen {
	sc := &screen{Stream: podtest.NewStream(context.Background(), s), t: t, done: make(chan struct{})}
	go func() {
		defer close(sc.done)
		buf := make([]byte, 4096)
		for {
			n, err := sc.Read(buf)
			sc.mu.Lock()
			sc.out.Write(buf[:n])
			sc.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { sc.Close(); <-sc.done })
	return sc
}

// exit waits for the end and gives the exit code.
func (s *screen) exit() (int, error) {
	<-s.done
	return s.Wait()
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

func (s *screen) send(text string) {
	s.t.Helper()
	if _, err := s.Write([]byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *screen) expect(text string) {
	s.t.Helper()
	defer func() {
		if s.t.Failed() {
			s.t.Logf("the screen has %q", s.text())
		}
	}()
	eventually(s.t, "the screen shows "+text, func() bool { return strings.Contains(s.text(), text) })
}

func TestDockerBootProvisionsAndAShellHasIt(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	var np *pod.NotProvisionedError
	if err := w.Provisioned(t.Context(), id, first); !errors.As(err, &np) || np.Reason != "marker_missing" {
		t.Fatalf("before the boot: %v", err)
	}
	steps := w.boot(id, first)
	want := "packages started,packages skipped,repository started,repository done,hook started,hook done,user_script started,user_script skipped,marker started,marker done"
	if got := strings.Join(steps, ","); got != want {
		t.Errorf("steps\n got %s\nwant %s", got, want)
	}
	if err := w.Provisioned(t.Context(), id, first); err != nil {
		t.Error(err)
	}
	if steps := w.boot(id, first); len(steps) != 0 {
		t.Errorf("the second boot ran %v", steps)
	}
	s := w.attach(id, first, "s1")
	s.send("echo in:$PODLIFE_HOOK:$(basename $PWD):$(git log --oneline | wc -l):$(basename $(command -v tmux)):\n")
	s.expect("in:1:example:2:tmux:")
	s.send("exit\n")
	if code, err := s.exit(); code != 0 || err != nil {
		t.Errorf("exit gave %d, %v", code, err)
	}
	<-s.done
}

func TestDockerTheGuardRefuses(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	refused := func(inc pod.Incarnation, session, want string) {
		t.Helper()
		s, err := w.Shell(t.Context(), id, inc, pod.ShellRequest{Attempt: session, Tab: "main", Cols: 80, Rows: 24})
		if err == nil {
			s.Close()
		}
		var np *pod.NotProvisionedError
		if !errors.As(err, &np) || np.Reason != want {
			t.Errorf("got %v, want %s", err, want)
		}
		var pnp *pod.NotProvisionedError
		if err := w.Provisioned(t.Context(), id, inc); !errors.As(err, &pnp) || pnp.Reason != want {
			t.Errorf("Provisioned says %v, want %s", err, want)
		}
	}
	refused(first, "a", "marker_missing")
	w.boot(id, first)
	refused(pod.Incarnation{Pod: "alice", Inc: 2}, "b", "other_incarnation")
	refused(pod.Incarnation{Pod: "bob", Inc: 1}, "c", "other_incarnation")
	w.inside(id, "truncate -s 30 /var/lib/podlife/marker")
	refused(first, "d", "marker_unreadable")
	w.inside(id, "rm /var/lib/podlife/marker")
	refused(first, "e", "marker_missing")
	// And back through boot it is let in again.
	w.boot(id, first)
	w.attach(id, first, "f").expect("alice:")
}

func withUserScript(script string) func(*container.Options) {
	return func(o *container.Options) { o.Recipe.UserScript = script }
}

// For an engine that does not see this machine's files.
func TestDockerACopiedAgentDoesWhatAMountedOneDoes(t *testing.T) {
	w := newWorld(t, func(o *container.Options) { o.CopyAgent = true })
	id := w.launch(first)
	w.boot(id, first)
	s := w.attach(id, first, "copied")
	s.send("grep -c podlife /proc/mounts; echo here:$((40+2))\n")
	s.expect("0\r\nhere:42")
}

func TestDockerAFailingUserScriptNamesItsStepAndKeepsItsCode(t *testing.T) {
	w := newWorld(t, withUserScript("echo about to fail\nfalse\nexit 7\n"))
	id := w.launch(first)
	steps, err := w.tryBoot(t.Context(), id, first)
	var failed *pod.BootError
	if !errors.As(err, &failed) || failed.Step != "user_script" || failed.ExitCode != 7 || !strings.Contains(failed.LogTail, "about to fail") {
		t.Errorf("got %#v", err)
	}
	if last := steps[len(steps)-1]; last != "user_script failed" {
		t.Errorf("the last step was %q", last)
	}
	if out := w.inside(id, "ls /var/lib/podlife 2>&1"); strings.Contains(out, "marker\n") {
		t.Errorf("a failed boot left a marker: %q", out)
	}
}

// B23: what decides that a script need not run is written after it ran.
func TestDockerABootThatWasKilledRunsAgain(t *testing.T) {
	w := newWorld(t, withUserScript("echo run >>/root/runs\n[ -e /root/go-on ] || sleep 600\n"))
	id := w.launch(first)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := w.Boot(ctx, id, first, func(p pod.Progress) {
		if p.Step == "user_script" && p.Status == pod.StepStarted {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	eventually(t, "the killed boot's script is gone", func() bool { return w.inside(id, "pgrep -f '[s]cript.sh|[s]leep 600'") == "" })
	w.inside(id, "touch /root/go-on; rm -f /root/runs")
	w.boot(id, first)
	if runs := w.inside(id, "cat /root/runs"); runs != "run\n" {
		t.Errorf("the second boot ran the user script %q", runs)
	}
	if blocks := w.inside(id, "grep -c '>>> podlife' /root/.bashrc"); blocks != "1\n" {
		t.Errorf("%s hook blocks", blocks)
	}
}

func TestDockerABootTimeoutNamesTheRunningStepAndEndsIt(t *testing.T) {
	w := newWorld(t, func(o *container.Options) {
		o.Recipe.UserScript = "echo slow; sleep 600"
		o.BootTimeout = 3 * time.Second
	})
	id := w.launch(first)
	_, err := w.tryBoot(t.Context(), id, first)
	var failed *pod.BootError
	if !errors.As(err, &failed) || failed.Step != "timeout" || !strings.Contains(failed.Error(), "user_script") || failed.LogTail == "" {
		t.Fatalf("got %#v: %v", err, err)
	}
	eventually(t, "the script is ended", func() bool { return w.inside(id, "pgrep -f '[s]cript.sh|[s]leep 600'") == "" })
}

func TestDockerATenMegabyteLogArrives(t *testing.T) {
	w := newWorld(t, withUserScript("yes 0123456789abcdef | head -c 10000000; echo the-end"))
	id := w.launch(first)
	size, last := 0, ""
	err := w.Boot(t.Context(), id, first, func(p pod.Progress) {
		if len(p.Log) > boot.MaxLog {
			t.Errorf("a piece of %d bytes", len(p.Log))
		}
		size += len(p.Log)
		if p.Log != "" {
			last = p.Log
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if size < 10_000_000 || !strings.HasSuffix(last, "the-end\n") {
		t.Errorf("%d bytes, ending in %.20q", size, last)
	}
}

func TestDockerABootInAContainerThatDiesIsGone(t *testing.T) {
	w := newWorld(t, withUserScript("sleep 600"))
	id := w.launch(first)
	err := w.Boot(t.Context(), id, first, func(p pod.Progress) {
		if p.Step == "user_script" {
			w.signal(id, "KILL")
		}
	})
	var g *pod.GoneError
	if !errors.As(err, &g) {
		t.Errorf("got %#v: %v", err, err)
	}
	if err := w.Provisioned(t.Context(), id, first); !errors.As(err, &g) {
		t.Errorf("Provisioned: %v", err)
	}
	if _, err := w.Shell(t.Context(), id, first, pod.ShellRequest{Attempt: "x", Tab: "main", Cols: 80, Rows: 24}); !errors.As(err, &g) {
		t.Errorf("Shell: %v", err)
	}
	if alive, err := w.Alive(t.Context(), id); alive || err != nil {
		t.Errorf("Alive: %v, %v", alive, err)
	}
}

func TestDockerPID1ReapsOrphansAndStopsAtOnce(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.inside(id, "for i in 1 2 3 4 5 6 7 8; do (sleep 0.1 & ) ; done")
	eventually(t, "no orphan is left", func() bool { return w.inside(id, "ps -eo stat= | grep -c ^Z; pgrep -c sleep") == "0\n0\n" })
	begun := time.Now()
	w.signal(id, "SIGRTMIN+3")
	eventually(t, "PID 1 has ended", func() bool {
		alive, err := w.Alive(t.Context(), id)
		return !alive && err == nil
	})
	if took := time.Since(begun); took > time.Second { // 200 ms, and the engine's time for an exec and two looks
		t.Errorf("stopping took %s", took)
	}
}

func TestDockerAnUpdatedServerEntersTheContainersThatItFinds(t *testing.T) {
	var o container.Options
	w := newWorld(t, func(opts *container.Options) { o = *opts })
	id := w.launch(first)
	w.boot(id, first)
	w.inside(id, "echo kept > /root/work")
	o.Script = nextScript()
	updated, err := container.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer updated.Close()
	var other *pod.NotProvisionedError
	if err := updated.Provisioned(t.Context(), id, first); !errors.As(err, &other) || other.Reason != "other_recipe" {
		t.Errorf("before it has booted: %v", err)
	}
	if err := updated.Boot(t.Context(), id, first, nil); err != nil {
		t.Fatal(err)
	}
	sh, err := updated.Shell(t.Context(), id, first, request("one"))
	if err != nil {
		t.Fatal(err)
	}
	defer sh.Close()
	if err := updated.Provisioned(t.Context(), id, first); err != nil {
		t.Error(err)
	}
	if got := strings.TrimSpace(w.inside(id, "cat /root/work")); got != "kept" {
		t.Errorf("the work in the container is %q", got)
	}
}

func TestDockerLaunchReplacesOurLeftoverAndTouchesNoForeignContainer(t *testing.T) {
	var o container.Options
	w := newWorld(t, func(opts *container.Options) { o = *opts })
	left := w.launch(first)
	id := w.launch(first) // as after a crash between the creation and the note of it
	if id == left {
		t.Error("the leftover was taken for the new container")
	}
	o.Instance += "-other"
	other, err := container.New(o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = other.Launch(t.Context(), first)
	var failed *pod.BootError
	if !errors.As(err, &failed) || failed.Step != "start" || engine.KindOf(err) != engine.Conflict {
		t.Errorf("got %v", err)
	}
	if alive, err := w.Alive(t.Context(), id); !alive || err != nil {
		t.Errorf("the foreign container: alive %v, %v", alive, err)
	}
	o.Instance, o.NamePrefix, o.AgentPath = o.Instance+"-third", o.NamePrefix+"x", filepath.Join(t.TempDir(), "no-such-file")
	broken, err := container.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := broken.Launch(t.Context(), first); !errors.As(err, &failed) || failed.Step != "start" {
		t.Errorf("a launch that cannot work gave %v", err)
	}
	if found, err := broken.List(t.Context()); len(found) != 0 || err != nil {
		t.Errorf("a failed launch left %v, %v", found, err)
	}
}

func TestDockerWatchTellsOfADeathWithinASecond(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	ctx, cancel := context.WithCancel(t.Context())
	lists, died, ended := make(chan []pod.Found, 8), make(chan pod.ContainerID, 8), make(chan struct{})
	go func() {
		defer close(ended)
		w.Watch(ctx, func(f []pod.Found) { lists <- f }, func(c pod.ContainerID) { died <- c })
	}()
	defer func() { cancel(); <-ended }()
	if f := <-lists; len(f) != 1 || f[0] != (pod.Found{Incarnation: first, Container: id, Running: true}) {
		t.Errorf("listed %v", f)
	}
	w.signal(id, "SIGRTMIN+3")
	select {
	case c := <-died:
		if c != id {
			t.Errorf("told of %s", c)
		}
	case <-time.After(time.Second + 300*time.Millisecond): // the exec that kills takes its time too
		t.Error("nothing was told")
	}
}

// Whose image has no certificates gets them with the other packages, since git cannot clone without.
func TestDockerAnHTTPSRepositoryBringsItsCertificates(t *testing.T) {
	w := newWorld(t, func(o *container.Options) { o.Recipe.Repo.URL = "https://example.org/a/b" })
	id := w.launch(first)
	w.inside(id, "rm -rf /etc/ssl/certs")
	_, err := w.tryBoot(t.Context(), id, first) // there is no network
	var failed *pod.BootError
	if !errors.As(err, &failed) || failed.Step != "packages" || !strings.Contains(failed.LogTail, "installing: ca-certificates \n") {
		t.Errorf("%#v", err)
	}
}
