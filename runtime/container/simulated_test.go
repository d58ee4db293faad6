package container_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
)

var simRecipe = boot.Recipe{Repo: boot.Repo{URL: "file:///srv/example.git"}, UserScript: "true"}

// sim is containers over the simulated engine, inside a synctest bubble: time is its own.
type sim struct {
	*container.Containers
	t        *testing.T
	engine   *simulated.Engine
	programs *simprograms.Programs
	options  container.Options
}

// inBubble runs a test over a simulated engine. lookup, if not nil, may replace a program.
func inBubble(t *testing.T, lookup func([]string) simulated.Program, test func(t *testing.T, s *sim)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &sim{t: t, programs: simprograms.New()}
		s.engine = simulated.New(simulated.Options{Lookup: func(argv []string) simulated.Program {
			if lookup != nil {
				if p := lookup(argv); p != nil {
					return p
				}
			}
			return s.programs.Lookup(argv)
		}})
		defer s.engine.Close()
		s.options = container.Options{Engine: s.engine, Instance: "sim", NamePrefix: "sim", Image: "stock", AgentPath: "/agent", Recipe: simRecipe}
		s.Containers = s.another("sim")
		defer s.Close()
		test(t, s)
	})
}

// another gives the containers of one more server, as after a restart when the instance is the same.
func (s *sim) another(instance string) *container.Containers {
	s.t.Helper()
	o := s.options
	o.Instance = instance
	c, err := container.New(o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

func (s *sim) launched() pod.ContainerID {
	s.t.Helper()
	id, err := s.Launch(s.t.Context(), first)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (s *sim) booted() pod.ContainerID {
	s.t.Helper()
	id := s.launched()
	if err := s.Boot(s.t.Context(), id, first, nil); err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (s *sim) setup(id pod.ContainerID) simprograms.Setup {
	s.t.Helper()
	f, ok := s.engine.Files(engine.ID(id))
	if !ok {
		s.t.Fatal("no container")
	}
	return simprograms.Inside(f, simRecipe)
}

func request(attempt string) pod.ShellRequest {
	return pod.ShellRequest{Attempt: attempt, Tab: "main", Cols: 100, Rows: 30}
}

// want fails unless err is of type E; it gives it.
func want[E error](t *testing.T, err error) E {
	t.Helper()
	var e E
	if !errors.As(err, &e) {
		t.Fatalf("got %v (%T), want %T", err, err, e)
	}
	return e
}

// isStep matches a step by its name.
func isStep(name string) func(simprograms.Step) bool {
	return func(s simprograms.Step) bool { return s.Name == name }
}

func readUntil(t *testing.T, r io.Reader, text string) {
	t.Helper()
	var got strings.Builder
	buf := make([]byte, 1) // and nothing behind the text
	for !strings.Contains(got.String(), text) {
		n, err := r.Read(buf)
		got.Write(buf[:n])
		if err != nil {
			t.Fatalf("%q instead of %q: %v", got.String(), text, err)
		}
	}
}

func TestABootTellsEveryStepInOrderAndThenTheGuardAgrees(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		id := s.launched()
		if np := want[*pod.NotProvisionedError](t, s.Provisioned(t.Context(), id, first)); np.Reason != "marker_missing" {
			t.Error(np)
		}
		var told []string
		if err := s.Boot(t.Context(), id, first, func(p pod.Progress) { told = append(told, p.Step+" "+string(p.Status)) }); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, step := range boot.Steps() {
			all = append(all, step+" started", step+" done")
		}
		if got, want := strings.Join(told, ","), strings.Join(all, ","); got != want {
			t.Errorf("told\n%s\nwant\n%s", got, want)
		}
		if !s.setup(id).Provisioned() {
			t.Errorf("inside: %+v", s.setup(id))
		}
		if err := s.Provisioned(t.Context(), id, first); err != nil {
			t.Error(err)
		}
		told = nil
		if err := s.Boot(t.Context(), id, first, func(p pod.Progress) { told = append(told, p.Step) }); err != nil || told != nil {
			t.Errorf("the second boot: %v, %v", told, err)
		}
	})
}

func TestTheGuardRefusesEveryOtherMarker(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		id := s.booted()
		f, _ := s.engine.Files(engine.ID(id))
		good, err := f.Read(boot.MarkerPath)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		refused := func(inc pod.Incarnation, reason string) {
			t.Helper()
			n++
			_, err := s.Shell(t.Context(), id, inc, request(fmt.Sprint("s", n)))
			if np := want[*pod.NotProvisionedError](t, err); np.Reason != reason {
				t.Errorf("%s, want %s", np.Reason, reason)
			}
		}
		refused(pod.Incarnation{Pod: "alice", Inc: 2}, "other_incarnation")
		refused(pod.Incarnation{Pod: "bob", Inc: 1}, "other_incarnation")
		for _, content := range []string{"", "x", string(good[:len(good)-4]), string(good) + "\n", strings.Repeat("y", 1<<20)} {
			if err := f.Write(boot.MarkerPath, []byte(content)); err != nil {
				t.Fatal(err)
			}
			refused(first, "marker_unreadable")
		}
		other := boot.Marker{Pod: "alice", Incarnation: 1, Recipe: strings.Repeat("0", 64)}
		if err := f.Write(boot.MarkerPath, other.Format()); err != nil {
			t.Fatal(err)
		}
		refused(first, "other_recipe")
	})
}

