package server

import (
	"strings"
	"testing"

	"podlife/runtime/engine"
)

// What a container is that is paused while the server starts cannot be seen; that is said, and it can be stopped and deleted all the same.
func TestAPodThatCannotBeLookedIntoSaysSoAndIsStoppedAndDeleted(t *testing.T) {
	w := newWorld(t, nil)
	for _, name := range []string{"stops", "goes"} {
		w.wants("POST", "/api/pods", `{"name":"`+name+`"}`, 201, "")
		w.wants("POST", "/api/pods/"+name+"/boot", `{"client":"c"}`, 200, "")
	}
	all, err := w.engine.List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		w.engine.Pause(engine.ID(c.ID))
	}
	w.stop()
	w.serve(nil, nil)
	for _, name := range []string{"stops", "goes"} {
		if p := w.pod(name); p.State != "provisioning" || !p.Recovering {
			t.Errorf("%+v", p)
		}
	}
	w.wants("POST", "/api/pods/stops/stop", "", 200, "")
	if p := w.pod("stops"); p.State != "asleep" || p.Recovering {
		t.Errorf("%+v", p)
	}
	w.wants("DELETE", "/api/pods/goes", "", 200, "")
	if w.containers() != 0 {
		t.Errorf("%d containers are left", w.containers())
	}
}

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
