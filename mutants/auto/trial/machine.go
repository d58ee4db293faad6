package trial

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
	"podlife/runtime/store"
)

// idle is the servers' idle timeout.
const idle = 30 * time.Minute

// patience bounds every wait for what must happen; moment is how long is waited, at least, for what must not.
const (
	patience = 5 * time.Second
	moment   = 100 * time.Millisecond
)

// beats is what a moment has besides its time: so many writes of a file, each down to the disk. A server that is going to do what it must not needs fewer: one or two records, and a call of the engine
// in memory. On a machine that is too busy for them, a moment is longer.
const beats = 25

// machine is one simulated machine on which servers start and crash: the engine and the database stay.
type machine struct {
	ctx      context.Context
	dir      string
	engine   *simulated.Engine
	programs *simprograms.Programs
	store    *store.Store
	clock    *clock
	recipe   boot.Recipe
	judge    *judge

	// Of the server that runs now.
	manager   *pod.Manager
	world     *gated
	stopWatch func()
	terminals map[*terminal]struct{}
	sessions  int
}

func newMachine(ctx context.Context, dir string) (*machine, error) {
	m := &machine{
		ctx: ctx, dir: dir, programs: simprograms.New(), clock: &clock{now: time.Unix(1e9, 0)}, terminals: map[*terminal]struct{}{},
		recipe: boot.Recipe{Packages: []string{"tmux"}, UserScript: "true"},
	}
	m.engine = simulated.New(simulated.Options{Lookup: m.programs.Lookup, Images: []string{"image"}})
	m.judge = newJudge(m)
	var err error
	m.store, err = store.Open(ctx, filepath.Join(dir, "p.db"))
	return m, err
}

// start starts the server: it recovers, and watches.
func (m *machine) start() error {
	if err := m.startBlind(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); m.manager.Run(ctx) }()
	m.stopWatch = func() { cancel(); <-done }
	return nil
}

// startBlind starts a server that recovers, and has no events of the engine yet.
func (m *machine) startBlind() error {
	log := slog.New(slog.DiscardHandler)
	c, err := container.New(container.Options{
		Engine: m.engine, Instance: m.store.Instance(), NamePrefix: "trial", Image: "image", AgentPath: "/agent", Logger: log, Recipe: m.recipe,
	})
	if err != nil {
		return err
	}
	m.world = &gated{Containers: c}
	m.stopWatch = func() {}
	m.manager = pod.NewManager(pod.Options{Containers: m.world, Store: m.store, Clock: m.clock, Logger: log, IdleTimeout: idle, OnStep: m.judge.step})
	return m.manager.Recover(m.ctx)
}

// crash ends the server; containers and records stay as they are.
func (m *machine) crash() error {
	for t := range m.terminals {
		t.close()
	}
	if err := m.stop(); err != nil {
		return err
	}
	return m.judge.crash()
}

// stop ends the server's work. A build may be so wrong that it never ends.
func (m *machine) stop() error {
	if m.manager == nil {
		return nil
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.stopWatch()
		m.manager.Close()
	}()
	return wait("the end of the server", done)
}

// close gives everything back as far as a wrong build lets it.
func (m *machine) close() {
	for t := range m.terminals {
		t.close()
	}
	if m.stop() == nil {
		m.engine.Close()
		_ = m.store.Close()
	}
}

// errNever is something that should have happened and did not.
var errNever = errors.New("never happened")

func wait(what string, c <-chan struct{}) error {
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-c:
		return nil
	case <-t.C:
		return fmt.Errorf("%w: %s", errNever, what)
	}
}

// eventually waits for a condition.
func eventually(what string, holds func() bool) error {
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			return fmt.Errorf("%w: %s", errNever, what)
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// within says whether a condition comes to hold in a moment: that which must not. If so, the judge looks at once: the next step may come when the harm is over.
func (m *machine) within(holds func() bool) bool {
	seen := m.comes(holds)
	if seen {
		if err := m.judge.glance(); err != nil {
			m.judge.unseen(err)
		}
	}
	return seen
}

func (m *machine) comes(holds func() bool) bool {
	for n, deadline := 0, time.Now().Add(moment); n < beats || time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if holds() {
			return true
		}
		if n < beats {
			m.beat()
			n++
		}
	}
	return holds()
}

// beat writes to the disk that the store is on. Where it cannot, neither can the store, and that is told by the steps.
func (m *machine) beat() {
	f, err := os.Create(filepath.Join(m.dir, "beat"))
	if err != nil {
		return
	}
	_, _ = f.WriteString("beat")
	_ = f.Sync()
	_ = f.Close()
}

// closed says whether a channel is.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
