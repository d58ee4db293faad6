package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

const user = pod.ID("u")

func (m *machine) pod() *pod.Pod { return m.manager.Pod(user) }

// call is one call of the server under way.
type call struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the following are set
	inc    int
	err    error
}

// boot begins a boot of the user's pod.
func (m *machine) boot(c pod.ClientID) *call { return m.bootOf(user, c) }

func (m *machine) bootOf(id pod.ID, c pod.ClientID) *call {
	ctx, cancel := context.WithCancel(m.ctx)
	b := &call{cancel: cancel, done: make(chan struct{})}
	p := m.manager.Pod(id)
	go func() {
		defer close(b.done)
		r, err := p.Boot(ctx, c, nil)
		b.inc, b.err = r.Incarnation, err
		if err == nil {
			m.judge.booted(p.ID(), r.Incarnation)
		}
	}()
	return b
}

// booted judges the answer that an incarnation is ready.
func (j *judge) booted(id pod.ID, inc int) {
	containers, err := j.m.look()
	j.mu.Lock()
	defer j.mu.Unlock()
	f := j.of(id)
	f.remember(id, containers)
	if err == nil && !f.done[inc] {
		j.note(podruntime.ReplyNamesItsIncarnation, "a boot was answered that %d of %s is ready, and not every step was done in it", inc, id)
	}
}

// answered waits for a boot's answer, whatever it is. One that never comes is a boot that was forgotten.
func (m *machine) answered(b *call) error {
	err := wait("a boot's answer", b.done)
	if errors.Is(err, errNever) {
		m.judge.broken(podruntime.NoBootForgotten, "a call of boot is not answered")
	}
	return err
}

// ready boots to the end.
func (m *machine) ready(c pod.ClientID) error { return m.succeeds(m.boot(c)) }

func (m *machine) succeeds(b *call) error {
	if err := m.answered(b); err != nil {
		return err
	}
	if b.err != nil {
		return fmt.Errorf("boot: %w", b.err)
	}
	return nil
}

// destroy begins to destroy the pod.
func (m *machine) destroy() *call {
	d := &call{done: make(chan struct{})}
	p := m.pod()
	last := p.Status().Incarnation
	go func() {
		defer close(d.done)
		if d.err = p.Destroy(m.ctx); d.err == nil {
			m.judge.destroyed(p.ID(), last)
		}
	}()
	return d
}

// destroyed judges the answer that everything up to an incarnation is gone.
func (j *judge) destroyed(id pod.ID, last int) {
	containers, err := j.m.look()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.of(id).settled = max(j.of(id).settled, last)
	for _, c := range containers {
		if err == nil && c.pod == id && c.inc <= last {
			j.note(podruntime.DestroyedStaysDestroyed, "a destroy was answered, and the container of %d of %s is there", c.inc, id)
		}
	}
}

// gone destroys the pod.
func (m *machine) gone() error { return m.ends(m.destroy()) }

func (m *machine) ends(d *call) error {
	if err := wait("the answer of destroy", d.done); err != nil {
		return err
	}
	if d.err != nil {
		return fmt.Errorf("destroy: %w", d.err)
	}
	return nil
}

// terminal is an attach under way, and the terminal that it got.
type terminal struct {
	m    *machine
	done chan struct{} // closed when the following are set
	a    *pod.Attachment
	err  error
}

// attach begins to open a terminal.
func (m *machine) attach(c pod.ClientID) *terminal { return m.attachOf(user, c) }

func (m *machine) attachOf(id pod.ID, c pod.ClientID) *terminal {
	m.sessions++
	req := pod.ShellRequest{Attempt: fmt.Sprintf("s%d", m.sessions), Tab: "main", Cols: 80, Rows: 24}
	t := &terminal{m: m, done: make(chan struct{})}
	m.terminals[t] = struct{}{}
	p := m.manager.Pod(id)
	go func() {
		defer close(t.done)
		if t.a, t.err = p.Attach(m.ctx, c, req); t.err == nil {
			m.judge.attached(id, p.Status(), t.a)
		}
	}()
	return t
}

