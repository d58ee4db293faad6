package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podlife/runtime/client"
)

// bound gives a client that is bound to a pod.
func (f *fake) bound(t *testing.T, pod string) *client.Client {
	t.Helper()
	c, err := client.New(client.Options{BaseURL: f.URL, Token: token, Pod: pod})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// asked does every call that acts on a pod and gives the requests that came of it.
func asked(t *testing.T, pod string) []string {
	t.Helper()
	f := newFake(t)
	var got []string
	f.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Method+" "+r.URL.RequestURI())
		problem(w, map[string]any{"status": 404, "code": "no_pod"})
	})
	c := f.bound(t, pod)
	ctx := t.Context()
	_, boot := c.Boot(ctx, "c", nil)
	_, destroy := c.Destroy(ctx)
	_, stop := c.Stop(ctx)
	_, extend := c.Extend(ctx, time.Hour)
	_, status := c.Status(ctx)
	_, events := c.Events(ctx, 7)
	_, steps := c.Steps(ctx, 7)
	_, tabs := c.Tabs(ctx)
	rename, end := c.RenameTab(ctx, "a", "b"), c.EndTab(ctx, "a")
	_, terminal := c.Terminal(ctx, client.Hello{Client: "c", Cols: 80, Rows: 24})
	_, program := c.Exec(ctx, client.ExecRequest{Client: "c", Argv: []string{"true"}})
	for _, err := range []error{boot, destroy, stop, extend, status, events, steps, tabs, rename, end, terminal, program} {
		if client.CodeOf(err) != client.CodeNoPod {
			t.Errorf("%v, want no_pod", err)
		}
	}
	return got
}

