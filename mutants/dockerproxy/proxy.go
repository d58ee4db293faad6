// Package dockerproxy is a Docker Engine API on a unix socket of its own, in front of the real one, that can hold one answer back: the late reply that a real engine gives once in a thousand times,
// given when a test wants it.
//
// It imports nothing of the project, and passes on everything that it does not hold. Read this file first; stream.go has the part of a process's output that is held.
package dockerproxy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// maxSniffed bounds what is read of a request or an answer that the proxy has to understand.
const maxSniffed = 4 << 20

// Proxy is one socket. Everything about it may be called from any goroutine.
type Proxy struct {
	daemon   string // the real engine's socket
	listener net.Listener
	closing  chan struct{}  // closed by Close
	wg       sync.WaitGroup // accept, and one for each connection

	mu     sync.Mutex // guards the following
	closed bool
	conns  map[net.Conn]struct{}
	execs  map[string]string // the command of each process that was made through this proxy
	holds  []*Hold           // armed, and not caught yet
}

// Hold is one answer that is, or is to be, held back.
type Hold struct {
	command string
	text    []byte
	caught  chan struct{} // closed by the stream that it caught
	release chan struct{} // closed by Release
	done    chan struct{} // closed by the stream at its end
	once    sync.Once
}

// Caught is closed when there is something that is held.
func (h *Hold) Caught() <-chan struct{} { return h.caught }

// Release lets go of what is held, and of everything behind it. Safe to call twice, and before anything was caught: then nothing will be held.
func (h *Hold) Release() { h.once.Do(func() { close(h.release) }) }

// Done is closed when all that was held has got through, and whom it is for has closed its connection: it has been taken.
func (h *Hold) Done() <-chan struct{} { return h.done }

// Listen makes a proxy whose socket is in dir, in front of the engine's socket at the path daemon.
func Listen(dir, daemon string) (*Proxy, error) {
	l, err := net.Listen("unix", filepath.Join(dir, "docker.sock"))
	if err != nil {
		return nil, fmt.Errorf("docker proxy: %w", err)
	}
	p := &Proxy{daemon: daemon, listener: l, closing: make(chan struct{}), conns: map[net.Conn]struct{}{}, execs: map[string]string{}}
	p.wg.Go(p.accept)
	return p, nil
}

// Host is what DOCKER_HOST would be to use the proxy.
func (p *Proxy) Host() string { return "unix://" + p.listener.Addr().String() }

// HoldOutput holds the output of the next process whose command contains this command: everything from the first occurrence of text on, also the output's end.
func (p *Proxy) HoldOutput(command, text string) *Hold {
	h := &Hold{command: command, text: []byte(text), caught: make(chan struct{}), release: make(chan struct{}), done: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holds = append(p.holds, h)
	return h
}

// Close ends every connection, drops what is held, and returns when nothing of the proxy is left. Safe to call twice.
func (p *Proxy) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	close(p.closing)
	for c := range p.conns {
		c.Close()
	}
	p.mu.Unlock()
	err := p.listener.Close()
	p.wg.Wait()
	return err
}

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.wg.Go(func() { p.serve(c) })
	}
}

// keep notes a connection, so that Close can end it; false when the proxy is closed.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		c.Close()
		return false
	}
	p.conns[c] = struct{}{}
	return true
}

func (p *Proxy) drop(c net.Conn) {
	p.mu.Lock()
	delete(p.conns, c)
	p.mu.Unlock()
	c.Close()
}

// link is a client's connection and the one to the engine that belongs to it.
type link struct {
	client, daemon         net.Conn
	fromClient, fromDaemon *bufio.Reader
}

// serve passes requests on, one after the other, until one becomes a stream.
func (p *Proxy) serve(client net.Conn) {
	if !p.keep(client) {
		return
	}
	defer p.drop(client)
	daemon, err := net.Dial("unix", p.daemon)
	if err != nil {
		return // the client sees the connection end, as it would without an engine
	}
	if !p.keep(daemon) {
		return
	}
	defer p.drop(daemon)
	l := &link{client: client, daemon: daemon, fromClient: bufio.NewReader(client), fromDaemon: bufio.NewReader(daemon)}
	for {
		again, err := p.exchange(l)
		if err != nil || !again {
			return
		}
	}
}

var (
	execCreate = regexp.MustCompile(`^(?:/v[0-9.]+)?/containers/[^/]+/exec$`)
	execStart  = regexp.MustCompile(`^(?:/v[0-9.]+)?/exec/([^/]+)/start$`)
)

// exchange passes one request and its answer on. It reports whether the connection can carry another.
func (p *Proxy) exchange(l *link) (again bool, err error) {
	req, err := http.ReadRequest(l.fromClient)
	if err != nil {
		return false, err
	}
	creates := req.Method == http.MethodPost && execCreate.MatchString(req.URL.Path)
	var command string
	if creates {
		if command, err = sniffCommand(req); err != nil {
			return false, err
		}
	}
	if err := req.Write(l.daemon); err != nil {
		return false, err
	}
	resp, err := http.ReadResponse(l.fromDaemon, req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if creates && resp.StatusCode == http.StatusCreated {
		if err := p.noteExec(resp, command); err != nil {
			return false, err
		}
	}
	if err := resp.Write(l.client); err != nil {
		return false, err
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		p.stream(l, p.take(req.URL.Path))
		return false, nil
	}
	return !resp.Close && !req.Close, nil
}

// sniffCommand reads what process a request wants to make, and leaves the request as it was.
func sniffCommand(req *http.Request) (string, error) {
	body, err := io.ReadAll(io.LimitReader(req.Body, maxSniffed))
	if err != nil {
		return "", err
	}
	req.Body, req.ContentLength, req.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	var spec struct{ Cmd []string }
	if err := json.Unmarshal(body, &spec); err != nil {
		return "", err
	}
	return strings.Join(spec.Cmd, " "), nil
}

// noteExec remembers which command an exec's id stands for, and leaves the answer as it was.
func (p *Proxy) noteExec(resp *http.Response, command string) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxSniffed))
	if err != nil {
		return err
	}
	resp.Body, resp.ContentLength, resp.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	var made struct{ ID string }
	if err := json.Unmarshal(body, &made); err != nil {
		return err
	}
	if made.ID == "" {
		return errors.New("docker proxy: the engine made a process without an id")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.execs[made.ID] = command
	return nil
}

// take gives the hold that waits for the process which this request starts, or nil; it then waits no more.
func (p *Proxy) take(path string) *Hold {
	m := execStart.FindStringSubmatch(path)
	if m == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, h := range p.holds {
		if strings.Contains(p.execs[m[1]], h.command) {
			p.holds = append(p.holds[:i:i], p.holds[i+1:]...)
			return h
		}
	}
	return nil
}
