package faults

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"podlife/model/podruntime"
	"podlife/runtime/container"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

const labelPod = container.LabelPod

var probed = regexp.MustCompile(`probe multiplexer=(true|false) repo=(true|false)`)

// Settled holds engine, store and server against each other for one pod, at a moment at which nothing is under way: what the store calls awake is there and nothing else is, and the server knows it.
func (l *Life) Settled(ctx context.Context, id pod.ID) error {
	list, err := l.m.Engine.List(ctx, map[string]string{container.LabelInstance: instance, labelPod: string(id)})
	if err != nil {
		return err
	}
	stored := l.m.Truth.Stored(id)
	var wrong []error
	for _, c := range list {
		alive := c.State == engine.Running || c.State == engine.Paused
		if n, err := strconv.Atoi(c.Labels[container.LabelIncarnation]); err != nil || !stored.Awake || n != stored.Inc || !alive {
			wrong = append(wrong, fmt.Errorf("the engine has %s (%s), and the store says %+v", c.Name, c.State, stored))
		}
	}
	if stored.Awake && len(list) == 0 {
		wrong = append(wrong, fmt.Errorf("the store says %+v, and the engine has nothing", stored))
	}
	st := l.Pod(id).Status()
	if awake := st.State.String() != podruntime.Asleep.String(); st.Recovering || st.Incarnation != stored.Inc || awake != stored.Awake {
		wrong = append(wrong, fmt.Errorf("the server says %s %d (recovering %v), and the store %+v", st.State, st.Incarnation, st.Recovering, stored))
	}
	return errors.Join(wrong...)
}

// Works holds a pod to what everybody may expect of it, whatever has happened: a boot and a terminal in a provisioned shell, in the incarnation that was there or in a new one, and then a destroy
// that leaves nothing.
func (l *Life) Works(ctx context.Context, id pod.ID, c pod.ClientID) error {
	before, highest := l.m.Truth.Stored(id), l.m.Truth.Highest(id)
	p := l.Pod(id)
	booted, err := p.Boot(ctx, c, nil)
	if err != nil {
		return fmt.Errorf("a boot: %w", err)
	}
	if adopted := before.Awake && booted.Incarnation == before.Inc; !adopted && booted.Incarnation <= highest {
		return fmt.Errorf("a boot gave incarnation %d, and %d was used already", booted.Incarnation, highest)
	}
	a, err := p.Attach(ctx, c, NewRequest())
	if err != nil {
		return fmt.Errorf("a terminal: %w", err)
	}
	if err := errors.Join(Probe(a), a.Close()); err != nil {
		return fmt.Errorf("a terminal: %w", err)
	}
	if err := l.Settled(ctx, id); err != nil {
		return fmt.Errorf("after a boot: %w", err)
	}
	if err := p.Destroy(ctx); err != nil {
		return fmt.Errorf("a destroy: %w", err)
	}
	if err := l.Settled(ctx, id); err != nil {
		return fmt.Errorf("after a destroy: %w", err)
	}
	if st := l.m.Truth.Stored(id); st.Awake || st.Inc != booted.Incarnation {
		return fmt.Errorf("after a destroy of incarnation %d the store says %+v", booted.Incarnation, st)
	}
	return nil
}

// Grace is how long a server has after its start until everything must be in order, and Relist how long after a fault, in which the hint of a death may have got lost: the server looks again soon after
// every event, tries again every second what failed, and looks at all containers when it can reach the engine again.
const (
	Grace  = 2 * time.Second
	Relist = 2 * time.Second
)