func TestAFailedStepEndsTheBootWithItsNameCodeAndLog(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		s.programs.Fail(isStep("hook"), 42, "no space left\n")
		id := s.launched()
		failed := want[*pod.BootError](t, s.Boot(t.Context(), id, first, nil))
		if failed.Step != "hook" || failed.ExitCode != 42 || failed.LogTail != "no space left\n" {
			t.Errorf("%#v", failed)
		}
		if in := s.setup(id); in.Hook || in.Marker {
			t.Errorf("a step ran after the one that failed: %+v", in)
		}
	})
}

func TestABootThatTakesTooLongNamesTheRunningStepAndIsEnded(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		s.programs.Slow("repository", time.Hour)
		id := s.launched()
		begun := time.Now()
		failed := want[*pod.BootError](t, s.Boot(t.Context(), id, first, nil))
		if failed.Step != "timeout" || !strings.Contains(failed.Error(), "repository") || time.Since(begun) != container.DefaultBootTimeout {
			t.Errorf("%#v after %s", failed, time.Since(begun))
		}
		time.Sleep(2 * time.Hour) // the bubble's time: were the script still there, it would go on
		if in := s.setup(id); in.Marker || in.Hook {
			t.Errorf("the script went on: %+v", in)
		}
	})
}

func TestABootThatIsGivenUpIsEnded(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		release, entered := s.programs.Hold(isStep("hook"))
		ctx, cancel := context.WithCancel(t.Context())
		id := s.launched()
		result := make(chan error, 1)
		go func() { result <- s.Boot(ctx, id, first, nil) }()
		<-entered
		cancel()
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		release()
		synctest.Wait()
		if in := s.setup(id); in.Hook || in.Marker {
			t.Errorf("the script went on: %+v", in)
		}
	})
}

func TestABootInAContainerThatDiesIsGone(t *testing.T) {
	for name, kill := range map[string]func(*simulated.Engine, engine.ID){
		"killed":        func(e *simulated.Engine, id engine.ID) { e.Kill(id) },
		"out of memory": func(e *simulated.Engine, id engine.ID) { e.KillOOM(id) },
		"removed":       func(e *simulated.Engine, id engine.ID) { e.Remove(context.Background(), id) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, s *sim) {
				_, entered := s.programs.Hold(isStep("hook"))
				id := s.launched()
				result := make(chan error, 1)
				go func() { result <- s.Boot(t.Context(), id, first, nil) }()
				<-entered
				kill(s.engine, engine.ID(id))
				gone := want[*pod.GoneError](t, <-result)
				if name == "out of memory" && !strings.Contains(gone.Error(), "memory") {
					t.Error(gone)
				}
			})
		})
	}
}

