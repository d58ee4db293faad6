package latency

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/creack/pty"

	"podlife/conformance/harness"
	"podlife/conformance/tab"
	"podlife/runtime/client"
	"podlife/runtime/engine"
)

// p95 is the smallest sample that 95 of a hundred do not exceed.
func (s samples) p95() time.Duration {
	return slices.Sorted(slices.Values(s))[max((len(s)*95+99)/100, 1)-1]
}

// spoken is when a shell showed its prompt, and when it had answered what was typed at it then; both from the beginning.
type spoken struct{ prompt, answer samples }

// terminal is a shell on a terminal, however it is reached.
type terminal struct {
	next  func() ([]byte, error)
	write func([]byte) error
	close func()
}

// speak waits for the prompt, types a command and reads its output.
func (s *spoken) speak(begun time.Time, t terminal) error {
	defer t.close()
	var seen []byte
	until := func(is func(text string) bool) error {
		for !is(tab.Text(seen)) {
			p, err := t.next()
			if err != nil {
				return fmt.Errorf("%w, after %q", err, tab.Text(seen))
			}
			seen = append(seen, p...)
		}
		return nil
	}
	if err := until(func(text string) bool { return strings.HasSuffix(text, "# ") }); err != nil {
		return err
	}
	prompt := time.Since(begun)
	seen = nil
	if err := t.write([]byte("echo an''swer\r")); err != nil {
		return err
	}
	if err := until(func(text string) bool { return strings.Contains(text, "answer") }); err != nil {
		return err
	}
	s.prompt, s.answer = append(s.prompt, prompt), append(s.answer, time.Since(begun))
	return nil
}

// command is a program on a terminal of this machine.
func command(ctx context.Context, env []string, argv ...string) (terminal, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(append(os.Environ(), "TERM=xterm-256color"), env...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 80, Rows: 24})
	if err != nil {
		return terminal{}, err
	}
	buf := make([]byte, 64<<10)
	return terminal{
		next:  func() ([]byte, error) { n, err := f.Read(buf); return buf[:n], orNil(n, err) },
		write: func(p []byte) error { _, err := f.Write(p); return err },
		close: func() { _ = cmd.Process.Kill(); f.Close(); _ = cmd.Wait() }, // how it ends does not matter
	}, nil
}

// orNil leaves an error that came with bytes to the next call.
func orNil(n int, err error) error {
	if n > 0 {
		return nil
	}
	return err
}

// library is a terminal of the client library, as the page has one.
func library(ctx context.Context, c *client.Client, name string) (terminal, error) {
	t, err := c.Terminal(ctx, client.Hello{Client: name, Cols: 80, Rows: 24})
	if err != nil {
		return terminal{}, err
	}
	next := func() ([]byte, error) {
		for {
			m, err := t.Next(ctx)
			if err != nil {
				return nil, err
			}
			switch m := m.(type) {
			case client.Output:
				return m, nil
			case client.Closed:
				return nil, fmt.Errorf("closed: %d %s", m.Code, m.Reason)
			}
		}
	}
	return terminal{next, func(p []byte) error { _, err := t.Write(p); return err }, func() { t.Close() }}, nil
}

// workspaceBench is a stopped workspace, and beside it a stopped container of the same image with a volume of its own at the same place.
type workspaceBench struct {
	w    *harness.Docker
	pod  *client.Client
	env  []string // of the command podlife
	name string   // of the container
	peer engine.ID

	command, library, docker   spoken
	dockerStart, engineNew, up samples
	n                          int
}

// BenchmarkWorkspaceStart takes b.N samples of each, in turn: from the start of a stopped workspace to a prompt, and to the output of what was typed at it, by the command and by the client library; beside
// them `docker start` and `docker exec -it`; and of the engine alone: a new container with the volume, made and started, and the start of the stopped one.
func BenchmarkWorkspaceStart(b *testing.B) {
	harness.NeedDocker(b)
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	var binary harness.Binary
	defer binary.Remove()
	path := binary.Path(b)
	w := harness.NewDocker(b, harness.DockerOptions{Binary: path, Dir: b.TempDir()})
	m := &workspaceBench{w: w, name: w.Run() + "-peer"}
	if err := m.prepare(ctx, b.TempDir()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := m.once(ctx, path); err != nil {
			b.Fatal(err)
		}
	}
	m.report(b)
}

func (m *workspaceBench) prepare(ctx context.Context, dir string) error {
	user, err := m.w.NewUser(ctx)
	if err != nil {
		return err
	}
	if _, err := user.Client.Create(ctx, client.NewPod{Name: "bench", Class: "workspace"}); err != nil {
		return err
	}
	token := filepath.Join(dir, "token")
	m.env = []string{"PODLIFE_SERVER=" + m.w.URL(), "PODLIFE_TOKEN_FILE=" + token, "PODLIFE_POD=bench"}
	if err := os.WriteFile(token, []byte(user.Token), 0o600); err != nil {
		return err
	}
	if m.pod, err = client.New(client.Options{BaseURL: m.w.URL(), Token: user.Token, Pod: "bench"}); err != nil {
		return err
	}
	// The first start of each is not measured: it copies what the image has into the volume.
	if err := m.w.Engine().MakeVolume(ctx, m.volume(), nil); err != nil {
		return err
	}
	if m.peer, err = m.started(ctx, m.name); err != nil {
		return err
	}
	_, err = m.pod.Boot(ctx, "first", nil)
	return errors.Join(err, m.stop(ctx))
}

