package lockstep

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"podlife/conformance/harness"
	"podlife/model/podruntime"
	"podlife/runtime/engine/docker"
	"podlife/runtime/store"
)

// dockerWorld is a world on the real engine, with the real store.
func dockerWorld(t *testing.T, agent string) *Docker {
	t.Helper()
	e, err := docker.New(docker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	kill, err := Killer("")
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "lockstep.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return NewDocker(DockerOptions{Engine: e, Kill: kill, Image: harness.Image, Repo: harness.RepoURL, AgentPath: agent, Store: s})
}

func TestDockerFollowsThePaths(t *testing.T) {
	harness.NeedDocker(t)
	t.Cleanup(func() { goleak.VerifyNone(t) })
	agent := filepath.Join(t.TempDir(), "agent")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", agent, "podlife/runtime/agent/testagent")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the agent: %v\n%s", err, out)
	}
	var mu sync.Mutex // guards the following
	actions := map[string]int{}
	t.Run("paths", func(t *testing.T) { dockerPaths(t, agent, &mu, actions) })
	for _, a := range podruntime.Table(podruntime.Constants{}).Actions {
		if actions[a.Name] == 0 && a.Name != podruntime.DialWakes {
			t.Errorf("no path takes %s", a.Name)
		}
	}
}

// dockerPaths runs the paths that are for Docker, as many at once as tests run, each in a world of its own.
func dockerPaths(t *testing.T, agent string, mu *sync.Mutex, actions map[string]int) {
	for _, c := range claims() {
		if !c.docker {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			path, o := parse(t, c.path), Options{Tabs: 2}
			report, err := Run(t.Context(), dockerWorld(t, agent), path, o)
			if err != nil {
				failed(t, path, o, err)
			}
			mu.Lock()
			defer mu.Unlock()
			for action, n := range report.Actions {
				actions[action] += n
			}
			t.Logf("%d steps in %s", report.Steps, time.Since(start).Round(time.Millisecond))
		})
	}
}
