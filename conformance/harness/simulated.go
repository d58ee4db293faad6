package harness

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"podlife/conformance/tab"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/monitor"
	"podlife/runtime/pod"
	"podlife/runtime/server"
	"podlife/runtime/store"
)

// IdleTimeout is the idle timeout of a simulated world's pods, on its own clock.
const IdleTimeout = 30 * time.Minute

// SimulatedOptions configure a simulated world.
type SimulatedOptions struct {
	Dir   string // for the database; the caller removes it after Close
	Users int    // how many users the server knows; default 16
	Gate  bool   // boots wait for OpenGate
	// Containers may put something between the pods and the containers, to seed a fault; nil changes nothing.
	Containers func(*Simulated, *container.Containers) pod.Containers
}

// Simulated is a whole server in this process, over the simulated engine: its own store in a file, its own clock, real HTTP over loopback.
type Simulated struct {
	Engine   *simulated.Engine
	Programs *simprograms.Programs
	Clock    *Clock
	Pods     *pod.Manager

	recipe   boot.Recipe
	instance string
	url      string
	users    *users
	gates    *gates
	gated    bool
	log      *logTail
	store    *store.Store
	monitor  *monitor.Monitor // holds every step against the specification; Close says what it found
	stop     context.CancelFunc
	running  sync.WaitGroup
	serveErr chan error // sent once by the serving goroutine

	diverged    divergences
	stopMonitor context.CancelFunc // called after the pods' end, so that it has seen every step
	watching    sync.WaitGroup     // the monitor
}

var _ World = (*Simulated)(nil)

// StartSimulated starts one. Close must be called.
func StartSimulated(ctx context.Context, o SimulatedOptions) (*Simulated, error) {
	if o.Users == 0 {
		o.Users = 16
	}
	s := &Simulated{
		Programs: simprograms.New(), Clock: NewClock(), users: newUsers(o.Users), gated: o.Gate, log: &logTail{}, serveErr: make(chan error, 1),
		recipe: boot.Recipe{Packages: []string{"tmux", "git"}, Repo: boot.Repo{URL: RepoURL, Dir: RepoDir}, UserScript: GateScript}.WithDefaults(),
	}
	s.monitor = monitor.New(monitor.Options{Logger: slog.New(slog.NewTextHandler(s.log, nil)), Queue: monitorQueue, Diverged: s.diverged.add})
	s.gates = newGates(s.Programs)
	s.Engine = simulated.New(simulated.Options{Lookup: s.Programs.Lookup, Now: s.Clock.Now})
	if err := s.start(ctx, o); err != nil {
		s.Engine.Close()
		return nil, err
	}
	return s, nil
}

func (s *Simulated) start(ctx context.Context, o SimulatedOptions) error {
	st, err := store.Open(ctx, filepath.Join(o.Dir, "podlife.db"))
	if err != nil {
		return err
	}
	s.store, s.instance = st, st.Instance()
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	real, err := container.New(container.Options{
		Engine: s.Engine, Instance: s.instance, NamePrefix: "simulated", Image: Image, Network: "none", AgentPath: boot.AgentPath, Recipe: s.recipe, Logger: log,
	})
	if err != nil {
		return errors.Join(err, st.Close())
	}
	containers := pod.Containers(real)
	if o.Containers != nil {
		containers = o.Containers(s, real)
	}
	s.Pods = pod.NewManager(pod.Options{Containers: containers, Store: st, Clock: s.Clock, Logger: log, IdleTimeout: IdleTimeout, OnStep: s.monitor.Observe})
	if err := s.Pods.Recover(ctx); err != nil {
		s.Pods.Close()
		return errors.Join(err, st.Close())
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.Pods.Close()
		return errors.Join(err, st.Close())
	}
	s.url = "http://" + l.Addr().String()
	known := make([]server.User, 0, len(s.users.all))
	for _, u := range s.users.all {
		known = append(known, server.User{Name: u.Name, TokenSHA256: u.hash()})
	}
	srv := server.New(server.Options{
		Pods: s.Pods, Users: known, Logger: log, Limits: server.Limits{Terminals: 4096, TerminalsPerUser: 64, BootsPerUser: 64}, Build: server.Build{Version: "test", Build: "simulated"}, Monitor: s.monitor,
	})
	living, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.running.Go(func() { s.Pods.Run(living) })
	watching, stopMonitor := context.WithCancel(context.Background())
	s.stopMonitor = stopMonitor
	s.watching.Go(func() { s.monitor.Run(watching) })
	s.running.Go(func() { s.serveErr <- srv.Serve(living, l) })
	return nil
}

