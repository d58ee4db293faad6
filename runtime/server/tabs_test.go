package server

import (
	"encoding/json"
	"net/http"
	"testing"

	"podlife/runtime/client"
)

func TestTabsAreListedAndEnded(t *testing.T) {
	w := newWorld(t, nil)
	auth := []string{"Authorization", "Bearer me"}
	type answer struct {
		Tabs []struct {
			Name    string `json:"name"`
			Epoch   string `json:"epoch"`
			Viewers int    `json:"viewers"`
			Exited  bool   `json:"exited"`
			Code    *int   `json:"exit_code"`
		} `json:"tabs"`
	}
	list := func() answer {
		t.Helper()
		code, body := call(t, http.DefaultClient, "GET", w.base+"/api/tabs", "", auth...)
		var a answer
		if err := json.Unmarshal([]byte(body), &a); code != 200 || err != nil || a.Tabs == nil {
			t.Fatalf("%d %s %v", code, body, err)
		}
		return a
	}
	if a := list(); len(a.Tabs) != 0 {
		t.Errorf("of a pod that sleeps: %+v", a)
	}
	if s := w.pods.Pod("me").Status(); s.Incarnation != 0 {
		t.Errorf("the list woke it: %+v", s)
	}
	one := w.open(client.Hello{Client: "c1", Tab: "one"})
	at := w.attached(one)
	w.attached(w.open(client.Hello{Client: "c2", Tab: "two"}))
	a := list()
	if len(a.Tabs) != 2 || a.Tabs[0].Name != "one" || a.Tabs[0].Epoch != at.Epoch || a.Tabs[0].Viewers != 1 || a.Tabs[0].Exited || a.Tabs[1].Name != "two" {
		t.Errorf("%+v, want epoch %s", a, at.Epoch)
	}
	for name, want := range map[string]int{"three": 404, "a%20b": 400} {
		if code, body := call(t, http.DefaultClient, "DELETE", w.base+"/api/tabs/"+name, "", auth...); code != want {
			t.Errorf("%s: %d %s", name, code, body)
		}
	}
	if code, body := call(t, http.DefaultClient, "DELETE", w.base+"/api/tabs/one", "", auth...); code != 204 {
		t.Errorf("%d %s", code, body)
	}
	if c := w.closed(one); c.Code != client.CloseTabClosed {
		t.Errorf("%+v", c)
	}
	for _, tab := range list().Tabs {
		if tab.Name == "one" && (!tab.Exited || tab.Code == nil || *tab.Code != 129) {
			t.Errorf("after its end: %+v", tab)
		}
	}
	if code, body := call(t, http.DefaultClient, "DELETE", w.base+"/api/tabs/one", "", auth...); code != 404 {
		t.Errorf("once more: %d %s", code, body)
	}
	rename := func(name, to string, want int) {
		t.Helper()
		if code, body := call(t, http.DefaultClient, "POST", w.base+"/api/tabs/"+name, `{"rename":"`+to+`"}`, auth...); code != want {
			t.Errorf("%s to %s: %d %s", name, to, code, body)
		}
	}
	three := w.open(client.Hello{Client: "c3", Tab: "three"})
	before := w.attached(three)
	rename("three", "two", 409)
	rename("none", "four", 404)
	rename("three", "a b", 400)
	rename("three", "four", 204)
	rename("four", "four", 204)
	// Who knows the session finds it under whatever name; the name that is free again is a new one's.
	again := w.attached(w.open(client.Hello{Client: "c4", Tab: "three", Epoch: before.Epoch, Have: 0}))
	if again.Epoch != before.Epoch || again.Tab != "four" {
		t.Errorf("%+v, before %+v", again, before)
	}
	if other := w.attached(w.open(client.Hello{Client: "c5", Tab: "three"})); other.Epoch == before.Epoch || other.Tab != "three" {
		t.Errorf("%+v, before %+v", other, before)
	}
	// Another user sees nothing of it.
	if code, body := call(t, http.DefaultClient, "GET", w.base+"/api/tabs", "", "Authorization", "Bearer you"); code != 200 || body != "{\"tabs\":[]}\n" {
		t.Errorf("%d %q", code, body)
	}
}
