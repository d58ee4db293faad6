package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestSetSendsWhatIsSaidAndNothingElse(t *testing.T) {
	f := newFakePods(t)
	var body string
	f.mux.HandleFunc("PATCH /api/pods/{name}", f.with(func(w http.ResponseWriter, r *http.Request, p map[string]any) {
		b, _ := io.ReadAll(r.Body)
		body = string(b)
		p["idle_timeout_seconds"], p["image"] = 7200, "golang:1.24"
		answer(w, 200, "application/json", p)
	}))
	f.add("web", classWorkspace, map[string]string{"team": "co\x1bre"})
	m := f.main(t)
	for sent, args := range map[string][]string{
		`{"idle_timeout_seconds":7200}`:              {"--idle-timeout", "2h"},
		`{"idle_timeout_seconds":0}`:                 {"--idle-timeout", "0"},
		`{"labels":{"a":"b"}}`:                       {"--label", "a=b"},
		`{"labels":{}}`:                              {"--no-labels"},
		`{"image":"golang:1.24"}`:                    {"--image", "golang:1.24"},
		`{"image":""}`:                               {"--image", ""},
		`{"labels":{},"idle_timeout_seconds":86400}`: {"--no-labels", "--idle-timeout", "24h"},
	} {
		out, errOut, code := m.run(t, "", append([]string{"set", "web"}, args...)...)
		if code != 0 || body != sent || !strings.Contains(out, "web: it sleeps after 2 h 0 min with nobody in it, image golang:1.24, labels team=co") || !clean(out) {
			t.Errorf("%q: exit %d, sent %s, said %q %q", args, code, body, out, errOut)
		}
	}
	body = ""
	for _, args := range [][]string{{"web"}, {"web", "--label", "x"}, {"web", "--label", "a=b", "--no-labels"}, {"web", "--idle-timeout", "1500ms"}, {"web", "--idle-timeout=-1h"}, {"WEB", "--no-labels"}, {}} {
		if _, errOut, code := m.run(t, "", append([]string{"set"}, args...)...); code != 2 || body != "" {
			t.Errorf("%q: exit %d, sent %s, %q", args, code, body, errOut)
		}
	}
	if _, _, code := m.run(t, "", "set", "nope", "--no-labels"); code != 9 {
		t.Errorf("a pod that is not there: exit %d", code)
	}
}
