package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"podlife/runtime/client"
	"podlife/runtime/pod"
	"podlife/runtime/store"
)

// extend asks for a lease of the pod me, with a body as it is.
func (w *world) extend(body string) (status int, answer string) {
	w.t.Helper()
	return call(w.t, http.DefaultClient, "POST", w.base+"/api/extend", body, "Authorization", "Bearer me")
}

// leased asks for a lease of the pod me, gets it, and wants it to last about so long.
func (w *world) leased(ask, want time.Duration) client.Lease {
	w.t.Helper()
	l, err := w.client("me").Extend(w.ctx(), ask)
	if err != nil {
		w.t.Fatal(err)
	}
	if left := time.Until(l.Until); left > want+time.Millisecond || left < want-time.Minute {
		w.t.Errorf("asked for %s: %s are left, want %s", ask, left, want)
	}
	return l
}

// status is that of the pod me.
func (w *world) status() client.Status {
	w.t.Helper()
	s, err := w.client("me").Status(w.ctx())
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) boot() {
	w.t.Helper()
	if _, err := w.client("me").Boot(w.ctx(), "c1", nil); err != nil {
		w.t.Fatal(err)
	}
}

func TestALeaseOfASleepingPodWakesNothingAndIsToldInItsStatus(t *testing.T) {
	w := newWorld(t, nil)
	if s := w.status(); s.LeaseUntil != nil || s.MaxLease != 24*60*60 {
		t.Errorf("before: %+v", s)
	}
	code, body := w.extend(`{"for":"8h"}`)
	var raw map[string]any
	if err := json.Unmarshal([]byte(body), &raw); err != nil || code != 200 {
		t.Fatalf("%d %s %v", code, body, err)
	}
	until, err := time.Parse(time.RFC3339, raw["lease_until"].(string))
	if sleeps, has := raw["sleeps_at"]; err != nil || !has || sleeps != nil || raw["longer"] != nil || time.Until(until) > 8*time.Hour+time.Millisecond || time.Until(until) < 7*time.Hour {
		t.Errorf("%s", body)
	}
	s := w.status()
	if s.State != "asleep" || s.Incarnation != 0 || len(s.KeptAwakeBy) > 0 || s.SleepsAt != nil || s.LeaseUntil == nil || !s.LeaseUntil.Equal(until) {
		t.Errorf("after: %+v", s)
	}
	if n := w.engine.Calls("create"); n != 0 {
		t.Errorf("%d containers were made", n)
	}
	if s, err := w.client("you").Status(w.ctx()); err != nil || s.LeaseUntil != nil {
		t.Errorf("another's: %+v, %v", s, err)
	}
}

func TestALeaseKeepsAPodAwakeThatNobodyUses(t *testing.T) {
	w := newWorld(t, nil)
	w.boot()
	l := w.leased(8*time.Hour, 8*time.Hour)
	s := w.status()
	if !slices.Equal(s.KeptAwakeBy, []string{"lease"}) || s.SleepsAt == nil || !s.SleepsAt.Equal(l.Until) || l.SleepsAt == nil || !l.SleepsAt.Equal(l.Until) {
		t.Errorf("%+v, lease %+v", s, l)
	}
}

func TestALeaseThatIsAskedForNeverMakesOneShorter(t *testing.T) {
	w := newWorld(t, nil)
	first := w.leased(8*time.Hour, 8*time.Hour)
	second := w.leased(time.Hour, 8*time.Hour)
	if first.Longer || !second.Longer || !second.Until.Equal(first.Until) {
		t.Errorf("%+v, then %+v", first, second)
	}
	if third := w.leased(9*time.Hour, 9*time.Hour); third.Longer {
		t.Errorf("%+v", third)
	}
}

func TestALeaseOutlivesSleepBootAndARestartOfTheServer(t *testing.T) {
	w := newWorld(t, nil)
	w.boot()
	want := w.leased(8*time.Hour, 8*time.Hour).Until
	same := func(when, state string) {
		t.Helper()
		if s := w.status(); s.State != state || s.LeaseUntil == nil || !s.LeaseUntil.Equal(want) || slices.Contains(s.KeptAwakeBy, "lease") != (state != "asleep") {
			t.Errorf("%s: %+v, want a lease until %s", when, s, want)
		}
	}
	restart := func() {
		t.Helper()
		w.stop()
		w.serve(nil, nil)
	}
	same("given", "ready")
	restart()
	same("a restart under it", "ready")
	if _, err := w.client("me").Destroy(w.ctx()); err != nil {
		t.Fatal(err)
	}
	same("asleep", "asleep")
	restart()
	same("a restart in its sleep", "asleep")
	w.boot()
	same("awake again", "ready")
	if l := w.leased(time.Hour, 8*time.Hour); !l.Longer {
		t.Errorf("after the restarts: %+v", l)
	}
}

// The clock is the real one here: what is short is the idle timeout. How long a lease lasts is tested where the clock is a fake one.
func TestTheIdleSweepPassesALeasedPodBy(t *testing.T) {
	w := newWorldOf(t, func(o *pod.Options) { o.IdleTimeout = 20 * time.Millisecond }, nil)
	w.leased(time.Hour, time.Hour)
	w.boot()
	if _, err := w.client("you").Boot(w.ctx(), "c1", nil); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); w.pods.Pod("you").Status().State.String() != "asleep"; time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatal("the pod without a lease does not sleep")
		}
	}
	if s := w.status(); s.State != "ready" || s.Incarnation != 1 {
		t.Errorf("%+v", s)
	}
}

