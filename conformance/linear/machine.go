package linear

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"podlife/conformance/faults"
	"podlife/conformance/harness"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// machineIdle is the idle timeout on a machine: longer than all that its clock ticks by itself.
const machineIdle = 240 * time.Hour

// MachineOptions say what goes on around a server in this process.
type MachineOptions struct {
	Latency time.Duration // at most, of each call of the engine
	Step    time.Duration // of the longest step of the boot script
	// So many of 100 writes of the store, and of the processes started in containers after which a script fails.
	StoreFails, ScriptsFail int
	Seed                    uint64
}

// Machine is a server in this process, over the simulated engine, that can be killed at any moment: nothing that a dead one still does takes effect. Its clock moves by a second now and then, for what
// is tried again, and beyond the idle timeout when it is told to. It is made for a bubble of testing/synctest, in which its latencies cost nothing.
type Machine struct {
	*faults.Machine
	o        MachineOptions
	clock    *harness.Clock
	dice     *dice
	tape     *faults.Tape
	sessions sessions
	stop     chan struct{} // closed by Close
	ticking  sync.WaitGroup

	mu     sync.Mutex // guards the following
	life   *faults.Life
	report func(pod string, inc int) // told of each script that fails; it returns at once
}

// NewMachine starts a server. Close must be called.
func NewMachine(o MachineOptions) (*Machine, error) {
	m := &Machine{o: o, clock: harness.NewClock(), dice: newDice(o.Seed, 1<<21), stop: make(chan struct{})}
	m.Machine = faults.NewMachine(nil, m.clock)
	m.Idle = machineIdle
	m.Programs.Slow(boot.StepPackages, time.Duration(m.dice.below(int(o.Step))))
	m.Programs.Slow(boot.StepUserScript, time.Duration(m.dice.below(int(o.Step))))
	m.tape = &faults.Tape{Draw: m.draw}
	m.ticking.Go(m.tick)
	if err := m.start(false); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// draw is asked before each call of the engine and the store: those of the engine take their time, and some fail. The store is called under a pod's lock, and in a bubble no time passes while
// somebody waits for a lock.
func (m *Machine) draw(op string) *faults.Fault {
	if op != faults.Save {
		time.Sleep(time.Duration(m.dice.below(int(m.o.Latency))))
	}
	switch n := m.dice.below(100); {
	case op == faults.Save && n < m.o.StoreFails:
		return &faults.Fault{Op: op}
	case op == "exec" && n < m.o.ScriptsFail:
		m.Programs.Fail(m.scriptFails, 7, "no such tool\n")
	}
	return nil
}

// scriptFails is asked when the step is about to fail, and tells it.
func (m *Machine) scriptFails(s simprograms.Step) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.report == nil {
		return false
	}
	m.report(s.Pod, s.Incarnation)
	return true
}

// Failures has script failures told from now on; before, none happens.
func (m *Machine) Failures(report func(pod string, inc int)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.report = report
}

// tick moves the clock, a second every few milliseconds.
func (m *Machine) tick() {
	t := time.NewTicker(5 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			m.clock.Advance(time.Second)
		case <-m.stop:
			return
		}
	}
}

// startTries is how often a server is started whose store fails it.
const startTries = 100

