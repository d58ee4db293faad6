package server

import (
	"net/http"
	"strings"
	"testing"

	"podlife/runtime/client"
	"podlife/runtime/terminal"
)

// Bootless: whoever only looks starts nothing, whatever is looked at.
func TestNoReadStartsAStoppedWorkspace(t *testing.T) {
	w := newWorld(t, nil)
	w.wants("POST", "/api/pods", `{"name":"a","class":"workspace"}`, 201, "")
	w.wants("POST", "/api/pods/a/boot", "", 200, "")
	w.wants("POST", "/api/pods/a/stop", "", 200, "")
	before := read[client.StepPage](t, w.wants("GET", "/api/pods/a/steps", "", 200, ""))

	reads := 0
	for _, r := range w.server.routes() {
		method, path, _ := strings.Cut(r.pattern, " ")
		if method != http.MethodGet || strings.HasPrefix(path, "/ws/") || path == "/" {
			continue
		}
		reads++
		w.wants(method, strings.Replace(path, "{name}", "a", 1), "", 200, "")
	}
	if reads < 12 {
		t.Errorf("only %d reads were tried", reads)
	}
	w.wants("DELETE", "/api/pods/a/tabs/main", "", 404, "no_tab")
	w.wants("POST", "/api/pods/a/tabs/main", `{"rename":"b"}`, 404, "no_tab")
	w.wants("POST", "/api/pods/a/extend", `{"for":"1h"}`, 200, "")
	if code, reason := closeCode(w.dial("me", "/ws/pods/a/terminal", terminal.Subprotocol, `{"type":"hello","client":"c","cols":80,"rows":24,"boot":false}`)); code != client.CloseNotReady {
		t.Errorf("a terminal that may not boot: %d %s", code, reason)
	}

	for _, s := range read[client.StepPage](t, w.wants("GET", "/api/pods/a/steps", "", 200, "")).Steps[len(before.Steps):] {
		if s.Action == "StartBoot" {
			t.Errorf("it was started: %+v", s)
		}
	}
	if p := w.pod("a"); p.State != "asleep" || p.Incarnation != 1 || w.containers() != 0 {
		t.Errorf("%+v, %d containers", p, w.containers())
	}
}
