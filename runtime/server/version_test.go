package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"podlife/runtime/terminal"
)

// A page that was loaded before the server was replaced learns why, where it can read it: in the close of a socket that opened.
func TestAClientOfAnotherVersionIsToldOursInTheClose(t *testing.T) {
	w := newWorld(t, nil)
	url, token := strings.Replace(w.base, "http", "ws", 1)+"/ws/terminal", http.Header{"Authorization": {"Bearer me"}}
	for _, offered := range []string{"podlife.v1", "podlife.v3"} {
		d := websocket.Dialer{Subprotocols: []string{offered}}
		ws, _, err := d.Dial(url, token)
		if err != nil {
			t.Fatal(err)
		}
		if got := ws.Subprotocol(); got != offered {
			t.Errorf("%s was answered with %q: a browser drops that without a word", offered, got)
		}
		if code, why := closeCode(ws); code != closeVersion || !strings.Contains(why, terminal.Subprotocol) {
			t.Errorf("%s: closed with %d %q", offered, code, why)
		}
		ws.Close()
	}
	d := websocket.Dialer{Subprotocols: []string{"other"}}
	if _, resp, err := d.Dial(url, token); err == nil || resp == nil || resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a client of something else was let in: %v", err)
	}
	if st := w.pods.Pod("me").Status(); st.Incarnation != 0 {
		t.Errorf("it woke the pod: %+v", st)
	}
}
