package docker

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"podlife/runtime/engine"
)

// fakeDaemon answers API calls as a test says, so that the daemon's rare answers can be had. Calls it was not told about fail the test.
type fakeDaemon struct {
	t      *testing.T
	engine *Engine

	mu     sync.Mutex // guards the following
	routes map[string]http.HandlerFunc
	log    []string
}

var apiVersion = regexp.MustCompile(`^/v[0-9.]+`)

func newFakeDaemon(t *testing.T) *fakeDaemon {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "d.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	d := &fakeDaemon{t: t, routes: map[string]http.HandlerFunc{}}
	srv := httptest.NewUnstartedServer(d)
	srv.Listener = l
	srv.Start()
	t.Cleanup(srv.Close)
	d.on("GET /_ping", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Api-Version", "1.41") })
	d.on("HEAD /_ping", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Api-Version", "1.41") })
	if d.engine, err = New(Options{Host: "unix://" + socket}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// on says what a call answers from now on; the route is method and path without the API version.
func (d *fakeDaemon) on(route string, h http.HandlerFunc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.routes[route] = h
}

// sequence answers one call after the other, and the last answer for ever.
func sequence(hs ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := hs[0]
		if len(hs) > 1 {
			hs = hs[1:]
		}
		mu.Unlock()
		h(w, r)
	}
}

func (d *fakeDaemon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route := r.Method + " " + apiVersion.ReplaceAllString(r.URL.Path, "")
	d.mu.Lock()
	h := d.routes[route]
	d.log = append(d.log, route)
	d.mu.Unlock()
	if h == nil {
		d.t.Errorf("call that the test does not expect: %s", route)
		w.WriteHeader(http.StatusNotImplemented)
		return
	}
	h(w, r)
}

// calls counts the calls of one route so far.
func (d *fakeDaemon) calls(route string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, l := range d.log {
		if l == route {
			n++
		}
	}
	return n
}

// answer gives a status, with a JSON body: the value, or the message of an error.
func answer(status int, body any) http.HandlerFunc {
	if s, ok := body.(string); ok {
		body = map[string]string{"message": s}
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if status != http.StatusNoContent {
			_ = json.NewEncoder(w).Encode(body) // the client may be gone
		}
	}
}

// hangUp breaks the connection without an answer.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// container is the answer to an inspection.
func containerIn(state string) http.HandlerFunc {
	return answer(http.StatusOK, map[string]any{"Id": string(someID), "Name": "/name", "State": map[string]any{"Status": state}})
}

const (
	someID  = engine.ID("1111111111111111111111111111111111111111111111111111111111111111")
	otherID = engine.ID("2222222222222222222222222222222222222222222222222222222222222222")
	prefix  = "/containers/" + string(someID)
)

func testSpec() engine.Spec {
	return engine.Spec{Name: "name", Image: "image", Command: []string{"idle"}, Network: "none"}
}

func wantKind(t *testing.T, err error, want engine.Kind) {
	t.Helper()
	if engine.KindOf(err) != want {
		t.Errorf("got %v (kind %q), want kind %q", err, engine.KindOf(err), want)
	}
}

// recv waits for something that has to come.
func recv[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	select {
	case v := <-c:
		return v
	case <-limit.C:
		t.Fatal("nothing came within 10 s")
		panic("not reached")
	}
}

// within fails the test if f takes longer than a call that must not block may.
func within(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		t.Fatalf("still blocked after %v", limit)
	}
}

func TestAnAnswerIsTypedByWhatItMeans(t *testing.T) {
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		want    engine.Kind
	}{
		{"not found", answer(404, "No such container"), engine.NotFound},
		{"internal error", answer(500, "layer does not exist"), engine.Failed},
		{"service unavailable", answer(503, "shutting down"), engine.Unavailable},
		{"connection broken", hangUp, engine.Unavailable},
		{"half an answer", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = fmt.Fprint(w, `{"Id": "1`)
		}, engine.Unavailable},
		{"a proxy in between that does not reach the daemon", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = fmt.Fprint(w, "not found")
		}, engine.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newFakeDaemon(t)
			d.on("GET "+prefix+"/json", c.handler)
			_, err := d.engine.Inspect(context.Background(), someID)
			wantKind(t, err, c.want)
		})
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	d := newFakeDaemon(t)
	entered := make(chan struct{})
	d.on("GET "+prefix+"/json", func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-entered; cancel() }()
	within(t, 5*time.Second, func() {
		_, err := d.engine.Inspect(ctx, someID)
		wantKind(t, err, engine.Canceled)
	})
}

func TestAHostThatCanNeverWorkIsRefused(t *testing.T) {
	for _, host := range []string{"ssh://somewhere", "nonsense", "unix://relative/path", "npipe:////./pipe/x"} {
		_, err := New(Options{Host: host})
		wantKind(t, err, engine.Invalid)
		if err != nil && !strings.Contains(err.Error(), host) {
			t.Errorf("%v does not name the host %q", err, host)
		}
	}
}
