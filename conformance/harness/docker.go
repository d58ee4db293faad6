package harness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"podlife/conformance/tab"
	"podlife/runtime/container"
	"podlife/runtime/engine"
	"podlife/runtime/engine/docker"
)

// DockerOptions configure a real server.
type DockerOptions struct {
	Binary      string   // the program to run, as Build gives it
	Dir         string   // for configuration and data; the caller removes it after Close
	Users       int      // how many users the server knows; default 16
	Gate        bool     // boots wait for OpenGate
	DockerHost  string   // the server's engine, such as a test's proxy; default the environment's. The harness itself always uses the environment's
	ExtraConfig string   // lines for the configuration file, in YAML, after those of the harness
	Env         []string // KEY=VALUE on top of the environment
}

// Docker is the real program as a process of its own, on the real engine.
type Docker struct {
	o      DockerOptions
	run    string // begins the names of its containers
	config string
	engine *docker.Engine
	killer *killer
	users  *users
	log    *logTail

	listen string // host:port, kept over restarts
	url    string
	cmd    *exec.Cmd
	exited chan struct{} // closed by the process's waiter, after which cmd.ProcessState may be read
}

var _ World = (*Docker)(nil)

// startPatience bounds the server's start.
const startPatience = 20 * time.Second

// StartDocker removes what test processes that are gone have left, and starts a server. Close must be called. The context bounds the start.
func StartDocker(ctx context.Context, o DockerOptions) (*Docker, error) {
	if o.Users == 0 {
		o.Users = 16
	}
	run, err := newRun()
	if err != nil {
		return nil, err
	}
	d := &Docker{o: o, run: run, config: filepath.Join(o.Dir, "config.yaml"), users: newUsers(o.Users), log: &logTail{}, listen: "127.0.0.1:0"}
	if d.engine, err = docker.New(docker.Options{}); err != nil {
		return nil, err
	}
	if d.killer, err = newKiller(""); err != nil {
		return nil, errors.Join(err, d.engine.Close())
	}
	err = removeAbandoned(ctx, d.engine)
	if err == nil {
		err = d.writeConfig()
	}
	if err == nil {
		err = d.Start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Docker) dataDir() string { return filepath.Join(d.o.Dir, "data") }

func (d *Docker) writeConfig() error {
	var c strings.Builder
	fmt.Fprintf(&c, "data_dir: %s\nname_prefix: %s\nimage: %s\nnetwork: none\nidle_timeout: 24h\nboot_timeout: 6m\n", d.dataDir(), d.run, Image)
	fmt.Fprintf(&c, "repo:\n  url: %s\n  dir: %s\n", RepoURL, RepoDir)
	fmt.Fprintf(&c, "max_terminals: 256\nmax_terminals_per_user: 16\nmax_boots: 64\nmemory: 256m\n")
	if d.o.DockerHost != "" {
		fmt.Fprintf(&c, "docker_host: %s\n", d.o.DockerHost)
	}
	if d.o.Gate {
		script := filepath.Join(d.o.Dir, "gate.sh")
		if err := os.WriteFile(script, []byte(GateScript), 0o600); err != nil {
			return err
		}
		fmt.Fprintf(&c, "user_script: %s\n", script)
	}
	fmt.Fprintf(&c, "users:\n")
	for _, u := range d.users.all {
		fmt.Fprintf(&c, "  - name: %s\n    token_sha256: %s\n", u.Name, u.hexHash())
	}
	c.WriteString(d.o.ExtraConfig)
	return os.WriteFile(d.config, []byte(c.String()), 0o600)
}

// Start starts the server's process and waits until it answers. After Crash or Stop it starts again, on the same data and the same address.
func (d *Docker) Start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	address := filepath.Join(d.dataDir(), "address")
	if err := os.Remove(address); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cmd := exec.Command(d.o.Binary, "serve", "--config", d.config, "--listen", d.listen)
	cmd.Env = append(os.Environ(), d.o.Env...)
	cmd.Stdout, cmd.Stderr = d.log, d.log
	// A test process that is killed takes its server along.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", d.o.Binary, err)
	}
	d.cmd, d.exited = cmd, make(chan struct{})
	go func() {
		defer close(d.exited)
		_ = cmd.Wait() // how it ended is in ProcessState
	}()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if url, err := os.ReadFile(address); err == nil {
			d.url = strings.TrimSpace(string(url))
			if d.healthy(ctx) == nil {
				d.listen = strings.TrimPrefix(d.url, "http://")
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-d.exited:
			return fmt.Errorf("the server ended while it started (%s):\n%s", cmd.ProcessState, lastBytes(d.Log(), 4000))
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w:\n%s", ctx.Err(), lastBytes(d.Log(), 4000))
		}
	}
}

