package faults

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"sync"
	"testing"
	"time"

	"podlife/conformance/faults/failpoint"
	"podlife/conformance/harness"
	"podlife/conformance/tab"
	"podlife/runtime/client"
)

// TestMain is red where the tests have left a goroutine, a descriptor or a process.
func TestMain(m *testing.M) {
	before, err := CountOwn()
	code := m.Run()
	binary.Remove()
	program.Remove()
	after, lerr := AwaitOwn(before, 5*time.Second)
	if err = errors.Join(err, lerr); code == 0 && (err != nil || after.exceeds(before)) {
		fmt.Printf("FAIL: the tests have left %+v, and there was %+v before (%v)\n", after, before, err)
		_ = pprof.Lookup("goroutine").WriteTo(os.Stdout, 1) // the failure is told already
		code = 1
	}
	os.Exit(code)
}

// binary is the program as it ships, and program the one with failpoints.
var (
	binary  harness.Binary
	program = harness.Binary{Make: func(ctx context.Context, dir string) (string, error) { return failpoint.Build(ctx, "../..", dir) }}
)

// dockerGrace is Grace for a real engine, which takes its time for a removal.
const dockerGrace = 15 * time.Second

// tripwire stands between a server and the real engine. One request, or its answer, trips it; that one does not get through.
type tripwire struct {
	mu      sync.Mutex // guards the following
	method  string
	path    *regexp.Regexp
	answer  bool // the answer trips it: what was asked for has been done
	tripped chan struct{}
	dead    chan struct{} // closed when the server is dead
}

// set sets it; the channel is closed when it is tripped, and dead must be closed then.
func (w *tripwire) set(method, path string, answer bool) (tripped <-chan struct{}, dead chan<- struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.method, w.path, w.answer = method, regexp.MustCompile(path), answer
	w.tripped, w.dead = make(chan struct{}), make(chan struct{})
	return w.tripped, w.dead
}

// trip waits for the server's death, where this is what trips the wire.
func (w *tripwire) trip(r *http.Request, answer bool) bool {
	w.mu.Lock()
	hit := w.path != nil && w.answer == answer && r.Method == w.method && w.path.MatchString(r.URL.Path)
	if !hit {
		w.mu.Unlock()
		return false
	}
	w.path = nil
	w.mu.Unlock()
	close(w.tripped)
	<-w.dead
	return true
}

// listen serves it on a socket in dir, in front of the engine that the environment names.
func (w *tripwire) listen(t *testing.T) (host string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "podlife-wire-") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "docker.sock"))
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", EngineSocket())
	}}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "docker" },
		FlushInterval: -1,
		Transport:     transport,
		ModifyResponse: func(r *http.Response) error {
			if w.trip(r.Request, true) {
				return http.ErrAbortHandler
			}
			return nil
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.trip(r, false) {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(rw, r)
	})}
	served := make(chan struct{})
	go func() { defer close(served); _ = srv.Serve(l) }() // it ends with Close
	t.Cleanup(func() { _ = srv.Close(); <-served; transport.CloseIdleConnections(); _ = os.RemoveAll(dir) })
	return "unix://" + l.Addr().String()
}

// killing is what a server asks the engine for when it is killed, and why it asks.
type killing struct {
	name         string
	method, path string
	booted       bool // the pod is ready before
	do           func(context.Context, harness.User)
}

func killings() []killing {
	boot := func(ctx context.Context, u harness.User) { _, _ = u.Client.Boot(ctx, "c1", nil) } // its server dies
	destroy := func(ctx context.Context, u harness.User) { _, _ = u.Client.Destroy(ctx) }      // so does this one's
	attach := func(ctx context.Context, u harness.User) {
		if s, err := tab.Open(ctx, u.Client, client.Hello{Client: "c1", Cols: 80, Rows: 24}); err == nil {
			_, _ = s.AwaitAttached(ctx)
			s.Close()
		}
	}
	return []killing{
		{"create", "POST", `/containers/create$`, false, boot},
		{"start", "POST", `/containers/[^/]+/start$`, false, boot},
		{"the boot's process", "POST", `/exec/[^/]+/start$`, false, boot},
		{"remove", "DELETE", `/containers/[^/]+$`, true, destroy},
		{"the terminal's process", "POST", `/exec/[^/]+/start$`, true, attach},
	}
}

// The real program on the real engine, ended by kill -9 before a request of its gets through, and when it has been carried out and is not answered yet.
func TestAKilledServerOnDockerLeavesNothingBehind(t *testing.T) {
	harness.NeedDocker(t)
	t.Parallel()
	wire := &tripwire{}
	d := harness.NewDocker(t, harness.DockerOptions{Binary: binary.Path(t), DockerHost: wire.listen(t), Users: 16})
	for _, k := range killings() {
		for when, answer := range map[string]bool{"before ": false, "after ": true} {
			t.Run(when+k.name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				u, err := d.NewUser(ctx)
				if err != nil {
					t.Fatal(err)
				}
				k.kill(ctx, t, d, wire, u, answer)
				isInOrder(ctx, t, Outside{d}, u)
			})
		}
	}
}

// kill ends the server at the request or its answer, and starts the next one.
func (k killing) kill(ctx context.Context, t *testing.T, d *harness.Docker, wire *tripwire, u harness.User, answer bool) {
	t.Helper()
	if k.booted {
		if _, err := u.Client.Boot(ctx, "c1", nil); err != nil {
			t.Fatal(err)
		}
	}
	tripped, dead := wire.set(k.method, k.path, answer)
	var busy sync.WaitGroup
	busy.Go(func() { k.do(ctx, u) })
	select {
	case <-tripped:
	case <-ctx.Done():
		t.Fatal("it was never asked for")
	}
	if err := d.Crash(); err != nil {
		t.Fatal(err)
	}
	close(dead)
	busy.Wait()
	if err := d.Start(ctx); err != nil {
		t.Fatal(err)
	}
}

func isInOrder(ctx context.Context, t *testing.T, o Outside, u harness.User) {
	t.Helper()
	if err := o.AwaitSettled(ctx, u, dockerGrace); err != nil {
		t.Error(err)
	}
	before, err := u.Client.Status(ctx)
	if err != nil {
		t.Fatal(err)
	}
	highest, err := o.Works(ctx, u, "after", before.Incarnation)
	if err != nil {
		t.Fatal(err)
	}
	if before.State == "asleep" && highest == before.Incarnation {
		t.Errorf("the boot after the crash has the number %d of the one before", highest)
	}
}
