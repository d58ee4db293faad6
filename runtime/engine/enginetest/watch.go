package enginetest

import (
	"context"
	"maps"
	"testing"
	"time"

	"podlife/runtime/engine"
)

func watchClaims() []claim {
	return []claim{
		{"watch sees a container die within a second", watchDeath},
		{"watch sees that a container was made", watchMaking},
		{"watch sees a removal, and the death before it", watchRemoval},
		{"watch tells only of containers with its labels", watchLabels},
		{"what happens after onReady is never missed", watchMissesNothing},
		{"watch ends with nil when its context does", func(t *testing.T, s *subject) {
			w := s.watch(t, s.Labels)
			w.cancel()
			if err := soon(t, "watch after its context ended", w.done); err != nil {
				t.Errorf("watch: %v", err)
			}
		}},
	}
}

type watching struct {
	events chan engine.Event
	done   chan error // the result of Watch
	cancel context.CancelFunc
}

// watch starts a watch and returns once it is ready. Its end is waited for when the test ends.
func (s *subject) watch(t *testing.T, labels map[string]string) *watching {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &watching{events: make(chan engine.Event, 1000), done: make(chan error, 1), cancel: cancel}
	ready, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		w.done <- s.Engine.Watch(ctx, labels, func() { close(ready) }, func(e engine.Event) { w.events <- e })
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-ready:
	case err := <-w.done:
		t.Fatalf("watch ended before it was ready: %v", err)
	case <-limit.C:
		t.Fatal("watch is not ready")
	}
	return w
}

// next waits for the next event of one container's end: that it was made may come late, or twice.
func (w *watching) next(t *testing.T, id engine.ID) engine.Event {
	t.Helper()
	for {
		if e := soon(t, "event", w.events); e.ID == id && e.Type != engine.Made {
			return e
		}
	}
}

func watchMaking(t *testing.T, s *subject) {
	w := s.watch(t, s.Labels)
	id := s.create(t, s.spec())
	for {
		e := soon(t, "event", w.events)
		if e.ID != id {
			continue
		}
		if e.Type != engine.Made || !carries(e.Labels, s.Labels) || e.Time.IsZero() {
			t.Errorf("got %+v, want made with labels %v", e, s.Labels)
		}
		return
	}
}

func watchDeath(t *testing.T, s *subject) {
	id := s.running(t)
	w := s.watch(t, s.Labels)
	if err := s.Kill(s.context(t), id); err != nil {
		t.Fatalf("kill: %v", err)
	}
	e := w.next(t, id)
	if e.Type != engine.Died || !carries(e.Labels, s.Labels) || e.Time.IsZero() {
		t.Errorf("got %+v, want died with labels %v", e, s.Labels)
	}
	if c, err := s.Engine.Inspect(s.context(t), id); err != nil || c.State != engine.Exited {
		t.Errorf("inspect after the event: %+v, %v, want exited", c, err)
	}
}

func watchRemoval(t *testing.T, s *subject) {
	id := s.running(t)
	w := s.watch(t, s.Labels)
	s.remove(t, id)
	for _, want := range []engine.EventType{engine.Died, engine.Removed} {
		if e := w.next(t, id); e.Type != want {
			t.Errorf("got %+v, want %s", e, want)
		}
	}
	_, err := s.Engine.Inspect(s.context(t), id)
	wantKind(t, "inspect after the event", err, engine.NotFound)
}

func watchLabels(t *testing.T, s *subject) {
	spec := s.spec()
	spec.Labels["watched"] = "no"
	other := s.create(t, spec)
	spec = s.spec()
	spec.Labels["watched"] = "yes"
	mine := s.create(t, spec)
	labels := maps.Clone(s.Labels)
	labels["watched"] = "yes"
	w := s.watch(t, labels)
	s.remove(t, other)
	s.remove(t, mine)
	e := soon(t, "event", w.events)
	for e.ID == mine && e.Type == engine.Made {
		e = soon(t, "event", w.events)
	}
	if e.ID != mine || e.Type != engine.Removed {
		t.Errorf("first event %+v, want the removal of %s", e, mine)
	}
}

// watchMissesNothing removes a container right inside onReady, ten times: the earliest moment at which an event must be seen.
func watchMissesNothing(t *testing.T, s *subject) {
	for range 10 {
		id := s.create(t, s.spec())
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		seen := false
		err := s.Engine.Watch(ctx, s.Labels, func() {
			go func() { _ = s.Engine.Remove(ctx, id) }()
		}, func(e engine.Event) {
			if e.ID == id && e.Type == engine.Removed {
				seen = true
				cancel()
			}
		})
		cancel()
		if err != nil || !seen {
			t.Fatalf("watch: %v, removal seen %v", err, seen)
		}
		s.remove(t, id) // joins the call above, so that it is waited for
	}
}
