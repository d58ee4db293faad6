package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

const fakeToken = "token-of-the-test"

// fakeServer answers as docs/protocol.md says, with what a test hands it: each terminal that is opened is the next of its talks.
type fakeServer struct {
	*httptest.Server
	mux *http.ServeMux

	mu    sync.Mutex // guards the following
	talks []func(*fakeTerminal)
}

func newFakeServer(t *testing.T, talks ...func(*fakeTerminal)) *fakeServer {
	t.Helper()
	f := &fakeServer{mux: http.NewServeMux(), talks: talks}
	f.mux.HandleFunc("GET /ws/terminal", func(w http.ResponseWriter, r *http.Request) { f.terminal(t, w, r) })
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+fakeToken {
			answer(w, 401, "application/problem+json", map[string]any{"status": 401, "code": "unauthenticated", "detail": "no"})
			return
		}
		f.mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// main gives a Main that talks to the fake, with the right token.
func (f *fakeServer) main(t *testing.T) *Main {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte(fakeToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &Main{
		Environ: []string{"PODLIFE_DATA_DIR=" + dir, "PODLIFE_SERVER=" + f.URL},
		delay:   func(int) time.Duration { return time.Millisecond },
	}
}

func (f *fakeServer) terminal(t *testing.T, w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	if len(f.talks) == 0 {
		f.mu.Unlock()
		t.Error("one terminal more was opened than the test talks to")
		w.WriteHeader(http.StatusTeapot)
		return
	}
	talk := f.talks[0]
	f.talks = f.talks[1:]
	f.mu.Unlock()
	up := websocket.Upgrader{Subprotocols: []string{"podlife.v2"}}
	c, err := up.Upgrade(w, r, nil)
	if err != nil {
		t.Errorf("upgrade: %v", err)
		return
	}
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	ft := &fakeTerminal{Conn: c, t: t}
	ft.hello = ft.control()
	talk(ft)
}

// fakeTerminal is the server's end of a terminal that has said hello.
type fakeTerminal struct {
	*websocket.Conn
	t     *testing.T
	hello map[string]any
	typed []byte
}

func (f *fakeTerminal) say(m map[string]any) {
	b, err := json.Marshal(m)
	if err == nil {
		err = f.WriteMessage(websocket.TextMessage, b)
	}
	if err != nil {
		f.t.Errorf("fake server: %v", err)
	}
}

func (f *fakeTerminal) attach(inc int) { f.say(map[string]any{"type": "attached", "incarnation": inc}) }

func (f *fakeTerminal) print(s string) {
	if err := f.WriteMessage(websocket.BinaryMessage, []byte(s)); err != nil {
		f.t.Errorf("fake server: %v", err)
	}
}

// control gets the next control message; keys before it are kept in typed.
func (f *fakeTerminal) control() map[string]any {
	for {
		kind, b, err := f.ReadMessage()
		if err != nil {
			f.t.Errorf("fake server: %v", err)
			return map[string]any{}
		}
		if kind == websocket.BinaryMessage {
			f.typed = append(f.typed, b...)
			continue
		}
		m := map[string]any{}
		if err := json.Unmarshal(b, &m); err != nil {
			f.t.Errorf("fake server: %q: %v", b, err)
		}
		return m
	}
}

// keys reads until so much was typed.
func (f *fakeTerminal) keys(n int) string {
	for len(f.typed) < n {
		kind, b, err := f.ReadMessage()
		if err != nil {
			f.t.Errorf("fake server: waiting for keys: %v, got %q", err, f.typed)
			break
		}
		if kind == websocket.BinaryMessage {
			f.typed = append(f.typed, b...)
		}
	}
	s := string(f.typed)
	f.typed = nil
	return s
}

// gone waits for the client to leave.
func (f *fakeTerminal) gone() {
	for {
		_, b, err := f.ReadMessage()
		if err != nil {
			return
		}
		f.typed = append(f.typed, b...)
	}
}

func (f *fakeTerminal) exit(code int) {
	f.say(map[string]any{"type": "exit", "code": code})
	f.end(4000, "the shell exited")
}

func (f *fakeTerminal) end(code int, reason string) {
	_ = f.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(time.Second))
	f.gone()
}

// drop cuts the connection without a word.
func (f *fakeTerminal) drop() { f.NetConn().Close() }

func answer(w http.ResponseWriter, status int, contentType string, v any) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func event(w http.ResponseWriter, name string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, b)
}