// Close stops the server and the engine and waits for everything.
func (s *Simulated) Close() error {
	s.users.close()
	s.stop()
	s.running.Wait()
	s.Pods.Close()
	s.Engine.Close()
	s.stopMonitor()
	s.watching.Wait()
	return errors.Join(<-s.serveErr, s.store.Close(), s.diverged.err(s.monitor))
}

// Kind is "simulated".
func (s *Simulated) Kind() string { return "simulated" }

// URL is the server's base address.
func (s *Simulated) URL() string { return s.url }

// Log gives the end of the server's log.
func (s *Simulated) Log() string { return s.log.String() }

// NewUser gives the next user, or ErrNoMoreUsers.
func (s *Simulated) NewUser(ctx context.Context) (User, error) {
	u, err := s.users.take(ctx, s.url)
	if err == nil && s.gated {
		s.gates.watch(u.Name)
	}
	return u, err
}

// Containers lists what the engine has of a user's pod.
func (s *Simulated) Containers(ctx context.Context, user string) ([]engine.Container, error) {
	return s.Engine.List(ctx, map[string]string{container.LabelInstance: s.instance, container.LabelPod: user})
}

// Inside looks at the container's files, where small ones stand for what a boot sets up.
func (s *Simulated) Inside(_ context.Context, id engine.ID) (Inside, error) {
	files, ok := s.Engine.Files(id)
	if !ok {
		return Inside{}, fmt.Errorf("look inside %s: no such container", id)
	}
	has := func(name string) bool {
		_, err := files.Read(name)
		return err == nil
	}
	i := Inside{Multiplexer: has(simprograms.Multiplexer), Hook: has(simprograms.Hook)}
	i.Interactive = i.Multiplexer && i.Hook
	if head, err := files.Read(RepoDir + "/.git/HEAD"); err == nil {
		i.Repo, i.Head = string(head) == RepoURL+"\n", "simulated"
	}
	if marker, err := files.Read(boot.MarkerPath); err == nil {
		i.Marker = parseMarker(string(marker))
	}
	return i, nil
}

// OpenGate lets the boots in this container finish.
func (s *Simulated) OpenGate(_ context.Context, id engine.ID) error {
	s.gates.openGate(id)
	return nil
}

// Kill ends PID 1.
func (s *Simulated) Kill(_ context.Context, id engine.ID) error {
	if !s.Engine.Kill(id) {
		return fmt.Errorf("kill %s: it does not run", id)
	}
	return nil
}

// Remove takes the container away.
func (s *Simulated) Remove(ctx context.Context, id engine.ID) error { return s.Engine.Remove(ctx, id) }

// WipeSetup deletes marker, hook and clone.
func (s *Simulated) WipeSetup(_ context.Context, id engine.ID) error {
	files, ok := s.Engine.Files(id)
	if !ok {
		return fmt.Errorf("wipe %s: no such container", id)
	}
	return errors.Join(files.RemoveAll(boot.MarkerPath), files.RemoveAll(simprograms.Hook), files.RemoveAll(RepoDir))
}

// PassIdleTimeout lets the idle timeout pass on the server's clock.
func (s *Simulated) PassIdleTimeout() { s.Clock.Advance(IdleTimeout + time.Minute) }

// Prober asks the simulated shell, which knows one word for it.
func (s *Simulated) Prober() *tab.Prober {
	return &tab.Prober{Ask: func() (string, func(string) (tab.Shell, bool)) {
		return "probe\r", func(text string) (tab.Shell, bool) {
			found := simulatedAnswer.FindStringSubmatch(text)
			if found == nil {
				return tab.Shell{}, false
			}
			var shell tab.Shell
			if found[1] == "true" {
				shell.Multiplexer, shell.Hook = "simulated", true
			}
			if found[2] == "true" {
				shell.Head = "simulated"
			}
			return shell, true
		}
	}}
}

var simulatedAnswer = regexp.MustCompile(`probe multiplexer=(true|false) repo=(true|false)`)
