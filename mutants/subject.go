package mutants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"podlife/conformance/harness"
	"podlife/conformance/tab"
	"podlife/model/podlifecycle"
	"podlife/runtime/client"
	"podlife/runtime/container"
	"podlife/runtime/engine"
)

// setup is what a scenario needs of its server.
type setup struct {
	gate       bool   // boots wait until their container's gate is opened
	dockerHost string // "" is the environment's
}

// subject is the running build, with one user.
type subject struct {
	world *harness.Docker
	user  harness.User
	build Build
}

// withServer runs f against a server of this build, which has said that it is this build, and ends the server and everything of it.
func withServer(ctx context.Context, b Build, o setup, f func(*subject) (Seen, error)) (seen Seen, err error) {
	dir, err := os.MkdirTemp("", "podlife-mutant-")
	if err != nil {
		return Seen{}, err
	}
	defer os.RemoveAll(dir)
	w, err := harness.StartDocker(ctx, harness.DockerOptions{Binary: b.Binary, Dir: dir, Users: 1, Gate: o.gate, DockerHost: o.dockerHost})
	if err != nil {
		return Seen{}, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\nthe end of the server's log:\n%s", err, lastLines(w.Log(), 20))
		}
		err = errors.Join(err, w.Close())
	}()
	s := &subject{world: w, build: b}
	if s.user, err = w.NewUser(ctx); err != nil {
		return Seen{}, err
	}
	if err := s.checkBuild(ctx); err != nil {
		return Seen{}, err
	}
	return f(s)
}

// restart starts the server again after a crash; it is the same build on the same address.
func (s *subject) restart(ctx context.Context) error {
	if err := s.world.Start(ctx); err != nil {
		return err
	}
	return s.checkBuild(ctx)
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// observed is a tab as it was seen from outside: its part of the specification's state.
type observed struct {
	name            string
	phase           podlifecycle.Phase
	bootInc, attInc int
}

func (o *observed) model() podlifecycle.Client {
	return podlifecycle.Client{Phase: o.phase, BootInc: o.bootInc, AttInc: o.attInc}
}

// attached notes a shell, and the boot that the socket was told of before, if it went back through one.
func (o *observed) attached(told tab.Seen) {
	o.phase, o.attInc = podlifecycle.Attached, told.Attached
	for _, st := range told.States {
		if st.State == "ready" {
			o.bootInc = st.Incarnation
		}
	}
}

// found is what there really is of a pod.
type found struct {
	container engine.ID
	inc       int // by which the container was made
	inside    harness.Inside
}

// truth looks at the pod's container: the engine says which there is, and the look into it what it is.
func (s *subject) truth(ctx context.Context) (found, error) {
	list, err := s.world.Containers(ctx, s.user.Name)
	if err != nil {
		return found{}, err
	}
	var running []engine.Container
	for _, c := range list {
		if c.State == engine.Running {
			running = append(running, c)
		}
	}
	switch len(running) {
	case 0:
		return found{}, errNoContainer
	case 1:
	default:
		return found{}, fmt.Errorf("the pod has %d running containers", len(running))
	}
	f := found{container: running[0].ID}
	if f.inc, err = strconv.Atoi(running[0].Labels[container.LabelIncarnation]); err != nil {
		return found{}, err
	}
	f.inside, err = s.world.Inside(ctx, f.container)
	return f, err
}

// booting is one boot request under way.
type booting struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when result and err are set
	result client.Result
	err    error

	mu      sync.Mutex // guards the following
	started map[string]bool
	changed chan struct{} // closed and replaced at each new step
}

// boot begins a boot.
func (s *subject) boot(ctx context.Context, c *observed) *booting {
	ctx, cancel := context.WithCancel(ctx)
	b := &booting{cancel: cancel, done: make(chan struct{}), started: map[string]bool{}, changed: make(chan struct{})}
	go func() {
		defer close(b.done)
		b.result, b.err = s.user.Client.Boot(ctx, c.name, b.progress)
	}()
	return b
}

func (b *booting) progress(e client.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.Step != "" && e.Status == "started" {
		b.started[e.Step] = true
		close(b.changed)
		b.changed = make(chan struct{})
	}
}

// reach waits until a step has started.
func (b *booting) reach(ctx context.Context, step string) error {
	for {
		b.mu.Lock()
		reached, changed := b.started[step], b.changed
		b.mu.Unlock()
		if reached {
			return nil
		}
		select {
		case <-changed:
		case <-b.done:
			return fmt.Errorf("the boot ended before its step %s: %v, error %w", step, b.result, b.err)
		case <-ctx.Done():
			return fmt.Errorf("awaited the step %s: %w", step, ctx.Err())
		}
	}
}

// answered says whether the boot is answered within d.
func (b *booting) answered(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-b.done:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	return false
}

// stop gives the request up and waits for its end.
func (b *booting) stop() {
	b.cancel()
	<-b.done
}

// readBuild asks the running server what build it is.
func readBuild(ctx context.Context, url, token string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/version", nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("GET /api/version: %s", resp.Status)
	}
	var v struct{ Build string }
	if err := json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&v); err != nil {
		return "", err
	}
	return v.Build, nil
}

// WrongBuildError says that the server which runs is not the build that is to be judged.
type WrongBuildError struct{ Want, Got string }

// Error gives both.
func (e *WrongBuildError) Error() string {
	return fmt.Sprintf("the running server says that it is build %q, and %q is to be judged", e.Got, e.Want)
}

// checkBuild reads the build's id back. It is done before anything is judged, and again after each start.
func (s *subject) checkBuild(ctx context.Context) error {
	got, err := readBuild(ctx, s.world.URL(), s.user.Token)
	if err != nil {
		return err
	}
	if got != s.build.ID {
		return &WrongBuildError{Want: s.build.ID, Got: got}
	}
	return nil
}

// engineSocket is the real engine's socket.
func engineSocket() string {
	if path, ok := strings.CutPrefix(os.Getenv("DOCKER_HOST"), "unix://"); ok {
		return path
	}
	return "/var/run/docker.sock"
}
