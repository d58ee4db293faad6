package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"podlife/runtime/client"
	"podlife/runtime/terminal"
)

func TestASessionRunsWhatAProgramNames(t *testing.T) {
	w := newWorld(t, nil)
	term := w.open(client.Hello{Client: "c1", Tab: "run", Argv: []string{"make", "it", "so"}})
	if at := w.attached(term); !at.Started {
		t.Errorf("%+v", at)
	}
	m, out := w.until(term, "its end", func(m client.Message) bool { _, ok := m.(client.Exit); return ok })
	if !strings.Contains(out, "ran: make it so") || m.(client.Exit).Code != 3 {
		t.Errorf("%q, %+v", out, m)
	}
	// One that runs goes on with what it runs.
	w.attached(w.open(client.Hello{Client: "c2", Tab: "main"}))
	other := w.open(client.Hello{Client: "c3", Tab: "main", Argv: []string{"make"}})
	if at := w.attached(other); at.Started {
		t.Errorf("%+v", at)
	}
	w.says(other, "echo", "you said: echo")
}

// A link to the page must never run a command: what a page sends may be what a link told it.
func TestAPageMayNotNameAProgram(t *testing.T) {
	w := newWorld(t, nil)
	d := websocket.Dialer{Subprotocols: []string{terminal.Subprotocol}}
	ws, _, err := d.Dial(strings.Replace(w.base, "http", "ws", 1)+"/ws/terminal", http.Header{"Authorization": {"Bearer me"}, "Origin": {w.base}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	if err := ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"hello","client":"c","argv":["sh"]}`)); err != nil {
		t.Fatal(err)
	}
	if code, reason := closeCode(ws); code != terminal.CloseBadMessage || !strings.Contains(reason, "page") {
		t.Errorf("closed with %d %q", code, reason)
	}
	if s := w.pods.Pod("me").Status(); s.Incarnation != 0 {
		t.Errorf("%+v", s)
	}
	for _, bad := range []string{`{"type":"hello","client":"c","argv":[""]}`, `{"type":"hello","client":"c","argv":["a\u0000"]}`, `{"type":"hello","client":"c","argv":"sh"}`} {
		raw := w.raw()
		if err := raw.WriteMessage(websocket.TextMessage, []byte(bad)); err != nil {
			t.Fatal(err)
		}
		if code, _ := closeCode(raw); code != terminal.CloseBadMessage {
			t.Errorf("%s: closed with %d", bad, code)
		}
	}
}
