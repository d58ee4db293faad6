package linear

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"podlife/conformance/harness"
	"podlife/runtime/boot"
	"podlife/runtime/client"
)

func TestMain(m *testing.M) {
	code := m.Run()
	binary.Remove()
	os.Exit(code)
}

var binary harness.Binary

// checkPatience bounds the search for one history's story; a search that takes longer is Unknown, which is red.
const checkPatience = time.Minute

func TestHistoriesOnTheSimulatedEngineAreLinearizable(t *testing.T) {
	const histories = 120
	began := time.Now()
	w := harness.NewSimulated(t, harness.SimulatedOptions{Users: histories})
	w.Programs.Slow(boot.StepRepository, time.Millisecond) // boots take a while, so that something happens meanwhile
	checkHistories(t, w, histories, 4, 5, 20*time.Second, began)
}

func TestHistoriesOnDockerAreLinearizable(t *testing.T) {
	harness.NeedDocker(t)
	const histories = 4
	path := binary.Path(t)
	began := time.Now()
	w := harness.NewDocker(t, harness.DockerOptions{Binary: path, Users: histories})
	checkHistories(t, w, histories, 2, 8, 2*time.Minute, began)
}

// checkHistories runs so many histories, some at the same time, of Clients tabs with so many operations each.
func checkHistories(t *testing.T, w harness.World, histories, atOnce, each int, patience time.Duration, began time.Time) {
	t.Helper()
	var results Results
	words := map[string]int{}
	var longest time.Duration // of the searches
	var mu sync.Mutex         // guards results, words and longest
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
			history := Drive{Pod: u.Name, API: Tabs(u), Operations: each, Patience: patience, Seed: uint64(i)}.Run(t.Context())
			searching := time.Now()
			v, err := Check(history, checkPatience)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			longest = max(longest, time.Since(searching))
			results.Add(history, v)
			for _, op := range history {
				words[string(op.Input.(Input).Kind)+" "+string(op.Output.(Output).Word)]++
			}
			if v.Result != porcupine.Ok {
				t.Errorf("history %d (%s) is %s; the picture of it is %s", i, u.Name, v.Result, v.Picture)
			}
			_, err = u.Client.Destroy(t.Context())
			if err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	results.Seconds = time.Since(began).Seconds()
	if err := results.Write(); err != nil {
		t.Error(err)
	}
	t.Logf("%d histories, %d operations, %d unknown, %.1f s, the longest search %s: %v", results.Histories, results.Operations, results.Unknown, results.Seconds, longest.Round(time.Millisecond), words)
	if want := histories * Clients * each; results.Histories != histories || results.Operations != want {
		t.Errorf("%d histories with %d operations, want %d with %d", results.Histories, results.Operations, histories, want)
	}
	for _, need := range []string{"EndBoot ready", "EndBoot boot_lost", "Attach attached", "Attach refused", "Destroy asleep"} {
		if words[need] == 0 {
			t.Errorf("no operation ended as %q: these histories show little", need)
		}
	}
}

// wrongIncarnation answers a boot with the number before, once in a while.
type wrongIncarnation struct {
	API
	mu sync.Mutex // guards the following
	n  int
}

func (w *wrongIncarnation) Boot(ctx context.Context, c string) (client.Result, error) {
	r, err := w.API.Boot(ctx, c)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n++; err == nil && w.n > 10 {
		r.Incarnation++
	}
	return r, err
}

// TestAWrongAnswerIsFound sees the check fail: a server that names an incarnation which there is not is found, and a picture of it is left.
func TestAWrongAnswerIsFound(t *testing.T) {
	t.Setenv("PODLIFE_FAILURES", t.TempDir())
	w := harness.NewSimulated(t, harness.SimulatedOptions{Users: 1})
	u, err := w.NewUser(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	history := Drive{Pod: u.Name, API: &wrongIncarnation{API: Tabs(u)}, Operations: 8, Patience: 20 * time.Second}.Run(t.Context())
	v, err := Check(history, checkPatience)
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

func TestUnknownIsNotAPass(t *testing.T) {
	var r Results
	r.Add(nil, Verdict{Result: porcupine.Ok})
	r.Add(nil, Verdict{Result: porcupine.Unknown})
	r.Add(nil, Verdict{Result: porcupine.Ok})
	if r.Verdict != "unknown" || r.Unknown != 1 {
		t.Errorf("got %+v", r)
	}
}

// TestTheModelRefusesWhatTheTableRefuses holds small histories, one operation after the other, against the model.
func TestTheModelRefusesWhatTheTableRefuses(t *testing.T) {
	type op struct {
		kind Kind
		c    int
		out  Output
	}
	for _, c := range []struct {
		name string
		ops  []op
		want porcupine.CheckResult
	}{
		{"boot and attach", []op{{StartBoot, 0, Output{Word: Began}}, {EndBoot, 0, Output{Word: Ready, Inc: 1}}, {Attach, 0, Output{Word: Attached, Inc: 1}}}, porcupine.Ok},
		{"attach without a boot", []op{{Attach, 0, Output{Word: Attached, Inc: 1}}}, porcupine.Illegal},
		{"attach after a destroy", []op{{StartBoot, 0, Output{Word: Began}}, {EndBoot, 0, Output{Word: Ready, Inc: 1}}, {Destroy, 1, Output{Word: Asleep, Inc: 1}}, {Attach, 0, Output{Word: Attached, Inc: 1}}}, porcupine.Illegal},
		{"refused though it may", []op{{StartBoot, 0, Output{Word: Began}}, {EndBoot, 0, Output{Word: Ready, Inc: 1}}, {Attach, 0, Output{Word: Refused}}}, porcupine.Illegal},
		{"a refused tab has to boot", []op{{StartBoot, 0, Output{Word: Began}}, {EndBoot, 0, Output{Word: Ready, Inc: 1}}, {Destroy, 1, Output{Word: Asleep, Inc: 1}}, {Attach, 0, Output{Word: Refused}}, {StartBoot, 1, Output{Word: Began}}, {EndBoot, 1, Output{Word: Ready, Inc: 2}}, {Attach, 0, Output{Word: Attached, Inc: 2}}}, porcupine.Illegal},
		{"a tab that still believes attaches to the next incarnation", []op{{StartBoot, 0, Output{Word: Began}}, {EndBoot, 0, Output{Word: Ready, Inc: 1}}, {Destroy, 1, Output{Word: Asleep, Inc: 1}}, {StartBoot, 1, Output{Word: Began}}, {EndBoot, 1, Output{Word: Ready, Inc: 2}}, {Attach, 0, Output{Word: Attached, Inc: 2}}}, porcupine.Ok},
		{"a boot that is lost without a sleep", []op{{StartBoot, 0, Output{Word: Began}}, {EndBoot, 0, Output{Word: Lost}}}, porcupine.Illegal},
		{"an answer that no action gives", []op{{StartBoot, 0, Output{Word: Began}}, {EndBoot, 0, Output{Word: Failed}}}, porcupine.Illegal},
		{"an unknown boot may have happened", []op{{StartBoot, 0, Output{Word: Unknown}}, {EndBoot, 0, Output{Word: Unknown}}, {StartBoot, 1, Output{Word: Began}}, {EndBoot, 1, Output{Word: Ready, Inc: 1}}}, porcupine.Ok},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &recorder{began: time.Now()}
			for _, o := range c.ops {
				r.add(2*o.c, Input{"p", o.c, o.kind}, o.out, r.now())
			}
			if got := porcupine.CheckOperationsTimeout(Model(), r.ops, checkPatience); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
