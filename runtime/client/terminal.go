package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// What docs/protocol.md fixes, and how long this side waits.
const (
	Subprotocol  = "podlife.v1"
	MaxMessage   = 64 << 10 // bytes of one message, either direction
	MaxPaste     = 16 << 10 // Write sends longer input in pieces of this size
	writeTimeout = 10 * time.Second
	readTimeout  = 65 * time.Second // three missed pings of 20 s, and a little
)

// Hello opens a terminal.
type Hello struct {
	Client string // one per page load or program, [A-Za-z0-9_-]{1,64}
	Tab    string // the session inside the container to enter; empty means main
	Cols   int    // 1 to 1000
	Rows   int    // 1 to 1000
	NoBoot bool   // a refused attach is told the state and closed (4409) instead of going back through boot
}

// Terminal is one open terminal socket. Next is for one goroutine; Write, Resize and Boot may be called from any, also at once. Close ends it and must be called.
type Terminal struct {
	conn     *websocket.Conn
	messages chan Message  // sent and closed by the read loop, received by Next
	stop     chan struct{} // closed by Close: tells the read loop that nobody listens any more
	stopOnce sync.Once
	done     chan struct{} // closed by the read loop at its end

	writing sync.Mutex // gorilla allows one writer: whoever holds this
}

// Terminal opens a terminal and says hello. What happens next comes from Next. Errors: *Problem (401, 403, 429 before the upgrade), *Unreachable, *Interrupted.
func (c *Client) Terminal(ctx context.Context, h Hello) (*Terminal, error) {
	const op = "terminal"
	d := c.dialer()
	u := *c.base
	u.Scheme = map[string]string{"http": "ws", "https": "wss"}[u.Scheme]
	u.Path = "/ws/terminal"
	var seen connected
	settled := abortable(ctx, d)
	conn, resp, err := d.DialContext(seen.watch(ctx), u.String(), c.identity())
	settled()
	if ctx.Err() != nil {
		if err == nil {
			conn.Close()
		}
		return nil, seen.failed(op, c.BaseURL(), ctx.Err())
	}
	if err != nil {
		if resp != nil && errors.Is(err, websocket.ErrBadHandshake) {
			b, _ := io.ReadAll(io.LimitReader(resp.Body, MaxMessage)) // gorilla keeps the first KiB only
			return nil, problemFrom(op, resp.StatusCode, resp.Header.Get("Content-Type"), b)
		}
		return nil, seen.failed(op, c.BaseURL(), err)
	}
	if conn.Subprotocol() != Subprotocol {
		conn.Close()
		return nil, &ProtocolError{Op: op, Detail: fmt.Sprintf("subprotocol %q instead of %q", conn.Subprotocol(), Subprotocol)}
	}
	t := &Terminal{conn: conn, messages: make(chan Message), stop: make(chan struct{}), done: make(chan struct{})}
	conn.SetReadLimit(MaxMessage)
	answerPing := conn.PingHandler() // answers with a pong, inside Read
	conn.SetPingHandler(func(data string) error {
		_ = conn.SetReadDeadline(time.Now().Add(readTimeout))
		return answerPing(data)
	})
	go t.readLoop()
	// A server that has already said why it closes (too many terminals) may not take the hello any more: Next tells its reason, which is worth more than this error.
	_ = t.hello(h)
	return t, nil
}

// dialer takes over what the HTTP client knows about reaching the server.
func (c *Client) dialer() *websocket.Dialer {
	d := &websocket.Dialer{Subprotocols: []string{Subprotocol}, HandshakeTimeout: 15 * time.Second, Proxy: http.ProxyFromEnvironment, Jar: c.http.Jar}
	if tr, ok := c.http.Transport.(*http.Transport); ok {
		d.NetDialContext, d.Proxy = tr.DialContext, tr.Proxy
	}
	if c.tls != nil {
		d.TLSClientConfig = c.tls.Clone()
	}
	return d
}

