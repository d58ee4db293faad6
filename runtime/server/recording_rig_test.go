package server

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podlife/runtime/client"
	"podlife/runtime/pod"
	"podlife/runtime/recording"
	"podlife/runtime/recording/cast"
)

// recordedWorld is a server that records into a folder.
type recordedWorld struct {
	*world
	dir      string
	recorder *recording.Recorder
}

func newRecordedWorld(t *testing.T, pods func(*pod.Options), files func(recording.Files) recording.Files) *recordedWorld {
	t.Helper()
	r := &recordedWorld{dir: filepath.Join(t.TempDir(), "recordings")}
	folder, err := recording.OpenFolder(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	o := recording.Options{Files: folder, Logger: slog.New(slog.DiscardHandler)}
	if files != nil {
		o.Files = files(folder)
	}
	r.recorder = recording.New(o)
	r.world = newWorldOf(t, pods, func(o *Options) { o.Record = r.recorder.Attached })
	t.Cleanup(r.recorder.Close) // before the world's end
	return r
}

// casts gives the events of each recording, by tab, once the recorder is closed.
func (r *recordedWorld) casts() map[string][]cast.Event {
	r.t.Helper()
	r.recorder.Close()
	names, err := filepath.Glob(filepath.Join(r.dir, "me.*.cast"))
	if err != nil {
		r.t.Fatal(err)
	}
	all := map[string][]cast.Event{}
	for _, name := range names {
		tab := strings.Split(filepath.Base(name), ".")[1]
		if all[tab] != nil {
			r.t.Errorf("tab %s has two recordings: %q", tab, names)
		}
		all[tab] = readCast(r.t, name)
	}
	return all
}

func readCast(t *testing.T, name string) (events []cast.Event) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := cast.NewDecoder(f)
	if err != nil {
		t.Fatal(err)
	}
	for {
		e, err := d.Next()
		if err == io.EOF {
			return events
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
}

// said is the output of a recording, or with another code what else it has of that.
func said(events []cast.Event, code string) string {
	var b strings.Builder
	for _, e := range events {
		if e.Code == code {
			b.WriteString(e.Data)
		}
	}
	return b.String()
}

// watched is a terminal, and all that it was shown.
type watched struct {
	w    *recordedWorld
	term *client.Terminal
	got  strings.Builder
	told int // how many look, when that was said last
}

func (r *recordedWorld) watch(h client.Hello) *watched {
	r.t.Helper()
	h.Cols, h.Rows = 80, 24
	v := &watched{w: r, term: r.open(h)}
	if a := r.attached(v.term); !a.Recorded {
		r.t.Errorf("it is not said that the session is recorded: %+v", a)
	}
	return v
}

// ready reads until a new session's prompt is there: in the picture with which a terminal begins, or behind it.
func (v *watched) ready() {
	v.w.t.Helper()
	m, _ := v.w.until(v.term, "live", func(m client.Message) bool { _, ok := m.(client.Live); return ok })
	v.got.WriteString("$ "[:m.(client.Live).From])
	if v.got.Len() < 2 {
		v.until("$ ")
	}
}

// until reads until it was shown something that ends with a text.
func (v *watched) until(text string) {
	v.w.t.Helper()
	for ctx := v.w.ctx(); !v.step(ctx) || !strings.HasSuffix(v.got.String(), text); {
	}
}

// step takes one message. True when it was output.
func (v *watched) step(ctx context.Context) bool {
	v.w.t.Helper()
	m, err := v.term.Next(ctx)
	if err != nil {
		v.w.t.Fatalf("%v; it was shown %d bytes, the last %q", err, v.got.Len(), last(v.got.String(), 80))
	}
	switch m := m.(type) {
	case client.Output:
		v.got.Write(m)
		return true
	case client.Viewers:
		v.told = m.Count
	case client.Reset, client.Closed:
		v.w.t.Fatalf("%+v", m)
	}
	return false
}

func last(s string, n int) string { return s[max(0, len(s)-n):] }

func (v *watched) types(line string) {
	v.w.t.Helper()
	if _, err := v.term.Write([]byte(line + "\n")); err != nil {
		v.w.t.Fatal(err)
	}
}

// viewers is what the list of tabs says of one.
func (r *recordedWorld) viewers(tab string) int {
	r.t.Helper()
	code, body := call(r.t, http.DefaultClient, "GET", r.base+"/api/tabs", "", "Authorization", "Bearer me")
	var a struct {
		Tabs []struct {
			Name    string `json:"name"`
			Viewers int    `json:"viewers"`
		} `json:"tabs"`
	}
	if err := json.Unmarshal([]byte(body), &a); code != 200 || err != nil {
		r.t.Fatalf("%d %s", code, body)
	}
	for _, t := range a.Tabs {
		if t.Name == tab {
			return t.Viewers
		}
	}
	return -1
}

// eventually waits for what happens soon.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// size is how many bytes the folder's recordings have.
func (r *recordedWorld) size() (n int64) {
	names, _ := filepath.Glob(filepath.Join(r.dir, "*.cast"))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			n += info.Size()
		}
	}
	return n
}
