//go:build daemon

package faults

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"podlife/conformance/harness"
	"podlife/runtime/client"
)

// daemon is a Docker daemon of the test's own, with nothing of the machine's: its folders, its socket, and no network.
type daemon struct {
	dir string
	cmd *exec.Cmd
}

func (d *daemon) socket() string { return filepath.Join(d.dir, "d.sock") }

// start starts it, and waits until it answers.
func (d *daemon) start(ctx context.Context) error {
	log, err := os.OpenFile(filepath.Join(d.dir, "log"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the daemon has its own
	in := func(name string) string { return filepath.Join(d.dir, name) }
	d.cmd = exec.Command("dockerd", "--data-root", in("data"), "--exec-root", in("run"), "--pidfile", in("pid"), "--host", "unix://"+d.socket(), "--bridge=none", "--iptables=false", "--ip6tables=false")
	d.cmd.Stdout, d.cmd.Stderr = log, log
	// In a network namespace of its own: a daemon that is to have no bridge removes docker0 where it finds it, which is that of the machine's own daemon.
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGTERM}
	if err := d.cmd.Start(); err != nil {
		return err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if err = engineCall(ctx, d.socket(), "GET", "/_ping", nil); err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			said, _ := os.ReadFile(in("log")) // what there is of it
			return fmt.Errorf("the daemon does not answer: %w: %w\n%s", ctx.Err(), err, said[max(0, len(said)-2000):])
		}
	}
}

// end ends it, with its containers.
func (d *daemon) end() error {
	if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return d.cmd.Wait()
}

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
	d := &daemon{dir: socketDir(t)}
	if err := d.start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.end(); err != nil {
			t.Error(err)
		}
	})
	load := exec.CommandContext(ctx, "sh", "-c", `docker save "$1" | docker -H "unix://$2" load`, "load", harness.Image, d.socket())
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("load the image: %v\n%s", err, out)
	}
	t.Setenv("DOCKER_HOST", "unix://"+d.socket())
	c, err := NewChain(ctx, t.TempDir(), program.Path(t), Gated, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.World.Close(); err != nil {
			t.Error(err)
		}
	}()
	restart := func() error { return errors.Join(d.end(), d.start(ctx)) }
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
			return errors.Join(c.Ready(ctx), d.end(), c.World.Crash(), d.start(ctx), c.World.Start(ctx))
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
