package container_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
)

// asked gives everything that needs a process in the container, each with its error.
func (s *sim) asked(id pod.ContainerID, session string) map[string]error {
	s.t.Helper()
	sh, err := s.Shell(s.t.Context(), id, first, request(session))
	if err == nil {
		sh.Close()
	}
	return map[string]error{"shell": err, "boot": s.Boot(s.t.Context(), id, first, nil), "provisioned": s.Provisioned(s.t.Context(), id, first)}
}

func TestAPausedContainerIsUnseenAndNotGone(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		id := s.booted()
		if !s.engine.Pause(engine.ID(id)) {
			t.Fatal("not paused")
		}
		for what, err := range s.asked(id, "one") {
			var gone *pod.GoneError
			if errors.As(err, &gone) {
				t.Errorf("%s: a living container is %v", what, err)
			}
			if u := want[*pod.UnseenError](t, err); !strings.Contains(u.Error(), "the container is paused") {
				t.Errorf("%s: %v", what, u)
			}
		}
		if alive, err := s.Alive(t.Context(), id); !alive || err != nil {
			t.Errorf("alive: %v, %v", alive, err)
		}
		s.engine.Unpause(engine.ID(id))
		for what, err := range s.asked(id, "two") {
			if err != nil {
				t.Errorf("%s, after it was resumed: %v", what, err)
			}
		}
		s.engine.Pause(engine.ID(id))
		s.engine.Kill(engine.ID(id))
		for _, err := range s.asked(id, "three") {
			want[*pod.GoneError](t, err)
		}
	})
}

// One that was paused when it was asked and runs when it is looked at, or an engine that has lost its record of a process: the container is there.
func TestARefusalInAContainerThatIsSeenToRunIsUnseen(t *testing.T) {
	for _, kind := range []engine.Kind{engine.NotRunning, engine.NotFound} {
		for _, op := range []string{"exec", "wait"} {
			t.Run(op+" "+string(kind), func(t *testing.T) {
				inBubble(t, nil, func(t *testing.T, s *sim) {
					id := s.booted()
					s.engine.FailNext(op, &engine.Error{Op: op, Kind: kind})
					want[*pod.UnseenError](t, s.Provisioned(t.Context(), id, first))
				})
			})
		}
	}
	t.Run("and not seen either", func(t *testing.T) {
		inBubble(t, nil, func(t *testing.T, s *sim) {
			id := s.booted()
			s.engine.FailNext("exec", &engine.Error{Op: "exec", Kind: engine.NotFound})
			s.engine.FailNext("inspect", &engine.Error{Op: "inspect", Kind: engine.Unavailable})
			want[*pod.UnseenError](t, s.Provisioned(t.Context(), id, first))
		})
	})
}

// A process that was killed may have been killed with its container, so its code counts only when the container was seen to live.
func TestACodeOfAKilledProcessInAContainerOutOfSightIsUnseen(t *testing.T) {
	killed := func(context.Context, *simulated.Proc) int { return 137 }
	inBubble(t, program("check", killed), func(t *testing.T, s *sim) {
		id := s.booted()
		for range 100 { // more looks than it can take in the bubble's second
			s.engine.FailNext("inspect", &engine.Error{Op: "inspect", Kind: engine.Unavailable})
		}
		begun := time.Now()
		want[*pod.UnseenError](t, s.Provisioned(t.Context(), id, first))
		if took := time.Since(begun); took != time.Second {
			t.Errorf("after %s", took)
		}
	})
}

func TestCredentialsThatCannotBeHadFailTheRepositoryStepBeforeAnythingRuns(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		missing := errors.New("the token file /etc/token cannot be read")
		var credentials error
		s.options.Credentials = func() (string, string, error) { return "", "", credentials }
		s.Containers = s.another("sim")
		id := s.launched()
		credentials = missing
		var told []string
		err := s.Boot(t.Context(), id, first, func(p pod.Progress) { told = append(told, p.Step) })
		if failed := want[*pod.BootError](t, err); failed.Step != "repository" || failed.ExitCode != 0 || !strings.Contains(failed.Error(), "/etc/token") || !errors.Is(err, missing) {
			t.Errorf("%#v", failed)
		}
		if in := s.setup(id); in.Multiplexer || told != nil {
			t.Errorf("the script ran: %+v, %v", in, told)
		}
		// A boot that has nothing to do needs no credentials, and one that cannot be looked at has not failed.
		credentials = nil
		if err := s.Boot(t.Context(), id, first, nil); err != nil {
			t.Fatal(err)
		}
		credentials = missing
		if err := s.Boot(t.Context(), id, first, nil); err != nil {
			t.Errorf("of a provisioned container: %v", err)
		}
		s.engine.Pause(engine.ID(id))
		err = s.Boot(t.Context(), id, first, nil)
		if want[*pod.UnseenError](t, err); errors.Is(err, missing) {
			t.Errorf("while paused: %v", err)
		}
	})
}
