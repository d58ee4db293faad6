package container

import (
	"context"
	"errors"
	"time"

	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

const (
	watchBackoffMin = 100 * time.Millisecond
	watchBackoffMax = time.Second
	// relist is how often everything is looked at anew, because an event is a hint and hints get lost; lookAgain is how soon after an event, because what was asked about it may have gone unanswered,
	// and what was made may belong to a server that is dead.
	relist    = time.Minute
	lookAgain = time.Second / 2
)

// Watch tells of containers that may have died; see pod.Containers. Both functions are called from the goroutine of the caller. It tells only of what it has seen:
// while the engine cannot be asked, nothing is told. A list may be older than a container that was created while it was made.
func (c *Containers) Watch(ctx context.Context, onList func([]pod.Found), onDied func(pod.ContainerID)) {
	backoff := watchBackoffMin
	for ctx.Err() == nil {
		listed, err := c.watchOnce(ctx, onList, onDied)
		if ctx.Err() != nil {
			return
		}
		if listed {
			backoff = watchBackoffMin
		}
		c.log.Warn("cannot see the engine's events, trying again", "in", backoff, "err", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(backoff):
		}
		backoff = min(2*backoff, watchBackoffMax)
	}
}

// errStreamEnded is for an engine that ends its stream without a reason.
var errStreamEnded = errors.New("the event stream ended")

// watchOnce follows one event stream to its end. The stream's goroutine ends with it, and is waited for.
func (c *Containers) watchOnce(ctx context.Context, onList func([]pod.Found), onDied func(pod.ContainerID)) (listed bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	ready := make(chan struct{}, 1)      // sent once by the stream
	events := make(chan engine.Event)    // sent by the stream, which gives up when ctx ends
	ended := make(chan error, 1)         // sent once, when the stream has ended
	defer func() { cancel(); <-ended }() // every return below has either not received from ended or put it back
	go func() {
		ended <- c.o.Engine.Watch(ctx, c.ours(), func() { ready <- struct{}{} }, func(e engine.Event) {
			select {
			case events <- e:
			case <-ctx.Done():
			}
		})
	}()
	tick := time.NewTicker(relist)
	defer tick.Stop()
	var again <-chan time.Time // not nil while a look is due
	for {
		select {
		case err := <-ended:
			ended <- err
			if err == nil {
				err = errStreamEnded
			}
			return listed, err
		case <-ready:
		case <-tick.C:
			if !listed {
				continue // the stream is not there yet
			}
		case <-again:
			again = nil
		case e := <-events:
			c.event(ctx, e, onDied)
			if again == nil {
				again = time.After(lookAgain)
			}
			continue
		}
		found, err := c.List(ctx)
		if err != nil {
			return listed, err
		}
		listed = true
		onList(found)
	}
}

// event asks whether what an event hints at is so.
func (c *Containers) event(ctx context.Context, e engine.Event, onDied func(pod.ContainerID)) {
	if e.Type == engine.Made {
		return
	}
	if alive, err := c.Alive(ctx, pod.ContainerID(e.ID)); err == nil && !alive {
		onDied(pod.ContainerID(e.ID))
	}
}