// abortable makes the context's end close the connection of a handshake under way, which gorilla leaves to its time limit. The returned function is to be called once the handshake is over.
func abortable(ctx context.Context, d *websocket.Dialer) (settled func()) {
	dial, stop := d.NetDialContext, func() bool { return true }
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	d.NetDialContext = func(dialing context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(dialing, network, address)
		if err == nil {
			stop = context.AfterFunc(ctx, func() { conn.Close() })
		}
		return conn, err
	}
	return func() { stop() }
}

func (t *Terminal) hello(h Hello) error {
	m := map[string]any{"type": "hello", "client": h.Client, "cols": h.Cols, "rows": h.Rows, "boot": !h.NoBoot}
	if h.Tab != "" {
		m["tab"] = h.Tab
	}
	return t.send(m)
}

// Next waits for the next message. After Closed it gives io.EOF. When ctx ends it gives ctx's error, and the terminal stays usable.
func (t *Terminal) Next(ctx context.Context) (Message, error) {
	select {
	case m, ok := <-t.messages:
		if !ok {
			return nil, io.EOF
		}
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
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

// Boot says "boot again now", after the states asleep, destroyed and failed.
func (t *Terminal) Boot() error { return t.send(map[string]any{"type": "boot"}) }

// SendRaw sends a frame as it is, text or binary: for tests of what a server does with a peer that breaks the protocol.
func (t *Terminal) SendRaw(text bool, p []byte) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	if text {
		return t.write(websocket.TextMessage, p)
	}
	return t.write(websocket.BinaryMessage, p)
}

func (t *Terminal) send(m any) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return t.SendRaw(true, b)
}

// write sends one frame; the caller holds writing. A peer that does not read fails it after writeTimeout, and the connection is then dead.
func (t *Terminal) write(kind int, p []byte) error {
	_ = t.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	return t.conn.WriteMessage(kind, p)
}

// Close leaves: it tells the server, closes the socket and waits for the read loop. The shell's session in the container goes on. Safe to call twice.
func (t *Terminal) Close() error {
	t.stopOnce.Do(func() {
		_ = t.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
		close(t.stop)
		t.conn.Close()
	})
	<-t.done
	return nil
}

// Drop cuts the connection without a word, as a dead network does: for tests of reconnection.
func (t *Terminal) Drop() {
	t.stopOnce.Do(func() {
		close(t.stop)
		t.conn.Close()
	})
	<-t.done
}

// readLoop hands messages over until the first error, which becomes Closed. It waits for Next, so that a reader that stops reading stops the server too.
func (t *Terminal) readLoop() {
	defer close(t.done)
	defer close(t.messages)
	for {
		m := t.read()
		select {
		case t.messages <- m:
		case <-t.stop:
			return
		}
		if _, last := m.(Closed); last {
			t.conn.Close()
			return
		}
	}
}

func (t *Terminal) read() Message {
	_ = t.conn.SetReadDeadline(time.Now().Add(readTimeout))
	kind, b, err := t.conn.ReadMessage()
	if err != nil {
		return closedBy(err)
	}
	if kind == websocket.BinaryMessage {
		return Output(b)
	}
	m, err := decode(bytes.TrimSpace(b))
	if err != nil {
		reason := closeReason("bad message: " + err.Error())
		_ = t.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(CloseBadMessage, reason), time.Now().Add(time.Second))
		return Closed{Code: CloseBadMessage, Reason: reason, Err: err}
	}
	return m
}

func closedBy(err error) Closed {
	var ce *websocket.CloseError
	if errors.As(err, &ce) && ce.Code != websocket.CloseAbnormalClosure {
		return Closed{Code: ce.Code, Reason: ce.Text}
	}
	return Closed{Code: CloseLost, Err: err}
}

// closeReason cuts a reason to what a close frame can carry: 123 bytes of valid UTF-8.
func closeReason(s string) string {
	const most = 123
	if len(s) > most {
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "")
}
