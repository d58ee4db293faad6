package terminal

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

// inbound is one message from the client: terminal bytes, or a decoded control message.
type inbound struct {
	data    []byte         // of a binary frame
	control *clientMessage // of a text frame
}

// outbound is one message to the client, or a close.
type outbound struct {
	binary  []byte
	control *serverMessage
	code    int // a close code, when not 0
	reason  string
}

// conn is one socket with exactly one reader and one writer goroutine; both end when the socket does, and Serve waits for them.
type conn struct {
	ws         *websocket.Conn
	in         chan inbound  // sent by the reader, received by the session; closed by the reader
	readerDone chan struct{} // closed by the reader when it has ended
	out        chan outbound // sent by the session and its helpers, received by the writer; never closed
	// gone ends when the socket cannot be used any more.
	gone    context.Context
	lost    context.CancelCauseFunc
	timing  Timing
	helpers sync.WaitGroup
	cutOff  bool // the reader gave up in the middle of what the client sends; written before readerDone is closed
}

// Timing bounds a socket. The zero value is not usable: see DefaultTiming.
type Timing struct {
	Ping     time.Duration // between two pings
	Silence  time.Duration // without any pong or message: the client is gone
	Write    time.Duration // one message may take this long to be taken by the client
	Hello    time.Duration // until the first message
	MaxBoots int           // how often one socket may go back through boot without having been attached in between
}

// DefaultTiming is what the protocol document says.
func DefaultTiming() Timing {
	return Timing{Ping: 20 * time.Second, Silence: 65 * time.Second, Write: 10 * time.Second, Hello: 10 * time.Second, MaxBoots: 5}
}

var errClosedByUs = errors.New("closed by the server")

func newConn(ctx context.Context, ws *websocket.Conn, t Timing) *conn {
	c := &conn{ws: ws, in: make(chan inbound, 8), out: make(chan outbound, 16), readerDone: make(chan struct{}), timing: t}
	c.gone, c.lost = context.WithCancelCause(ctx)
	c.helpers.Add(2)
	go c.read()
	go c.write()
	return c
}

// read is the reader goroutine.
func (c *conn) read() {
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
		m := inbound{data: data}
		if kind == websocket.TextMessage {
			control, err := decodeMessage(data)
			if err != nil {
				c.close(CloseBadMessage, err.Error())
				return
			}
			m = inbound{control: &control}
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
func (c *conn) write() {
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
			if err := c.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(c.timing.Write)); err != nil {
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
func (c *conn) farewell() {
	c.lost(errClosedByUs)
	bound := time.NewTimer(time.Second)
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
func (c *conn) drain() {
	nc := c.ws.NetConn()
	if err := nc.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, nc, 1<<20) // how it ends does not matter
}

// sayGoodbye writes what is still waiting, which may be the close with its reason, and closes as going away when the server is stopping.
func (c *conn) sayGoodbye() {
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
func (c *conn) writeOne(m outbound) (done bool) {
	deadline := time.Now().Add(c.timing.Write)
	var err error
	switch {
	case m.code != 0:
		reason := m.reason
		if len(reason) > 120 { // RFC 6455: a close frame has at most 123 bytes of reason
			reason = strings.ToValidUTF8(reason[:120], "")
		}
		_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(m.code, reason), deadline) // the socket ends in any case
		c.lost(errClosedByUs)
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
func (c *conn) send(m outbound) bool {
	select {
	case c.out <- m:
		return true
	case <-c.gone.Done():
		return false
	}
}

func (c *conn) say(m serverMessage) bool { return c.send(outbound{control: &m}) }

// close ends the socket with a code of ours, after everything that was queued.
func (c *conn) close(code int, reason string) { c.send(outbound{code: code, reason: reason}) }

// wait returns when both goroutines have ended.
func (c *conn) wait() {
	c.lost(errClosedByUs)
	c.helpers.Wait()
}
