package docker

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"podlife/runtime/engine"
	"podlife/runtime/engine/enginetest"
)

const (
	testImage  = "podlife/test:bookworm"
	suiteLabel = "podlife.enginetest"     // on every container of these tests
	runLabel   = "podlife.enginetest.run" // and one value of this for each run
	testPrefix = "podlife-enginetest-"    // of the names of volumes, those too that Docker makes and nobody labels
	staleAfter = 20 * time.Minute         // then a container of an earlier run is left over, not in use
)

// TestMain checks that no goroutine is left.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// realEngine gives an engine on the daemon of this machine, cleaned of what broken runs left. Without PODLIFE_TEST_DOCKER=1 the test is not run.
func realEngine(t *testing.T) *Engine {
	t.Helper()
	if os.Getenv("PODLIFE_TEST_DOCKER") != "1" {
		t.Skip("not run: needs a Docker daemon and PODLIFE_TEST_DOCKER=1")
	}
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if has, err := e.HasImage(ctx, testImage); err != nil || !has {
		t.Fatalf("image %s: present %v, %v", testImage, has, err)
	}
	old, err := e.List(ctx, map[string]string{suiteLabel: "1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range old {
		if time.Since(c.Created) > staleAfter {
			if err := e.Remove(ctx, c.ID); err != nil {
				t.Error(err)
			}
		}
	}
	volumes, err := e.Volumes(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range volumes {
		if strings.HasPrefix(v.Name, testPrefix) && time.Since(v.Created) > staleAfter {
			if err := e.RemoveVolume(ctx, v.Name); err != nil && engine.KindOf(err) != engine.Conflict {
				t.Error(err)
			}
		}
	}
	return e
}

func openDocker(network string) func(t *testing.T) enginetest.Subject {
	return func(t *testing.T) enginetest.Subject {
		e := realEngine(t)
		down, err := New(Options{Host: "unix://" + filepath.Join(t.TempDir(), "nobody.sock")})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = down.Close() })
		run := strings.ToLower(rand.Text())
		t.Cleanup(func() { // also of what a failed test left
			left, err := e.List(context.Background(), map[string]string{runLabel: run})
			for _, c := range left {
				err = errors.Join(err, e.Remove(context.Background(), c.ID))
			}
			if err != nil {
				t.Error(err)
			}
		})
		sh := func(script string, args ...string) []string {
			return append([]string{"sh", "-c", script, "sh"}, args...)
		}
		return enginetest.Subject{
			Engine:       e,
			Unreachable:  down,
			Image:        testImage,
			MissingImage: "podlife/no-such-image:never",
			Network:      network,
			Prefix:       testPrefix + run,
			Labels:       map[string]string{suiteLabel: "1", runLabel: run},
			Kill: func(ctx context.Context, id engine.ID) error {
				return e.cli.ContainerKill(ctx, string(id), "KILL")
			},
			Pause:   func(ctx context.Context, id engine.ID) error { return e.cli.ContainerPause(ctx, string(id)) },
			Unpause: func(ctx context.Context, id engine.ID) error { return e.cli.ContainerUnpause(ctx, string(id)) },
			Idle:    sh(`trap 'exit 0' TERM; while :; do sleep 1000 & wait; done`),
			Broken:  []string{"/no/such/program"},
			Print: func(stdout, stderr string, code int) []string {
				return sh(`printf %s "$1"; printf %s "$2" >&2; exit "$3"`, stdout, stderr, strconv.Itoa(code))
			},
			Echo:          []string{"cat"},
			RawEcho:       sh(`stty raw -echo; printf ready; exec cat`),
			Size:          sh(`stty -echo; while read -r _; do printf 'size %s\n' "$(stty size)"; done`),
			Write:         func(path, text string) []string { return sh(`printf %s "$2" >"$1"`, path, text) },
			Show:          func(path string) []string { return []string{"cat", path} },
			NotFound:      []string{"/no/such/program"},
			NotExecutable: []string{"/etc/passwd"},
		}
	}
}

func TestDockerConformance(t *testing.T) { enginetest.Run(t, openDocker("none")) }
