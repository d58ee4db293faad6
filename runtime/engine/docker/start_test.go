package docker

import (
	"context"
	"net/http"
	"testing"
	"time"

	"podlife/runtime/engine"
)

func TestAStartThatMeetsALeftoverIsTriedOnceMore(t *testing.T) { // B17
	exists := answer(500, "failed to create task: id already exists: unknown")
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		want    engine.Kind
		tries   int
	}{
		{"cleaned", sequence(exists, answer(204, nil)), "", 2},
		{"for good", exists, engine.Failed, 2},
		{"another failure", answer(500, "no space left on device"), engine.Failed, 1},
		{"running already", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newFakeDaemon(t)
			d.on("POST "+prefix+"/start", c.handler)
			err := d.engine.Start(context.Background(), someID)
			wantKind(t, err, c.want)
			if n := d.calls("POST " + prefix + "/start"); n != c.tries {
				t.Errorf("%d tries, want %d", n, c.tries)
			}
		})
	}
}

func TestAStaleNetworkEndpointIsDroppedBeforeTheSecondStart(t *testing.T) {
	d := newFakeDaemon(t)
	d.on("POST "+prefix+"/start", sequence(answer(403, "endpoint with name name already exists in network bridge"), answer(204, nil)))
	d.on("POST /networks/bridge/disconnect", answer(200, nil))
	if err := d.engine.Start(context.Background(), someID); err != nil {
		t.Error(err)
	}
	if n := d.calls("POST /networks/bridge/disconnect"); n != 1 {
		t.Errorf("%d disconnects, want 1", n)
	}
}

func TestAStartsFailureIsTypedByWhatIsThere(t *testing.T) {
	for _, c := range []struct {
		name           string
		start, inspect http.HandlerFunc
		want           engine.Kind
	}{
		{"a missing network answers 404 though the container is there", answer(404, "network x not found"), containerIn("created"), engine.Failed},
		{"the container is gone", answer(404, "No such container"), answer(404, "No such container"), engine.NotFound},
		{"it is being removed", answer(409, "container is marked for removal and cannot be started"), containerIn("removing"), engine.NotFound},
		{"a command that is not there answers 400", answer(400, "executable file not found in $PATH"), containerIn("created"), engine.Failed},
		{"the daemon went away before the second look", answer(404, "x"), hangUp, engine.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newFakeDaemon(t)
			d.on("POST "+prefix+"/start", c.start)
			d.on("GET "+prefix+"/json", c.inspect)
			wantKind(t, d.engine.Start(context.Background(), someID), c.want)
		})
	}
}

func TestOnlySoManyStartsAtOnce(t *testing.T) {
	d := newFakeDaemon(t)
	d.engine.starts = make(chan struct{}, 1)
	entered, finish := make(chan struct{}, 2), make(chan struct{})
	d.on("POST "+prefix+"/start", func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		select {
		case <-finish:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusNoContent)
	})
	first := make(chan error, 1)
	go func() { first <- d.engine.Start(context.Background(), someID) }()
	recv(t, entered)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	wantKind(t, d.engine.Start(ctx, someID), engine.Canceled)
	if n := d.calls("POST " + prefix + "/start"); n != 1 {
		t.Errorf("%d starts at the daemon, want 1", n)
	}
	close(finish)
	if err := recv(t, first); err != nil {
		t.Error(err)
	}
	if err := d.engine.Start(context.Background(), someID); err != nil {
		t.Errorf("the next start: %v", err)
	}
}
