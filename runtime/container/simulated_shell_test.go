package container_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"podlife/runtime/container"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
	"podlife/runtime/pod/podtest"
)

// shell opens a terminal as a stream.
func (s *sim) shell(c *container.Containers, id pod.ContainerID, req pod.ShellRequest) *podtest.Stream {
	s.t.Helper()
	sh, err := c.Shell(s.t.Context(), id, first, req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { sh.Close() })
	return podtest.NewStream(s.t.Context(), sh)
}

func (s *sim) types(sh *podtest.Stream, text string) {
	s.t.Helper()
	if _, err := sh.Write([]byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

func TestAShellHasItsSizeItsSetupAndItsExitCode(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		sh := s.shell(s.Containers, s.booted(), request("one"))
		s.types(sh, "stty size\nprobe\nexit 5\n")
		readUntil(t, sh, "30 100\r\n")
		readUntil(t, sh, "probe multiplexer=true repo=true\r\n")
		if code, err := sh.Wait(); code != 5 || err != nil {
			t.Errorf("got %d, %v", code, err)
		}
	})
}

func TestATerminalOutlivesTheContextThatOpenedIt(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		ctx, cancel := context.WithCancel(t.Context())
		sh, err := s.Shell(ctx, s.booted(), first, request("one"))
		if err != nil {
			t.Fatal(err)
		}
		defer sh.Close()
		cancel()
		synctest.Wait()
		stream := podtest.NewStream(t.Context(), sh)
		s.types(stream, "probe\n")
		readUntil(t, stream, "multiplexer=true")
	})
}

// The session lives on when its terminal leaves, and the next one goes on where that was.
func TestASessionOutlivesItsTerminals(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		id := s.booted()
		one := s.shell(s.Containers, id, request("one"))
		s.types(one, "first\n")
		readUntil(t, one, "you said: first\r\n$ ")
		opened := one.Opened()
		have := uint64(len("$ first\r\nyou said: first\r\n$ "))
		one.Close()
		req := request("two")
		req.Epoch, req.Have = opened.Epoch, have
		two := s.shell(s.Containers, id, req)
		if o := two.Opened(); o.Reset || o.Started || o.Epoch != opened.Epoch || o.Have != have {
			t.Errorf("%+v, after %+v", o, opened)
		}
		s.types(two, "second\n")
		readUntil(t, two, "second\r\nyou said: second\r\n$ ")
		// Another server is another connection to the same sessions.
		three := s.shell(s.another("sim"), id, request("three"))
		if o := three.Opened(); !o.Reset || o.Started || o.Epoch != opened.Epoch {
			t.Errorf("%+v", o)
		}
		readUntil(t, three, "you said: first")
	})
}

func TestATerminalWhoseContainerDiesIsGone(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		id := s.booted()
		sh := s.shell(s.Containers, id, request("one"))
		s.engine.Kill(engine.ID(id))
		_, err := sh.Wait()
		want[*pod.GoneError](t, err)
		_, err = s.Shell(t.Context(), id, first, request("two"))
		want[*pod.GoneError](t, err)
	})
}

// A connection that breaks while its container lives is no end of the session.
func TestAConnectionThatBreaksIsLostAndMadeAnew(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		id := s.booted()
		sh := s.shell(s.Containers, id, request("one"))
		readUntil(t, sh, "$ ")
		s.engine.Unavailable(true)
		s.engine.Unavailable(false) // all streams are cut
		_, err := sh.Wait()
		want[*pod.LostError](t, err)
		again := s.shell(s.Containers, id, request("two"))
		if again.Opened().Epoch != sh.Opened().Epoch || again.Opened().Started {
			t.Errorf("%+v, after %+v", again.Opened(), sh.Opened())
		}
	})
}

func TestOneConnectionServesAllTerminalsOfAContainer(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		id := s.booted()
		before := s.engine.Calls("exec")
		done := make(chan error)
		for i := range 20 {
			go func() {
				req := request("x")
				req.Tab = string(rune('a' + i%3))
				sh, err := s.Shell(t.Context(), id, first, req)
				if err == nil {
					err = sh.Close()
				}
				done <- err
			}()
		}
		for range 20 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if n := s.engine.Calls("exec") - before; n != 1 {
			t.Errorf("%d processes for 20 terminals", n)
		}
	})
}

