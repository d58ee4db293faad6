package faults

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"podlife/conformance/faults/failpoint"
	"podlife/conformance/harness"
	"podlife/conformance/tab"
	"podlife/model/explain"
	"podlife/model/podruntime"
	"podlife/runtime/client"
	"podlife/runtime/engine"
	"podlife/runtime/store"
)

// Chain is one pod on the real engine, and the servers that it outlives: each is the real program with failpoints, and dies at one of them. All are on the same
// data. It is for one goroutine.
type Chain struct {
	World *harness.Docker
	User  harness.User
	Dir   failpoint.Dir
	Gated bool // boots wait until the chain lets them go on

	highest  int              // number that the pod has had
	checker  *explain.Checker // of the newest server's steps
	followed int              // steps that it has taken
	whole    map[int]bool     // incarnations whose setup was seen to be complete
	mending  func(context.Context, *Chain) error

	open  []*tab.Socket  // terminals
	calls sync.WaitGroup // what is asked of a server beside the rest

	mu      sync.Mutex // guards the following
	answers []answer

	Slowest time.Duration // until everything was in order after a start
	Deaths  int
}

// answer is what a client was told.
type answer struct {
	what string
	err  error
}

// deathPatience bounds the way to a failpoint, and recoveryTime the time after the next server's start in which everything must be in order.
const (
	deathPatience = 30 * time.Second
	recoveryTime  = 2 * time.Second
)

// ask asks something of the server beside the rest, and keeps the answer.
func (c *Chain) ask(what string, do func() error) {
	c.calls.Go(func() {
		err := do()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.answers = append(c.answers, answer{what, err})
	})
}

// Boot boots as a tab, and lets the script through the gate.
func (c *Chain) Boot(ctx context.Context, name string) error { return c.bootSaying(ctx, name, "") }

// bootSaying is Boot with a word that the script finds at the gate.
func (c *Chain) bootSaying(ctx context.Context, name, word string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var opening sync.WaitGroup
	if c.Gated {
		opening.Go(func() { c.letThrough(ctx, word) })
	}
	got, err := c.User.Client.Boot(ctx, name, nil)
	cancel()
	opening.Wait()
	if err == nil && got.Incarnation < c.highest {
		err = fmt.Errorf("a boot gave incarnation %d, and %d was there before", got.Incarnation, c.highest)
	}
	c.highest = max(c.highest, got.Incarnation)
	return err
}

// letThrough opens the gate of every container that there is, or comes to be, until the context ends. word is what the script finds at the gate.
func (c *Chain) letThrough(ctx context.Context, word string) {
	opened := map[engine.ID]bool{}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		list, _ := c.World.Containers(ctx, c.User.Name) // it is asked again
		for _, b := range list {
			if b.State == engine.Running && !opened[b.ID] {
				// With the word in it from the start: a script that found the gate open, and nothing at it, would go on.
				opened[b.ID] = c.World.Shell(ctx, b.ID, "echo '"+word+"' > "+harness.GateFile+".new && mv "+harness.GateFile+".new "+harness.GateFile) == nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// Terminal opens one; boot says whether it may boot.
func (c *Chain) Terminal(ctx context.Context, name string, boot bool) (*tab.Socket, error) {
	s, err := tab.Open(ctx, c.User.Client, client.Hello{Client: name, Cols: 80, Rows: 24, NoBoot: !boot})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = append(c.open, s)
	return s, nil
}

// Ready boots and opens a terminal.
func (c *Chain) Ready(ctx context.Context) error {
	if err := c.Boot(ctx, "c1"); err != nil {
		return err
	}
	s, err := c.Terminal(ctx, "c1", false)
	if err != nil {
		return err
	}
	_, err = s.AwaitAttached(ctx)
	return err
}

// Leave closes every terminal.
func (c *Chain) Leave() {
	c.mu.Lock()
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for _, s := range open {
		s.Close()
	}
}

// Each does something to every container of the pod, without the server. One at least must be there.
func (c *Chain) Each(ctx context.Context, do func(context.Context, engine.ID) error) error {
	list, err := c.World.Containers(ctx, c.User.Name)
	if err == nil && len(list) == 0 {
		err = errors.New("the pod has no container")
	}
	for _, b := range list {
		err = errors.Join(err, do(ctx, b.ID))
	}
	return err
}

// awaitStep waits until the servers have committed an action once more than so often.
func (c *Chain) awaitStep(ctx context.Context, action string, before int) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		n, err := c.steps(action)
		if err != nil || n > before {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("await the step %s: %w", action, ctx.Err())
		}
	}
}

// steps counts the committed steps of an action.
func (c *Chain) steps(action string) (n int, err error) {
	all, err := c.Dir.Steps()
	for _, s := range all {
		if s.Action == action {
			n++
		}
	}
	return n, err
}

// awaitDeath waits for the server's end, which must be by SIGKILL.
func (c *Chain) awaitDeath(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, deathPatience)
	defer cancel()
	select {
	case <-c.World.Exited():
	case <-ctx.Done():
		return ErrNotReached
	}
	if s, ok := c.World.Ended().Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGKILL {
		return fmt.Errorf("the server has ended by itself: %s", c.World.Ended())
	}
	c.Deaths++
	return nil
}

// ErrNotReached says that no server came to a failpoint.
var ErrNotReached = errors.New("the failpoint was not reached")

// untyped gives the answers that no type explains, when the server has died: a client is told that the answer was cut off, or that nobody is there, or what the server said in time.
func (c *Chain) untyped() error {
	c.calls.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	var wrong []error
	for _, a := range c.answers {
		var cut *client.Interrupted
		var away *client.Unreachable
		var said *client.Problem
		var late *tab.TimeoutError
		if a.err == nil || errors.As(a.err, &cut) || errors.As(a.err, &away) || errors.As(a.err, &said) && said.Code != "" && said.Code != client.CodeInternal {
			continue
		}
		if errors.As(a.err, &late) && late.Seen.Closed != nil {
			continue // a terminal that was told of its end
		}
		wrong = append(wrong, fmt.Errorf("%s was answered with %T: %w", a.what, a.err, a.err))
	}
	c.answers = nil
	return errors.Join(wrong...)
}

// stored is what the store holds of the pod, read beside the server.
func (c *Chain) stored(ctx context.Context) (podruntime.Record, error) {
	st, err := store.Open(ctx, filepath.Join(c.World.DataDir(), "podlife.db"))
	if err != nil {
		return podruntime.Record{}, err
	}
	all, err := st.Load(ctx)
	if err = errors.Join(err, st.Close()); err != nil {
		return podruntime.Record{}, err
	}
	for _, r := range all {
		if string(r.Pod) == c.User.Name {
			return podruntime.Record{Inc: r.Inc, Awake: r.Awake}, nil
		}
	}
	return podruntime.Record{}, nil
}
