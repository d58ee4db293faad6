package docker

import (
	"context"
	"net/http"
	"testing"
	"time"

	"podlife/runtime/engine"
)

func TestARemovalUnderWayElsewhereIsWaitedFor(t *testing.T) { // B3
	d := newFakeDaemon(t)
	waiting, gone := make(chan struct{}), make(chan struct{})
	d.on("DELETE "+prefix, answer(409, "removal of container is already in progress"))
	d.on("POST "+prefix+"/wait", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("condition") != "removed" {
			t.Errorf("condition %q", r.URL.Query().Get("condition"))
		}
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		close(waiting)
		select {
		case <-gone:
		case <-r.Context().Done():
		}
		_, _ = w.Write([]byte(`{"StatusCode":137}`))
	})
	d.on("GET "+prefix+"/json", answer(404, "No such container"))
	done := make(chan error, 1)
	go func() { done <- d.engine.Remove(context.Background(), someID) }()
	recv(t, waiting)
	select {
	case err := <-done:
		t.Fatalf("remove returned %v before the container was gone", err)
	default:
	}
	close(gone)
	if err := recv(t, done); err != nil {
		t.Error(err)
	}
}

func TestARemovalThatFailsIsTriedAgainAndThenReported(t *testing.T) {
	busy := answer(500, "driver failed to remove root filesystem: device or resource busy")
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		want    engine.Kind
		tries   int
	}{
		{"busy twice", sequence(busy, busy, answer(204, nil)), "", 3},
		{"busy for good", busy, engine.Failed, removeTries},
		{"gone already", answer(404, "No such container"), "", 1},
		{"daemon gone", hangUp, engine.Unavailable, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newFakeDaemon(t)
			d.on("DELETE "+prefix, c.handler)
			wantKind(t, d.engine.Remove(context.Background(), someID), c.want)
			if n := d.calls("DELETE " + prefix); n != c.tries {
				t.Errorf("%d tries, want %d", n, c.tries)
			}
		})
	}
}

func TestConcurrentRemovesAreOneRemovalThatOutlivesAnImpatientCaller(t *testing.T) {
	d := newFakeDaemon(t)
	entered, finish := make(chan struct{}), make(chan struct{})
	d.on("DELETE "+prefix, func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		select {
		case <-finish:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusNoContent)
	})
	ctx, cancel := context.WithCancel(context.Background())
	impatient, patient := make(chan error, 1), make(chan error, 1)
	go func() { impatient <- d.engine.Remove(ctx, someID) }()
	recv(t, entered)
	go func() { patient <- d.engine.Remove(context.Background(), someID) }()
	waitFor(t, func() bool {
		d.engine.mu.Lock()
		defer d.engine.mu.Unlock()
		return d.engine.removals[someID].waiters == 2
	})
	cancel()
	wantKind(t, recv(t, impatient), engine.Canceled)
	close(finish)
	if err := recv(t, patient); err != nil {
		t.Error(err)
	}
	if n := d.calls("DELETE " + prefix); n != 1 {
		t.Errorf("%d removals, want 1", n)
	}
}

func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	limit, tick := time.NewTimer(10*time.Second), time.NewTicker(time.Millisecond)
	defer limit.Stop()
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatal("it does not happen")
		}
	}
}
