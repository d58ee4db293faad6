package server

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"podlife/model/podlifecycle"
	"podlife/runtime/client"
	"podlife/runtime/pod"
	"podlife/runtime/recording"
	"podlife/runtime/recording/cast"
)

func TestASessionIsRecordedOnceForAllItsTerminals(t *testing.T) {
	w := newRecordedWorld(t, nil, nil)
	one := w.watch(client.Hello{Client: "c1"})
	one.ready()
	two := w.watch(client.Hello{Client: "c2", ReadOnly: true})
	other := w.watch(client.Hello{Client: "c3", Tab: "other"})
	other.ready()
	one.types("gr€n")
	one.until("you said: gr€n\r\n$ ")
	for ctx := w.ctx(); one.told != 2; {
		one.step(ctx)
	}
	eventually(t, "both sessions are written", func() bool { return w.size() > 300 })
	if n := w.viewers("main"); n != 2 {
		t.Errorf("%d viewers in the list of tabs", n)
	}
	one.types("flood 200000")
	one.until("$ ")
	if err := one.term.Resize(100, 30); err != nil {
		t.Fatal(err)
	}
	w.until(one.term, "size", func(m client.Message) bool { z, ok := m.(client.Size); return ok && z.Cols == 100 })
	two.term.Close()
	one.types("exit 3")
	one.until("exit 3\r\n")
	w.closed(one.term)
	eventually(t, "the exit is recorded", func() bool {
		names, _ := filepath.Glob(filepath.Join(w.dir, "me.main.*.cast"))
		return len(names) == 1 && said(readWhole(names), cast.Exit) != ""
	})
	casts := w.casts()
	if len(casts) != 2 {
		t.Fatalf("%d recordings", len(casts))
	}
	if got := said(casts["main"], cast.Output); got != one.got.String() {
		t.Errorf("%d bytes are recorded, and %d were shown: %.80q", len(got), one.got.Len(), got)
	}
	if z, x, i := said(casts["main"], cast.Resize), said(casts["main"], cast.Exit), said(casts["main"], cast.Input); z != "100x30" || x != "3" || i != "" {
		t.Errorf("sizes %q, exit %q, input %q", z, x, i)
	}
	if got := said(casts["other"], cast.Output); got != "$ " {
		t.Errorf("of the other tab: %q", got)
	}
}

func TestARecordingGoesOnWhereTheRelayBroke(t *testing.T) {
	w := newRecordedWorld(t, nil, nil)
	one := w.watch(client.Hello{Client: "c1"})
	one.ready()
	for i := range 5 {
		before := one.got.Len()
		one.types("flood 50000")
		one.until("$ ")
		if i%2 == 0 {
			eventually(t, "the recording has something", func() bool { return w.size() > int64(before) })
			w.engine.Unavailable(true)
			w.engine.Unavailable(false) // all streams are cut
			w.attached(one.term)
		}
	}
	one.types("exit 0")
	one.until("exit 0\r\n")
	w.closed(one.term)
	eventually(t, "the exit is recorded", func() bool {
		names, _ := filepath.Glob(filepath.Join(w.dir, "*.cast"))
		return len(names) == 1 && said(readWhole(names), cast.Exit) == "0"
	})
	events := w.casts()["main"]
	if got := said(events, cast.Output); got != one.got.String() || said(events, cast.Marker) != "" {
		t.Errorf("%d bytes are recorded, and %d were shown; markers %q", len(got), one.got.Len(), said(events, cast.Marker))
	}
}

// stuck is a disk that takes nothing until it is released.
type stuck struct {
	recording.Files
	release chan struct{}
	waiting *atomic.Int32
}

type stuckFile struct {
	io.WriteCloser
	stuck
}

func (s stuck) Create(name string) (io.WriteCloser, error) {
	f, err := s.Files.Create(name)
	return stuckFile{f, s}, err
}

func (f stuckFile) Write(b []byte) (int, error) {
	f.waiting.Add(1)
	<-f.release
	return f.WriteCloser.Write(b)
}