func (d *Docker) healthy(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url+"/healthz", nil)
	if err != nil {
		return err
	}
	resp, err := d.users.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("healthz: %s", resp.Status)
	}
	return nil
}

// Crash ends the server's process as kill -9 does, and waits for its end. Containers go on.
func (d *Docker) Crash() error {
	if err := d.cmd.Process.Kill(); err != nil {
		return err
	}
	<-d.exited
	return nil
}

// Dump ends the server's process with a stack trace of all its goroutines (SIGABRT, as the program takes SIGQUIT for a request to end), and gives the end of its log, which has them: for a test that waits in vain.
func (d *Docker) Dump() string {
	if err := d.cmd.Process.Signal(syscall.SIGABRT); err != nil {
		return err.Error() + "\n" + d.Log()
	}
	select {
	case <-d.exited:
	case <-time.After(startPatience):
	}
	return d.Log()
}

// Stop asks the server to end, as SIGTERM does, and gives its exit code.
func (d *Docker) Stop(ctx context.Context) (int, error) {
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	select {
	case <-d.exited:
		return d.cmd.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("the server does not stop: %w", ctx.Err())
	}
}

// Close ends the server and removes every container of this run.
func (d *Docker) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	if d.cmd != nil {
		select {
		case <-d.exited:
		default:
			stopping, stop := context.WithTimeout(ctx, 15*time.Second)
			if _, err = d.Stop(stopping); err != nil {
				err = errors.Join(err, d.Crash())
			}
			stop()
		}
	}
	err = errors.Join(err, removeRun(ctx, d.engine, d.run), d.engine.Close())
	d.killer.close()
	d.users.close()
	return err
}

// Kind is "docker".
func (d *Docker) Kind() string { return "docker" }

// URL is the server's base address.
func (d *Docker) URL() string { return d.url }

// Log gives the end of what the server's process wrote, over all its starts.
func (d *Docker) Log() string { return d.log.String() }

// Run begins the names of all containers of this server.
func (d *Docker) Run() string { return d.run }

// Engine is the harness's own connection to the engine.
func (d *Docker) Engine() engine.Engine { return d.engine }

// Prober asks real shells about the harness's repository.
func (d *Docker) Prober() *tab.Prober { return &tab.Prober{RepoDir: RepoDir} }

// NewUser gives the next user, or ErrNoMoreUsers.
func (d *Docker) NewUser(ctx context.Context) (User, error) { return d.users.take(ctx, d.url) }

// Containers lists what the engine has of a user's pod.
func (d *Docker) Containers(ctx context.Context, user string) ([]engine.Container, error) {
	all, err := d.engine.List(ctx, map[string]string{container.LabelPod: user})
	if err != nil {
		return nil, err
	}
	var ours []engine.Container
	for _, c := range all {
		if strings.HasPrefix(strings.TrimPrefix(c.Name, "/"), d.run+"-") {
			ours = append(ours, c)
		}
	}
	return ours, nil
}

// Inside looks into the container with a process of its own.
func (d *Docker) Inside(ctx context.Context, id engine.ID) (Inside, error) {
	return lookInside(ctx, d.engine, id)
}

// OpenGate makes the file that the boot waits for.
func (d *Docker) OpenGate(ctx context.Context, id engine.ID) error {
	return shell(ctx, d.engine, id, openGate)
}

// Kill sends SIGKILL to PID 1.
func (d *Docker) Kill(ctx context.Context, id engine.ID) error { return d.killer.kill(ctx, id) }

// Remove removes the container.
func (d *Docker) Remove(ctx context.Context, id engine.ID) error { return d.engine.Remove(ctx, id) }

// WipeSetup deletes marker, hook and clone.
func (d *Docker) WipeSetup(ctx context.Context, id engine.ID) error {
	return shell(ctx, d.engine, id, wipeSetup)
}