func TestWhatIsNoLeaseIsRefusedAndChangesNothing(t *testing.T) {
	w := newWorld(t, nil)
	want := w.leased(time.Hour, time.Hour).Until
	for body, want := range map[string]struct {
		status     int
		code, says string
	}{
		``:                                 {400, "bad_lease", "at most 24h from now"},
		`{}`:                               {400, "bad_lease", "with a unit, such as 30m or 8h"},
		`{"for":""}`:                       {400, "bad_lease", "24h"},
		`{"for":"0"}`:                      {400, "bad_lease", "more than 0"},
		`{"for":"-8h"}`:                    {400, "bad_lease", "more than 0"},
		`{"for":"24h0m0.000000001s"}`:      {400, "bad_lease", "at most 24h"},
		`{"for":"9999999h"}`:               {400, "bad_lease", "at most 24h"},
		`{"for":"-9223372036854775808ns"}`: {400, "bad_lease", "more than 0"},
		`{"for":"8"}`:                      {400, "bad_lease", "with a unit"},
		`{"for":"8 h"}`:                    {400, "bad_lease", "with a unit"},
		`{"for":"NaN"}`:                    {400, "bad_lease", "with a unit"},
		`{"for":"NaNh"}`:                   {400, "bad_lease", "with a unit"},
		`{"for":"Infh"}`:                   {400, "bad_lease", "with a unit"},
		`{"for":"1e3h"}`:                   {400, "bad_lease", "with a unit"},
		`{"for":"8h\u0000"}`:               {400, "bad_lease", "with a unit"},
		`{"for":null}`:                     {400, "bad_lease", "with a unit"},
		`{"for":8}`:                        {400, "bad_request", "JSON object"},
		`{"for":NaN}`:                      {400, "bad_request", "JSON object"},
		`{"for":["8h"]}`:                   {400, "bad_request", "JSON object"},
		`"8h"`:                             {400, "bad_request", "JSON object"},
		`{"for":"8h","fro":"9h"}`:          {400, "bad_request", "fro"},
		`{"for":"8h"} {"for":"9h"}`:        {400, "bad_request", "behind"},
		`{"for":"8h`:                       {400, "bad_request", "JSON object"},
		`{"for":"` + strings.Repeat("8h", 1<<16) + `"}`:  {413, "bad_request", "65536"},
		`{"for":"` + strings.Repeat("9", 60_000) + `h"}`: {400, "bad_lease", "at most 24h"},
	} {
		status, answer := w.extend(body)
		var p problem
		if err := json.Unmarshal([]byte(answer), &p); err != nil || status != want.status || p.Status != status || p.Code != want.code || !strings.Contains(p.Detail, want.says) {
			t.Errorf("%.60s: %d %.300s, want %+v", body, status, answer, want)
		}
	}
	if s := w.status(); s.LeaseUntil == nil || !s.LeaseUntil.Equal(want) {
		t.Errorf("%+v, want the lease until %s", s, want)
	}
	if code, body := call(t, http.DefaultClient, "GET", w.base+"/api/extend", "", "Authorization", "Bearer me"); code == 200 {
		t.Errorf("a GET: %s", body)
	}
	if code, body := call(t, http.DefaultClient, "POST", w.base+"/api/extend", `{"for":"8h"}`, "Authorization", "Bearer me", "Origin", "https://evil.example"); code != 403 || !strings.Contains(body, "forbidden_origin") {
		t.Errorf("another site: %d %s", code, body)
	}
}

func TestAServerThatGivesNoLeasesSaysSoAndKeepsThoseThatWereGiven(t *testing.T) {
	w := newWorld(t, nil)
	want := w.leased(time.Hour, time.Hour).Until
	w.stop()
	w.serve(func(o *pod.Options) { o.MaxLease = 0 }, nil)
	for _, body := range []string{`{"for":"1h"}`, `{"for":"soon"}`, ``} {
		if status, answer := w.extend(body); status != 403 || !strings.Contains(answer, `"no_leases"`) || !strings.Contains(answer, "max_lease") {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	if s := w.status(); s.MaxLease != 0 || s.LeaseUntil == nil || !s.LeaseUntil.Equal(want) {
		t.Errorf("%+v", s)
	}
	w.stop()
	w.serve(func(o *pod.Options) { o.Leases = nil }, nil)
	if status, answer := w.extend(`{"for":"1h"}`); status != 403 || !strings.Contains(answer, `"no_leases"`) {
		t.Errorf("without a store of them: %d %s", status, answer)
	}
	if s := w.status(); s.MaxLease != 0 || s.LeaseUntil != nil {
		t.Errorf("without a store of them: %+v", s)
	}
}

// fullDisk keeps no further leases while it is full.
type fullDisk struct {
	*store.Store
	full atomic.Bool
}

func (d *fullDisk) SaveLease(ctx context.Context, id pod.ID, until time.Time) error {
	if d.full.Load() {
		return errors.New("no space left on /a/secret/place")
	}
	return d.Store.SaveLease(ctx, id, until)
}

func TestALeaseThatCannotBeStoredIsNotGiven(t *testing.T) {
	var disk fullDisk
	w := newWorldOf(t, func(o *pod.Options) { disk.Store = o.Leases.(*store.Store); o.Leases = &disk }, nil)
	want := w.leased(time.Hour, time.Hour).Until
	disk.full.Store(true)
	if status, answer := w.extend(`{"for":"2h"}`); status != 503 || !strings.Contains(answer, `"store_unavailable"`) || strings.Contains(answer, "secret") {
		t.Errorf("%d %s", status, answer)
	}
	if s := w.status(); s.LeaseUntil == nil || !s.LeaseUntil.Equal(want) {
		t.Errorf("%+v, want the lease until %s", s, want)
	}
	disk.full.Store(false)
	w.leased(2*time.Hour, 2*time.Hour)
}
