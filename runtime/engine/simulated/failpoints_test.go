package simulated

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"podlife/runtime/engine"
)

// inBubble runs a test in a synctest bubble with an engine and one running container. Whatever the engine leaves running or waiting fails the test.
func inBubble(t *testing.T, f func(t *testing.T, ctx context.Context, e *Engine, id engine.ID)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e := newEngine(t)
		f(t, t.Context(), e, start(t, e, "first"))
	})
}

func start(t *testing.T, e *Engine, name string) engine.ID {
	t.Helper()
	id, err := e.Create(t.Context(), specOf(name))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	return id
}

func specOf(name string) engine.Spec {
	return engine.Spec{Name: name, Image: "image", Command: []string{"idle"}, Network: "none", Labels: map[string]string{"name": name}, Env: []string{"A=1"}}
}

// async runs a call and gives its error when it comes.
func async(f func() error) <-chan error {
	c := make(chan error, 1)
	go func() { c <- f() }()
	return c
}

func wantKind(t *testing.T, what string, err error, want engine.Kind) {
	t.Helper()
	if engine.KindOf(err) != want {
		t.Errorf("%s: got %v (kind %q), want kind %q", what, err, engine.KindOf(err), want)
	}
}

func pending(c <-chan error) bool { return len(c) == 0 }

func TestAHeldCallTakesEffectOnlyWhenReleased(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, e *Engine, id engine.ID) {
		release, entered := e.Hold("remove", func(s string) bool { return s == string(id) })
		done := async(func() error { return e.Remove(ctx, id) })
		<-entered
		synctest.Wait()
		if c, err := e.Inspect(ctx, id); err != nil || c.State != engine.Running || !pending(done) {
			t.Errorf("while held: %+v, %v", c, err)
		}
		if err := e.Remove(ctx, id); err != nil { // only one call is held
			t.Error(err)
		}
		release()
		release()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestAHeldCallOfAnotherSubjectPasses(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, e *Engine, id engine.ID) {
		release, entered := e.Hold("start", func(s string) bool { return s == "none of ours" })
		defer release()
		start(t, e, "second")
		select {
		case <-entered:
			t.Error("another container's start was held")
		default:
		}
	})
}

func TestALateReplyComesAfterItsEffect(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, e *Engine, id engine.ID) {
		other, err := e.Create(ctx, specOf("second"))
		if err != nil {
			t.Fatal(err)
		}
		release, entered := e.HoldAfter("start", nil)
		done := async(func() error { return e.Start(ctx, other) })
		<-entered
		if c, err := e.Inspect(ctx, other); err != nil || c.State != engine.Running || !pending(done) {
			t.Errorf("before the reply: %+v, %v", c, err)
		}
		if err := e.Remove(ctx, other); err != nil {
			t.Error(err)
		}
		release()
		if err := <-done; err != nil { // it was started, only long ago
			t.Error(err)
		}
		_, err = e.Inspect(ctx, other)
		wantKind(t, "inspect", err, engine.NotFound)
	})
}

func TestAHeldCallWhoseContextEndsIsCanceled(t *testing.T) {
	for name, hold := range map[string]func(*Engine, string, func(string) bool) (func(), <-chan struct{}){"before": (*Engine).Hold, "after": (*Engine).HoldAfter} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, ctx context.Context, e *Engine, id engine.ID) {
				release, _ := hold(e, "create", nil)
				defer release()
				ctx, cancel := context.WithTimeout(ctx, time.Hour) // the bubble's time: no wait
				defer cancel()
				_, err := e.Create(ctx, specOf("second"))
				wantKind(t, "create", err, engine.Canceled)
				cs, err := e.List(t.Context(), nil)
				if err != nil || len(cs) != 1 {
					t.Errorf("%+v, %v: a create that failed left something", cs, err)
				}
			})
		})
	}
}

