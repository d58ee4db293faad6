//go:build daemon

package faults

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"podlife/conformance/harness"
	"podlife/runtime/client"
)

// interfaceNames are those of the machine whose traffic others may need, without the ends of containers' cables, which come and go.
func interfaceNames(t *testing.T) []string {
	t.Helper()
	all, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range all {
		if !strings.HasPrefix(i.Name, "veth") {
			names = append(names, i.Name)
		}
	}
	slices.Sort(names)
	return names
}

// The engine's daemon is restarted, which ends every container, while a script runs and while somebody types. Needs root, and ends no daemon but its own:
// PODLIFE_TEST_DOCKER=1 go test -tags daemon -run Daemon ./conformance/faults
func TestADockerDaemonThatIsRestartedTakesContainersAndNothingElse(t *testing.T) {
	harness.NeedDocker(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	interfaces := interfaceNames(t)
	t.Cleanup(func() {
		if now := interfaceNames(t); !slices.Equal(now, interfaces) {
			t.Errorf("the machine has the network interfaces %v, and had %v", now, interfaces)
		}
	})
	d := harness.NewDaemon(socketDir(t))
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
	c, err := NewChain(ctx, t.TempDir(), program.Path(t), Gated, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.World.Close(); err != nil {
			t.Error(err)
		}
	}()
	restart := func() error { return errors.Join(d.End(), d.Start(ctx)) }
	for _, at := range []struct {
		name string
		do   func() error
	}{
		{"while a script runs", func() error {
			if err := errors.Join(held(ctx, c), restart()); err != nil {
				return err
			}
			c.calls.Wait()
			for _, a := range c.answers {
				if code := client.CodeOf(a.err); code != client.CodeBootLost {
					return fmt.Errorf("the %s is answered with %v, want %s", a.what, a.err, client.CodeBootLost)
				}
			}
			c.answers = nil
			return nil
		}},
		{"under a terminal", func() error { return errors.Join(c.Ready(ctx), restart()) }},
		{"with a server that is killed meanwhile", func() error {
			return errors.Join(c.Ready(ctx), d.End(), c.World.Crash(), d.Start(ctx), c.World.Start(ctx))
		}},
	} {
		t.Run(at.name, func(t *testing.T) {
			if err := at.do(); err != nil {
				t.Fatal(err)
			}
			if err := c.AwaitInOrder(ctx, time.Now(), 10*time.Second); err != nil {
				t.Fatal(err)
			}
			c.Leave()
			if err := c.Works(ctx); err != nil {
				t.Fatalf("afterwards, %v", err)
			}
		})
	}
	steps, err := c.Explained()
	if err != nil || steps == 0 {
		t.Errorf("%d steps are explained: %v", steps, err)
	}
}
