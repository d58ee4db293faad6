package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"podlife/runtime/client"
)

// leases makes the fake give leases until then, and gives the bodies that it was asked with.
func (f *fakeServer) leases(t *testing.T, until time.Time, longer bool) (asked *[]string) {
	asked = &[]string{}
	f.mux.HandleFunc("POST /api/extend", func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		*asked = append(*asked, string(b))
		a := map[string]any{"lease_until": until, "sleeps_at": until}
		if longer {
			a["longer"] = true
		}
		answer(w, 200, "application/json", a)
	})
	return asked
}

func (f *fakeServer) boots() {
	f.mux.HandleFunc("POST /api/boot", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, "result", map[string]any{"pod": "me", "state": "ready", "incarnation": 4})
	})
}

func TestExtendSaysUntilWhenTheLeaseLasts(t *testing.T) {
	f := newFakeServer(t)
	until := time.Now().Add(8*time.Hour + 50*time.Second)
	asked := f.leases(t, until, false)
	m := f.main(t)
	out, errOut, code := m.run(t, "", "extend", "--for", "8h")
	if want := "the lease lasts until " + moment(until, time.Now()) + "\n"; out != want || errOut != "" || code != 0 || !strings.HasSuffix(out, " (in 8 h 0 min)\n") {
		t.Errorf("exit %d, %q, %q, want %q", code, out, errOut, want)
	}
	if fmt.Sprint(*asked) != `[{"for":"8h0m0s"}]` {
		t.Errorf("the server was asked %q", *asked)
	}
	var l client.Lease
	if out, _, code := m.run(t, "", "extend", "--for=90m", "--json"); json.Unmarshal([]byte(out), &l) != nil || code != 0 || !l.Until.Equal(until) || l.SleepsAt == nil || strings.Contains(out, "longer") {
		t.Errorf("json: exit %d, %s", code, out)
	}
}

func TestExtendSaysThatALeaseAlreadyLastsLonger(t *testing.T) {
	f := newFakeServer(t)
	until := time.Now().Add(9 * time.Hour)
	f.leases(t, until, true)
	f.boots()
	m := f.main(t)
	want := "the lease already lasts until " + until.Local().Format("15:04")
	if until.Local().Day() != time.Now().Day() {
		want = "the lease already lasts until " + until.Local().Format("2006-01-02 15:04")
	}
	if out, _, code := m.run(t, "", "extend", "--for", "1h"); code != 0 || !strings.HasPrefix(out, want) {
		t.Errorf("exit %d, %q, want %q", code, out, want)
	}
	if _, errOut, code := m.run(t, "", "boot", "--for", "1h"); code != 0 || !strings.HasPrefix(errOut, "  "+want) {
		t.Errorf("boot: exit %d, %q, want %q", code, errOut, want)
	}
}

func TestALeaseThatIsRefusedSaysWhatIsAllowed(t *testing.T) {
	for _, c := range []struct {
		status       int
		code, detail string
		exit         int
	}{
		{400, "bad_lease", "a lease lasts more than 0 and at most 24h from now", 1},
		{403, "no_leases", "this server gives no leases", 4},
		{503, "store_unavailable", "Nothing has changed.", 1},
		{401, "unauthenticated", "no", 4},
	} {
		f := newFakeServer(t)
		f.mux.HandleFunc("POST /api/extend", func(w http.ResponseWriter, r *http.Request) {
			answer(w, c.status, "application/problem+json", map[string]any{"status": c.status, "code": c.code, "detail": c.detail + "\x1b"})
		})
		f.mux.HandleFunc("POST /api/boot", func(http.ResponseWriter, *http.Request) { t.Errorf("%s: it was booted all the same", c.code) })
		m := f.main(t)
		for _, command := range []string{"extend", "boot"} {
			out, errOut, code := m.run(t, "", command, "--for", "25h")
			if said := c.code == "unauthenticated" && strings.Contains(errOut, "--token-file") || strings.Contains(errOut, "extend: "+c.detail); code != c.exit || !said || out != "" || strings.Contains(errOut, "\x1b") {
				t.Errorf("%s, %s: exit %d, want %d; %q, %q", command, c.code, code, c.exit, out, errOut)
			}
		}
		var p client.Problem
		if out, _, code := m.run(t, "", "extend", "--for", "25h", "--json"); json.Unmarshal([]byte(out), &p) != nil || p.Code != c.code || code != c.exit {
			t.Errorf("json: exit %d, %s", code, out)
		}
	}
}

