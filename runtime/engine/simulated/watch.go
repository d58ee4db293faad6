package simulated

import (
	"context"
	"maps"

	"podlife/runtime/engine"
)

// watcher is one Watch under way. Its fields but wake are guarded by Engine.mu.
type watcher struct {
	labels map[string]string
	queue  []engine.Event
	broken bool
	wake   chan struct{} // holds one token when there is something to look at
}

func (w *watcher) wakeUp() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Watch tells of deaths and removals. A slow callback delays nobody else and loses nothing.
func (e *Engine) Watch(ctx context.Context, labels map[string]string, onReady func(), onEvent func(engine.Event)) error {
	w := &watcher{labels: maps.Clone(labels), wake: make(chan struct{}, 1)}
	err := e.call(ctx, "watch", "", func() error {
		e.watchers[w] = true
		return nil
	})
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.watchers, w)
	}()
	if engine.KindOf(err) == engine.Canceled && ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	onReady()
	for {
		select {
		case <-w.wake:
		case <-ctx.Done():
			return nil
		}
		events, broken := e.take(w)
		for _, ev := range events {
			if ctx.Err() != nil {
				return nil
			}
			onEvent(ev)
		}
		if broken {
			return fail("watch", "", engine.Unavailable, errUnavailable)
		}
	}
}

func (e *Engine) take(w *watcher) ([]engine.Event, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	events := w.queue
	w.queue = nil
	return events, w.broken
}

// emitLocked queues an event for every watcher that it concerns.
func (e *Engine) emitLocked(b *box, t engine.EventType) {
	for w := range e.watchers {
		if carries(b.info.Labels, w.labels) {
			w.queue = append(w.queue, engine.Event{ID: b.info.ID, Type: t, Time: e.now(), Labels: maps.Clone(b.info.Labels)})
			w.wakeUp()
		}
	}
}
