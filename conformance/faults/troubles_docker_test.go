package faults

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"podlife/conformance/harness"
	"podlife/runtime/boot"
	"podlife/runtime/client"
	"podlife/runtime/engine"
)

// trouble is what goes wrong around a server on the real engine that lives on, and what the clients must be told of it. The pod sleeps when it begins; when it is over, everything must be in order
// within its time, and work.
type trouble struct {
	name string
	do   func(context.Context, *scene) error
}

// scene is a server in trouble, its engine behind a line, and an image that is its own.
type scene struct {
	*Chain
	line  *Line
	image string // without its tag
}

// bootLimit is the time limit of a boot here, and calmTime that within which everything must be in order after a trouble: a server tries again what it could not do, every second, and looks for an
// engine that was away after two at most.
const (
	bootLimit = 15 * time.Second
	calmTime  = 10 * time.Second
)

func troubles() []trouble {
	return []trouble{
		{"a script that prints 10 MB in lines", printing(wordLoud)},
		{"a script that prints 10 MB in one line", printing(wordLine)},
		{"a script that fails", func(ctx context.Context, s *scene) error {
			return bootFails(s.bootSaying(ctx, "c1", wordFail), boot.StepUserScript, 7)
		}},
		{"a script that hangs", func(ctx context.Context, s *scene) error {
			return bootFails(s.bootSaying(ctx, "c1", wordHang), "timeout", 0)
		}},
		{"an image that is gone", func(ctx context.Context, s *scene) error {
			if err := docker(ctx, "DELETE", "/images/"+s.image+":latest", nil); err != nil {
				return err
			}
			return errors.Join(bootFails(s.Boot(ctx, "c1"), "start", 0), tag(ctx, s.image))
		}},
		{"an agent that is gone", func(ctx context.Context, s *scene) error {
			if err := os.Rename(s.agent(), s.agent()+".away"); err != nil {
				return err
			}
			return errors.Join(bootFails(s.Boot(ctx, "c1"), "start", 0), os.Rename(s.agent()+".away", s.agent()))
		}},
		{"a name that is taken", nameTaken},
		{"a store that cannot be written", storeLocked},
		{"a container that is paused under a terminal", pausedUnderTerminal},
		{"a container that is paused during its boot", pausedBooting},
		{"a container that is paused over a crash", pausedOverCrash},
		{"an engine that goes away during the script", func(ctx context.Context, s *scene) error {
			first := s.last() + 1
			if err := held(ctx, s.Chain); err != nil {
				return err
			}
			s.line.Cut(true)
			time.Sleep(2 * time.Second) // of a real engine's absence
			s.line.Cut(false)
			return errors.Join(s.finish(ctx), s.is(ctx, "ready", first))
		}},
		{"an engine that is away when a container dies", func(ctx context.Context, s *scene) error {
			if err := s.Ready(ctx); err != nil {
				return err
			}
			s.line.Cut(true)
			err := s.Each(ctx, s.World.Kill)
			s.line.Cut(false)
			return err
		}},
		{"a slow engine", func(ctx context.Context, s *scene) error {
			s.line.Slow(200 * time.Millisecond)
			defer s.line.Slow(0)
			return s.Ready(ctx)
		}},
		{"a container that somebody removes", func(ctx context.Context, s *scene) error {
			return errors.Join(s.Ready(ctx), s.Each(ctx, s.World.Remove))
		}},
		{"an orderly end under a terminal", func(ctx context.Context, s *scene) error {
			if err := s.Ready(ctx); err != nil {
				return err
			}
			code, err := s.World.Stop(ctx)
			if err == nil && code != 0 {
				err = fmt.Errorf("exit code %d", code)
			}
			return errors.Join(err, s.World.Start(ctx), s.is(ctx, "ready", s.last()))
		}},
	}
}

// last is the highest number that the pod has had.
func (s *scene) last() int {
	r, err := s.stored(context.Background())
	if err != nil {
		return -1
	}
	return r.Inc
}

func printing(word string) func(context.Context, *scene) error {
	return func(ctx context.Context, s *scene) error {
		first := s.last() + 1
		return errors.Join(s.bootSaying(ctx, "c1", word), s.is(ctx, "ready", first))
	}
}

// bootFails says whether a boot was answered with its failure, of this step.
func bootFails(err error, step string, code int) error {
	var p *client.Problem
	if !errors.As(err, &p) || p.Code != client.CodeBootFailed || p.Step != step || p.ExitCode != code {
		return fmt.Errorf("the boot was answered with %v, want a failure of the step %s with exit code %d", err, step, code)
	}
	return nil
}

func refused(err error, code string) error {
	if client.CodeOf(err) != code {
		return fmt.Errorf("the answer is %v, want %s", err, code)
	}
	return nil
}

