package linear

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"podlife/conformance/harness"
	"podlife/runtime/boot"
)

func TestMain(m *testing.M) {
	code := m.Run()
	program.Remove()
	os.Exit(code)
}

var program harness.Binary

// judgeTime bounds the search for one history's story; a search that takes longer is Unknown, which is red. On a machine that has nothing else to do each takes much less than a second, but the time grows
// exponentially with what is open at once, and a slow machine leaves more of that.
const judgeTime = time.Minute

// dockerTime bounds all histories on Docker, in which an operation takes seconds at most.
const dockerTime = 5 * time.Minute

// Over HTTP and WebSockets, as programs and pages speak to it.
func TestHistoriesOnTheSimulatedEngineAreLinearizable(t *testing.T) {
	const histories, atOnce, tabs, each = 120, 4, 5, 8
	began := time.Now()
	w := harness.NewSimulated(t, harness.SimulatedOptions{Users: histories})
	w.Programs.Slow(boot.StepRepository, time.Millisecond) // boots take a while, so that something happens meanwhile
	var y tally
	slots := make(chan struct{}, atOnce)
	var running sync.WaitGroup
	for i := range histories {
		u, err := w.NewUser(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			y.judge(t, May{}, Drive{
				Targets: []Target{TargetOf(w, u, true)}, Tabs: tabs, Operations: each, Patience: 20 * time.Second, Leaves: 2, Stay: 3 * time.Millisecond, Disturb: 3, Between: 20 * time.Millisecond,
				Seed: uint64(i),
			})
			if _, err := u.Client.Destroy(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	y.end(t, began, histories, histories*tabs*each)
	y.need(t, "EndBoot ready", "EndBoot boot_lost", "Attach attached", "Attach refused", "StartDestroy done", "EndDestroy done", "Kill done", "StartBoot unknown", "Look done")
}

// The real program on the real engine, which is killed as kill -9 does and started again, and whose containers are killed under it.
func TestHistoriesOnDockerAreLinearizable(t *testing.T) {
	harness.NeedDocker(t)
	const atLeast, atMost, pods, tabs, each = 2, 6, 2, 5, 10
	path := program.Path(t)
	began := time.Now()
	w := harness.NewDocker(t, harness.DockerOptions{Binary: path, Users: atMost * pods})
	ctx, cancel := context.WithTimeout(t.Context(), dockerTime)
	defer cancel()
	server := &Server{Kill: w.Crash, Start: func(bool) error { return w.Start(ctx) }}
	stuck := func() { t.Logf("what the server was doing:\n%s", w.Dump()) }
	needed := []string{"EndBoot ready", "EndBoot boot_lost", "Attach attached", "Attach refused", "EndDestroy done", "Kill done", "Crash done"}
	var y tally
	runs := 0
	// On a busy machine a disturbance hits nearly everything, and it takes more histories to see everything that is to be seen.
	for i := 0; i < atLeast || i < atMost && !t.Failed() && !y.saw(needed...); i++ {
		runs++
		d := Drive{
			Tabs: tabs, Operations: each, Patience: time.Minute, Leaves: 5, Stay: 300 * time.Millisecond, Disturb: 18, Each: 5, Server: server, Stuck: stuck, Seed: uint64(i),
		}
		var users []harness.User
		for range pods {
			u, err := w.NewUser(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			users = append(users, u)
			d.Targets = append(d.Targets, TargetOf(w, u, true))
		}
		y.judge(t, May{}, d)
		for _, u := range users {
			if _, err := u.Client.Destroy(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	y.end(t, began, runs*pods, runs*pods*tabs*each)
	y.need(t, needed...)
}

// wrongIncarnation answers a boot with the number after, once in a while.
type wrongIncarnation struct {
	API
	mu sync.Mutex // guards the following
	n  int
}

func (w *wrongIncarnation) Boot(ctx context.Context, c int) Output {
	out := w.API.Boot(ctx, c)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n++; out.Word == Ready && w.n > 10 {
		out.Inc++
	}
	return out
}

// TestAWrongAnswerIsFound sees the check fail: a server that names an incarnation which there is not is found, and a picture of it is left.
func TestAWrongAnswerIsFound(t *testing.T) {
	t.Setenv("PODLIFE_FAILURES", t.TempDir())
	w := harness.NewSimulated(t, harness.SimulatedOptions{Users: 1})
	u, err := w.NewUser(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	target := TargetOf(w, u, false)
	target.API = &wrongIncarnation{API: target.API}
	history, err := Drive{Targets: []Target{target}, Tabs: 5, Operations: 8, Patience: 20 * time.Second}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v, err := Check(May{}, history, judgeTime)
	if err != nil {
		t.Fatal(err)
	}
	if v.Result != porcupine.Illegal {
		t.Fatalf("the history of a server that names wrong incarnations is %s", v.Result)
	}
	if info, err := os.Stat(v.Picture); err != nil || info.Size() < 1000 || filepath.Ext(v.Picture) != ".html" {
		t.Fatalf("the picture %q: %v", v.Picture, err)
	}
	var r Results
	r.Add(history, v)
	if r.Verdict != "fail" {
		t.Errorf("the verdict is %q", r.Verdict)
	}
}

// deafLook never answers a look.
type deafLook struct{ API }

func (deafLook) Look(ctx context.Context) Output {
	<-ctx.Done()
	return Output{Word: Unknown, Detail: ctx.Err().Error()}
}

// TestAServerThatDoesNotAnswerEndsTheDrive sees that the drive is given up at the first operation without an answer, with an error that names it, and does not wait for as long with each one after it.
func TestAServerThatDoesNotAnswerEndsTheDrive(t *testing.T) {
	w := harness.NewSimulated(t, harness.SimulatedOptions{Users: 1})
	u, err := w.NewUser(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	target := TargetOf(w, u, false)
	target.API = deafLook{target.API}
	var asked atomic.Int64
	began := time.Now()
	_, err = Drive{Targets: []Target{target}, Tabs: 2, Operations: 200, Patience: 2 * time.Second, Stuck: func() { asked.Add(1) }}.Run(t.Context())
	var stuck *StuckError
	if !errors.As(err, &stuck) || stuck.Patience != 2*time.Second || stuck.Tab == "" {
		t.Fatalf("the drive ended with %v", err)
	}
	if asked.Load() != 1 {
		t.Errorf("it was asked %d times what the server does", asked.Load())
	}
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("the drive went on for %s", took)
	}
}
