package container_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
)

func TestAFailedLaunchLeavesNothing(t *testing.T) {
	boom := errors.New("boom")
	for name, spoil := range map[string]func(*sim){
		"create": func(s *sim) { s.engine.FailNext("create", boom) },
		"start":  func(s *sim) { s.engine.FailNext("start", boom) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, s *sim) {
				spoil(s)
				_, err := s.Launch(t.Context(), first)
				if failed := want[*pod.BootError](t, err); failed.Step != "start" || !errors.Is(err, boom) {
					t.Errorf("%#v", failed)
				}
				if found, err := s.List(t.Context()); len(found) != 0 || err != nil {
					t.Errorf("left: %v, %v", found, err)
				}
			})
		})
	}
	t.Run("given up while starting", func(t *testing.T) {
		inBubble(t, nil, func(t *testing.T, s *sim) {
			ctx, cancel := context.WithCancel(t.Context())
			_, entered := s.engine.HoldAfter("start", nil)
			result := make(chan error, 1)
			go func() {
				_, err := s.Launch(ctx, first)
				result <- err
			}()
			<-entered
			cancel()
			wantUnknown(t, <-result)
			if found, err := s.List(t.Context()); len(found) != 0 || err != nil {
				t.Errorf("left: %v, %v", found, err)
			}
		})
	})
}

// wantUnknown wants a launch of which nothing is known, which is no failed boot.
func wantUnknown(t *testing.T, err error) {
	t.Helper()
	want[*pod.UnseenError](t, err)
	var failed *pod.BootError
	if errors.As(err, &failed) {
		t.Errorf("also a failed boot: %v", err)
	}
}

func TestALaunchOutOfSightIsNoFailedBootAndTheNextOneCleansUp(t *testing.T) {
	away := &engine.Error{Op: "x", Kind: engine.Unavailable}
	conflict := &engine.Error{Op: "create", Kind: engine.Conflict}
	for name, lose := range map[string]func(s *sim){
		"before anything":                 func(s *sim) { s.engine.Unavailable(true) },
		"with a container made":           func(s *sim) { s.goesAwayAfterCreate() },
		"start refused, clean-up unseen":  func(s *sim) { s.engine.FailNext("start", errors.New("boom")); s.engine.FailNext("list", away) },
		"name taken, the holder not seen": func(s *sim) { s.engine.FailNext("create", conflict); s.engine.FailNext("list", away) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, s *sim) {
				lose(s)
				_, err := s.Launch(t.Context(), first)
				wantUnknown(t, err)
				s.engine.Unavailable(false)
				id := s.launched()
				if found, err := s.List(t.Context()); err != nil || len(found) != 1 || found[0].Container != id || !found[0].Running {
					t.Errorf("after the next launch: %v, %v, want only %s", found, err, id)
				}
			})
		})
	}
}

// goesAwayAfterCreate takes the engine away when the next container was made, so that it can neither be started nor removed.
func (s *sim) goesAwayAfterCreate() {
	release, entered := s.engine.HoldAfter("create", nil)
	go func() { // ends with the call, which the test makes
		<-entered
		s.engine.Unavailable(true)
		release()
	}()
}

// What held the name may have been removed between the refusal and the look.
func TestALeftoverThatIsGoneBeforeItIsLookedForIsNoForeignContainer(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		s.engine.FailNext("create", &engine.Error{Op: "create", Kind: engine.Conflict})
		if id, err := s.Launch(t.Context(), first); err != nil || id == "" {
			t.Errorf("got %q, %v", id, err)
		}
	})
}

func TestALeftoverOfThisIncarnationIsReplacedAndAForeignContainerIsNot(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		left := s.launched()
		id := s.launched()
		if id == left {
			t.Error("the leftover was taken for the new one")
		}
		_, err := s.another("other").Launch(t.Context(), first)
		want[*pod.BootError](t, err)
		if engine.KindOf(err) != engine.Conflict {
			t.Errorf("got %v", err)
		}
		if alive, err := s.Alive(t.Context(), id); !alive || err != nil {
			t.Errorf("the foreign container: %v, %v", alive, err)
		}
	})
}