func TestBootForGivesTheLeaseFirst(t *testing.T) {
	f := newFakeServer(t)
	until := time.Now().Add(8*time.Hour + 50*time.Second)
	asked := f.leases(t, until, false)
	f.mux.HandleFunc("POST /api/boot", func(w http.ResponseWriter, r *http.Request) {
		if len(*asked) == 0 {
			t.Error("booted before the lease")
		}
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, "result", map[string]any{"pod": "me", "state": "ready", "incarnation": 4})
	})
	m := f.main(t)
	out, errOut, code := m.run(t, "", "boot", "--for", "8h")
	if code != 0 || out != "me is ready (incarnation 4)\n" || errOut != "  the lease lasts until "+moment(until, time.Now())+"\n" {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	var res struct {
		Pod        string
		LeaseUntil time.Time `json:"lease_until"`
	}
	if out, _, code := m.run(t, "", "boot", "--for", "8h", "--json"); code != 0 || json.Unmarshal([]byte(out), &res) != nil || res.Pod != "me" || !res.LeaseUntil.Equal(until) {
		t.Errorf("json: exit %d, %s", code, out)
	}
}

func TestABootWithoutForAsksForNoLease(t *testing.T) {
	f := newFakeServer(t)
	asked := f.leases(t, time.Now(), false)
	f.boots()
	m := f.main(t)
	if out, _, code := m.run(t, "", "boot", "--json"); code != 0 || strings.Contains(out, "lease") || len(*asked) > 0 {
		t.Errorf("exit %d, %s, asked %q", code, out, *asked)
	}
}

func TestStatusTellsOfTheLease(t *testing.T) {
	now := time.Date(2024, 5, 6, 16, 0, 0, 0, time.Local)
	for _, c := range []struct {
		state string
		until time.Time
		want  string
	}{
		{"ready", now.Add(2 * time.Hour), "lease         kept awake until 18:00 (in 2 h 0 min) by its lease\n"},
		{"ready", now.Add(10 * time.Hour), "lease         kept awake until 2024-05-07 02:00 (in 10 h 0 min) by its lease\n"},
		{"asleep", now.Add(20 * time.Minute), "lease         once it wakes, kept awake until 16:20 (in 20 min) by its lease\n"},
	} {
		var b strings.Builder
		if err := printStatus(&b, client.Status{State: c.state, LeaseUntil: &c.until}, now); err != nil || !strings.Contains(b.String(), c.want) {
			t.Errorf("%v, no %q in\n%s", err, c.want, b.String())
		}
	}
	var b strings.Builder
	if err := printStatus(&b, client.Status{State: "ready"}, now); err != nil || strings.Contains(b.String(), "lease") {
		t.Errorf("%v, without one:\n%s", err, b.String())
	}
	f := newFakeServer(t)
	f.mux.HandleFunc("GET /api/status", func(w http.ResponseWriter, r *http.Request) {
		answer(w, 200, "application/json", map[string]any{"pod": "me", "state": "asleep", "lease_until": now, "max_lease_seconds": 3600})
	})
	var s client.Status
	if out, _, code := f.main(t).run(t, "", "status", "--json"); code != 0 || json.Unmarshal([]byte(out), &s) != nil || s.LeaseUntil == nil || !s.LeaseUntil.Equal(now) || s.MaxLease != 3600 {
		t.Errorf("json: exit %d, %s", code, out)
	}
}
