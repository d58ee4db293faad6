// Package docker is the real container engine: engine.Engine on the Docker Engine API (1.41 and later).
//
// It imports runtime/engine and the client library github.com/docker/docker/client, which nothing else of the project may import: that library's path has had its last release, and the
// move to its successor has to stay inside this folder. Read this file first, then exec.go, which holds most of what is surprising about the API.
package docker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/client"
	"github.com/docker/go-connections/sockets"

	"podlife/runtime/engine"
)

// Options say which Docker Engine to use. The zero value is the local one.
type Options struct {
	// Host is unix:///path or tcp://host:port. Empty means the environment's DOCKER_HOST, and without that /var/run/docker.sock. TLS and ssh are refused. Mounts name files of the engine's
	// own host; copies those of this machine.
	Host string
	// Logger tells of retries and of clean-ups that failed. Nil means none.
	Logger *slog.Logger
	// MaxStarts bounds how many containers start at once. 0 means the number of cores: sixteen starts at once on two cores take 5.5 s each, in turn under one second each.
	MaxStarts int
}

// Engine talks to one Docker daemon. It is safe for concurrent use and holds no state about containers.
type Engine struct {
	cli        *client.Client
	log        *slog.Logger
	socket     string // path of the daemon's unix socket, "" with TCP: never mounted into a container
	starts     chan struct{}
	background context.Context // ends when Close stops waiting for clean-ups
	stop       context.CancelFunc
	tasks      sync.WaitGroup // clean-ups whose caller has gone; Close waits for them

	mu       sync.Mutex // guards the following
	removals map[engine.ID]*removal
}

var _ engine.Engine = (*Engine)(nil)

// closeGrace is how long Close waits for clean-ups under way.
const closeGrace = 10 * time.Second

// New makes an engine; it does not connect yet, so that a server can start before its daemon: see Ping. Invalid for a host that can never work.
func New(o Options) (*Engine, error) {
	host := o.Host
	if host == "" {
		host = os.Getenv(client.EnvOverrideHost)
		if host != "" && os.Getenv(client.EnvTLSVerify) != "" {
			return nil, fail("new", host, engine.Invalid, errors.New("TLS is not supported: use the unix socket of an engine on this machine"))
		}
	}
	if host == "" {
		host = client.DefaultDockerHost
	}
	u, err := client.ParseHostURL(host)
	if err != nil {
		return nil, fail("new", host, engine.Invalid, err)
	}
	if u.Scheme != "unix" && u.Scheme != "tcp" {
		return nil, fail("new", host, engine.Invalid, fmt.Errorf("scheme %q is not supported: use unix or tcp", u.Scheme))
	}
	addr := u.Host
	if u.Scheme == "unix" {
		addr = u.Path
		if addr == "" {
			addr = u.Host
		}
		if !path.IsAbs(addr) {
			return nil, fail("new", host, engine.Invalid, errors.New("the socket's path is not absolute"))
		}
	}
	transport := &http.Transport{}
	if err := sockets.ConfigureTransport(transport, u.Scheme, addr); err != nil {
		return nil, fail("new", host, engine.Invalid, err)
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, u.Scheme, addr)
		if err == nil {
			capture(ctx, conn)
		}
		return conn, err
	}
	cli, err := client.NewClientWithOpts(
		client.WithHTTPClient(&http.Client{Transport: transport}),
		client.WithHost(host),
		keepDialer(transport, transport.DialContext),
		client.WithAPIVersionNegotiation(),
	)
	if err != nil {
		return nil, fail("new", host, engine.Invalid, err)
	}
	e := &Engine{cli: cli, log: o.Logger, starts: make(chan struct{}, max(1, o.MaxStarts)), removals: map[engine.ID]*removal{}}
	if o.MaxStarts <= 0 {
		e.starts = make(chan struct{}, runtime.NumCPU())
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if u.Scheme == "unix" {
		e.socket = path.Clean(addr)
	}
	e.background, e.stop = context.WithCancel(context.Background())
	return e, nil
}

// keepDialer puts our dialer back after WithHost, which configures the transport anew.
func keepDialer(t *http.Transport, dial func(context.Context, string, string) (net.Conn, error)) client.Opt {
	return func(*client.Client) error {
		t.DialContext = dial
		return nil
	}
}

// Close waits up to ten seconds for clean-ups that outlived their callers, then drops the connections. No other call may be made during or after it. Containers stay as they are.
func (e *Engine) Close() error {
	t := time.AfterFunc(closeGrace, e.stop)
	e.tasks.Wait()
	t.Stop()
	e.stop()
	return e.cli.Close()
}

// Ping answers whether the daemon can be used now.
func (e *Engine) Ping(ctx context.Context) error {
	_, err := e.cli.Ping(ctx)
	if err == nil {
		return nil
	}
	if kind := kindOf(ctx, err); kind == engine.Canceled {
		return fail("ping", "", kind, err)
	}
	return fail("ping", "", engine.Unavailable, err)
}

// HasImage says whether the image is present; it never pulls.
func (e *Engine) HasImage(ctx context.Context, image string) (bool, error) {
	_, err := e.Image(ctx, image)
	switch kind := engine.KindOf(err); {
	case err == nil:
		return true, nil
	case kind == engine.ImageMissing:
		return false, nil
	default:
		return false, fail("hasimage", image, kind, err)
	}
}

// isID tells a container id from a name or a shortened id: the daemon takes all three, we only ever address a container by its whole id.
func isID(id engine.ID) bool {
	return len(id) == 64 && strings.Trim(string(id), "0123456789abcdef") == ""
}

var (
	errNoID       = errors.New("not the whole id of a container")
	errStillThere = fmt.Errorf("removal by somebody else ended without effect: %w", errdefs.ErrConflict)
)

// sleep waits, or says why the context ended first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