// What cannot be seen is not gone.
func TestADaemonThatGoesAwayIsUnseenAndNotGone(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		_, entered := s.programs.Hold(isStep("hook"))
		id := s.launched()
		result := make(chan error, 1)
		go func() { result <- s.Boot(t.Context(), id, first, nil) }()
		<-entered
		s.engine.Unavailable(true)
		want[*pod.UnseenError](t, <-result)
		want[*pod.UnseenError](t, s.Provisioned(t.Context(), id, first))
		_, err := s.Shell(t.Context(), id, first, request("x"))
		want[*pod.UnseenError](t, err)
		_, err = s.List(t.Context())
		want[*pod.UnseenError](t, err)
		alive, err := s.Alive(t.Context(), id)
		want[*pod.UnseenError](t, err)
		if alive {
			t.Error("alive, though nobody can know")
		}
		want[*pod.UnseenError](t, s.Remove(t.Context(), id))
		s.engine.Unavailable(false)
		if err := s.Boot(t.Context(), id, first, nil); err != nil {
			t.Errorf("and back again: %v", err)
		}
	})
}

// program replaces one of the agent's commands.
func program(command string, p simulated.Program) func([]string) simulated.Program {
	return func(argv []string) simulated.Program {
		if len(argv) > 2 && argv[2] == command {
			return p
		}
		return nil
	}
}

func says(code int, text string) simulated.Program {
	return func(_ context.Context, p *simulated.Proc) int {
		io.WriteString(p.Stdout, text)
		return code
	}
}

func goesOn(text string) simulated.Program {
	return func(ctx context.Context, p *simulated.Proc) int { says(0, text)(ctx, p); <-ctx.Done(); return 0 }
}

func TestABootThatSaysNonsenseFails(t *testing.T) {
	for name, p := range map[string]simulated.Program{
		"no JSON":           says(0, "hello\n"),
		"an endless line":   says(0, strings.Repeat("x", 1<<20)),
		"no result":         says(0, "{\"step\":\"hook\",\"status\":\"started\"}\n"),
		"nothing":           says(0, ""),
		"the agent missing": nil,
	} {
		t.Run(name, func(t *testing.T) {
			if p == nil {
				p = func(_ context.Context, p *simulated.Proc) int {
					io.WriteString(p.Stderr, "no such file")
					return 127
				}
			}
			inBubble(t, program("boot", p), func(t *testing.T, s *sim) {
				failed := want[*pod.BootError](t, s.Boot(t.Context(), s.launched(), first, nil))
				if failed.Step != "script" || (name == "the agent missing") != (failed.ExitCode == 127) {
					t.Errorf("%#v", failed)
				}
			})
		})
	}
}

// A step's name that is not the script's, and text that is no text, go nowhere.
func TestWhatABootTellsIsHostile(t *testing.T) {
	events := `{"step":"evil","status":"done"}` + "\n" + `{"step":"hook","status":"<b>"}` + "\n" +
		`{"log":"` + strings.Repeat("z", 20000) + `"}` + "\n" + `{"result":{"ok":true}}` + "\n"
	inBubble(t, program("boot", says(0, events)), func(t *testing.T, s *sim) {
		var told []pod.Progress
		if err := s.Boot(t.Context(), s.launched(), first, func(p pod.Progress) { told = append(told, p) }); err != nil {
			t.Fatal(err)
		}
		if len(told) != 1 || len(told[0].Log) != boot.MaxLog {
			t.Errorf("told %d pieces", len(told))
		}
	})
}

