package docker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/docker/docker/api/types/events"

	"podlife/runtime/engine"
)

// Watch tells of containers with these labels that were made, died or were removed.
//
// The daemon answers the request before it subscribes it, so an event in between would be lost. Therefore the stream begins at the daemon's own time of a moment earlier, out of its buffer; some
// events older than onReady may come, none later than it is missing.
func (e *Engine) Watch(ctx context.Context, labels map[string]string, onReady func(), onEvent func(engine.Event)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	since, err := e.daemonTime(ctx)
	if err == nil {
		err = e.watch(ctx, since, labels, onReady, onEvent)
	}
	switch kind := kindOf(ctx, err); {
	case kind == engine.Canceled || ctx.Err() != nil:
		return nil
	default:
		return fail("watch", "", engine.Unavailable, err)
	}
}

func (e *Engine) watch(ctx context.Context, since string, labels map[string]string, onReady func(), onEvent func(engine.Event)) error {
	f := labelFilter(labels)
	f.Add("type", string(events.ContainerEventType))
	f.Add("event", string(events.ActionCreate))
	f.Add("event", string(events.ActionDie))
	f.Add("event", string(events.ActionDestroy))
	ctx, cancel := context.WithCancel(ctx)
	messages, failed := e.cli.Events(ctx, events.ListOptions{Since: since, Filters: f})
	defer func() { // the library's goroutine ends with the context and then closes this channel
		cancel()
		for range failed {
		}
	}()
	select {
	case err := <-failed:
		return broken(err)
	default: // the daemon answered
	}
	onReady()
	for {
		select {
		case m := <-messages:
			onEvent(eventOf(m))
		case err := <-failed:
			return broken(err)
		}
	}
}

// daemonTime gives the daemon's clock in the form that its event stream takes.
func (e *Engine) daemonTime(ctx context.Context) (string, error) {
	info, err := e.cli.Info(ctx)
	if err != nil {
		return "", err
	}
	t, err := time.Parse(time.RFC3339Nano, info.SystemTime)
	if err != nil {
		return "", fmt.Errorf("the daemon's time: %w", err)
	}
	return fmt.Sprintf("%d.%09d", t.Unix(), t.Nanosecond()), nil
}

func broken(err error) error {
	if err == nil {
		return errors.New("event stream ended")
	}
	return err
}

func eventOf(m events.Message) engine.Event {
	ev := engine.Event{ID: engine.ID(m.Actor.ID), Type: engine.Died, Time: time.Unix(0, m.TimeNano)}
	switch m.Action {
	case events.ActionCreate:
		ev.Type = engine.Made
	case events.ActionDestroy:
		ev.Type = engine.Removed
	}
	ev.Labels = maps.Clone(m.Actor.Attributes)
	for _, k := range []string{"image", "name", "exitCode", "execDuration", "signal", createLabel} { // what the daemon mixes in among the labels
		delete(ev.Labels, k)
	}
	return ev
}
