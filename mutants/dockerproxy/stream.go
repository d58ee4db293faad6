package dockerproxy

import (
	"bytes"
	"io"
	"net"
	"sync"
)

// stream passes bytes in both directions until both have ended. One direction may end alone: a process's input ends before its output does.
func (p *Proxy) stream(l *link, h *Hold) {
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(l.daemon, l.fromClient) // how it ended, the other side sees
		closeWrite(l.daemon)
	})
	p.output(l, h)
	closeWrite(l.client)
	if h == nil {
		// The client may keep its input open for ever; nobody listens to it any more.
		l.client.Close()
	}
	both.Wait()
	if h != nil {
		close(h.done)
	}
}

// output passes the process's output on, and stops where it is to be held until it is released or the proxy closes. What follows meanwhile waits in the connection.
func (p *Proxy) output(l *link, h *Hold) {
	if h == nil {
		_, _ = io.Copy(l.client, l.fromDaemon)
		return
	}
	buf := make([]byte, 32<<10)
	var pending []byte // the end of what came, as far as it may be the beginning of the text
	for {
		n, err := l.fromDaemon.Read(buf)
		pending = append(pending, buf[:n]...)
		if at := bytes.Index(pending, h.text); at >= 0 {
			if !pass(l.client, pending[:at]) {
				return
			}
			p.held(l, h, pending[at:])
			return
		}
		keep := overlap(pending, h.text)
		if err != nil {
			keep = 0
		}
		if !pass(l.client, pending[:len(pending)-keep]) || err != nil {
			return
		}
		pending = append([]byte(nil), pending[len(pending)-keep:]...)
	}
}

// held waits for the release and passes everything on. What the engine says meanwhile waits in its connection, and so does the connection's end, which comes when the container goes.
func (p *Proxy) held(l *link, h *Hold, rest []byte) {
	close(h.caught)
	select {
	case <-h.release:
	case <-p.closing:
		return
	}
	if pass(l.client, rest) {
		_, _ = io.Copy(l.client, l.fromDaemon)
	}
}

func pass(to io.Writer, b []byte) bool {
	if len(b) == 0 {
		return true
	}
	_, err := to.Write(b)
	return err == nil
}

// overlap gives how many bytes at the end of b are the beginning of text.
func overlap(b, text []byte) int {
	for n := min(len(b), len(text)-1); n > 0; n-- {
		if bytes.HasSuffix(b, text[:n]) {
			return n
		}
	}
	return 0
}

func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // a connection that is gone has no direction to close
	}
}