// attached judges a terminal at the moment at which it is handed over. Scenarios let nothing else happen to the pod meanwhile.
func (j *judge) attached(id pod.ID, now pod.Status, a *pod.Attachment) {
	var where pod.ContainerID
	switch s := a.Shell.(type) {
	case *located:
		where = s.container
	}
	containers, err := j.m.look()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.err = err
		return
	}
	current := false
	for _, c := range containers {
		if pod.ContainerID(c.id) != where {
			continue
		}
		current = c.inc == now.Incarnation && now.State == podlifecycle.Ready
		if c.box.Box == podruntime.BoxRunning && c.box.Setup != podruntime.SetupAll {
			j.note(podruntime.NoAttachWithoutShellSetup, "a shell in %d of %s, in which the setup is %s", c.inc, c.pod, c.box.Setup)
		}
		if c.pod != id {
			j.note(podruntime.NoCrossAttach, "a shell for %s in a container of %s", id, c.pod)
		}
	}
	if !current {
		j.note(AttachIsCurrent, "a terminal was handed over in the container %s, and the pod is %s %d", where, now.State, now.Incarnation)
	}
}

// opens waits for the terminal.
func (m *machine) opens(t *terminal) error {
	if err := wait("a terminal", t.done); err != nil {
		return err
	}
	if t.err != nil {
		return fmt.Errorf("attach: %w", t.err)
	}
	return nil
}

// open opens a terminal.
func (m *machine) open(c pod.ClientID) (*terminal, error) {
	t := m.attach(c)
	return t, m.opens(t)
}

// refused waits for the refusal of an attach to a pod that is not ready.
func (m *machine) refused(t *terminal) error {
	if err := wait("the refusal of an attach", t.done); err != nil {
		return err
	}
	var notReady *pod.NotReadyError
	if !errors.As(t.err, &notReady) {
		return fmt.Errorf("attach to a pod that is not ready: %w", t.err)
	}
	return nil
}

// close ends the terminal, if it was opened.
func (t *terminal) close() {
	delete(t.m.terminals, t)
	if closed(t.done) && t.err == nil {
		_ = t.a.Close()
	}
}

// is waits until the pod is what it should be.
func (m *machine) is(ctr podlifecycle.Ctr, inc int) error {
	return eventually(fmt.Sprintf("the pod is %s %d", ctr, inc), func() bool {
		s := m.pod().Status()
		return s.State == ctr && s.Incarnation == inc
	})
}

// settle lets the server finish what it has begun, and looks once more: nothing is left that is nobody's, and store and server agree.
func (m *machine) settle() error {
	unowned := ""
	tidy := func() bool {
		containers, err := m.look()
		unowned = ""
		for _, c := range containers {
			if s := m.manager.Pod(c.pod).Status(); err != nil || s.State == podlifecycle.Asleep || s.Incarnation != c.inc {
				unowned = fmt.Sprintf("%d of %s, which is %s %d", c.inc, c.pod, s.State, s.Incarnation)
			}
		}
		return err == nil && unowned == ""
	}
	for deadline := time.Now().Add(patience / 5); !tidy() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if unowned != "" {
		m.judge.broken(podruntime.NoContainerUnowned, "a container stays that is nobody's: %s", unowned)
	}
	for _, p := range m.manager.Pods() {
		s := p.Status()
		record, err := m.stored(p.ID())
		if err != nil {
			return err
		}
		if want := (podruntime.Record{Inc: s.Incarnation, Awake: s.State != podlifecycle.Asleep}); !s.Recovering && record != want {
			m.judge.broken(podruntime.StoreAgrees, "in the end the store has %+v, and the pod is %s %d", record, s.State, s.Incarnation)
		}
	}
	m.judge.mu.Lock()
	defer m.judge.mu.Unlock()
	return m.judge.err
}