// On a busy machine the engine fails now and then to start a process in a container that lives.
func TestAProcessThatTheEngineDidNotStartIsAskedForAgain(t *testing.T) {
	for _, command := range []string{"boot", "check", "relay"} {
		t.Run(command, func(t *testing.T) {
			for fails, want := range map[int]bool{startFails: true, startFails + 1: false} {
				var tries atomic.Int32
				flaky := func(argv []string) simulated.Program {
					if len(argv) > 2 && argv[2] == command && int(tries.Add(1)) <= fails {
						return says(126, "OCI runtime exec failed: exec failed: unable to start container process: error executing setns process: exit status 1\r\n")
					}
					return nil
				}
				inBubble(t, flaky, func(t *testing.T, s *sim) {
					id := s.launched()
					err := s.Boot(t.Context(), id, first, nil)
					if err == nil {
						err = s.Provisioned(t.Context(), id, first)
					}
					if err == nil {
						var sh pod.Shell
						if sh, err = s.Shell(t.Context(), id, first, request("one")); err == nil {
							sh.Close()
						}
					}
					if (err == nil) != want {
						t.Errorf("after %d failures: %v", fails, err)
					}
				})
			}
		})
	}
}

// nextScript is the boot script of a server that was updated, while containers go on with the agent that they were started with.
func nextScript() string { return boot.Script() + "\n# of the next version\n" }

func TestAnUpdatedServerEntersTheContainersThatItFinds(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		id := s.booted()
		s.options.Script = nextScript()
		updated := s.another("sim")
		if got := want[*pod.NotProvisionedError](t, updated.Provisioned(t.Context(), id, first)); got.Reason != "other_recipe" {
			t.Errorf("before it has booted: %v", got)
		}
		if err := updated.Boot(t.Context(), id, first, nil); err != nil {
			t.Fatal(err)
		}
		sh, err := updated.Shell(t.Context(), id, first, request("one"))
		if err != nil {
			t.Fatal(err)
		}
		sh.Close()
		if got := want[*pod.NotProvisionedError](t, s.Provisioned(t.Context(), id, first)); got.Reason != "other_recipe" {
			t.Errorf("to the server before it: %v", got)
		}
	})
}

// An agent that does not understand a request is of another version: this server has found nothing wrong with it.
func TestAnAgentThatDoesNotUnderstandARequestIsSaidToBeOfAnotherVersion(t *testing.T) {
	old := func(argv []string) simulated.Program {
		if len(argv) < 3 || argv[2] != "boot" {
			return nil
		}
		return says(1, `{"result":{"ok":false,"step":"request","detail":"request: json: unknown field \"script\""}}`+"\n")
	}
	inBubble(t, old, func(t *testing.T, s *sim) {
		failed := want[*pod.BootError](t, s.Boot(t.Context(), s.launched(), first, nil))
		if failed.Step != boot.StepRequest || !strings.Contains(failed.Error(), "stop the pod once") || !strings.Contains(failed.Error(), "unknown field") {
			t.Errorf("got %v", failed)
		}
	})
}

// One timeout rules a boot: what is tried again is tried again within it.
func TestTheTriesOfABootFitIntoItsTimeout(t *testing.T) {
	const each = 2 * container.DefaultBootTimeout / 5 // so two tries fit, and the third is cut off
	var tries atomic.Int32
	slow := func(argv []string) simulated.Program {
		if len(argv) < 3 || argv[2] != "boot" {
			return nil
		}
		tries.Add(1)
		return func(ctx context.Context, p *simulated.Proc) int {
			select {
			case <-time.After(each):
			case <-ctx.Done():
			}
			return says(126, "")(ctx, p)
		}
	}
	inBubble(t, slow, func(t *testing.T, s *sim) {
		id := s.launched()
		begun := time.Now()
		err := s.Boot(t.Context(), id, first, nil)
		var failed *pod.BootError
		if took := time.Since(begun); !errors.As(err, &failed) || failed.Step != "timeout" || took != container.DefaultBootTimeout {
			t.Errorf("after %d tries and %s: %v", tries.Load(), took, err)
		}
		if tries.Load() != 3 {
			t.Errorf("it was tried %d times", tries.Load())
		}
	})
}

// startFails is how often in a row that may happen.
const startFails = 2
