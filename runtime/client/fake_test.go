package client_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/client"
)

const token = "t0ken-of-the-test"

// fake is a server that answers as docs/protocol.md says, with what a test hands it.
type fake struct {
	*httptest.Server
	mux *http.ServeMux
}

// newFake serves until the test ends; every handler sees only requests with the right token, the others get the protocol's 401.
func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{mux: http.NewServeMux()}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			problem(w, map[string]any{"status": 401, "code": "unauthenticated", "title": "not logged in", "detail": "the token is not valid"})
			return
		}
		f.mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) client(t *testing.T) *client.Client { return f.as(t, token) }

func (f *fake) as(t *testing.T, tok string) *client.Client {
	t.Helper()
	c, err := client.New(client.Options{BaseURL: f.URL, Token: tok})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// stream serves POST /api/boot as server-sent events.
func (f *fake) stream(events ...string) {
	f.mux.HandleFunc("POST /api/boot", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			fmt.Fprint(w, e)
			w.(http.Flusher).Flush()
		}
	})
}

// terminal serves GET /ws/terminal with one conversation.
func (f *fake) terminal(t *testing.T, talk func(c *peer)) {
	up := websocket.Upgrader{Subprotocols: []string{client.Subprotocol}}
	f.mux.HandleFunc("GET /ws/terminal", func(w http.ResponseWriter, r *http.Request) {
		c, err := up.Upgrade(w, r, nil)
		if err != nil {
			t.Errorf("upgrade: %v", err)
			return
		}
		defer c.Close()
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		talk(&peer{Conn: c, t: t})
	})
}

// peer is the server's end of a terminal.
type peer struct {
	*websocket.Conn
	t *testing.T
}

// text sends a control message.
func (p *peer) text(m map[string]any) {
	b, err := json.Marshal(m)
	if err == nil {
		err = p.WriteMessage(websocket.TextMessage, b)
	}
	if err != nil {
		p.t.Errorf("fake server: %v", err)
	}
}

// read gets the next message as it came; ok is false at the end of the connection.
func (p *peer) read() (kind int, data []byte, ok bool) {
	kind, data, err := p.ReadMessage()
	return kind, data, err == nil
}

// control gets the next message, which must be JSON text.
func (p *peer) control() map[string]any {
	kind, data, _ := p.read()
	m := map[string]any{}
	if err := json.Unmarshal(data, &m); kind != websocket.TextMessage || err != nil {
		p.t.Errorf("fake server: got kind %d %q, want a control message", kind, data)
	}
	return m
}

// close ends the conversation with a code.
func (p *peer) close(code int, reason string) {
	_ = p.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(time.Second))
}

func problem(w http.ResponseWriter, p map[string]any) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p["status"].(int))
	_ = json.NewEncoder(w).Encode(p)
}

func sse(event string, data any) string {
	b, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("event: %s\ndata: %s\n\n", event, b)
}
