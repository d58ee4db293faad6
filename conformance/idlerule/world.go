package idlerule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing/synctest"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
	"podlife/runtime/store"
)

// tick is a tick of the model. It is no length that anything else here has.
const tick = 10 * time.Minute

const (
	user  = pod.ID("u")
	image = "image"
	main  = pod.ClientID("main") // who has the terminals and programs
)

// world is one pod on a simulated machine, and the servers that live there one after the other. It knows nothing of the table. It has to be used inside a bubble of testing/synctest.
type world struct {
	idle, longest time.Duration
	begun         time.Time // the moment 0
	engine        *simulated.Engine
	store         *store.Store
	clock         *clock
	gate          atomic.Pointer[gate] // what boots wait at; nil is nothing

	manager    *pod.Manager // nil: the server is down
	containers *container.Containers
	pod        *pod.Pod
	booted     bool // main has, in this incarnation and this server
	half       bool // the boot that wakes the pod is not over
	holds      []hold
	boots      int
	shells     int
}

// hold is a terminal, a program, or a boot under way.
type hold struct {
	attachment *pod.Attachment
	boot       *booting
}

// gate is what a boot waits at.
type gate struct{ open chan bool } // says whether it may go on; closed is no

// booting is a boot under way.
type booting struct {
	gate   *gate
	answer chan error
}