// A relay that is started too late for who asked serves who asks next, and nobody is left waiting.
func TestARelayThatStartsTooLate(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		id := s.booted()
		release, entered := s.engine.Hold("exec", nil)
		result := make(chan error, 1)
		go func() {
			_, err := s.Shell(t.Context(), id, first, request("late"))
			result <- err
		}()
		<-entered
		want[*pod.UnseenError](t, <-result) // ten seconds later, in the bubble
		release()
		s.types(s.shell(s.Containers, id, request("next")), "exit\n")
	})
}

func TestNoSessionHostNoShell(t *testing.T) {
	for name, c := range map[string]struct {
		program simulated.Program
		code    int
	}{
		"the agent cannot be run": {says(126, "OCI runtime exec failed: permission denied\r\n"), 126},
		"nothing":                 {says(0, ""), 0},
		"something that goes on":  {goesOn("hello, this is no frame"), 0},
		"something else":          {says(0, strings.Repeat("x", 100)), 0},
		"an endless frame":        {goesOn("\xff\xff\xff\xff" + strings.Repeat("y", 1000)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, program("relay", c.program), func(t *testing.T, s *sim) {
				_, err := s.Shell(t.Context(), s.booted(), first, request("x"))
				if se := want[*container.ShellError](t, err); se.Reason != "no_host" || se.ExitCode != c.code {
					t.Errorf("%#v", se)
				}
			})
		})
	}
}

func TestAHostThatIsSilentIsGivenUp(t *testing.T) {
	inBubble(t, program("relay", func(ctx context.Context, _ *simulated.Proc) int { <-ctx.Done(); return 0 }), func(t *testing.T, s *sim) {
		id, begun := s.booted(), time.Now()
		_, err := s.Shell(t.Context(), id, first, request("x"))
		want[*pod.UnseenError](t, err)
		if time.Since(begun) != 10*time.Second {
			t.Errorf("after %s", time.Since(begun))
		}
	})
}

// A relay without a word whose end cannot be seen says nothing about the container's host.
func TestASilentRelayOutOfSightIsUnseen(t *testing.T) {
	inBubble(t, program("relay", says(0, "")), func(t *testing.T, s *sim) {
		id := s.booted()
		s.engine.FailNext("wait", &engine.Error{Op: "wait", Kind: engine.Unavailable})
		_, err := s.Shell(t.Context(), id, first, request("one"))
		want[*pod.UnseenError](t, err)
		var se *container.ShellError
		if errors.As(err, &se) {
			t.Errorf("got %v", err)
		}
	})
}

// A terminal in a container that is paused is not waited for: it is told at once, also where a connection is there.
func TestAnOpeningInAPausedContainerIsUnseenAtOnce(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		id := s.booted()
		s.shell(s.Containers, id, request("one"))
		s.engine.Pause(engine.ID(id))
		begun := time.Now()
		_, err := s.Shell(t.Context(), id, first, request("two"))
		if u := want[*pod.UnseenError](t, err); !strings.Contains(u.Error(), "the container is paused") || time.Since(begun) > time.Second {
			t.Errorf("after %s: %v", time.Since(begun), u)
		}
		s.engine.Unpause(engine.ID(id))
		s.types(s.shell(s.Containers, id, request("three")), "exit\n")
	})
}

func TestContainersThatAreClosedOpenNothing(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		id := s.booted()
		sh := s.shell(s.Containers, id, request("one"))
		s.Close()
		if _, err := sh.Wait(); err == nil {
			t.Error("the terminal goes on")
		}
		_, err := s.Shell(t.Context(), id, first, request("two"))
		want[*container.ShellError](t, err)
		s.types(s.shell(s.another("sim"), id, request("three")), "exit\n")
	})
}

// Somebody inside can end a relay before it has come to the session host: another one is started.
func TestARelayThatIsEndedIsStartedAgain(t *testing.T) {
	ended := 2
	inBubble(t, func(argv []string) simulated.Program {
		if len(argv) > 2 && argv[2] == "relay" && ended > 0 {
			ended--
			return says(137, "")
		}
		return nil
	}, func(t *testing.T, s *sim) {
		s.types(s.shell(s.Containers, s.booted(), request("one")), "exit\n")
		if ended != 0 {
			t.Errorf("%d were not ended", ended)
		}
	})
}