// is says whether the pod is in a state.
func (s *scene) is(ctx context.Context, state string, inc int) error {
	st, err := s.User.Client.Status(ctx)
	if err == nil && (st.State != state || st.Incarnation != inc) {
		err = fmt.Errorf("the pod is %s %d, want %s %d", st.State, st.Incarnation, state, inc)
	}
	return err
}

// finish lets a boot that is held through its gate, and waits for its answer, which must be that the pod is ready.
func (s *scene) finish(ctx context.Context) error {
	opening, done := context.WithCancel(ctx)
	var opened sync.WaitGroup
	opened.Go(func() { s.letThrough(opening, "") })
	s.calls.Wait()
	done()
	opened.Wait()
	for _, a := range s.answers {
		if a.err != nil {
			return fmt.Errorf("the %s: %w", a.what, a.err)
		}
	}
	s.answers = nil
	return nil
}

func nameTaken(ctx context.Context, s *scene) error {
	taken, err := s.World.Engine().Create(ctx, engine.Spec{Name: fmt.Sprintf("%s-%s-%d", s.World.Run(), s.User.Name, s.last()+1), Image: harness.Image, Command: []string{"true"}, Network: "none"})
	if err != nil {
		return err
	}
	return errors.Join(bootFails(s.Boot(ctx, "c1"), "start", 0), s.World.Engine().Remove(ctx, taken))
}

func storeLocked(ctx context.Context, s *scene) error {
	database := filepath.Join(s.World.DataDir(), "podlife.db")
	unlock, err := LockStore(ctx, database)
	if err != nil {
		return err
	}
	err = refused(s.Boot(ctx, "c1"), client.CodeStoreUnavailable)
	if err := errors.Join(err, unlock(), s.InOrder(ctx), s.Ready(ctx)); err != nil {
		return err
	}
	inc := s.last()
	if unlock, err = LockStore(ctx, database); err != nil {
		return err
	}
	_, err = s.User.Client.Destroy(ctx)
	return errors.Join(refused(err, client.CodeStoreUnavailable), s.is(ctx, "ready", inc), unlock())
}

func pausedUnderTerminal(ctx context.Context, s *scene) error {
	if err := s.Ready(ctx); err != nil {
		return err
	}
	inc := s.last()
	if err := s.Each(ctx, s.World.Pause); err != nil {
		return err
	}
	other, err := s.Terminal(ctx, "c1", false)
	if err != nil {
		return err
	}
	seen, _ := other.AwaitDecision(ctx) // what it says is looked at
	if seen.Attached > 0 || seen.Last().State != "failed" && seen.Closed == nil {
		err = fmt.Errorf("a terminal of a paused container is %s", seen)
	}
	return errors.Join(err, s.is(ctx, "ready", inc), s.Each(ctx, s.World.Unpause), s.shell(ctx, inc))
}

// shell opens a terminal, which must be of this incarnation.
func (s *scene) shell(ctx context.Context, inc int) error {
	t, err := s.Terminal(ctx, "c1", false)
	if err != nil {
		return err
	}
	seen, err := t.AwaitAttached(ctx)
	if err == nil && seen.Attached != inc {
		err = fmt.Errorf("the shell is one of incarnation %d, want %d", seen.Attached, inc)
	}
	return err
}

func pausedBooting(ctx context.Context, s *scene) error {
	first := s.last() + 1
	if err := held(ctx, s.Chain); err != nil {
		return err
	}
	err := s.Each(ctx, s.World.Pause)
	time.Sleep(time.Second) // of a real container's pause
	return errors.Join(err, s.Each(ctx, s.World.Unpause), s.finish(ctx), s.is(ctx, "ready", first))
}

func pausedOverCrash(ctx context.Context, s *scene) error {
	if err := s.Ready(ctx); err != nil {
		return err
	}
	inc := s.last()
	if err := errors.Join(s.Each(ctx, s.World.Pause), s.World.Crash(), s.World.Start(ctx)); err != nil {
		return err
	}
	st, err := s.User.Client.Status(ctx)
	if err == nil && !st.Recovering {
		err = fmt.Errorf("the pod is %s %d, and nobody can look into its container", st.State, st.Incarnation)
	}
	return errors.Join(err, s.Each(ctx, s.World.Unpause), s.AwaitInOrder(ctx, time.Now(), calmTime), s.is(ctx, "ready", inc))
}

// docker asks the real engine, where it is, for what the harness has no call for.
func docker(ctx context.Context, method, path string, query url.Values) error {
	return engineCall(ctx, EngineSocket(), method, path, query)
}

func tag(ctx context.Context, image string) error {
	return docker(ctx, "POST", "/images/"+harness.Image+"/tag", url.Values{"repo": {image}, "tag": {"latest"}})
}

