package linear

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"podlife/conformance/harness"
	"podlife/conformance/tab"
	"podlife/runtime/client"
	"podlife/runtime/container"
	"podlife/runtime/engine"
)

// TargetOf gives a user of a running server, who speaks its public API, and with kill what can happen to the container.
func TargetOf(w harness.World, u harness.User, kill bool) Target {
	t := Target{Pod: u.Name, API: user{u}}
	if kill {
		t.Kill = func(ctx context.Context) Output { return killOne(ctx, w, u.Name) }
	}
	return t
}

// user is a tab's way to a running server.
type user struct{ harness.User }

// Boot boots as a program would.
func (u user) Boot(ctx context.Context, c int) Output {
	got, err := u.Client.Boot(ctx, name(c), nil)
	if err != nil {
		return failed(err)
	}
	return Output{Word: Ready, Inc: got.Incarnation}
}

// Destroy destroys, and is told the pod's incarnation as well.
func (u user) Destroy(ctx context.Context) Output {
	got, err := u.Client.Destroy(ctx)
	switch {
	case err != nil:
		return failed(err)
	case got.State != "asleep":
		return Output{Word: Failed, Detail: "the state after a destroy is " + got.State}
	}
	return Output{Word: Done, Told: &Output{Word: Done, Inc: got.Incarnation}}
}

// Look asks for the state.
func (u user) Look(ctx context.Context) Output {
	got, err := u.Client.Status(ctx)
	if err != nil {
		return failed(err)
	}
	return Output{Word: Done, State: got.State, Inc: got.Incarnation}
}

// Attach opens a terminal with boot:false and waits until it is decided.
func (u user) Attach(ctx context.Context, c int) (Terminal, Output) {
	s, err := tab.Open(ctx, u.Client, client.Hello{Client: name(c), Tab: name(c), Cols: 80, Rows: 24, NoBoot: true})
	if err != nil {
		return nil, failed(err)
	}
	seen, err := s.AwaitDecision(ctx)
	switch {
	case seen.Attached > 0:
		return socket{s}, Output{Word: Attached, Inc: seen.Attached}
	case err != nil:
		return socket{s}, failed(err) // the server may still hand a shell over
	}
	s.Close()
	return nil, decided(seen)
}

// decided is a terminal that was not opened. The refusal itself names the state in which the pod was refused; the message
// before it tells that of a moment later.
func decided(seen tab.Seen) Output {
	last := seen.Last()
	switch {
	case seen.Closed != nil && seen.Closed.Code == client.CloseNotReady:
		state, ok := strings.CutPrefix(seen.Closed.Reason, "the container is ")
		state, isRefusal := strings.CutSuffix(state, ": boot first")
		if !ok || !isRefusal {
			return Output{Word: Failed, Detail: "refused with " + seen.Closed.Reason}
		}
		return Output{Word: Refused, State: state}
	case seen.Closed != nil && seen.Closed.Err != nil:
		return Output{Word: Unknown, Detail: seen.Closed.Err.Error()}
	case last.State == "failed" && last.Reason == "no_shell", last.State == "failed" && strings.HasPrefix(last.Reason, "marker_"):
		return Output{Word: NoShell, Detail: last.Message}
	}
	return Output{Word: Failed, Detail: last.Reason + " " + last.Message}
}

// socket is a terminal of a running server, which finds out when it is closed.
type socket struct{ *tab.Socket }

// Close leaves.
func (s socket) Close() Output {
	s.Socket.Close()
	return Output{Word: Unknown, Detail: "the server finds out"}
}

// failed is how a call ended that gave no result: in an answer that says why, or in none.
func failed(err error) Output {
	var unreachable *client.Unreachable
	if errors.As(err, &unreachable) {
		return Output{Word: Unreachable}
	}
	var problem *client.Problem
	if !errors.As(err, &problem) {
		return Output{Word: Unknown, Detail: err.Error()}
	}
	switch problem.Code {
	case client.CodeBootLost:
		return Output{Word: Lost}
	case client.CodeBootFailed:
		return Output{Word: BootFailed, Detail: problem.Error()}
	case client.CodeRecovering:
		return Output{Word: Recovering}
	case client.CodeStoreUnavailable:
		return Output{Word: Unstored}
	case client.CodeStopping:
		return Output{Word: Unknown, Detail: problem.Error()}
	}
	return Output{Word: Failed, Detail: problem.Error()}
}

// diedTime bounds how long a container takes to be dead that was killed.
const diedTime = 10 * time.Second

// killOne kills the running container of a pod, and comes back when the engine calls it dead.
func killOne(ctx context.Context, w harness.World, pod string) Output {
	ctx, cancel := context.WithTimeout(ctx, diedTime)
	defer cancel()
	found, err := w.Containers(ctx, pod)
	if err != nil {
		return Output{Word: Failed, Detail: err.Error()}
	}
	for _, c := range found {
		if c.State != engine.Running {
			continue
		}
		n, err := strconv.Atoi(c.Labels[container.LabelIncarnation])
		if err != nil {
			return Output{Word: Failed, Detail: fmt.Sprintf("container %s: %v", c.ID, err)}
		}
		if w.Kill(ctx, c.ID) != nil {
			return Output{Word: Nothing} // it was gone already
		}
		if err := awaitDead(ctx, w, pod, c.ID); err != nil {
			return Output{Word: Failed, Detail: err.Error()}
		}
		return Output{Word: Done, Inc: n}
	}
	return Output{Word: Nothing}
}

func awaitDead(ctx context.Context, w harness.World, pod string, id engine.ID) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		found, err := w.Containers(ctx, pod)
		if err != nil {
			return err
		}
		alive := false
		for _, c := range found {
			alive = alive || c.ID == id && c.State == engine.Running
		}
		if !alive {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("container %s was killed and lives: %w", id, ctx.Err())
		}
	}
}
