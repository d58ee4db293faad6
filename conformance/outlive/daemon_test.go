//go:build daemon

package outlive

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"podlife/conformance/harness"
)

// The same where the engine's daemon is restarted too, which ends every container. Needs root, and ends no daemon but its own:
// PODLIFE_TEST_DOCKER=1 go test -tags daemon -run Daemon ./conformance/outlive
func TestDockerAWorkspaceOutlivesRestartsOfTheDaemon(t *testing.T) {
	harness.NeedDocker(t)
	dir, err := os.MkdirTemp("", "podlife-line-") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // what is left in the temporary folder harms nobody
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	d := harness.NewDaemon(dir)
	if err := d.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.End(); err != nil {
			t.Error(err)
		}
	})
	if err := d.Load(ctx, harness.Image); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DOCKER_HOST", "unix://"+d.Socket())
	kinds := append(operations(),
		operation{"restart of the daemon", func(r *run, ctx context.Context) error {
			return errors.Join(r.ready(ctx), d.End(), d.Start(ctx))
		}},
		operation{"restart of the daemon with a server that is killed meanwhile", func(r *run, ctx context.Context) error {
			return errors.Join(r.ready(ctx), d.End(), r.world.Crash(), d.Start(ctx), r.world.Start(ctx))
		}},
	)
	outlives(t, asked(len(kinds)), kinds)
}

// ready boots the pod in half of the cases.
func (r *run) ready(ctx context.Context) error {
	if r.draw.IntN(2) == 0 {
		return nil
	}
	return r.boots(ctx, r.name())
}