// The world around the real server on the real engine goes wrong; its clients are told so by type, nothing is left behind, and what harms nobody's container takes nobody's.
func TestTroubleOnDockerLeavesNothingBehind(t *testing.T) {
	harness.NeedDocker(t)
	t.Parallel()
	program := program.Path(t)
	began := time.Now()
	var mu sync.Mutex // guards tried
	tried := 0
	queue := make(chan trouble, len(troubles()))
	for _, tr := range troubles() {
		if strings.Contains(tr.name, os.Getenv("PODLIFE_FAILPOINT")) {
			queue <- tr
		}
	}
	close(queue)
	wanted := len(queue)
	var busy sync.WaitGroup
	for range 2 {
		dir, short := t.TempDir(), socketDir(t)
		busy.Go(func() {
			err := inTrouble(t.Context(), dir, short, program, func(ctx context.Context, s *scene) error {
				for tr := range queue {
					began := time.Now()
					if err := suffer(ctx, s, tr); err != nil {
						return fmt.Errorf("%s: %w\n%s", tr.name, err, s.World.Log()[max(0, len(s.World.Log())-3000):])
					}
					t.Logf("%.1f s: %s", time.Since(began).Seconds(), tr.name)
					mu.Lock()
					tried++
					mu.Unlock()
				}
				steps, err := s.Explained()
				t.Logf("%d committed steps explained, in order within %s", steps, s.Slowest.Round(time.Millisecond))
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	busy.Wait()
	if tried != wanted || wanted == 0 {
		t.Errorf("%d of %d troubles were survived", tried, wanted)
	}
	leave(t, "docker", "troubles", began, tried, map[string]int{"trouble around the server": tried})
}

func suffer(ctx context.Context, s *scene, tr trouble) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	if err := tr.do(ctx, s); err != nil {
		return err
	}
	if err := s.AwaitInOrder(ctx, time.Now(), calmTime); err != nil {
		return err
	}
	s.Leave()
	if err := s.Works(ctx); err != nil {
		return fmt.Errorf("afterwards, %w", err)
	}
	return nil
}

// inTrouble has a scene.
func inTrouble(ctx context.Context, dir, short, program string, do func(context.Context, *scene) error) (err error) {
	line, err := NewLine(ctx, "unix", filepath.Join(short, "d.sock"), EngineSocket())
	if err != nil {
		return err
	}
	defer line.Close()
	image := "podlife/" + strings.ToLower(filepath.Base(short))
	if err := tag(ctx, image); err != nil {
		return err
	}
	c, err := NewChain(ctx, dir, program, Gated, func(o *harness.DockerOptions) {
		o.DockerHost = "unix://" + line.Address()
		o.Env = append(o.Env, "PODLIFE_IMAGE="+image, "PODLIFE_BOOT_TIMEOUT="+bootLimit.String())
	})
	if err != nil {
		return err
	}
	err = do(ctx, &scene{Chain: c, line: line, image: image})
	return errors.Join(err, c.World.Close(), docker(context.WithoutCancel(ctx), "DELETE", "/images/"+image+":latest", nil))
}

// socketDir is a folder with a short name: a socket's path must be short.
func socketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "podlife-line-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // what is left in the temporary folder harms nobody
	return dir
}

// A client whose network falls silent, so that nothing closes its connection, holds its pod for as long as the protocol lets it be silent, and no longer.
func TestAClientOfAServerOnDockerThatVanishesHoldsItsPodForAWhileOnly(t *testing.T) {
	harness.NeedDocker(t)
	t.Parallel()
	d := harness.NewDocker(t, harness.DockerOptions{Binary: binary.Path(t), Users: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	u, err := d.NewUser(ctx)
	if err != nil {
		t.Fatal(err)
	}
	server := strings.TrimPrefix(d.URL(), "http://")
	line, err := NewLine(ctx, "tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", line.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ws := openTerminal(t, conn, server, u.Token)
	if ws == nil {
		return
	}
	awaitShell(t, ws)
	line.Silence()
	began := time.Now()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		st, err := u.Client.Status(ctx)
		if err != nil {
			t.Fatal(err)
		}
		silent := time.Since(began)
		if st.Terminals == 0 && silent < 40*time.Second {
			t.Fatalf("the terminal was given up after %s already", silent)
		}
		if st.Terminals == 0 && !slices.Contains(st.KeptAwakeBy, "terminal") {
			t.Logf("given up after %s", silent.Round(time.Second))
			return
		}
		if silent > 90*time.Second {
			t.Fatalf("after %s the pod is still kept awake by %v", silent, st.KeptAwakeBy)
		}
		<-tick.C
	}
}
