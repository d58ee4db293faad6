package faults

import (
	"context"
	"fmt"
	"slices"
	"time"

	"podlife/runtime/pod"
)

// A Crash is one run of a scenario that is cut off, once or twice.
type Crash struct {
	Scenario    Scenario
	CutAt       Moment // of the scenario; none is after its end
	OtherRecipe bool   // of the servers after the cut
	CutAgainAt  Moment // of the next server's life
}

func (c Crash) String() string {
	s := fmt.Sprintf("%s, cut at %s", c.Scenario.Name, c.CutAt)
	if c.OtherRecipe {
		s += ", then another recipe"
	}
	if c.CutAgainAt != (Moment{}) {
		s += fmt.Sprintf(", cut again at %s", c.CutAgainAt)
	}
	return s
}

// Outcome is what became of a run.
type Outcome struct {
	Cut, CutAgain bool           // as asked for; a run may be over before
	Moments, Next map[string]int // of the scenario, and of the server after it
	Problems      []string
	Actions       map[string]int
	FaultsMet     int
	Explained     int // committed steps that are explained as a behaviour of PodRuntime
	Highest       int // number that the pod had had before it was asked to work
}

// judge takes what was seen all the while, and whether all that was done is explained.
func (o *Outcome) judge(m *Machine) {
	o.Problems = append(append(o.Problems, m.Problems()...), m.Truth.unexplained()...)
	o.Actions, o.Explained = m.Truth.Actions(), m.Truth.Explained()
}

// world is what a run needs of the test that it is in: that nothing moves any more, and how time passes.
type world struct {
	quiet func()
	sleep func(time.Duration)
}

// run is one run of a crash: the scenario up to its cut, then a new server, which must bring everything in order by itself, and then must work.
func (c Crash) run(w world) (o Outcome) {
	m := NewMachine(nil, nil)
	defer m.Close()
	tape := &Tape{CutAt: c.CutAt, Faults: c.Scenario.Faults}
	d := play(m, tape, c.Scenario, true, w)
	o.Cut, o.Moments = tape.Cut(), tape.Moments()
	o.Problems = append(o.Problems, d.Failed()...)
	w.quiet()

	next := &Tape{CutAt: c.CutAgainAt}
	o.Problems = append(o.Problems, c.survive(m, next, w)...)
	o.Next = next.Moments()
	if o.CutAgain = next.Cut(); o.CutAgain {
		w.quiet()
		o.Problems = append(o.Problems, c.survive(m, &Tape{}, w)...)
	}
	o.judge(m)
	return o
}

// play runs a scenario until it is over or its server is cut off, and ends it. What is amiss in a scenario's end that was not cut off is the driver's to tell.
func play(m *Machine, tape *Tape, s Scenario, strict bool, w world) *Driver {
	l, err := m.Start(tape, false)
	d := newDriver(m, tape, l, err, strict)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(d)
		if !d.over() {
			w.sleep(settle)
		}
	}()
	select {
	case <-done:
	case <-l.Wire.cut:
		// Its operations get no answer any more but that the server is closed.
		l.End()
		<-done
	}
	if strict && !d.over() {
		if err := d.life.Settled(context.Background(), d.Pod); err != nil {
			d.expect("end", err)
		}
	}
	d.End()
	return d
}

// survive starts a server on what a crash has left, and says what is wrong with it. A server that is cut off meanwhile says nothing.
func (c Crash) survive(m *Machine, tape *Tape, w world) (problems []string) {
	l, err := m.Start(tape, c.OtherRecipe)
	defer l.End()
	worked := make(chan error, 1)
	go func() { worked <- c.works(l, err, w) }()
	select {
	case err = <-worked:
	case <-l.Wire.cut:
		l.End()
		<-worked
		return nil
	}
	if err != nil && !l.Wire.dead.Load() {
		problems = append(problems, err.Error())
	}
	return problems
}

func (c Crash) works(l *Life, started error, w world) error {
	if started != nil {
		return fmt.Errorf("the start: %w", started)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	const id, tab = pod.ID("u"), pod.ClientID("after")
	w.sleep(Grace)
	paused := false
	for _, c := range l.m.Containers(id) {
		paused = l.m.Engine.Unpause(c) || paused
	}
	if paused {
		w.sleep(Grace)
	}
	if err := l.Settled(ctx, id); err != nil {
		return fmt.Errorf("%s after the start: %w", Grace, err)
	}
	if err := l.Works(ctx, id, tab); err != nil {
		return fmt.Errorf("after the start, %w", err)
	}
	return nil
}

// A Disturbance is one run of a scenario in which something goes wrong and the server lives on.
type Disturbance struct {
	Scenario Scenario
	Faults   []Fault
	Slow     time.Duration
}

func (d Disturbance) String() string {
	return fmt.Sprintf("%s, faults %v, slow %s", d.Scenario.Name, d.Faults, d.Slow)
}

// run plays the scenario, ends all faults, gives the server its grace, and then holds it to what it must be.
func (dis Disturbance) run(w world) (o Outcome) {
	m := NewMachine(nil, nil)
	defer m.Close()
	tape := &Tape{Faults: slices.Concat(dis.Faults, dis.Scenario.Faults), Slow: dis.Slow}
	l, err := m.Start(tape, false)
	d := newDriver(m, tape, l, err, false)
	defer d.End()
	dis.Scenario.Run(d)
	d.Wait()
	tape.Repair()
	d.ended.Store(true)
	o.FaultsMet, o.Moments = tape.Met(), tape.Moments()
	if d.startErr != nil {
		return o // it does not start, and says so
	}
	for _, id := range d.M.Containers(d.Pod) {
		m.Engine.Unpause(id)
	}
	w.sleep(10 * dis.Slow) // for the calls that are under way
	w.sleep(Relist)
	w.quiet()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := d.life.Settled(ctx, d.Pod); err != nil {
		o.Problems = append(o.Problems, fmt.Sprintf("%s after the last fault: %v", Relist, err))
	}
	o.Highest = m.Truth.Highest(d.Pod)
	if err := d.life.Works(ctx, d.Pod, "after"); err != nil {
		o.Problems = append(o.Problems, fmt.Sprintf("after the last fault, %v", err))
	}
	o.judge(m)
	return o
}
