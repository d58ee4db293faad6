package faults

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"podlife/conformance/harness"
	"podlife/conformance/tracecheck"
	"podlife/model/explain"
	"podlife/model/podruntime"
	"podlife/runtime/container"
	"podlife/runtime/engine"
)

// boxOf says what a container on the real engine really is: its state by the engine, its setup and marker by a look of our own inside.
func boxOf(ctx context.Context, w *harness.Docker, b engine.Container, user string, n int) (podruntime.Container, error) {
	box := podruntime.Container{Box: boxStates()[b.State]}
	if b.State != engine.Running {
		return box, nil
	}
	in, err := w.Inside(ctx, b.ID)
	if err != nil {
		return box, err
	}
	switch {
	case in.Provisioned():
		box.Setup = podruntime.SetupAll
	case in.Multiplexer || in.Hook || in.Head != "":
		box.Setup = podruntime.SetupPart
	}
	if in.Marker.Whole {
		box.Marker = podruntime.MarkerForeign
		if in.Marker.Pod == user && in.Marker.Incarnation == n {
			box.Marker = podruntime.MarkerOwn
		}
	}
	return box, nil
}

// boxes looks at every container that the engine has of the pod.
func (c *Chain) boxes(ctx context.Context) (map[int]podruntime.Container, error) {
	list, err := c.World.Containers(ctx, c.User.Name)
	if err != nil {
		return nil, err
	}
	boxes := map[int]podruntime.Container{}
	for _, b := range list {
		n, err := strconv.Atoi(b.Labels[container.LabelIncarnation])
		if err != nil {
			return nil, err
		}
		if _, twice := boxes[n]; twice {
			return nil, fmt.Errorf("two containers of incarnation %d", n)
		}
		if boxes[n], err = boxOf(ctx, c.World, b, c.User.Name, n); err != nil {
			return nil, err
		}
	}
	return boxes, nil
}

