package harness

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Daemon is a Docker daemon of the test's own, with nothing of the machine's: its folders, its socket, and no network. It needs root. A test that restarts one ends no container but its own.
type Daemon struct {
	dir string
	cmd *exec.Cmd
}

// NewDaemon gives a daemon that keeps all it has in dir, whose name must be short, as a socket's is. Start starts it.
func NewDaemon(dir string) *Daemon { return &Daemon{dir: dir} }

// Socket is the path of its socket.
func (d *Daemon) Socket() string { return filepath.Join(d.dir, "d.sock") }

// Start starts it, and waits until it answers. After End it starts again, on what it has.
func (d *Daemon) Start(ctx context.Context) error {
	log, err := os.OpenFile(filepath.Join(d.dir, "log"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the daemon has its own
	in := func(name string) string { return filepath.Join(d.dir, name) }
	d.cmd = exec.Command("dockerd", "--data-root", in("data"), "--exec-root", in("run"), "--pidfile", in("pid"), "--host", "unix://"+d.Socket(), "--bridge=none", "--iptables=false", "--ip6tables=false")
	d.cmd.Stdout, d.cmd.Stderr = log, log
	// In a network namespace of its own: a daemon that is to have no bridge removes docker0 where it finds it, which is that of the machine's own daemon.
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGTERM}
	if err := d.cmd.Start(); err != nil {
		return err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if err = d.ping(ctx); err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			said, _ := os.ReadFile(in("log")) // what there is of it
			return fmt.Errorf("the daemon does not answer: %w: %w\n%s", ctx.Err(), err, lastBytes(string(said), 2000))
		}
	}
}

func (d *Daemon) ping(ctx context.Context) error {
	t := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", d.Socket())
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://docker/_ping", nil)
	if err != nil {
		return err
	}
	resp, err := t.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ping: %s", resp.Status)
	}
	return nil
}

// Load gives it an image that the environment's engine has.
func (d *Daemon) Load(ctx context.Context, image string) error {
	load := exec.CommandContext(ctx, "sh", "-c", `docker save "$1" | docker -H "unix://$2" load`, "load", image, d.Socket())
	if out, err := load.CombinedOutput(); err != nil {
		return fmt.Errorf("load the image: %w\n%s", err, out)
	}
	return nil
}

// End ends it, with its containers.
func (d *Daemon) End() error {
	if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return d.cmd.Wait()
}