func TestFailNextFailsOneCallWithoutEffect(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, e *Engine, id engine.ID) {
		cause := errors.New("disk full")
		e.FailNext("remove", cause)
		e.FailNext("remove", &engine.Error{Op: "remove", Kind: engine.Unavailable})
		err := e.Remove(ctx, id)
		wantKind(t, "first", err, engine.Failed)
		if !errors.Is(err, cause) {
			t.Errorf("%v does not hold the cause", err)
		}
		wantKind(t, "second", e.Remove(ctx, id), engine.Unavailable)
		if c, err := e.Inspect(ctx, id); err != nil || c.State != engine.Running {
			t.Errorf("%+v, %v", c, err)
		}
		if err := e.Remove(ctx, id); err != nil {
			t.Error(err)
		}
		if n := e.Calls("remove"); n != 3 {
			t.Errorf("%d calls counted, want 3", n)
		}
	})
}

func TestWhileItIsDownNothingIsKnownAndNothingIsLost(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, e *Engine, id engine.ID) {
		p, err := e.Exec(ctx, id, engine.ExecSpec{Command: []string{"echo"}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = p.Close() }()
		read := async(func() error { _, err := io.ReadAll(p); return err })
		wait := async(func() error { _, err := p.Wait(ctx); return err })
		watch := async(func() error { return e.Watch(ctx, nil, func() {}, func(engine.Event) {}) })
		synctest.Wait()
		if !pending(read) || !pending(wait) || !pending(watch) {
			t.Fatal("one of the calls did not block")
		}
		e.Unavailable(true)
		wantKind(t, "read", <-read, engine.Unavailable)
		wantKind(t, "wait", <-wait, engine.Unavailable)
		wantKind(t, "watch", <-watch, engine.Unavailable)
		_, err = e.Inspect(ctx, id)
		wantKind(t, "inspect", err, engine.Unavailable)
		e.Unavailable(false)
		if c, err := e.Inspect(ctx, id); err != nil || c.State != engine.Running {
			t.Errorf("afterwards: %+v, %v", c, err)
		}
		if code, err := p.Wait(ctx); err != nil || code != 0 { // its input ended when its connection did
			t.Errorf("wait afterwards = %d, %v", code, err)
		}
	})
}

func TestAKillIsSeenAsOneDeathAndOOMIsTold(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, e *Engine, id engine.ID) {
		var events []engine.Event
		watch := async(func() error {
			return e.Watch(ctx, nil, func() {}, func(ev engine.Event) { events = append(events, ev) })
		})
		synctest.Wait()
		if !e.KillOOM(id) || e.Kill(id) || e.Kill("none") {
			t.Error("kill does not say whether there was something to kill")
		}
		synctest.Wait()
		if len(events) != 1 || events[0].ID != id || events[0].Type != engine.Died {
			t.Errorf("events %+v", events)
		}
		if c, err := e.Inspect(ctx, id); err != nil || c.State != engine.Exited || c.ExitCode != 137 || !c.OOMKilled {
			t.Errorf("%+v, %v", c, err)
		}
		e.Unavailable(true)
		<-watch
	})
}

func TestFilesLiveAndDieWithTheContainer(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, e *Engine, id engine.ID) {
		f, ok := e.Files(id)
		if !ok {
			t.Fatal("no files")
		}
		if err := errors.Join(f.Write("/a/x", []byte("1")), f.Write("a/y", nil), f.Rename("/a/x", "/a/z"), f.Write("/ab", nil)); err != nil {
			t.Error(err)
		}
		if _, err := f.Read("/a/x"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("renamed file: %v", err)
		}
		if b, err := f.Read("/a/../a/z"); string(b) != "1" || err != nil {
			t.Errorf("%q, %v", b, err)
		}
		e.Kill(id)
		if got := f.Names(); !slices.Equal(got, []string{"/a/y", "/a/z", "/ab"}) {
			t.Errorf("after the kill: %v", got)
		}
		if err := f.RemoveAll("/a"); err != nil || !slices.Equal(f.Names(), []string{"/ab"}) {
			t.Errorf("%v, %v", f.Names(), err)
		}
		if err := e.Remove(ctx, id); err != nil {
			t.Error(err)
		}
		if err := f.Write("/late", nil); !errors.Is(err, fs.ErrNotExist) || len(f.Names()) != 0 {
			t.Errorf("after the removal: %v, %v", f.Names(), err)
		}
		if _, ok := e.Files(id); ok {
			t.Error("files of a removed container")
		}
	})
}