func TestADiskThatHangsHoldsUpNoTerminal(t *testing.T) {
	s := stuck{release: make(chan struct{}), waiting: &atomic.Int32{}}
	w := newRecordedWorld(t, nil, func(f recording.Files) recording.Files { s.Files = f; return s })
	one := w.watch(client.Hello{Client: "c1"})
	one.ready()
	eventually(t, "a write hangs", func() bool { return s.waiting.Load() > 0 })
	for range 8 {
		one.types("flood 600000") // more than a window each, more than the ring in all
		one.until("$ ")
	}
	w.watch(client.Hello{Client: "c2"}) // and others are let in
	shown := one.got.Len()
	close(s.release)
	eventually(t, "the recording has caught up", func() bool {
		names, _ := filepath.Glob(filepath.Join(w.dir, "*.cast"))
		return strings.Contains(said(readWhole(names), cast.Marker), "missing")
	})
	got := said(w.casts()["main"], cast.Output)
	if !strings.HasSuffix(got, "$ ") || !strings.Contains(got, "\x18\x1bc") || shown < 8*600000 {
		t.Errorf("%d bytes recorded, %d shown", len(got), shown)
	}
}

// readWhole reads recordings that are being written, as far as they are.
func readWhole(names []string) (events []cast.Event) {
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		d, err := cast.NewDecoder(f)
		for err == nil {
			var e cast.Event
			if e, err = d.Next(); err == nil {
				events = append(events, e)
			}
		}
		f.Close()
	}
	return events
}

func TestARecordingHoldsNoPodAwakeAndEndsWithItsContainer(t *testing.T) {
	w := newRecordedWorld(t, func(o *pod.Options) { o.IdleTimeout = 300 * time.Millisecond }, nil)
	one := w.watch(client.Hello{Client: "c1"})
	one.ready()
	eventually(t, "the recording has begun", func() bool { return w.size() > 0 })
	one.term.Close()
	eventually(t, "the pod sleeps", func() bool { return w.pods.Pod("me").Status().State == podlifecycle.Asleep })
	again := w.watch(client.Hello{Client: "c1", Tab: "next"})
	again.ready()
	if got := said(w.casts()["main"], cast.Output); got != "$ " {
		t.Errorf("%q", got)
	}
}

func TestOnlyASessionOfTheIncarnationThatIsCanBeFollowed(t *testing.T) {
	w := newWorld(t, nil)
	p := w.pods.Pod("me")
	first, second := pod.Incarnation{Pod: "me", Inc: 1}, pod.Incarnation{Pod: "me", Inc: 2}
	w.attached(w.open(client.Hello{Client: "c1"}))
	if _, err := p.Follow(w.ctx(), first, 7, 0); !errors.Is(err, pod.ErrNoTab) {
		t.Errorf("a session that never was: %v", err)
	}
	if _, err := w.client("me").Destroy(w.ctx()); err != nil {
		t.Fatal(err)
	}
	var gone *pod.GoneError
	if _, err := p.Follow(w.ctx(), first, 7, 0); !errors.As(err, &gone) {
		t.Errorf("while it sleeps: %v", err)
	}
	if _, err := w.client("me").Boot(w.ctx(), "c2", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Follow(w.ctx(), first, 7, 0); !errors.As(err, &gone) {
		t.Errorf("of the incarnation before: %v", err)
	}
	if _, err := p.Follow(w.ctx(), second, 7, 0); !errors.Is(err, pod.ErrNoTab) {
		t.Errorf("of this one: %v", err)
	}
	if tabs, err := p.Tabs(w.ctx()); err != nil || len(tabs) != 0 {
		t.Errorf("%+v, %v: somebody started a session", tabs, err)
	}
}

func TestWithoutRecordingNothingIsSaidOfIt(t *testing.T) {
	w := newWorld(t, nil)
	if a := w.attached(w.open(client.Hello{Client: "c1"})); a.Recorded {
		t.Errorf("%+v", a)
	}
}
