package faults

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
	"podlife/runtime/pod/podtest"
)

// patience bounds every call of a scenario, on the clock of the run.
const patience = 20 * time.Minute

// pace is how long a scenario lets pass for what the server does by itself.
const pace = 3 * time.Second

// Driver does a scenario's operations to one pod. Once the server of the moment has been cut off, every operation is nothing: the scenario is over, and the rest is the next server's.
type Driver struct {
	M    *Machine
	Tape *Tape
	Pod  pod.ID

	strict bool // an operation that fails is a problem
	sleep  func(time.Duration)

	life     *Life
	startErr error          // of the newest server
	behind   sync.WaitGroup // what is done beside
	ended    atomic.Bool    // nothing that it has set up happens any more

	mu     sync.Mutex // guards the following
	shells map[pod.ClientID][]*pod.Attachment
	frees  []func() // of what is held
	failed []string
}

// sessions numbers the terminals of this process; nothing depends on which number one gets.
var sessions atomic.Int64

func newDriver(m *Machine, tape *Tape, l *Life, startErr error, strict bool) *Driver {
	return &Driver{M: m, Tape: tape, Pod: "u", strict: strict, sleep: time.Sleep, life: l, startErr: startErr, shells: map[pod.ClientID][]*pod.Attachment{}}
}

func (d *Driver) over() bool { return d.startErr != nil || d.life.Wire.dead.Load() }

func (d *Driver) pod() *pod.Pod { return d.life.Pod(d.Pod) }

// expect notes an operation that did not end as a scenario without faults and cuts has it.
func (d *Driver) expect(what string, err error, want ...error) {
	if !d.strict || d.over() {
		return
	}
	ok := err == nil && len(want) == 0
	for _, w := range want {
		ok = ok || errors.Is(err, w) || w == errAny && err != nil
	}
	if !ok {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.failed = append(d.failed, fmt.Sprintf("the scenario's %s: %v", what, err))
	}
}

// errAny stands for an error of any kind.
var errAny = errors.New("any error")

// Go does something beside the rest.
func (d *Driver) Go(do func()) { d.behind.Go(do) }

// Wait waits for what is done beside.
func (d *Driver) Wait() { d.behind.Wait() }

// Boot boots, and wants one of these errors, or none.
func (d *Driver) Boot(c pod.ClientID, want ...error) {
	if d.over() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err := d.pod().Boot(ctx, c, func(pod.Progress) {})
	d.expect("boot of "+string(c), err, want...)
}

// Attach opens a terminal.
func (d *Driver) Attach(c pod.ClientID, want ...error) {
	if d.over() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	a, err := d.pod().Attach(ctx, c, NewRequest())
	d.expect("attach of "+string(c), err, want...)
	if err == nil {
		d.mu.Lock()
		d.shells[c] = append(d.shells[c], a)
		d.mu.Unlock()
	}
}

// NewRequest asks for a terminal with a session of its own.
func NewRequest() pod.ShellRequest {
	return pod.ShellRequest{Attempt: fmt.Sprintf("f%d", sessions.Add(1)), Tab: "main", Cols: 80, Rows: 24}
}

// Close closes every terminal of a tab.
func (d *Driver) Close(c pod.ClientID) {
	if d.over() {
		return
	}
	d.mu.Lock()
	open := d.shells[c]
	d.shells[c] = nil
	d.mu.Unlock()
	for _, a := range open {
		_ = a.Close() // its container may be gone
	}
}

// Destroy destroys.
func (d *Driver) Destroy(want ...error) {
	if d.over() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	d.expect("destroy", d.pod().Destroy(ctx), want...)
}

// Sleep lets time pass.
func (d *Driver) Sleep(t time.Duration) {
	if !d.over() {
		d.sleep(t)
	}
}

// Moment is a moment of the scenario's own.
func (d *Driver) Moment(name string) {
	d.life.Wire.moment(name)
}

