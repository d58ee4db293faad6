package client

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/gorilla/websocket"
)

// What docs/exec-protocol.md fixes.
const (
	ExecSubprotocol = "podlife.exec.v1"
	ExecWindow      = 256 << 10 // bytes of input on their way before the program has taken them
)

// ExecRequest asks for a program without a terminal.
type ExecRequest struct {
	Client string            // who has booted, [A-Za-z0-9_-]{1,64}: an exec boots nothing
	Argv   []string          // what is run is found as a shell finds it
	Dir    string            // absolute; "" is where a shell starts
	Env    map[string]string // beside what the container has
}

// Exec is a program that runs, for as long as it is not closed. Next is for one goroutine, Write and CloseWrite for another, Signal for any. Close ends the program and must be called.
type Exec struct {
	*socket

	dealt, acked uint64 // of both outputs; for the goroutine that calls Next

	mu     sync.Mutex // guards the following
	queue  []Message  // that came and were not given by Next
	queued int        // bytes in queue
	ended  bool       // nothing more comes
	sent   uint64
	taken  uint64
	over   bool
	moved  sync.Cond
	news   chan struct{} // has an element when queue or ended may have changed
}

// maxQueued bounds what waits for Next, in bytes: far more than the server sends to one that does not acknowledge.
const maxQueued = 4 << 20

// Started says that the program runs.
type Started struct {
	Incarnation int `json:"incarnation"`
}

// Stdout and Stderr are bytes of the program, unchanged.
type (
	Stdout []byte
	Stderr []byte
)

// Denied says that no program was started, and why.
type Denied struct {
	Reason      string `json:"reason"`  // a code, as docs/exec-protocol.md lists them
	Message     string `json:"message"` // a sentence for people
	Incarnation int    `json:"incarnation"`
	Code        int    `json:"code"` // 126 or 127, as a shell would end, for a program that cannot be run
}

// Lost says that the program was cut off.
type Lost struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func (Started) message() {}
func (Stdout) message()  {}
func (Stderr) message()  {}
func (Denied) message()  {}
func (Lost) message()    {}

// Exec opens a socket and asks for a program. What happens next comes from Next. Errors are those of Terminal.
func (c *Client) Exec(ctx context.Context, r ExecRequest) (*Exec, error) {
	sock, err := c.open(ctx, "exec", c.at("/ws/exec"), ExecSubprotocol, execBinary)
	if err != nil {
		return nil, err
	}
	e := &Exec{socket: sock, news: make(chan struct{}, 1)}
	sock.text = e.decode
	e.moved.L = &e.mu
	go sock.readLoop()
	go e.collect()
	_ = e.send(struct { // as of a hello: Next knows better why it was not taken
		Type   string            `json:"type"`
		Client string            `json:"client"`
		Argv   []string          `json:"argv"`
		Dir    string            `json:"dir,omitempty"`
		Env    map[string]string `json:"env,omitempty"`
	}{"run", r.Client, r.Argv, r.Dir, r.Env})
	return e, nil
}

func execBinary(b []byte) Message {
	switch {
	case len(b) > 0 && b[0] == 1:
		return Stdout(b[1:])
	case len(b) > 0 && b[0] == 2:
		return Stderr(b[1:])
	}
	return nil
}

// Next waits for the next message: Started, Stdout, Stderr, Exit, Denied, Lost or Closed, after which it gives io.EOF. When ctx ends it gives ctx's error. By calling it again a caller says that it has dealt with the
// message before; now and then the server is told so.
func (e *Exec) Next(ctx context.Context) (Message, error) {
	if e.dealt >= e.acked+ackEvery {
		e.acked = e.dealt
		_ = e.send(map[string]any{"type": "ack", "have": e.dealt}) // where the socket is gone, Closed comes
	}
	for {
		e.mu.Lock()
		if len(e.queue) > 0 {
			m := e.queue[0]
			e.queue[0] = nil
			e.queue = e.queue[1:]
			e.queued -= sizeOf(m)
			e.mu.Unlock()
			e.dealt += uint64(bytesOf(m))
			return m, nil
		}
		ended := e.ended
		e.mu.Unlock()
		if ended {
			return nil, io.EOF
		}
		select {
		case <-e.news:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// collect takes what comes, whether or not Next is called: who does not read has to answer pings all the same, or the program would be ended. It ends with the socket.
func (e *Exec) collect() {
	for m := range e.messages {
		e.move(func() {
			e.queue = append(e.queue, m)
			e.queued += sizeOf(m)
			if e.queued > maxQueued { // no server of ours does that
				e.conn.Close()
			}
		})
		e.poke()
	}
	e.move(func() { e.over, e.ended = true, true })
	e.poke()
}

func (e *Exec) poke() {
	select {
	case e.news <- struct{}{}:
	default:
	}
}

// bytesOf is how much output a message has, sizeOf how much room it takes.
func bytesOf(m Message) int {
	switch m := m.(type) {
	case Stdout:
		return len(m)
	case Stderr:
		return len(m)
	}
	return 0
}

func sizeOf(m Message) int { return 64 + bytesOf(m) }

// move changes what Write waits for.
func (e *Exec) move(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
	e.moved.Broadcast()
}

// Write gives the program input, after Started. It waits while the program does not read. io.ErrClosedPipe when it has ended.
func (e *Exec) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		e.mu.Lock()
		for !e.over && e.sent-e.taken >= ExecWindow {
			e.moved.Wait()
		}
		n := min(len(p), MaxPaste, int(ExecWindow-(e.sent-e.taken)))
		over := e.over
		e.sent += uint64(n)
		e.mu.Unlock()
		if over {
			return written, io.ErrClosedPipe
		}
		if err := e.frame(websocket.BinaryMessage, p[:n]); err != nil {
			return written, err
		}
		written += n
		p = p[n:]
	}
	return written, nil
}

// CloseWrite ends the program's input.
func (e *Exec) CloseWrite() error { return e.send(map[string]any{"type": "eof"}) }

// Signal sends the program, and what it has started in its group, a signal by its name: SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGKILL, SIGUSR1 or SIGUSR2.
func (e *Exec) Signal(name string) error {
	return e.send(map[string]any{"type": "signal", "signal": name})
}

// Close ends the program, if it has not ended, and the socket. Safe to call twice.
func (e *Exec) Close() error {
	e.move(func() { e.over = true })
	return e.socket.Close()
}

// decode reads a text frame, in the read loop; nil is one that was dealt with.
func (e *Exec) decode(b []byte) (Message, error) {
	var head struct {
		Type string `json:"type"`
		Have uint64 `json:"have"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, err
	}
	switch head.Type {
	case "taken":
		e.move(func() { e.taken = max(e.taken, head.Have) })
		return nil, nil
	case "started":
		return into[Started](b)
	case "exit":
		e.move(func() { e.over = true })
		return into[Exit](b)
	case "refused":
		e.move(func() { e.over = true })
		return into[Denied](b)
	case "lost":
		e.move(func() { e.over = true })
		return into[Lost](b)
	}
	return nil, unknownType(head.Type)
}
