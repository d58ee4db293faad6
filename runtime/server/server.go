// Package server is podlife's face to the outside: HTTP, the terminal's WebSocket, who may call, limits and metrics. docs/protocol.md is its contract.
//
// It imports runtime/pod, runtime/workspace, runtime/terminal, runtime/execution, runtime/socket and runtime/server/web. Read this file and then routes.go: routes is the list of everything that can be called, which openapi.json
// says again for programs. named.go finds the pod that a call is about; pods.go, query.go and volumes.go are the calls about pods as a whole, api.go and the others those about one.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"podlife/runtime/pod"
	"podlife/runtime/socket"
	"podlife/runtime/terminal"
	"podlife/runtime/workspace"
)

// Options is what a Server needs.
type Options struct {
	Pods *pod.Manager
	// Catalogue has the users' named pods; nil is a server on which each has the default pod and no other.
	Catalogue *workspace.Catalogue
	Users     []User
	Logger    *slog.Logger
	Origins   []string // exact further origins that may use cookies, such as https://pods.example.org; the listen address itself always may
	// Health is asked by /healthz: nil when engine and store can be used.
	Health func(context.Context) error
	Limits Limits
	Timing terminal.Timing
	Build  Build
	// Monitor says of a pod whether its steps are those of the specification; nil where nobody looks.
	Monitor Monitor
	// Record is told of every terminal that is let into a session, whose clients are told that it is recorded. It must return at once. Nil where nothing is recorded.
	Record func(*pod.Pod, *pod.Attachment)
	Now    func() time.Time // nil is time.Now
	// WaitTime is how long a call waits for a pod to be made or removed, before it answers that this goes on; default 120 s.
	WaitTime time.Duration
}

// Build says what program this is; a mutant build names itself here, so that a test can be sure what it judges.
type Build struct {
	Version string `json:"version"`
	Build   string `json:"build"` // "release" unless the build was told otherwise
}

// Monitor is what the server tells of whoever holds the pods' steps against the specification; runtime/monitor is one.
type Monitor interface {
	// Verdict is ok, diverged or unknown.
	Verdict(pod.ID) string
	// Counts are since the server started: steps that were checked, divergences that were found, steps that were missed.
	Counts() (checked, divergences, missed uint64)
}

// Limits bound what clients can take. Zero values mean the defaults.
type Limits struct {
	Terminals        int // sockets in all, default 32
	TerminalsPerUser int // default 4
	Execs            int // programs without a terminal in all, default 64
	ExecsPerUser     int // default 8
	BootsPerUser     int // boot requests that wait at the same time, default 16
}

// bodyTime is how long a request's body may take to arrive.
const bodyTime = 10 * time.Second

// Server serves one address. Make it with New, then Serve.
type Server struct {
	o       Options
	auth    *auth
	slots   *slots
	metrics *metrics
	base    context.Context // the life of sockets and long requests
	stop    context.CancelCauseFunc
	around  func(http.Handler) http.Handler // what a test sees all answers through; nil is nothing
	sockets sync.WaitGroup

	mu       sync.Mutex // guards the following
	stopping bool
	origins  []string
	hosts    []string
}

// New gives a server.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Timing == (terminal.Timing{}) {
		o.Timing = terminal.DefaultTiming()
	}
	if o.WaitTime <= 0 {
		o.WaitTime = 120 * time.Second
	}
	if o.Catalogue == nil {
		o.Catalogue = workspace.New(workspace.Options{Pods: o.Pods, Clock: pod.SystemClock{}, Logger: o.Logger}) // with room for none
	}
	s := &Server{o: o, auth: newAuth(o.Users, o.Now), slots: newSlots(o.Limits), metrics: newMetrics(o.Monitor)}
	s.base, s.stop = context.WithCancelCause(context.Background())
	s.origins = slices.Clone(o.Origins)
	return s
}

// Observe counts a committed action; it is meant for pod.Options.OnEvent.
func (s *Server) Observe(e pod.Event) { s.metrics.actions.WithLabelValues(e.Action, e.Cause).Inc() }