// InOrder holds engine, store and server against each other, now, and evaluates every invariant of PodRuntime on what is the case.
func (c *Chain) InOrder(ctx context.Context) error {
	st, err := c.User.Client.Status(ctx)
	if err != nil {
		return err
	}
	record, err := c.stored(ctx)
	if err != nil {
		return err
	}
	list, err := c.World.Containers(ctx, c.User.Name)
	if err != nil {
		return err
	}
	var wrong []error
	if st.Recovering || record.Inc != st.Incarnation || record.Awake != (st.State != "asleep") {
		wrong = append(wrong, fmt.Errorf("the server says %s %d (recovering %v), and the store %+v", st.State, st.Incarnation, st.Recovering, record))
	}
	if record.Awake && len(list) != 1 {
		wrong = append(wrong, fmt.Errorf("the store says %+v, and the engine has %d containers", record, len(list)))
	}
	for _, b := range list {
		alive := b.State == engine.Running || b.State == engine.Paused
		if n, err := strconv.Atoi(b.Labels[container.LabelIncarnation]); err != nil || !record.Awake || n != record.Inc || !alive {
			wrong = append(wrong, fmt.Errorf("the store says %+v, and the engine has %s (%s)", record, b.Name, b.State))
		}
	}
	if st.Monitor != "ok" && st.Monitor != "" {
		wrong = append(wrong, fmt.Errorf("the server's own monitor says %s", st.Monitor))
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	boxes, err := c.boxes(ctx)
	if err != nil {
		return err
	}
	return c.invariants(record, boxes)
}

// AwaitInOrder is InOrder, within a time from a moment on.
func (c *Chain) AwaitInOrder(ctx context.Context, from time.Time, within time.Duration) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		asked := time.Now()
		err := c.InOrder(ctx)
		if err == nil {
			c.Slowest = max(c.Slowest, asked.Sub(from))
			return nil
		}
		if asked.Sub(from) > within {
			return fmt.Errorf("not in order %s after the start: %w", within, err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Explained is how many committed steps there are, all of them explained as a behaviour of PodRuntime: none may be missing, and a server's death explains no more than a crash does.
func (c *Chain) Explained() (int, error) {
	records, err := c.Dir.Steps()
	if err != nil {
		return 0, err
	}
	answer, err := tracecheck.Check(context.Background(), explain.Options{}, records)
	if err == nil && (answer.Verdict != explain.Explained || answer.Violated()) {
		err = fmt.Errorf("the committed steps are no behaviour of PodRuntime: %s", answer)
	}
	return len(records), err
}

// follow takes the steps that were committed since it was called last, and gives a state of the specification that explains those of the newest server; false before the first step. That those of all
// servers together are explained, Explained says: to keep a path through all of them, no history could be forgotten.
func (c *Chain) follow() (last explain.Taken, known bool, err error) {
	records, err := c.Dir.Steps()
	if err != nil || len(records) == 0 {
		return last, false, err
	}
	for _, r := range records[c.followed:] {
		c.followed++
		if r.Seq == 1 {
			c.checker = explain.New(explain.Options{Path: true}) // a server counts from its start
		}
		if c.checker.Add(r.Step()) != explain.Explained {
			return last, false, fmt.Errorf("the committed steps are no behaviour of PodRuntime: %s", c.checker.Answer())
		}
	}
	path := c.checker.Path()
	return path[len(path)-1], true, nil
}

// invariants evaluates each on a state that explains the steps so far, with the truth put in.
func (c *Chain) invariants(record podruntime.Record, boxes map[int]podruntime.Container) error {
	last, known, err := c.follow()
	if err != nil || !known {
		return err
	}
	state := last.Pod
	state.Store = record
	for _, i := range state.Incs {
		if boxes[i.N].Box == podruntime.BoxNone && i.Done {
			c.whole[i.N] = true // what is gone cannot be looked into; of what is there, only the look counts
		}
	}
	var wrong []error
	for _, broken := range brokenBy(explain.Shipped(), state, slices.Collect(maps.Values(last.Clients)), boxes, c.whole) {
		wrong = append(wrong, errors.New(broken))
	}
	return errors.Join(wrong...)
}

// Works holds the pod to what everybody may expect of it, whatever has happened: a boot, under the number that was adopted or under one that was never used, a terminal in a provisioned shell, and a
// destroy that leaves nothing; everything is in order after each.
func (c *Chain) Works(ctx context.Context) error {
	before, err := c.stored(ctx)
	if err != nil {
		return err
	}
	used := max(c.highest, before.Inc)
	if before.Awake {
		used = before.Inc - 1
	}
	c.highest = used
	if err := c.Boot(ctx, "after"); err != nil {
		return fmt.Errorf("a boot: %w", err)
	}
	if adopted := before.Awake && c.highest == before.Inc; c.highest <= used || before.Awake && !adopted {
		return fmt.Errorf("a boot gave incarnation %d; the store said %+v, and %d was used already", c.highest, before, used)
	}
	if err := c.InOrder(ctx); err != nil {
		return fmt.Errorf("after a boot: %w", err)
	}
	s, err := c.Terminal(ctx, "after", false)
	if err != nil {
		return fmt.Errorf("a terminal: %w", err)
	}
	defer c.Leave()
	if _, err := s.AwaitAttached(ctx); err != nil {
		return fmt.Errorf("a terminal: %w", err)
	}
	shell, err := c.World.Prober().Probe(ctx, s)
	if err != nil {
		return fmt.Errorf("a terminal: %w", err)
	}
	if !shell.Provisioned("") {
		return fmt.Errorf("%w: %s", ErrBareShell, shell)
	}
	if _, err := c.User.Client.Destroy(ctx); err != nil {
		return fmt.Errorf("a destroy: %w", err)
	}
	if err := c.InOrder(ctx); err != nil {
		return fmt.Errorf("after a destroy: %w", err)
	}
	return nil
}
