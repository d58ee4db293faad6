package faults

import (
	"context"
	"net"
	"sync"
	"time"
)

// Line carries bytes between two programs on this machine, as a network does: it may be slow, be cut, or fall silent without a word to either side.
type Line struct {
	listener net.Listener
	network  string
	to       string

	mu     sync.Mutex // guards the following
	slow   time.Duration
	cut    bool
	silent chan struct{} // not nil while nothing gets through; closed when it ends
	conns  map[net.Conn]struct{}
	closed bool
	wg     sync.WaitGroup // accept, and two for each connection
}

// NewLine listens at an address, and carries on to another of the same network: "unix" or "tcp".
func NewLine(ctx context.Context, network, at, to string) (*Line, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, network, at)
	if err != nil {
		return nil, err
	}
	line := &Line{listener: l, network: network, to: to, conns: map[net.Conn]struct{}{}}
	line.wg.Go(line.accept)
	return line, nil
}

// Address is where it listens.
func (l *Line) Address() string { return l.listener.Addr().String() }

func (l *Line) accept() {
	for {
		c, err := l.listener.Accept()
		if err != nil {
			return // closed
		}
		l.wg.Go(func() { l.carry(c) })
	}
}

// keep notes a connection, unless there may be none.
func (l *Line) keep(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.cut {
		return false
	}
	l.conns[c] = struct{}{}
	return true
}

func (l *Line) drop(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
	_ = c.Close() // the other side may have done so
}

func (l *Line) carry(near net.Conn) {
	defer l.drop(near)
	if !l.keep(near) {
		return
	}
	far, err := (&net.Dialer{Timeout: 10 * time.Second}).Dial(l.network, l.to)
	if err != nil {
		return
	}
	defer l.drop(far)
	if !l.keep(far) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { l.pump(far, near) })
	both.Go(func() { l.pump(near, far) })
	both.Wait()
}

// pump carries one direction to its end, and then says so to the other side.
func (l *Line) pump(to, from net.Conn) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		l.hinder()
		if n > 0 {
			if _, werr := to.Write(b[:n]); werr != nil {
				err = werr
			}
		}
		if err != nil {
			if half, ok := to.(interface{ CloseWrite() error }); ok {
				_ = half.CloseWrite() // it may be gone
			}
			return
		}
	}
}

// hinder is what the line does to each piece.
func (l *Line) hinder() {
	l.mu.Lock()
	slow, silent := l.slow, l.silent
	l.mu.Unlock()
	if silent != nil {
		<-silent
	}
	if slow > 0 {
		time.Sleep(slow)
	}
}

// Slow has every piece take so much longer.
func (l *Line) Slow(d time.Duration) { l.mu.Lock(); defer l.mu.Unlock(); l.slow = d }

// Cut ends every connection, and refuses new ones until it is called with false.
func (l *Line) Cut(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	for c := range l.conns {
		if cut {
			_ = c.Close() // that is what is wanted
		}
	}
}

// Silence lets nothing through any more, and closes nothing: neither side is told.
func (l *Line) Silence() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.silent == nil {
		l.silent = make(chan struct{})
	}
}

// Close ends it with all its connections, and waits.
func (l *Line) Close() {
	l.mu.Lock()
	l.closed = true
	if l.silent != nil {
		close(l.silent)
		l.silent = nil
	}
	for c := range l.conns {
		_ = c.Close() // the other side may have done so
	}
	l.mu.Unlock()
	_ = l.listener.Close() // it is closed here alone
	l.wg.Wait()
}