// LoginLink gives a link that logs a browser in as this user, once, within 10 minutes. The code is in the fragment, which no server and no log sees.
func (s *Server) LoginLink(base, user string) string {
	return strings.TrimSuffix(base, "/") + "/#login=" + s.auth.newCode(user)
}

// Serve answers on a listener until the context ends, then stops: no new requests, sockets closed as going away, shells' processes ended, boots left running. It returns nil after that, or why it could not serve.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	s.allow(l.Addr())
	h := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.o.Logger.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return s.base },
	}
	done := make(chan error, 1)
	go func() { done <- h.Serve(l) }()
	select {
	case err := <-done:
		s.stopSockets()
		return err
	case <-ctx.Done():
	}
	// The sockets' stop also ends the requests that wait, so that the shutdown, which closes the listener first, is short.
	s.stopSockets()
	bound, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := h.Shutdown(bound)
	if errors.Is(err, context.DeadlineExceeded) {
		err = h.Close()
	}
	<-done
	return err
}

// stopSockets lets no further terminal in, closes those that are open as going away, and waits for them.
func (s *Server) stopSockets() {
	s.mu.Lock()
	s.stopping = true
	s.mu.Unlock()
	s.stop(socket.ErrStopping)
	s.sockets.Wait()
}

// enterSocket counts a terminal in; false when the server is stopping.
func (s *Server) enterSocket() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return false
	}
	s.sockets.Add(1)
	return true
}

// allow makes the listen address a known host and origin. A server that listens on loopback is known by loopback's names only, so that a foreign name that resolves here (DNS rebinding) is refused.
func (s *Server) allow(a net.Addr) {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return
	}
	names := []string{host}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		names = []string{"127.0.0.1", "localhost", "::1"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range names {
		s.known("http", net.JoinHostPort(n, port))
	}
	for _, o := range s.o.Origins {
		if u, err := url.Parse(o); err == nil {
			s.known(u.Scheme, u.Host)
		}
	}
}

// known adds a host and its origin, and where the port is its scheme's own, the same without it, as browsers say it. s.mu is held.
func (s *Server) known(scheme, hostPort string) {
	add := func(host string) {
		s.hosts = append(s.hosts, host)
		s.origins = append(s.origins, scheme+"://"+host)
	}
	add(hostPort)
	if short, ok := strings.CutSuffix(hostPort, map[string]string{"http": ":80", "https": ":443"}[scheme]); ok {
		add(short)
	}
}

// common is what holds for every request: a known Host, no foreign page behind an unsafe method, no caching of private answers, a panic that ends one request only.
func (s *Server) common(next http.Handler) http.Handler {
	csrf := http.NewCrossOriginProtection()
	for _, o := range s.o.Origins {
		if err := csrf.AddTrustedOrigin(o); err != nil {
			s.o.Logger.Error("an allowed origin cannot be used", "origin", o, "err", err)
		}
	}
	csrf.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, &requestError{http.StatusForbidden, "forbidden_origin", "requests from other sites are refused"})
	}))
	protected := csrf.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		if !s.knownHost(r.Host) {
			s.fail(w, &requestError{http.StatusMisdirectedRequest, "unknown_host", fmt.Sprintf("this server is not known as %.80q", r.Host)})
			return
		}
		if strings.HasPrefix(r.URL.Path, "/api/") {
			w.Header().Set("Cache-Control", "no-store")
		}
		r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
		// A body may take this long; what waits longer for an answer lifts it when it has read its body.
		if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)); err != nil {
			s.o.Logger.Debug("no read deadline", "err", err)
		}
		protected.ServeHTTP(w, r)
	})
}

// outside gives the scheme by which the caller knows this server: that of the allowed origin with this host, since a proxy in front ends TLS; else http.
func (s *Server) outside(r *http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.origins, "https://"+r.Host) {
		return "https"
	}
	return "http"
}

func (s *Server) knownHost(host string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.hosts) == 0 || slices.Contains(s.hosts, host) // empty only in tests that call Handler without a listener
}
