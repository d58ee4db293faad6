// Package socket is one WebSocket of a client with exactly one reader and one writer goroutine: bounded messages, pings, deadlines, and a close that says why.
//
// It imports nothing of the project. Who uses it says how a text message is read; runtime/terminal and runtime/execution do.
package socket

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// MaxMessage is how many bytes one message from a client may have.
const MaxMessage = 64 << 10

// CloseBadMessage is the close code for a message that the protocol does not allow.
const CloseBadMessage = 4400

var (
	// ErrStopping as the cause of a socket's context closes it with 1001, so that clients reconnect.
	ErrStopping = errors.New("the server is stopping")
	// ErrClosed is why a socket cannot be used any more that this side has closed.
	ErrClosed = errors.New("closed by the server")
)

// Inbound is one message from the client: bytes, or a decoded control message.
type Inbound[C any] struct {
	Data    []byte // of a binary frame
	Control *C     // of a text frame
}

// outbound is one message to the client, or a close.
type outbound struct {
	binary  []byte
	control any
	code    int // a close code, when not 0
	reason  string
}

// Conn is one socket; its two goroutines end when it does, and Wait waits for them. C is what a text message of the client is decoded into.
type Conn[C any] struct {
	ws         *websocket.Conn
	decode     func([]byte) (C, error)
	in         chan Inbound[C] // sent by the reader, received by the session; closed by the reader
	readerDone chan struct{}   // closed by the reader when it has ended
	out        chan outbound   // sent by the session and its helpers, received by the writer; never closed
	// gone ends when the socket cannot be used any more.
	gone    context.Context
	lost    context.CancelCauseFunc
	timing  Timing
	helpers sync.WaitGroup
	cutOff  bool // the reader gave up in the middle of what the client sends; written before readerDone is closed
}

// Timing bounds a socket. The zero value is not usable: see DefaultTiming.
type Timing struct {
	Ping    time.Duration // between two pings
	Silence time.Duration // without any pong or message: the client is gone
	Write   time.Duration // one message may take this long to be taken by the client
	Hello   time.Duration // until the first message
}

// DefaultTiming is what the protocol documents say.
func DefaultTiming() Timing {
	return Timing{Ping: 20 * time.Second, Silence: 65 * time.Second, Write: 10 * time.Second, Hello: 10 * time.Second}
}

// New takes an upgraded socket. The context's end ends it; an error of decode closes it with 4400 and the error's text. Wait has to be called.
func New[C any](ctx context.Context, ws *websocket.Conn, t Timing, decode func([]byte) (C, error)) *Conn[C] {
	c := &Conn[C]{ws: ws, decode: decode, in: make(chan Inbound[C], 8), out: make(chan outbound, 16), readerDone: make(chan struct{}), timing: t}
	c.gone, c.lost = context.WithCancelCause(ctx)
	// Who does not read must not keep a server that stops for as long as a message may take.
	context.AfterFunc(c.gone, func() { _ = ws.NetConn().SetWriteDeadline(time.Now().Add(parting)) })
	c.helpers.Add(2)
	go c.read()
	go c.write()
	return c
}

// parting is how long what is still to be written may take when the socket is over.
const parting = time.Second

// deadline is until when a message may be written.
func (c *Conn[C]) deadline() time.Time {
	if c.gone.Err() != nil {
		return time.Now().Add(parting)
	}
	return time.Now().Add(c.timing.Write)
}

// read is the reader goroutine.
func (c *Conn[C]) read() {
	defer c.helpers.Done()
	defer close(c.readerDone)
	defer close(c.in)
	c.ws.SetReadLimit(MaxMessage)
	alive := func() error { return c.ws.SetReadDeadline(time.Now().Add(c.timing.Silence)) }
	c.ws.SetPongHandler(func(string) error { return alive() })
	if err := alive(); err != nil {
		c.lost(err)
		return
	}
	for {
		kind, data, err := c.ws.ReadMessage()
		if err != nil {
			c.cutOff = !endOfStream(err)
			c.lost(err)
			return
		}
		if err := alive(); err != nil {
			c.lost(err)
			return
		}
		m := Inbound[C]{Data: data}
		if kind == websocket.TextMessage {
			control, err := c.decode(data)
			if err != nil {
				c.Close(CloseBadMessage, err.Error())
				return
			}
			m = Inbound[C]{Control: &control}
		}
		select {
		case c.in <- m:
		case <-c.gone.Done():
			for err == nil { // what the client still sends is taken and dropped, or the close frame would be lost in a reset
				_, _, err = c.ws.ReadMessage()
			}
			return
		}
	}
}

