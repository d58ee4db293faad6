package server

import (
	"strings"
	"testing"

	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
)

// What a container is that is paused while the server starts cannot be seen; that is said.
func TestAPodThatCannotBeLookedIntoSaysSo(t *testing.T) {
	w := newWorld(t, nil)
	w.wants("POST", "/api/pods", `{"name":"web"}`, 201, "")
	w.wants("POST", "/api/pods/web/boot", `{"client":"c"}`, 200, "")
	all, err := w.engine.List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		w.engine.Pause(engine.ID(c.ID))
	}
	w.stop()
	w.serve(nil, nil)
	if p := w.pod("web"); p.State != "provisioning" || !p.Recovering {
		t.Errorf("%+v", p)
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

// An update of the server, with another boot script, takes no container from who works in it: each is entered after a boot, which leaves its disk, and its marker names the new script then.
func TestAnUpdatedServerEntersThePodsThatItFindsAwake(t *testing.T) {
	w := newWorld(t, nil)
	names := []string{"docs", "scratch"}
	w.wants("POST", "/api/pods", `{"name":"docs","class":"workspace"}`, 201, "")
	w.wants("POST", "/api/pods", `{"name":"scratch","class":"ephemeral"}`, 201, "")
	before := map[string]pod.ContainerID{}
	for _, name := range names {
		w.wants("POST", "/api/pods/"+name+"/boot", `{"client":"c"}`, 200, "")
		before[name] = w.containerOf(name)
		if err := w.files(name).Write("/srv/work", []byte("mine")); err != nil {
			t.Fatal(err)
		}
	}
	old := w.recipe
	w.stop()
	w.script = boot.Script() + "\n# of the next version\n"
	w.serve(nil, nil)
	if w.recipe == old {
		t.Fatal("another script has the same hash")
	}
	for _, name := range names {
		if p := w.pod(name); p.State != "ready" || p.Incarnation != 1 || w.markerOf(name).Recipe != old {
			t.Errorf("%s was found as %+v, with the marker %+v", name, p, w.markerOf(name))
		}
		w.wants("POST", "/api/pods/"+name+"/boot", `{"client":"c"}`, 200, "")
		if said, refused := w.runs(name, "c", "echo", "x"); said != "x\n" {
			t.Errorf("%s said %q, refused %q", name, said, refused)
		}
		if got := w.markerOf(name); got.Recipe != w.recipe || got.Incarnation != 1 {
			t.Errorf("the marker in %s is %+v, want the recipe %s", name, got, w.recipe)
		}
		if work, _ := w.files(name).Read("/srv/work"); w.containerOf(name) != before[name] || string(work) != "mine" {
			t.Errorf("%s is in container %s with %q, and was in %s", name, w.containerOf(name), work, before[name])
		}
	}
	if w.containers() != len(names) {
		t.Errorf("%d containers", w.containers())
	}
}

// containerOf is the container that the server has for a pod of me.
func (w *world) containerOf(name string) pod.ContainerID {
	w.t.Helper()
	return w.pods.Pod(pod.ID(w.pod(name).Pod)).Status().Container
}

// files is the disk of that container.
func (w *world) files(name string) *simulated.Files {
	w.t.Helper()
	files, ok := w.engine.Files(engine.ID(w.containerOf(name)))
	if !ok {
		w.t.Fatalf("%s has no container", name)
	}
	return files
}

// markerOf is the marker there.
func (w *world) markerOf(name string) boot.Marker {
	w.t.Helper()
	content, _ := w.files(name).Read(boot.MarkerPath)
	m, err := boot.ParseMarker(content)
	if err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	return m
}
