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

// socket is one WebSocket: a loop that reads, and whoever writes.
type socket struct {
	conn     *websocket.Conn
	binary   func([]byte) Message          // what a binary frame is; nil is none that the protocol has
	text     func([]byte) (Message, error) // what a text frame is; nil is one that was dealt with
	messages chan Message                  // sent and closed by the read loop
	stop     chan struct{}                 // closed by Close: tells the read loop that nobody listens any more
	stopOnce sync.Once
	done     chan struct{} // closed by the read loop at its end

	writing sync.Mutex // gorilla allows one writer: whoever holds this
}

// open opens a socket; its read loop is the caller's to start. Errors: *Problem (401, 403, 429 before the upgrade), *Unreachable, *Interrupted, *ProtocolError.
func (c *Client) open(ctx context.Context, op, path, subprotocol string, binary func([]byte) Message) (*socket, error) {
	d := c.dialer(subprotocol)
	u := *c.base
	u.Scheme = map[string]string{"http": "ws", "https": "wss"}[u.Scheme]
	u.Path = path
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
	if conn.Subprotocol() != subprotocol {
		conn.Close()
		return nil, &ProtocolError{Op: op, Detail: fmt.Sprintf("subprotocol %q instead of %q", conn.Subprotocol(), subprotocol)}
	}
	s := &socket{conn: conn, binary: binary, text: decode, messages: make(chan Message), stop: make(chan struct{}), done: make(chan struct{})}
	conn.SetReadLimit(MaxMessage)
	answerPing := conn.PingHandler() // answers with a pong, inside Read
	conn.SetPingHandler(func(data string) error {
		_ = conn.SetReadDeadline(time.Now().Add(readTimeout))
		return answerPing(data)
	})
	return s, nil
}

// dialer takes over what the HTTP client knows about reaching the server.
func (c *Client) dialer(subprotocol string) *websocket.Dialer {
	d := &websocket.Dialer{Subprotocols: []string{subprotocol}, HandshakeTimeout: 15 * time.Second, Proxy: http.ProxyFromEnvironment, Jar: c.http.Jar}
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

// next waits for the next message; io.EOF after Closed, or the context's error.
func (s *socket) next(ctx context.Context) (Message, error) {
	select {
	case m, ok := <-s.messages:
		if !ok {
			return nil, io.EOF
		}
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// SendRaw sends a frame as it is, text or binary: for tests of what a server does with a peer that breaks the protocol.
func (s *socket) SendRaw(text bool, p []byte) error {
	if text {
		return s.frame(websocket.TextMessage, p)
	}
	return s.frame(websocket.BinaryMessage, p)
}

func (s *socket) frame(kind int, p []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.write(kind, p)
}

func (s *socket) send(m any) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.SendRaw(true, b)
}

// write sends one frame; the caller holds writing. A peer that does not read fails it after writeTimeout, and the connection is then dead.
func (s *socket) write(kind int, p []byte) error {
	_ = s.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	return s.conn.WriteMessage(kind, p)
}

// Close leaves: it tells the server, closes the socket and waits for the read loop. Safe to call twice.
func (s *socket) Close() error {
	s.stopOnce.Do(func() {
		_ = s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
		close(s.stop)
		s.conn.Close()
	})
	<-s.done
	return nil
}

// Drop cuts the connection without a word, as a dead network does: for tests of reconnection.
func (s *socket) Drop() {
	s.stopOnce.Do(func() {
		close(s.stop)
		s.conn.Close()
	})
	<-s.done
}

// readLoop hands messages over until the first error, which becomes Closed. It waits for Next, so that a reader that stops reading stops the server too.
func (s *socket) readLoop() {
	defer close(s.done)
	defer close(s.messages)
	for {
		m := s.read()
		if m == nil {
			continue
		}
		select {
		case s.messages <- m:
		case <-s.stop:
			return
		}
		if _, last := m.(Closed); last {
			s.conn.Close()
			return
		}
	}
}

func (s *socket) read() Message {
	_ = s.conn.SetReadDeadline(time.Now().Add(readTimeout))
	kind, b, err := s.conn.ReadMessage()
	if err != nil {
		return closedBy(err)
	}
	var m Message
	if kind == websocket.BinaryMessage {
		m = s.binary(b)
	} else {
		m, err = s.text(bytes.TrimSpace(b))
	}
	if err != nil {
		reason := closeReason("bad message: " + err.Error())
		_ = s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(CloseBadMessage, reason), time.Now().Add(time.Second))
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
