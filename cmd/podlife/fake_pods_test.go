package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakePods answers as the API of named pods does, from memory: the pods of one user, and the volumes that are kept. A page has two pods.
type fakePods struct {
	*fakeServer

	state   sync.Mutex // guards the following
	pods    map[string]map[string]any
	volumes map[string]string // the name of the pod that each was of
	used    bool              // a container has the volumes
	asked   []string          // every request, but those for lists
}

const fakeSince = "2024-05-06T07:08:09Z"

func newFakePods(t *testing.T) *fakePods {
	t.Helper()
	f := &fakePods{fakeServer: newFakeServer(t), pods: map[string]map[string]any{}, volumes: map[string]string{}}
	f.add("default", classEphemeral, nil)
	f.mux.HandleFunc("GET /api/pods", f.list)
	f.mux.HandleFunc("POST /api/pods", f.create)
	f.mux.HandleFunc("GET /api/pods/{name}", f.with(func(w http.ResponseWriter, _ *http.Request, p map[string]any) { answer(w, 200, "application/json", p) }))
	f.mux.HandleFunc("DELETE /api/pods/{name}", f.with(f.remove))
	f.mux.HandleFunc("POST /api/pods/{name}/boot", f.with(func(w http.ResponseWriter, _ *http.Request, p map[string]any) {
		p["state"], p["incarnation"] = "ready", 1
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, "step", map[string]any{"step": "start", "status": "done"})
		event(w, "result", map[string]any{"pod": p["pod"], "state": "ready", "incarnation": 1})
	}))
	f.mux.HandleFunc("POST /api/pods/{name}/stop", f.with(func(w http.ResponseWriter, _ *http.Request, p map[string]any) {
		p["state"] = "asleep"
		answer(w, 200, "application/json", map[string]any{"pod": p["pod"], "state": "asleep", "incarnation": 1})
	}))
	f.mux.HandleFunc("POST /api/destroy", func(w http.ResponseWriter, r *http.Request) {
		f.note(r)
		answer(w, 200, "application/json", map[string]any{"pod": "me", "state": "asleep", "incarnation": 1})
	})
	f.mux.HandleFunc("GET /api/pods/{name}/status", f.with(func(w http.ResponseWriter, _ *http.Request, p map[string]any) { answer(w, 200, "application/json", p) }))
	f.mux.HandleFunc("GET /api/images", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, "application/json", map[string]any{"default": "podlife/base:1", "images": []string{"podlife/base:1", "golang:1.24", "-x", "$(reboot)"}})
	})
	f.mux.HandleFunc("GET /api/volumes", f.listVolumes)
	f.mux.HandleFunc("DELETE /api/volumes/{volume}", f.removeVolume)
	return f
}

// add adds a pod with an id that is not its name, and gives it to be changed before anybody asks.
func (f *fakePods) add(name, class string, labels map[string]string) map[string]any {
	p := map[string]any{"pod": "id-of-" + name, "name": name, "class": class, "life": "there", "state": "asleep", "incarnation": 0, "since": fakeSince, "created_at": fakeSince, "labels": labels, "kept_awake_by": []string{}, "sleeps_at": nil, "lease_until": nil, "terminals": 0}
	if class == classWorkspace {
		p["volume"] = "vol-" + name
	}
	f.pods[name] = p
	return p
}

func (f *fakePods) note(r *http.Request) {
	f.state.Lock()
	defer f.state.Unlock()
	f.asked = append(f.asked, r.Method+" "+r.URL.RequestURI())
}

// requests gives what was asked since the last time, without lists.
func (f *fakePods) requests() string {
	f.state.Lock()
	defer f.state.Unlock()
	all := strings.Join(f.asked, ", ")
	f.asked = nil
	return all
}

func refuse(w http.ResponseWriter, status int, code string) {
	answer(w, status, "application/problem+json", map[string]any{"status": status, "code": code, "detail": "the server's words \x1b"})
}

// with looks the pod up.
func (f *fakePods) with(do func(http.ResponseWriter, *http.Request, map[string]any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f.note(r)
		f.state.Lock()
		defer f.state.Unlock()
		if p := f.pods[r.PathValue("name")]; p != nil {
			do(w, r, p)
			return
		}
		refuse(w, 404, "no_pod")
	}
}

func (f *fakePods) list(w http.ResponseWriter, r *http.Request) {
	f.state.Lock()
	defer f.state.Unlock()
	q, page, next := r.URL.Query(), []any{}, ""
	var names []string
	for name, p := range f.pods {
		if want := q.Get("class"); want == "" || want == p["class"] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if q.Get("sort") == "-name" {
		slices.Reverse(names)
	}
	for _, name := range names {
		after := q.Get("after")
		switch {
		case q.Get("sort") != "-name" && name <= after, q.Get("sort") == "-name" && after != "" && name >= after:
		case len(page) == 2:
			next = page[1].(map[string]any)["name"].(string)
		default:
			page = append(page, f.pods[name])
		}
	}
	answer(w, 200, "application/json", map[string]any{"pods": page, "next": next})
}

func (f *fakePods) create(w http.ResponseWriter, r *http.Request) {
	f.note(r)
	f.state.Lock()
	defer f.state.Unlock()
	var n struct {
		Name, Class string
		Adopt       string `json:"adopt_volume"`
		Labels      map[string]string
		Image       string
	}
	if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
		refuse(w, 400, "bad_request")
		return
	}
	_, adoptable := f.volumes[n.Adopt]
	switch {
	case f.pods[n.Name] != nil:
		refuse(w, 409, "name_taken")
		return
	case n.Adopt != "" && !adoptable:
		refuse(w, 404, "no_volume")
		return
	case n.Adopt != "":
		n.Class = classWorkspace
	case n.Class == "":
		n.Class = classEphemeral
	}
	p := f.add(n.Name, n.Class, n.Labels)
	p["image"] = n.Image
	if n.Adopt != "" {
		p["volume"] = n.Adopt
		delete(f.volumes, n.Adopt)
	}
	answer(w, 201, "application/json", p)
}

func (f *fakePods) remove(w http.ResponseWriter, r *http.Request, p map[string]any) {
	name, kept := p["name"].(string), ""
	if volume, _ := p["volume"].(string); r.URL.Query().Get("keep_volume") == "true" {
		kept = volume
		f.volumes[volume] = name
	}
	delete(f.pods, name)
	answer(w, 200, "application/json", map[string]any{"name": name, "kept_volume": kept})
}

func (f *fakePods) listVolumes(w http.ResponseWriter, _ *http.Request) {
	f.state.Lock()
	defer f.state.Unlock()
	all := []any{}
	for volume, pod := range f.volumes {
		all = append(all, map[string]any{"volume": volume, "pod": pod, "kept_at": time.Now().Add(-90 * time.Minute)})
	}
	answer(w, 200, "application/json", map[string]any{"volumes": all})
}

func (f *fakePods) removeVolume(w http.ResponseWriter, r *http.Request) {
	f.note(r)
	f.state.Lock()
	defer f.state.Unlock()
	if _, ok := f.volumes[r.PathValue("volume")]; !ok {
		refuse(w, 404, "no_volume")
		return
	}
	if f.used {
		refuse(w, 409, "volume_in_use")
		return
	}
	delete(f.volumes, r.PathValue("volume"))
	w.WriteHeader(http.StatusNoContent)
}
