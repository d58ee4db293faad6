package server

import (
	"slices"
	"testing"
)

func TestAPodsImagesAreToldAndChanged(t *testing.T) {
	w := newWorld(t, nil)
	all := read[struct {
		Default string
		Images  []string
	}](t, w.wants("GET", "/api/images", "", 200, ""))
	if all.Default != "image" || !slices.Equal(all.Images, []string{"image", "other"}) {
		t.Errorf("%+v", all)
	}
	for _, c := range []struct{ method, path, body string }{{"POST", "/api/pods", `{"name":"a","image":"evil"}`}, {"PATCH", "/api/pods/a", `{"image":"evil"}`}} {
		if p := read[problem](t, w.wants(c.method, c.path, c.body, 403, "image_not_allowed")); !slices.Equal(p.Allowed, []string{"image", "other"}) {
			t.Errorf("%+v", p)
		}
		if c.method == "POST" {
			w.wants("POST", "/api/pods", `{"name":"a","class":"workspace","image":"other"}`, 201, "")
		}
	}
	if p := w.pod("a"); p.Image != "other" || p.Runs != nil || p.Outdated || p.Incarnation != 0 {
		t.Errorf("%+v", p)
	}
	w.wants("POST", "/api/pods/a/boot", "", 200, "")
	ran := w.pod("a")
	if ran.Runs == nil || ran.Runs.Reference != "other" || ran.Outdated {
		t.Fatalf("%+v", ran)
	}
	if p := read[podAnswer](t, w.wants("PATCH", "/api/pods/a", `{"image":""}`, 200, "")); p.Image != "image" || *p.Runs != *ran.Runs || !p.Outdated || p.Incarnation != 1 {
		t.Errorf("%+v", p)
	}
	if st := read[imagesAnswer](t, w.wants("GET", "/api/pods/a/status", "", 200, "")); st.Image != "image" || *st.Runs != *ran.Runs || !st.Outdated {
		t.Errorf("%+v", st)
	}
	for _, p := range read[struct{ Pods []podAnswer }](t, w.wants("GET", "/api/pods", "", 200, "")).Pods {
		if p.Outdated != (p.Name == "a") || (p.Runs != nil) != (p.Name == "a") || p.Image != "image" {
			t.Errorf("%+v", p)
		}
	}
	w.wants("POST", "/api/pods/a/stop", "", 200, "")
	if p := w.pod("a"); p.Runs != nil || p.Outdated || p.State != "asleep" {
		t.Errorf("%+v", p)
	}
	w.wants("POST", "/api/pods/a/boot", "", 200, "")
	if p := w.pod("a"); p.Runs == nil || p.Runs.Reference != "image" || p.Outdated || len(w.homes.all()) != 1 {
		t.Errorf("%+v", p)
	}
	w.wants("PATCH", "/api/pods/default", `{"image":"other"}`, 409, "default_pod")
}

// Whoever reads waits for no engine.
func TestAnEngineThatDoesNotAnswerHoldsUpNobodyWhoReads(t *testing.T) {
	w := newWorld(t, nil)
	w.wants("POST", "/api/boot", "", 200, "")
	if p := w.pod("default"); p.Runs == nil {
		t.Fatalf("%+v", p)
	}
	w.engine.Unavailable(true)
	defer w.engine.Unavailable(false)
	if p := w.pod("default"); p.Runs == nil || p.Outdated || p.State != "ready" {
		t.Errorf("%+v", p)
	}
}