// write is the writer goroutine: the only one that writes to the socket, each write with a deadline, so that a client that stops reading cannot hold anything for ever.
func (c *Conn[C]) write() {
	defer c.helpers.Done()
	defer c.farewell()
	ping := time.NewTicker(c.timing.Ping)
	defer ping.Stop()
	for {
		select {
		case m := <-c.out:
			if done := c.writeOne(m); done {
				return
			}
		case <-ping.C:
			if err := c.ws.WriteControl(websocket.PingMessage, nil, c.deadline()); err != nil {
				c.lost(err)
				return
			}
		case <-c.gone.Done():
			c.sayGoodbye()
			return
		}
	}
}

// farewell gives the client a second to answer the close, and ends the connection.
func (c *Conn[C]) farewell() {
	c.lost(ErrClosed)
	bound := time.NewTimer(parting)
	defer bound.Stop()
	select {
	case <-c.readerDone:
		if c.cutOff {
			c.drain()
		}
	case <-bound.C:
	}
	_ = c.ws.Close() // unblocks a reader that still waits; there is nobody to tell
}

// endOfStream says whether a read failed because there is nothing more to read, and not because of what was read (a message over the limit, a frame that the protocol does not allow).
func endOfStream(err error) bool {
	var closed *websocket.CloseError
	var broken net.Error
	return errors.As(err, &closed) || errors.As(err, &broken) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// drain takes what the client still sends, for a second and a megabyte at most: closing a connection with unread bytes resets it, and the close frame that says why would be lost. The reader has ended.
func (c *Conn[C]) drain() {
	nc := c.ws.NetConn()
	if err := nc.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, nc, 1<<20) // how it ends does not matter
}

// sayGoodbye writes what is still waiting, which may be the close with its reason, and closes as going away when the server is stopping.
func (c *Conn[C]) sayGoodbye() {
	for {
		select {
		case m := <-c.out:
			if done := c.writeOne(m); done {
				return
			}
		default:
			if errors.Is(context.Cause(c.gone), ErrStopping) {
				c.writeOne(outbound{code: websocket.CloseGoingAway, reason: "the server is stopping"})
			}
			return
		}
	}
}

// writeOne reports whether the socket is finished.
func (c *Conn[C]) writeOne(m outbound) (done bool) {
	deadline := c.deadline()
	var err error
	switch {
	case m.code != 0:
		reason := m.reason
		if len(reason) > 120 { // RFC 6455: a close frame has at most 123 bytes of reason
			reason = strings.ToValidUTF8(reason[:120], "")
		}
		_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(m.code, reason), deadline) // the socket ends in any case
		c.lost(ErrClosed)
		return true
	case m.control != nil:
		var data []byte
		if data, err = json.Marshal(m.control); err == nil {
			err = errors.Join(c.ws.SetWriteDeadline(deadline), c.ws.WriteMessage(websocket.TextMessage, data))
		}
	default:
		err = errors.Join(c.ws.SetWriteDeadline(deadline), c.ws.WriteMessage(websocket.BinaryMessage, m.binary))
	}
	if err != nil {
		c.lost(err)
		return true
	}
	return false
}

// send queues a message; false when the socket is gone.
func (c *Conn[C]) send(m outbound) bool {
	select {
	case c.out <- m:
		return true
	case <-c.gone.Done():
		return false
	}
}

// In gives what the client says, in its order; it is closed with the socket.
func (c *Conn[C]) In() <-chan Inbound[C] { return c.in }

// Gone ends when the socket cannot be used any more.
func (c *Conn[C]) Gone() context.Context { return c.gone }

// Say queues a control message, which is told as JSON and must not change any more; false when the socket is gone.
func (c *Conn[C]) Say(m any) bool { return c.send(outbound{control: m}) }

// Bytes queues a binary message, which must not change any more; false when the socket is gone.
func (c *Conn[C]) Bytes(b []byte) bool { return c.send(outbound{binary: b}) }

// Close ends the socket with a code of ours, after everything that was queued. It does not wait.
func (c *Conn[C]) Close(code int, reason string) { c.send(outbound{code: code, reason: reason}) }

// Finish closes, and waits until the close was written.
func (c *Conn[C]) Finish(code int, reason string) {
	c.Close(code, reason)
	<-c.gone.Done()
}

// Wait ends the socket, and returns when both goroutines have ended.
func (c *Conn[C]) Wait() {
	c.lost(ErrClosed)
	c.helpers.Wait()
}