func newWorld(idle, longest int, dir string) (*world, error) {
	begun := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	w := &world{idle: time.Duration(idle) * tick, longest: time.Duration(longest) * tick, begun: begun, clock: &clock{now: begun}}
	programs := simprograms.New()
	w.engine = simulated.New(simulated.Options{Images: []string{image}, Lookup: func(argv []string) simulated.Program {
		program := programs.Lookup(argv)
		if program == nil || argv[2] != "boot" {
			return program
		}
		return w.gated(program)
	}})
	var err error
	if w.store, err = store.Open(context.Background(), filepath.Join(dir, "podlife.db")); err != nil {
		w.engine.Close()
		return nil, err
	}
	if err := w.start(); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// gated has a boot wait at the gate that is there when it begins.
func (w *world) gated(program simulated.Program) simulated.Program {
	return func(ctx context.Context, p *simulated.Proc) int {
		if g := w.gate.Swap(nil); g != nil {
			select {
			case on := <-g.open:
				if !on {
					return 1
				}
			case <-ctx.Done():
				return 1
			}
		}
		return program(ctx, p)
	}
}

// start is a start of the server.
func (w *world) start() error {
	log := slog.New(slog.DiscardHandler)
	containers, err := container.New(container.Options{
		Engine: w.engine, Instance: w.store.Instance(), NamePrefix: "idle", Image: image, AgentPath: boot.AgentPath, Logger: log,
		Recipe: boot.Recipe{Packages: []string{"tmux"}, UserScript: "true"},
	})
	if err != nil {
		return err
	}
	w.containers = containers
	w.manager = pod.NewManager(pod.Options{
		Containers: containers, Store: w.store, Clock: w.clock, Logger: log, IdleTimeout: w.idle, Leases: w.store, MaxLease: w.longest,
	})
	w.pod = w.manager.Pod(user)
	return w.manager.Recover(context.Background())
}

// crash ends the server, and leaves everything else as it is.
func (w *world) crash() error {
	w.manager.Close()
	var errs []error
	for _, h := range w.holds {
		if h.boot != nil {
			close(h.boot.gate.open)
			<-h.boot.answer
			continue
		}
		_ = h.attachment.Close() // its connection ends with the server; what it says of that is no matter
	}
	w.containers.Close()
	w.clock.forget()
	w.gate.Store(nil)
	w.holds, w.manager, w.pod, w.containers, w.booted = nil, nil, nil, nil, false
	return errors.Join(errs...)
}

// close ends everything.
func (w *world) close() error {
	var errs []error
	if w.manager != nil {
		errs = append(errs, w.crash())
	}
	w.engine.Close()
	return errors.Join(append(errs, w.store.Close())...)
}

// settle waits until nothing moves.
func (w *world) settle() { synctest.Wait() }

// bootMain is the boot of whoever has the terminals: an access, which wakes a pod that sleeps. Where a boot is under way it joins, and leaves that to itself.
func (w *world) bootMain() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	answer := make(chan error, 1)
	go func() {
		_, err := w.pod.Boot(ctx, main, nil)
		answer <- err
	}()
	w.settle()
	cancel()
	if err := <-answer; err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// startBoot begins a boot that waits at a gate.
func (w *world) startBoot(c pod.ClientID) {
	b := &booting{gate: &gate{make(chan bool)}, answer: make(chan error, 1)}
	w.gate.Store(b.gate)
	p := w.pod
	go func() {
		_, err := p.Boot(context.Background(), c, nil)
		b.answer <- err
	}()
	w.settle()
	w.holds = append(w.holds, hold{boot: b})
}

// booting says whether a boot is among the holds.
func (w *world) booting() bool {
	return slices.ContainsFunc(w.holds, func(h hold) bool { return h.boot != nil })
}

// hold holds the pod.
func (w *world) hold(k Kind) error {
	if !w.booted {
		if err := w.bootMain(); err != nil {
			return err
		}
		w.booted = true
	}
	ctx := context.Background()
	var a *pod.Attachment
	var err error
	switch k {
	case HoldBoot:
		w.boots++
		w.startBoot(pod.ClientID(fmt.Sprintf("boot%d", w.boots)))
		return nil
	case HoldTerminal:
		w.shells++
		a, err = w.pod.Attach(ctx, main, pod.ShellRequest{Attempt: fmt.Sprintf("s%d", w.shells), Tab: "main", Cols: 80, Rows: 24})
	default:
		a, err = w.pod.Run(ctx, main, pod.CommandRequest{Argv: []string{"sleep"}})
	}
	if err == nil {
		w.holds = append(w.holds, hold{attachment: a})
	}
	return err
}

// release ends a hold.
func (w *world) release(n int) error {
	if n >= len(w.holds) {
		return fmt.Errorf("there are %d holds", len(w.holds))
	}
	h := w.holds[n]
	w.holds = slices.Delete(w.holds, n, n+1)
	if h.boot == nil {
		return h.attachment.Close()
	}
	select {
	case h.boot.gate.open <- true:
	case err := <-h.boot.answer:
		return fmt.Errorf("the boot ended by itself: %w", err)
	}
	if err := <-h.boot.answer; err != nil {
		return err
	}
	if w.half {
		w.half, w.booted = false, true
	}
	return nil
}

// slept forgets what ends with an incarnation.
func (w *world) slept() {
	for _, h := range w.holds {
		if h.boot != nil {
			close(h.boot.gate.open)
			<-h.boot.answer
			continue
		}
		_ = h.attachment.Close() // it is told that it has ended
	}
	w.holds, w.booted, w.half = nil, false, false
	w.gate.Store(nil)
}

// container is the one that runs; "" is none.
func (w *world) container() (engine.ID, error) {
	all, err := w.engine.List(context.Background(), map[string]string{container.LabelPod: string(user)})
	if err != nil {
		return "", err
	}
	var running []engine.ID
	for _, c := range all {
		if c.State == engine.Running {
			running = append(running, c.ID)
		}
	}
	switch len(running) {
	case 0:
		return "", nil
	case 1:
		return running[0], nil
	}
	return "", fmt.Errorf("%d containers run", len(running))
}

// lose has the container die; a server that is there is told so.
func (w *world) lose() error {
	id, err := w.container()
	if err != nil {
		return err
	}
	w.engine.Kill(id)
	if w.pod != nil {
		w.pod.Died(context.Background(), pod.ContainerID(id))
	}
	return nil
}

// kept is what the store has.
func (w *world) kept() (time.Time, error) {
	all, err := w.store.Leases(context.Background())
	return all[user], err
}

// moment is a number of ticks as a time.
func (w *world) moment(n int) time.Time { return w.begun.Add(time.Duration(n) * tick) }

// ticks is a time as a number of ticks; one that is none is no moment of the model, and never comes.
func (w *world) ticks(t time.Time) int {
	if t.IsZero() {
		return 0
	}
	d := t.Sub(w.begun)
	if d%tick != 0 {
		return -1
	}
	return int(d / tick)
}