// Containers gives the containers that the engine has of a pod.
func (m *Machine) Containers(id pod.ID) []engine.ID {
	list, err := m.Engine.List(context.Background(), map[string]string{labelPod: string(id)})
	if err != nil {
		return nil
	}
	var ids []engine.ID
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

// Each does something to every container of the pod, without the server.
func (d *Driver) Each(do func(engine.ID)) {
	if d.over() {
		return
	}
	for _, id := range d.M.Containers(d.Pod) {
		do(id)
	}
}

// Kill ends every container of the pod.
func (d *Driver) Kill() { d.Each(func(id engine.ID) { d.M.Engine.Kill(id) }) }

// Unmark removes the markers.
func (d *Driver) Unmark() {
	d.Each(func(id engine.ID) {
		if files, ok := d.M.Engine.Files(id); ok {
			_ = files.RemoveAll(boot.MarkerPath) // there may be none yet
		}
	})
}

// Hold stops the next call of the engine before it takes effect, and Held waits for it.
func (d *Driver) Hold(op string) (free func(), held func()) {
	free, entered := d.M.Engine.Hold(op, func(string) bool { return !d.ended.Load() })
	d.keep(free)
	return free, d.waits(entered)
}

// HoldStep stops a step of the boot script.
func (d *Driver) HoldStep(name string) (free func(), held func()) {
	free, entered := d.M.Programs.Hold(func(s simprograms.Step) bool { return !d.ended.Load() && s.Name == name })
	d.keep(free)
	return free, d.waits(entered)
}

// keep frees what is held at the latest when the scenario ends.
func (d *Driver) keep(free func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.frees = append(d.frees, free)
}

func (d *Driver) waits(entered <-chan struct{}) func() {
	return func() {
		limit := time.NewTimer(patience)
		defer limit.Stop()
		select {
		case <-entered:
		case <-d.life.Wire.cut:
		case <-limit.C:
			d.expect("wait for what is held", context.DeadlineExceeded)
		}
	}
}

// FailStep lets a step of the next boot script fail.
func (d *Driver) FailStep(name string) {
	d.M.Programs.Fail(func(s simprograms.Step) bool { return !d.ended.Load() && s.Name == name }, 7, "no such tool\n")
}

// Restart is a crash of the server that the scenario wants, and the next start.
func (d *Driver) Restart(otherRecipe bool) {
	if d.over() {
		return
	}
	d.crash()
	d.revive(otherRecipe)
}

// revive starts the next server.
func (d *Driver) revive(otherRecipe bool) {
	d.mu.Lock()
	clear(d.shells)
	d.mu.Unlock()
	d.life, d.startErr = d.M.Start(d.Tape, otherRecipe)
	d.expect("start", d.startErr)
}

// crash ends the server, and waits for all that the scenario does beside.
func (d *Driver) crash() {
	d.life.End()
	d.behind.Wait()
}

// End ends the scenario, its server, and whatever it has begun.
func (d *Driver) End() {
	d.ended.Store(true)
	d.mu.Lock()
	frees := d.frees
	d.mu.Unlock()
	d.crash()
	for _, free := range frees {
		free()
	}
}

// Failed gives the operations that did not end as they should have.
func (d *Driver) Failed() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.failed...)
}

// ErrBareShell is what must never be: a terminal whose shell no boot has set up.
var ErrBareShell = errors.New("the shell is not provisioned")

// Probe asks a terminal's shell what it is, as a user would by typing. ErrBareShell; every other error says that no shell answered.
func Probe(a *pod.Attachment) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	shell := podtest.NewStream(ctx, a.Shell)
	if _, err := shell.Write([]byte("probe\r")); err != nil {
		return fmt.Errorf("type into the shell: %w", err)
	}
	var said strings.Builder
	b := make([]byte, 1024)
	for said.Len() < 1<<16 {
		n, err := shell.Read(b)
		said.Write(b[:n])
		if found := probed.FindStringSubmatch(said.String()); found != nil {
			if found[1] == "true" && found[2] == "true" {
				return nil
			}
			return fmt.Errorf("%w: %s", ErrBareShell, found[0])
		}
		if err != nil {
			return fmt.Errorf("the shell said %.200q: %w", said.String(), err)
		}
	}
	return fmt.Errorf("the shell did not answer: %.200q", said.String())
}
