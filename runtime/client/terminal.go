package client

import (
	"context"
	"time"

	"github.com/gorilla/websocket"
)

// What docs/protocol.md fixes, and how long this side waits.
const (
	Subprotocol  = "podlife.v2"
	MaxMessage   = 64 << 10 // bytes of one message, either direction
	MaxPaste     = 16 << 10 // Write sends longer input in pieces of this size
	writeTimeout = 10 * time.Second
	readTimeout  = 65 * time.Second // three missed pings of 20 s, and a little
)

// Hello opens a terminal.
type Hello struct {
	Client   string   // one per page load or program, [A-Za-z0-9_-]{1,64}
	Tab      string   // the session inside the container to enter; empty means main
	Cols     int      // 1 to 1000
	Rows     int      // 1 to 1000
	ReadOnly bool     // look and do not type
	Argv     []string // what a new session runs in place of the shell; not from a client with an Origin
	// Epoch and Have are what a Place of another terminal on the same tab gives: the output goes on there if it can. Empty for nothing.
	Epoch  string
	Have   uint64
	NoBoot bool // a refused attach is told the state and closed (4409) instead of going back through boot
}

// Terminal is one open terminal socket. Next is for one goroutine; Write, Resize and Boot may be called from any, also at once. Close ends it and must be called.
type Terminal struct {
	*socket

	place Place // for the goroutine that calls Next, as the next
	acked uint64
}

// Terminal opens a terminal and says hello. What happens next comes from Next. Errors: *Problem (401, 403, 429 before the upgrade), *Unreachable, *Interrupted.
func (c *Client) Terminal(ctx context.Context, h Hello) (*Terminal, error) {
	sock, err := c.open(ctx, "terminal", c.at("/ws/terminal"), Subprotocol, func(b []byte) Message { return Output(b) })
	if err != nil {
		return nil, err
	}
	t := &Terminal{socket: sock}
	go sock.readLoop()
	// A server that has already said why it closes (too many terminals) may not take the hello any more: Next tells its reason, which is worth more than this error.
	_ = t.hello(h)
	return t, nil
}

func (t *Terminal) hello(h Hello) error {
	m := map[string]any{"type": "hello", "client": h.Client, "cols": h.Cols, "rows": h.Rows, "boot": !h.NoBoot}
	if h.Tab != "" {
		m["tab"] = h.Tab
	}
	if h.ReadOnly {
		m["read_only"] = true
	}
	if len(h.Argv) > 0 {
		m["argv"] = h.Argv
	}
	if h.Epoch != "" {
		m["epoch"], m["have"] = h.Epoch, h.Have
	}
	return t.send(m)
}

// Next waits for the next message. After Closed it gives io.EOF. When ctx ends it gives ctx's error, and the terminal stays usable. By calling it again a caller says that it has dealt with the message
// before; now and then the server is told so.
func (t *Terminal) Next(ctx context.Context) (Message, error) {
	t.ack()
	m, err := t.next(ctx)
	if err == nil {
		t.follow(m)
	}
	return m, err
}

// Place gives what another terminal can go on from, when what Next gave so far was dealt with. For the goroutine that calls Next.
func (t *Terminal) Place() (epoch string, have uint64) { return t.place.Resume() }

// ack tells the server what was dealt with, now and then. Where the socket is gone, Closed comes.
func (t *Terminal) ack() {
	if have := t.place.have; !t.place.drawing && have >= t.acked+ackEvery {
		t.acked = have
		_ = t.send(map[string]any{"type": "ack", "have": have})
	}
}

func (t *Terminal) follow(m Message) {
	t.place.Follow(m)
	switch m := m.(type) {
	case Resumed:
		t.acked = m.From
	case Live:
		t.acked = m.From
	}
}

// Write types or pastes: it sends p in order, in pieces that the protocol allows. Before Attached the server ignores or refuses input.
func (t *Terminal) Write(p []byte) (int, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	sent := 0
	for len(p) > sent {
		piece := p[sent:min(len(p), sent+MaxPaste)]
		if err := t.write(websocket.BinaryMessage, piece); err != nil {
			return sent, err
		}
		sent += len(piece)
	}
	return sent, nil
}

// Resize tells the window's size, each side 1 to 1000.
func (t *Terminal) Resize(cols, rows int) error {
	return t.send(map[string]any{"type": "resize", "cols": cols, "rows": rows})
}

// Stay keeps the pod awake, as a key does that is typed.
func (t *Terminal) Stay() error { return t.send(map[string]any{"type": "stay"}) }

// Boot says "boot again now", after the states asleep, destroyed and failed.
func (t *Terminal) Boot() error { return t.send(map[string]any{"type": "boot"}) }