func (m *Machine) start(other bool) error {
	life, err := m.Start(m.tape, other)
	for try := 1; err != nil && try < startTries; try++ {
		life.End()
		life, err = m.Start(m.tape, other)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.life = life
	return err
}

// Server kills it and starts it again.
func (m *Machine) Server(other bool) *Server {
	return &Server{Kill: func() error { m.alive().End(); return nil }, Start: m.start, Other: other}
}

func (m *Machine) alive() *faults.Life {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.life
}

// PassIdleTimeout lets the idle timeout pass.
func (m *Machine) PassIdleTimeout() { m.clock.Advance(machineIdle + time.Minute) }

// Close ends server and engine.
func (m *Machine) Close() error {
	if life := m.alive(); life != nil {
		life.End()
	}
	close(m.stop)
	m.ticking.Wait()
	m.Machine.Close()
	return nil
}

// Target gives a pod.
func (m *Machine) Target(id pod.ID) Target {
	return Target{
		Pod: string(id), API: direct{m, id},
		Kill: func(ctx context.Context) Output {
			return m.toRunning(ctx, id, func(c engine.Container) bool { return m.Engine.Kill(c.ID) })
		},
		Unmark: func(ctx context.Context) Output {
			return m.toRunning(ctx, id, func(c engine.Container) bool {
				files, ok := m.Engine.Files(c.ID)
				return ok && files.Remove(boot.MarkerPath) == nil
			})
		},
	}
}

// toRunning does something to the running container of a pod.
func (m *Machine) toRunning(ctx context.Context, id pod.ID, do func(engine.Container) bool) Output {
	found, err := m.Engine.List(ctx, map[string]string{container.LabelPod: string(id)})
	if err != nil {
		return Output{Word: Failed, Detail: err.Error()}
	}
	for _, c := range found {
		n, err := strconv.Atoi(c.Labels[container.LabelIncarnation])
		if err != nil {
			return Output{Word: Failed, Detail: fmt.Sprintf("container %s: %v", c.ID, err)}
		}
		if c.State == engine.Running && do(c) {
			return Output{Word: Done, Inc: n}
		}
	}
	return Output{Word: Nothing}
}

// direct is a tab's way to the pods themselves, without HTTP between.
type direct struct {
	m  *Machine
	id pod.ID
}

func (d direct) pod() *pod.Pod { return d.m.alive().Pod(d.id) }

// Boot boots.
func (d direct) Boot(ctx context.Context, c int) Output {
	got, err := d.pod().Boot(ctx, pod.ClientID(name(c)), nil)
	if err != nil {
		return typed(ctx, err)
	}
	return Output{Word: Ready, Inc: got.Incarnation}
}

// Destroy destroys.
func (d direct) Destroy(ctx context.Context) Output {
	if err := d.pod().Destroy(ctx); err != nil {
		return typed(ctx, err)
	}
	return Output{Word: Done}
}

// Look asks for the state.
func (d direct) Look(context.Context) Output {
	st := d.pod().Status()
	return Output{Word: Done, State: st.State.String(), Inc: st.Incarnation}
}

// Attach opens a terminal.
func (d direct) Attach(ctx context.Context, c int) (Terminal, Output) {
	a, err := d.pod().Attach(ctx, pod.ClientID(name(c)), pod.ShellRequest{Attempt: d.m.sessions.next(), Tab: name(c), Cols: 80, Rows: 24})
	if err != nil {
		return nil, typed(ctx, err)
	}
	return shell{a}, Output{Word: Attached, Inc: a.Incarnation.Inc}
}

// shell is a terminal without a socket.
type shell struct{ a *pod.Attachment }

// Close ends it; the pod knows when it returns.
func (s shell) Close() Output {
	_ = s.a.Close() // its container may be gone
	return Output{Word: Done}
}

// typed is how a call ended that gave no result.
func typed(ctx context.Context, err error) Output {
	var refused *pod.NotReadyError
	var bootFailed *pod.BootError
	var unstored *pod.StoreError
	var bare *pod.NotProvisionedError
	var gone *pod.GoneError
	switch {
	case left(ctx, err), errors.Is(err, pod.ErrClosed):
		return Output{Word: Unknown, Detail: err.Error()}
	case errors.Is(err, pod.ErrBootLost):
		return Output{Word: Lost}
	case errors.Is(err, pod.ErrRecovering):
		return Output{Word: Recovering}
	case errors.As(err, &refused):
		return Output{Word: Refused, State: refused.State.String()}
	case errors.As(err, &unstored):
		return Output{Word: Unstored}
	case errors.As(err, &bootFailed):
		return Output{Word: BootFailed, Detail: err.Error()}
	case errors.As(err, &bare), errors.As(err, &gone):
		return Output{Word: NoShell, Detail: err.Error()}
	}
	return Output{Word: Failed, Detail: err.Error()}
}