func TestAClientOfANamedPodAsksForThatPodAlone(t *testing.T) {
	want := []string{"POST /api/pods/web-1/boot", "POST /api/pods/web-1/stop", "POST /api/pods/web-1/stop", "POST /api/pods/web-1/extend", "GET /api/pods/web-1/status", "GET /api/pods/web-1/events?after=7", "GET /api/pods/web-1/steps?after=7",
		"GET /api/pods/web-1/tabs", "POST /api/pods/web-1/tabs/a", "DELETE /api/pods/web-1/tabs/a", "GET /ws/pods/web-1/terminal", "GET /ws/pods/web-1/exec"}
	if d := cmp.Diff(want, asked(t, "web-1")); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestTheDefaultPodIsAskedForAsBeforeThereWereNames(t *testing.T) {
	want := []string{"POST /api/boot", "POST /api/destroy", "POST /api/destroy", "POST /api/extend", "GET /api/status", "GET /api/events?after=7", "GET /api/steps?after=7",
		"GET /api/tabs", "POST /api/tabs/a", "DELETE /api/tabs/a", "GET /ws/terminal", "GET /ws/exec"}
	for _, pod := range []string{"", "default"} {
		if d := cmp.Diff(want, asked(t, pod)); d != "" {
			t.Errorf("%q (-want +got):\n%s", pod, d)
		}
	}
}

// What could leave its place in a path is never sent.
func TestANameThatCannotBeIsRefusedBeforeAnythingIsSent(t *testing.T) {
	f := newFake(t)
	f.mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s %s was sent", r.Method, r.URL) })
	c := f.client(t)
	var bad *client.BadNameError
	for _, name := range []string{"", "..", "a/b", "a%2fb", "A", "-a", "a-", "a?b", "a b", "é", strings.Repeat("a", 41)} {
		if _, err := c.Pod(t.Context(), name); !errors.As(err, &bad) {
			t.Errorf("pod %q: %v", name, err)
		}
		if _, err := c.Remove(t.Context(), name, false); !errors.As(err, &bad) {
			t.Errorf("remove %q: %v", name, err)
		}
		if _, err := client.New(client.Options{BaseURL: f.URL, Pod: name}); name != "" && !errors.As(err, &bad) {
			t.Errorf("a client of %q: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "..", "../x", "a/b", "a?b", strings.Repeat("a", 256)} {
		if err := c.RemoveVolume(t.Context(), name); !errors.As(err, &bad) {
			t.Errorf("volume %q: %v", name, err)
		}
	}
	for _, name := range []string{"a", "0", "a-b", strings.Repeat("a", 40)} {
		if err := client.CheckPodName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

const webPod = `{"pod":"p1","name":"web","class":"workspace","life":"there","state":"ready","incarnation":3,"since":"2024-05-06T07:08:09Z","created_at":"2024-05-06T07:00:00Z","labels":{"team":"a"},` +
	`"volume":"v1","kept_awake_by":["lease"],"sleeps_at":null,"lease_until":"2024-05-06T09:00:00Z","terminals":2,"trouble":"slow","last_error":"once","of_a_later_version":1}`

func TestCreateSaysWhatThePodIsToBeAndGivesIt(t *testing.T) {
	f := newFake(t)
	var bodies []string
	f.mux.HandleFunc("POST /api/pods", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(b))
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "/api/pods/web")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, webPod)
	})
	c := f.client(t)
	got, err := c.Create(t.Context(), client.NewPod{Name: "web", Class: "workspace", Adopt: "v1", Labels: map[string]string{"team": "a"}})
	if err != nil {
		t.Fatal(err)
	}
	since := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	created, lease := since.Add(-8*time.Minute-9*time.Second), since.Add(time.Hour+51*time.Minute+51*time.Second)
	want := client.Pod{ID: "p1", Name: "web", Class: "workspace", Life: "there", State: "ready", Incarnation: 3, Since: since, CreatedAt: &created, Labels: map[string]string{"team": "a"}, Volume: "v1",
		KeptAwakeBy: []string{"lease"}, LeaseUntil: &lease, Terminals: 2, Trouble: "slow", LastError: "once"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := c.Create(t.Context(), client.NewPod{Name: "x"}); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff([]string{`{"name":"web","class":"workspace","adopt_volume":"v1","labels":{"team":"a"}}`, `{"name":"x"}`}, bodies); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestRefusalsOfPodsAndVolumesAreProblemsWithTheirCodes(t *testing.T) {
	for _, code := range []string{client.CodeNoPod, client.CodeNameTaken, client.CodePodGoing, client.CodeDefaultPod, client.CodeNoVolume, client.CodeTooManyPods, client.CodeStillRemoving} {
		f := newFake(t)
		f.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
			problem(w, map[string]any{"status": 409, "code": code, "detail": "why"})
		})
		c := f.client(t)
		_, create := c.Create(t.Context(), client.NewPod{Name: "x"})
		_, list := c.AllPods(t.Context(), client.PodQuery{})
		_, one := c.Pod(t.Context(), "x")
		_, remove := c.Remove(t.Context(), "x", true)
		_, volumes := c.Volumes(t.Context())
		for _, err := range []error{create, list, one, remove, volumes, c.RemoveVolume(t.Context(), "v")} {
			var p *client.Problem
			if !errors.As(err, &p) || p.Code != code || p.Detail != "why" {
				t.Errorf("%s: %v", code, err)
			}
		}
	}
}

// pages serves GET /api/pods from these pages, by cursors that have what a query escapes.
func (f *fake) pages(pages ...string) (queries *[]url.Values) {
	queries = &[]url.Values{}
	f.mux.HandleFunc("GET /api/pods", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		*queries = append(*queries, q)
		page := 0
		_, _ = fmt.Sscanf(q.Get("after"), "+&=%d", &page)
		next := fmt.Sprintf("+&=%d", page+1)
		if page+1 == len(pages) {
			next = ""
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"pods":[%s],"next":%q}`, pages[page], next)
	})
	return queries
}

func TestAllPodsGoesThroughEveryPageWithTheSameQuery(t *testing.T) {
	f := newFake(t)
	queries := f.pages(`{"name":"a"},{"name":"b"}`, ``, `{"name":"c"}`)
	all, err := f.client(t).AllPods(t.Context(), client.PodQuery{Class: "workspace", State: "ready", Labels: []string{"team=a&b", "x"}, Sort: "-created", Limit: 2})
	if err != nil || len(all) != 3 || all[2].Name != "c" {
		t.Fatalf("%+v, %v", all, err)
	}
	for i, q := range *queries {
		after := q.Get("after")
		q.Del("after")
		want := url.Values{"class": {"workspace"}, "state": {"ready"}, "label": {"team=a&b", "x"}, "sort": {"-created"}, "limit": {"2"}}
		if d := cmp.Diff(want, q); d != "" || (i == 0) != (after == "") {
			t.Errorf("page %d, after %q (-want +got):\n%s", i, after, d)
		}
	}
	one, err := f.client(t).Pods(t.Context(), client.PodQuery{})
	if last := (*queries)[len(*queries)-1]; err != nil || len(one.Pods) != 2 || one.Next != "+&=1" || len(last) != 0 {
		t.Errorf("one page: %+v, %v, asked with %v", one, err, last)
	}
}

func TestAPageThatFollowsItselfEndsTheList(t *testing.T) {
	f := newFake(t)
	f.mux.HandleFunc("GET /api/pods", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"pods":[],"next":"again"}`)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var strange *client.ProtocolError
	if _, err := f.client(t).AllPods(ctx, client.PodQuery{}); !errors.As(err, &strange) {
		t.Errorf("got %v", err)
	}
}

func TestRemoveSaysWhetherTheVolumeIsKept(t *testing.T) {
	f := newFake(t)
	var queries []string
	f.mux.HandleFunc("DELETE /api/pods/{name}", func(w http.ResponseWriter, r *http.Request) {
		queries = append(queries, r.PathValue("name")+"?"+r.URL.RawQuery)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"name":"web","kept_volume":"v1"}`)
	})
	c := f.client(t)
	for _, keep := range []bool{true, false} {
		if r, err := c.Remove(t.Context(), "web", keep); err != nil || r != (client.Removed{Name: "web", KeptVolume: "v1"}) {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if !slices.Equal(queries, []string{"web?keep_volume=true", "web?keep_volume=false"}) {
		t.Errorf("asked %q", queries)
	}
}

func TestKeptVolumesAreListedAndRemoved(t *testing.T) {
	f := newFake(t)
	f.mux.HandleFunc("GET /api/volumes", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"volumes":[{"volume":"podlife-home-1","pod":"web","kept_at":"2024-05-06T07:08:09Z"}]}`)
	})
	removed := ""
	f.mux.HandleFunc("DELETE /api/volumes/{volume}", func(w http.ResponseWriter, r *http.Request) {
		removed = r.PathValue("volume")
		w.WriteHeader(http.StatusNoContent)
	})
	c := f.client(t)
	all, err := c.Volumes(t.Context())
	if want := []client.Volume{{Name: "podlife-home-1", Pod: "web", KeptAt: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)}}; err != nil || !slices.Equal(all, want) {
		t.Errorf("%+v, %v", all, err)
	}
	if err := c.RemoveVolume(t.Context(), "podlife-home-1"); err != nil || removed != "podlife-home-1" {
		t.Errorf("%v, removed %q", err, removed)
	}
}
