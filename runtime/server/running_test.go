package server

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"podlife/runtime/pod"
	"podlife/runtime/terminal"
)

// Each way in is refused in the same words, and nothing starts.
func TestOnePodMoreThanMayRunIsRefusedByEveryWayIn(t *testing.T) {
	w := newWorldOf(t, func(o *pod.Options) { o.MaxRunning = 2 }, nil)
	for _, body := range []string{`{"name":"a"}`, `{"name":"b"}`, `{"name":"home","class":"workspace"}`} {
		w.wants("POST", "/api/pods", body, 201, "")
	}
	w.wants("POST", "/api/boot", "", 200, "")
	w.wants("POST", "/api/pods/a/boot", `{"client":"c"}`, 200, "")
	for _, accept := range []string{"application/json", "text/event-stream"} {
		req, err := http.NewRequestWithContext(w.ctx(), "POST", w.base+"/api/pods/b/boot", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer me")
		req.Header.Set("Accept", accept)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		p := read[problem](t, string(body))
		if err != nil || res.StatusCode != 429 || res.Header.Get("Retry-After") == "" || p.Code != "too_many_running" || p.Limit != 2 || !slices.Equal(p.Running, []string{"a", "default"}) {
			t.Errorf("%s: %d %v %s, %v", accept, res.StatusCode, res.Header, body, err)
		}
	}
	if said, refused := w.runs("home", "c", "echo", "x"); said != "" || refused != "too_many_running" {
		t.Errorf("an access that would start a workspace: said %q, refused %q", said, refused)
	}
	ws := w.dial("me", "/ws/pods/b/terminal", terminal.Subprotocol, `{"type":"hello","client":"t","cols":80,"rows":24}`)
	for state := ""; state != "failed"; {
		_, b, err := ws.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		m := read[struct{ State, Reason, Message string }](t, string(b))
		if state = m.State; state == "failed" && (m.Reason != "too_many_running" || !strings.Contains(m.Message, "a, default")) {
			t.Errorf("a terminal is told %s", b)
		}
	}
	for _, name := range []string{"b", "home"} {
		if p := w.pod(name); p.State != "asleep" || p.Incarnation != 0 {
			t.Errorf("%+v", p)
		}
	}
	if said, refused := w.runs("a", "c", "echo", "x"); said != "x\n" {
		t.Errorf("a program in a pod that runs: said %q, refused %q", said, refused)
	}
	w.wants("POST", "/api/pods/a/stop", "", 200, "")
	if said, refused := w.runs("home", "c", "echo", "x"); said != "x\n" {
		t.Errorf("an access after a stop: said %q, refused %q", said, refused)
	}
}
