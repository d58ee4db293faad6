package source

import (
	"net"
	"sync"
)

// bounded is a listener with so many connections at a time; the next waits for one of them to close.
type bounded struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once
}

func newBounded(l net.Listener, n int) *bounded {
	return &bounded{Listener: l, slots: make(chan struct{}, n), closed: make(chan struct{})}
}

func (b *bounded) Accept() (net.Conn, error) {
	select {
	case b.slots <- struct{}{}:
	case <-b.closed:
		return nil, net.ErrClosed
	}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.slots
		return nil, err
	}
	return &slot{Conn: c, free: sync.OnceFunc(func() { <-b.slots })}, nil
}

func (b *bounded) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.Listener.Close()
}

// A slot is a connection that has one of the places.
type slot struct {
	net.Conn
	free func()
}

func (s *slot) Close() error {
	defer s.free()
	return s.Conn.Close()
}

// CloseWrite passes the end of a direction on.
func (s *slot) CloseWrite() error {
	if half, ok := s.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return s.Close()
}
