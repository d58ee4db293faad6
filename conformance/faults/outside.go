package faults

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"podlife/conformance/harness"
	"podlife/conformance/tab"
	"podlife/runtime/client"
	"podlife/runtime/container"
	"podlife/runtime/engine"
)

// Outside holds a server that is a process of its own, on a real engine, to what Life.Settled and Life.Works hold one in this process to: as far as that can be seen from outside.
type Outside struct {
	World *harness.Docker
}

// Settled compares what the server says of a pod with the containers that the engine has of it, now.
func (o Outside) Settled(ctx context.Context, u harness.User) error {
	st, err := u.Client.Status(ctx)
	if err != nil {
		return err
	}
	list, err := o.World.Containers(ctx, u.Name)
	if err != nil {
		return err
	}
	var wrong []error
	if st.Recovering {
		wrong = append(wrong, errors.New("the server does not know yet"))
	}
	awake := st.State != "asleep"
	if awake && len(list) != 1 {
		wrong = append(wrong, fmt.Errorf("the server says %s %d, and the engine has %d containers", st.State, st.Incarnation, len(list)))
	}
	for _, c := range list {
		n, err := strconv.Atoi(c.Labels[container.LabelIncarnation])
		if alive := c.State == engine.Running || c.State == engine.Paused; err != nil || !awake || n != st.Incarnation || !alive {
			wrong = append(wrong, fmt.Errorf("the server says %s %d, and the engine has %s (%s)", st.State, st.Incarnation, c.Name, c.State))
		}
		if st.State != "ready" || c.State != engine.Running {
			continue
		}
		inside, err := o.World.Inside(ctx, c.ID)
		if err != nil {
			wrong = append(wrong, err)
		} else if inside.Marker.Whole && (inside.Marker.Incarnation != n || !inside.Provisioned()) {
			wrong = append(wrong, fmt.Errorf("a container that its marker vouches for is %s", inside))
		}
	}
	return errors.Join(wrong...)
}

// AwaitSettled is Settled, within a time.
func (o Outside) AwaitSettled(ctx context.Context, u harness.User, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var last error
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := o.Settled(ctx, u)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil || last == nil {
			last = err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("pod %s is not in order within %s: %w", u.Name, within, last)
		}
	}
}

// Works boots, types into a terminal and destroys. highest is the highest number that the pod has had so far; the new highest is given back.
func (o Outside) Works(ctx context.Context, u harness.User, name string, highest int) (int, error) {
	before, err := u.Client.Status(ctx)
	if err != nil {
		return highest, err
	}
	booted, err := u.Client.Boot(ctx, name, nil)
	if err != nil {
		return highest, fmt.Errorf("a boot: %w", err)
	}
	if adopted := before.State == "ready" && before.Incarnation == booted.Incarnation; !adopted && booted.Incarnation <= highest {
		return highest, fmt.Errorf("a boot gave incarnation %d, and %d was used already", booted.Incarnation, highest)
	}
	highest = max(highest, booted.Incarnation)
	s, err := tab.Open(ctx, u.Client, client.Hello{Client: name, Cols: 80, Rows: 24})
	if err != nil {
		return highest, fmt.Errorf("a terminal: %w", err)
	}
	defer s.Close()
	if _, err := s.AwaitAttached(ctx); err != nil {
		return highest, fmt.Errorf("a terminal: %w", err)
	}
	shell, err := o.World.Prober().Probe(ctx, s)
	if err != nil {
		return highest, fmt.Errorf("a terminal: %w", err)
	}
	if !shell.Provisioned("") {
		return highest, fmt.Errorf("%w: %s", ErrBareShell, shell)
	}
	if err := o.Settled(ctx, u); err != nil {
		return highest, fmt.Errorf("after a boot: %w", err)
	}
	if _, err := u.Client.Destroy(ctx); err != nil {
		return highest, fmt.Errorf("a destroy: %w", err)
	}
	if err := o.Settled(ctx, u); err != nil {
		return highest, fmt.Errorf("after a destroy: %w", err)
	}
	return highest, nil
}
