package source

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// maxNotes is how many refusals a proxy remembers.
const maxNotes = 16

// A Proxy is an HTTP proxy on loopback through which git is run: git resolves and follows redirects by itself, and reaches nothing but through here. It speaks CONNECT only, to port 443 and those that the policy allows. All its connections together carry
// as many bytes as the policy allows, and each is open for as long.
type Proxy struct {
	policy   Policy
	dialer   *Dialer
	listener net.Listener
	server   *http.Server
	left     atomic.Int64 // bytes
	cancel   context.CancelFunc

	mu     sync.Mutex
	closed bool
	open   map[net.Conn]struct{} // both ends of all that is connected
	notes  []error
	work   sync.WaitGroup // the server and the requests
}

// StartProxy listens on a port of 127.0.0.1 that is free. Whoever starts a proxy closes it; it ends by no other way. A nil resolver is the system's.
func StartProxy(p Policy, r Resolver) (*Proxy, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	limits := p.limits()
	ctx, cancel := context.WithCancel(context.Background())
	x := &Proxy{policy: p, dialer: NewDialer(p, r), listener: listener, cancel: cancel, open: map[net.Conn]struct{}{}}
	x.left.Store(limits.Bytes)
	x.server = &http.Server{
		Handler:           x,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: limits.Header,
		WriteTimeout:      limits.Header + limits.Resolve + limits.Connect, // of a refusal: it begins with the request
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	x.server.SetKeepAlivesEnabled(false)
	x.work.Go(func() { _ = x.server.Serve(newBounded(listener, limits.Conns)) })
	return x, nil
}

// URL is where it listens, for git's http.proxy.
func (x *Proxy) URL() string { return "http://" + x.listener.Addr().String() }

// Refused is what was refused so far, or cut off, in order, the last 16: git itself says no more than a number.
func (x *Proxy) Refused() []error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.notes)
}

// Close ends all connections, and returns when nothing of the proxy is left.
func (x *Proxy) Close() error {
	x.mu.Lock()
	x.closed = true
	x.cancel() // by itself net/http does so only while a client is silent
	for c := range x.open {
		c.Close()
	}
	x.mu.Unlock()
	err := x.server.Close()
	x.work.Wait()
	return err
}

func (x *Proxy) note(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.notes) == maxNotes {
		x.notes = x.notes[1:]
	}
	x.notes = append(x.notes, err)
}

// begin counts a request, unless the proxy is being closed.
func (x *Proxy) begin() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.closed {
		x.work.Add(1)
	}
	return !x.closed
}

// hold has a connection closed when the proxy is; release forgets and closes it.
func (x *Proxy) hold(c net.Conn) (release func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		c.Close()
	}
	x.open[c] = struct{}{}
	return func() {
		x.mu.Lock()
		delete(x.open, c)
		x.mu.Unlock()
		c.Close()
	}
}

// ServeHTTP carries one connection from CONNECT to its end.
func (x *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !x.begin() {
		return
	}
	defer x.work.Done()
	to, err := x.connect(r)
	if err != nil {
		x.note(err)
		status := http.StatusBadGateway
		var refused *RefusedError
		if errors.As(err, &refused) {
			status = http.StatusForbidden
		}
		http.Error(w, err.Error(), status)
		return
	}
	defer x.hold(to)()
	from, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer x.hold(from)()
	deadline := time.Now().Add(x.policy.limits().Whole)
	if errors.Join(from.SetDeadline(deadline), to.SetDeadline(deadline)) != nil {
		return
	}
	if _, err := io.WriteString(from, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	x.carry(from, buffered.Reader, to)
}

// connect judges a request, and connects to what it names.
func (x *Proxy) connect(r *http.Request) (net.Conn, error) {
	if r.Method != http.MethodConnect {
		return nil, refuse(ReasonMethod, "this proxy speaks CONNECT only, for https")
	}
	_, port, err := net.SplitHostPort(r.RequestURI)
	if err != nil {
		return nil, refuse(ReasonForm, "CONNECT without host:port")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || uint16(n) != ownPort("https") && !slices.Contains(x.policy.Ports, uint16(n)) {
		return nil, refuse(ReasonPort, "port %q is not allowed", port)
	}
	return x.dialer.DialContext(r.Context(), "tcp", r.RequestURI)
}

// carry copies in both directions until both have ended, or one failed.
func (x *Proxy) carry(from net.Conn, early *bufio.Reader, to net.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, func() { from.Close(); to.Close() })
	defer stop()
	var both sync.WaitGroup
	both.Go(func() { x.pipe(to, early, cancel) })
	both.Go(func() { x.pipe(from, to, cancel) })
	both.Wait()
	cancel()
}

// pipe copies to the end and passes the end on; what fails ends the other direction too.
func (x *Proxy) pipe(to net.Conn, from io.Reader, fail func()) {
	_, err := io.Copy(to, &metered{from, x})
	var large *TooLargeError
	if errors.As(err, &large) {
		x.note(err)
	}
	half, ok := to.(interface{ CloseWrite() error })
	if err != nil || !ok || half.CloseWrite() != nil {
		fail()
	}
}

// metered counts what all connections of a proxy read.
type metered struct {
	from  io.Reader
	proxy *Proxy
}

func (m *metered) Read(b []byte) (int, error) {
	n, err := m.from.Read(b)
	if m.proxy.left.Add(-int64(n)) < 0 {
		return 0, &TooLargeError{m.proxy.policy.limits().Bytes}
	}
	return n, err
}