func (m *workspaceBench) volume() string { return m.name + "-home" }

// started makes and starts a container of the engine alone, with the limits of the server's.
func (m *workspaceBench) started(ctx context.Context, name string) (engine.ID, error) {
	id, err := m.w.Engine().Create(ctx, engine.Spec{
		Name: name, Image: harness.Image, Hostname: "peer", Network: "none", Command: []string{"sleep", "100000"}, Labels: map[string]string{"podlife.test": m.w.Run()},
		Volumes: []engine.VolumeMount{{Name: m.volume(), Target: "/root"}}, Limits: engine.Limits{MemoryBytes: 256 << 20},
	})
	if err != nil {
		return "", err
	}
	return id, m.w.Engine().Start(ctx, id)
}

// stop stops both.
func (m *workspaceBench) stop(ctx context.Context) error {
	_, err := m.pod.Stop(ctx)
	return errors.Join(err, exec.CommandContext(ctx, "docker", "kill", m.name).Run())
}

// once takes a sample of each.
func (m *workspaceBench) once(ctx context.Context, binary string) error {
	m.n++
	begun := time.Now()
	t, err := command(ctx, m.env, binary, "shell")
	if err != nil {
		return err
	}
	if err := m.command.speak(begun, t); err != nil {
		return fmt.Errorf("podlife shell: %w", err)
	}
	if _, err := m.pod.Stop(ctx); err != nil {
		return err
	}
	begun = time.Now()
	if t, err = library(ctx, m.pod, fmt.Sprint("bench", m.n)); err != nil {
		return err
	}
	if err := m.library.speak(begun, t); err != nil {
		return fmt.Errorf("client library: %w", err)
	}
	begun = time.Now()
	if err := exec.CommandContext(ctx, "docker", "start", m.name).Run(); err != nil {
		return err
	}
	m.dockerStart = append(m.dockerStart, time.Since(begun))
	if t, err = command(ctx, nil, "docker", "exec", "-it", "-e", "TERM=xterm-256color", m.name, "bash", "-l", "-i"); err != nil {
		return err
	}
	if err := m.docker.speak(begun, t); err != nil {
		return fmt.Errorf("docker exec: %w", err)
	}
	if err := m.stop(ctx); err != nil {
		return err
	}
	return m.alone(ctx)
}

// alone takes the samples of the engine alone, through its API.
func (m *workspaceBench) alone(ctx context.Context) error {
	name := fmt.Sprintf("%s-%d", m.name, m.n)
	begun := time.Now()
	id, err := m.started(ctx, name)
	if err != nil {
		return err
	}
	m.engineNew = append(m.engineNew, time.Since(begun))
	begun = time.Now()
	if err := m.w.Engine().Start(ctx, m.peer); err != nil {
		return err
	}
	m.up = append(m.up, time.Since(begun))
	return errors.Join(exec.CommandContext(ctx, "docker", "kill", m.name).Run(), m.w.Engine().Remove(ctx, id))
}

func (m *workspaceBench) report(b *testing.B) {
	b.ReportMetric(float64(m.command.answer.median().Milliseconds()), "shell-ms")
	b.ReportMetric(float64(m.docker.answer.median().Milliseconds()), "docker-ms")
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "\nof %d, from stopped\tmedian\tp95\tratio to docker, median\tp95\n", m.n)
	row := func(what string, s, peer samples) {
		ratio := func(a, b time.Duration) float64 { return float64(a) / float64(b) }
		fmt.Fprintf(out, "%s\t%s\t%s\t%.2f\t%.2f\n", what, s.median().Round(time.Millisecond), s.p95().Round(time.Millisecond), ratio(s.median(), peer.median()), ratio(s.p95(), peer.p95()))
	}
	row("podlife shell: to the prompt", m.command.prompt, m.docker.prompt)
	row("podlife shell: to the output of a typed command", m.command.answer, m.docker.answer)
	row("client library: to the prompt", m.library.prompt, m.docker.prompt)
	row("client library: to the output of a typed command", m.library.answer, m.docker.answer)
	row("docker start, docker exec -it: to the prompt", m.docker.prompt, m.docker.prompt)
	row("docker start, docker exec -it: to the output", m.docker.answer, m.docker.answer)
	row("  of it docker start", m.dockerStart, m.docker.prompt)
	row("engine alone: create and start a container with the volume", m.engineNew, m.docker.prompt)
	row("engine alone: start the stopped container", m.up, m.docker.prompt)
	out.Flush()
	share := func(whole samples) float64 { return 100 * float64(m.engineNew.median()) / float64(whole.median()) }
	fmt.Printf("the engine's share of a workspace's start (create and start): %.0f%% of podlife shell to the prompt, %.0f%% of the client library\n", share(m.command.prompt), share(m.library.prompt))
}
