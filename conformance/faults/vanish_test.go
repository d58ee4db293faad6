package faults

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/server"
)

// pipes is a listener without a network, so that its connections live on the clock of the test. A client dials it.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

// Accept gives the next connection.
func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends it.
func (l *pipes) Close() error { l.once.Do(func() { close(l.closed) }); return nil }

// Addr is what the server takes for its own name.
func (l *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7500} }

func (l *pipes) dial() net.Conn {
	client, server := net.Pipe()
	l.conns <- server
	return client
}

// A client whose network has gone, so that nobody closes its socket, holds its pod for as long as the protocol lets it be silent, and not longer.
func TestAClientThatVanishesHoldsItsPodForAWhileOnly(t *testing.T) {
	for name, buffered := range map[string]bool{"the network takes what is sent": true, "the network takes nothing": false} {
		t.Run(name, func(t *testing.T) { vanish(t, buffered) })
	}
}

func vanish(t *testing.T, buffered bool) {
	bubble(t, func(w world) (none struct{}) {
		m := NewMachine(nil, nil)
		defer m.Close()
		l, err := m.Start(&Tape{}, false)
		if err != nil {
			t.Error(err)
		}
		defer l.End()
		pipes := newPipes()
		srv := server.New(server.Options{Pods: l.Manager, Users: []server.User{{Name: "u", TokenSHA256: sha256.Sum256([]byte("token"))}}, Logger: slog.New(slog.DiscardHandler)})
		ctx, stop := context.WithCancel(context.Background())
		served := make(chan error, 1)
		go func() { served <- srv.Serve(ctx, pipes) }()
		defer func() {
			stop()
			if err := <-served; err != nil {
				t.Error(err)
			}
		}()
		conn := pipes.dial()
		defer conn.Close()
		ws := openTerminal(t, conn, "127.0.0.1:7500", "token")
		if ws == nil {
			return none
		}
		awaitShell(t, ws)
		// From here on nobody answers a ping or closes the socket.
		if buffered {
			go func() { _, _ = io.Copy(io.Discard, conn) }() // it ends with the connection
		}
		p := l.Pod("u")
		if got := p.Status().Terminals; got != 1 {
			t.Errorf("%d terminals", got)
		}
		w.sleep(IdleTimeout + 2*time.Minute)
		w.quiet()
		if st := p.Status(); st.State.String() != "asleep" || st.Terminals != 0 {
			t.Errorf("the pod is %s, kept awake by %v", st.State, st.KeptAwakeBy)
		}
		if err := l.Settled(ctx, "u"); err != nil {
			t.Error(err)
		}
		for _, p := range m.Problems() {
			t.Error(p)
		}
		return none
	})
}

// openTerminal opens one on a connection to a server of this name.
func openTerminal(t *testing.T, conn net.Conn, server, token string) *websocket.Conn {
	t.Helper()
	dialer := websocket.Dialer{Subprotocols: []string{"podlife.v2"}, NetDial: func(string, string) (net.Conn, error) { return conn, nil }}
	ws, resp, err := dialer.Dial("ws://"+server+"/ws/terminal", http.Header{"Authorization": {"Bearer " + token}})
	if err != nil {
		t.Errorf("open a terminal: %v, %+v", err, resp)
		return nil
	}
	if err := ws.WriteJSON(map[string]any{"type": "hello", "client": "c1", "cols": 80, "rows": 24, "boot": true}); err != nil {
		t.Error(err)
	}
	return ws
}

// awaitShell reads until the terminal shows a shell.
func awaitShell(t *testing.T, ws *websocket.Conn) {
	t.Helper()
	for {
		_, b, err := ws.ReadMessage()
		if err != nil {
			t.Errorf("no shell: %v", err)
			return
		}
		var m struct{ Type string }
		if json.Unmarshal(b, &m) == nil && m.Type == "attached" {
			return
		}
	}
}
