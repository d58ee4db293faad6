package server

import (
	"strings"
	"testing"
)

// A server that ends in the middle leaves nothing half: what was there is there, and what was being deleted is gone, and was not said to be before its container was known.
func TestARestartKeepsThePodsAndGoesOnWithADelete(t *testing.T) {
	w := newWorld(t, nil)
	kept := read[podAnswer](t, w.wants("POST", "/api/pods", `{"name":"stays","class":"workspace","labels":{"a":"b"}}`, 201, ""))
	w.wants("POST", "/api/pods", `{"name":"goes"}`, 201, "")
	for _, name := range []string{"stays", "goes"} {
		w.wants("POST", "/api/pods/"+name+"/boot", `{"client":"c"}`, 200, "")
	}
	_, removing := w.engine.Hold("remove", nil)
	answered := make(chan string, 1)
	go func() {
		_, answer := w.do("me", "DELETE", "/api/pods/goes", "")
		answered <- answer
	}()
	<-removing
	w.stop()
	if answer := <-answered; !strings.Contains(answer, `"stopping"`) {
		t.Errorf("who waits for a delete when the server stops is told %s", answer)
	}

	release, listing := w.engine.Hold("list", nil)
	served := make(chan struct{})
	go func() {
		defer close(served)
		w.serve(nil, nil)
	}()
	<-listing // what containers there are is not known yet
	for range 1000 {
		if all := w.catalog.List("me"); len(all) != 3 {
			t.Errorf("gone on with before anything is known: %+v", all)
			break
		}
	}
	release()
	<-served

	if p := w.pod("stays"); p.Pod != kept.Pod || p.Volume != kept.Volume || p.Labels["a"] != "b" || p.State != "ready" || p.Incarnation != 1 || !p.CreatedAt.Equal(*kept.CreatedAt) {
		t.Errorf("%+v, before the restart %+v", p, kept)
	}
	w.eventually("the other is gone", func() bool { return w.listed("") == "default stays" })
	if w.containers() != 1 || len(w.homes.all()) != 1 {
		t.Errorf("%d containers, volumes %q", w.containers(), w.homes.all())
	}
	if said, refused := w.runs("stays", "c2", "echo", "x"); said != "x\n" {
		t.Errorf("said %q, refused %q", said, refused)
	}
}
