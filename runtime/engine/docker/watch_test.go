package docker

import (
	"context"
	"io"
	"net/http"
	"testing"

	"podlife/runtime/engine"
)

func TestAWatchBeginsAtTheDaemonsTimeAndABrokenStreamIsUnavailable(t *testing.T) {
	d := newFakeDaemon(t)
	d.on("GET /info", answer(200, map[string]string{"SystemTime": "2001-02-03T04:05:06.7Z"}))
	d.on("GET /events", func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.Query().Get("since"); got != "981173106.700000000" {
			t.Errorf("since %q", got)
		}
		_, _ = io.WriteString(w, `{"Type":"container","Action":"die","Actor":{"ID":"a","Attributes":{"exitCode":"137","image":"i","name":"n","mine":"1","`+createLabel+`":"x"}},"timeNano":5}`)
		_, _ = io.WriteString(w, `{"Type":"container","Action":"destroy","Actor":{"ID":"a","Attributes":{"mine":"1"}},"timeNano":6}`)
	})
	ready := false
	var got []engine.Event
	err := d.engine.Watch(context.Background(), map[string]string{"mine": "1"}, func() { ready = true }, func(e engine.Event) { got = append(got, e) })
	wantKind(t, err, engine.Unavailable)
	if !ready || len(got) != 2 || got[0].Type != engine.Died || got[1].Type != engine.Removed || len(got[0].Labels) != 1 || got[0].Labels["mine"] != "1" || got[0].Time.UnixNano() != 5 {
		t.Errorf("ready %v, events %+v", ready, got)
	}
}

func TestAWatchThatTheDaemonRefusesIsNeverReady(t *testing.T) {
	d := newFakeDaemon(t)
	d.on("GET /info", answer(200, map[string]string{"SystemTime": "2001-02-03T04:05:06Z"}))
	d.on("GET /events", answer(500, "no"))
	err := d.engine.Watch(context.Background(), nil, func() { t.Error("ready") }, func(engine.Event) {})
	wantKind(t, err, engine.Unavailable)
}
