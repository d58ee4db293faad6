package server

import (
	"slices"
	"testing"
	"time"

	"podlife/runtime/client"
	"podlife/runtime/pod"
)

// newIdleWorld has pods that sleep a moment after the last key.
func newIdleWorld(t *testing.T, idle time.Duration) *world {
	return newWorldOf(t, func(o *pod.Options) {
		o.IdleTimeout, o.TerminalIdle, o.IdleWarning = 50*time.Millisecond, idle, idle/2
	}, nil)
}

// idle waits until the terminal is warned, or that is taken back.
func (w *world) idle(term *client.Terminal, warned bool) client.Idle {
	w.t.Helper()
	m, _ := w.until(term, "idle", func(m client.Message) bool { i, ok := m.(client.Idle); return ok && i.Seconds > 0 == warned })
	return m.(client.Idle)
}

func TestAnIdleTerminalIsWarnedAndSleepsUnlessSomebodyTypes(t *testing.T) {
	w := newIdleWorld(t, 4*time.Second)
	one, two := w.open(client.Hello{Client: "c1"}), w.open(client.Hello{Client: "c2", ReadOnly: true})
	w.attached(one)
	w.attached(two)
	for what, keep := range map[string]func() error{
		"a key": func() error { _, err := one.Write([]byte("\n")); return err },
		"stay":  two.Stay, // also by who may not type
	} {
		if i := w.idle(one, true); i.SleepsAt.IsZero() || i.SleepsAt.After(time.Now().Add(6*time.Second)) {
			t.Errorf("%+v", i)
		}
		w.idle(two, true)
		if err := keep(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		w.idle(one, false)
		w.idle(two, false)
	}
	w.idle(one, true)
	if s := w.pods.Pod("me").Status(); s.SleepsAt.IsZero() || !slices.Equal(s.KeptAwakeBy, []string{"terminal"}) {
		t.Errorf("%+v", s)
	}
	for _, term := range []*client.Terminal{one, two} {
		if s := w.state(term, "asleep"); s.Reason != "idle" {
			t.Errorf("%+v", s)
		}
	}
	// Nothing boots by itself after it; a wish does.
	time.Sleep(100 * time.Millisecond)
	if s := w.pods.Pod("me").Status(); s.State.String() != "asleep" || s.Incarnation != 1 {
		t.Errorf("%+v", s)
	}
	if err := one.Boot(); err != nil {
		t.Fatal(err)
	}
	if at := w.attached(one); at.Incarnation < 2 {
		t.Errorf("%+v", at)
	}
}

func TestWhatIsPrintedKeepsThePodAwake(t *testing.T) {
	w := newIdleWorld(t, 3*time.Second)
	typist, watcher := w.open(client.Hello{Client: "c1"}), w.open(client.Hello{Client: "c2"})
	w.attached(typist)
	w.attached(watcher)
	for begun := time.Now(); time.Since(begun) < 5*time.Second; time.Sleep(100 * time.Millisecond) {
		w.says(typist, "echo", "you said: echo")
	}
	if s := w.pods.Pod("me").Status(); s.Incarnation != 1 || s.State.String() != "ready" {
		t.Errorf("%+v", s)
	}
}

func TestEachIsToldHowManyLook(t *testing.T) {
	w := newWorld(t, nil)
	viewers := func(term *client.Terminal, n int) {
		t.Helper()
		w.until(term, "viewers", func(m client.Message) bool { v, ok := m.(client.Viewers); return ok && v.Count == n })
	}
	one := w.open(client.Hello{Client: "c1"})
	w.attached(one)
	w.attached(w.open(client.Hello{Client: "c2", Tab: "other"}))
	two := w.open(client.Hello{Client: "c3"})
	w.attached(two)
	viewers(one, 2)
	viewers(two, 2)
	if err := two.Close(); err != nil {
		t.Fatal(err)
	}
	viewers(one, 1)
}