func TestListGivesLabelsThatMakeNoSenseAsNobodys(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		spec := engine.Spec{Name: "odd", Image: "stock", Network: "none", Command: []string{boot.AgentPath, "agent", "init"},
			Labels: map[string]string{container.LabelInstance: "sim", container.LabelPod: "alice", container.LabelIncarnation: "01"}}
		id, err := s.engine.Create(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.List(t.Context())
		if err != nil || len(found) != 1 || found[0] != (pod.Found{Incarnation: pod.Incarnation{Pod: "alice"}, Container: pod.ContainerID(id)}) {
			t.Errorf("%+v, %v", found, err)
		}
	})
}

// watching runs Watch and gives what it tells.
func (s *sim) watching() (lists chan []pod.Found, died chan pod.ContainerID, stop func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	lists, died = make(chan []pod.Found, 100), make(chan pod.ContainerID, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Watch(ctx, func(f []pod.Found) { lists <- f }, func(c pod.ContainerID) { died <- c })
	}()
	return lists, died, func() { cancel(); <-ended }
}

func TestWatchTellsOfWhatDiedAndListsAgainAfterABreak(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		id := s.launched()
		lists, died, stop := s.watching()
		defer stop()
		if f := <-lists; len(f) != 1 || !f[0].Running {
			t.Errorf("listed %v", f)
		}
		s.engine.Unavailable(true)
		time.Sleep(5 * time.Second) // the bubble's time
		if len(lists)+len(died) != 0 {
			t.Error("told something without seeing anything")
		}
		s.engine.Unavailable(false)
		back := time.Now()
		if f := <-lists; len(f) != 1 || time.Since(back) > 2*time.Second {
			t.Errorf("listed %v after %s", f, time.Since(back))
		}
		s.engine.Kill(engine.ID(id))
		if c := <-died; c != id {
			t.Errorf("told of %s", c)
		}
		killed := time.Now()
		if f := <-lists; len(f) != 1 || f[0].Running || time.Since(killed) > time.Minute {
			t.Errorf("the next list, after %s: %v", time.Since(killed), f)
		}
	})
}

// An event that nobody can confirm is kept for the next list.
func TestWatchDoesNotBelieveAnEventThatItCannotConfirm(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		id := s.launched()
		lists, died, stop := s.watching()
		defer stop()
		<-lists
		s.engine.FailNext("inspect", &engine.Error{Op: "inspect", Kind: engine.Unavailable})
		s.engine.Kill(engine.ID(id))
		synctest.Wait()
		if len(died) != 0 {
			t.Error("told of a death that was not seen")
		}
		if f := <-lists; len(f) != 1 || f[0].Running {
			t.Errorf("the next list: %v", f)
		}
	})
}

func TestOptionsThatCanOnlyFailAreRefused(t *testing.T) {
	good := container.Options{Engine: simulated.New(simulated.Options{}), Instance: "i", NamePrefix: "p", Image: "stock", AgentPath: "/agent"}
	if _, err := container.New(good); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*container.Options){
		"engine":   func(o *container.Options) { o.Engine = nil },
		"instance": func(o *container.Options) { o.Instance = "a b" },
		"prefix":   func(o *container.Options) { o.NamePrefix = "-x" },
		"image":    func(o *container.Options) { o.Image = "" },
		"agent":    func(o *container.Options) { o.AgentPath = "" },
		"timeout":  func(o *container.Options) { o.BootTimeout = -1 },
		"recipe":   func(o *container.Options) { o.Recipe.Repo.URL = "https://user:secret@example.org/x.git" },
	} {
		o := good
		spoil(&o)
		_, err := container.New(o)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
