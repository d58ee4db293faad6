package traces

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"podlife/conformance/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	binary.Remove()
	os.Exit(code)
}

var binary harness.Binary

const (
	dockerTraces  = 60
	dockerWorkers = 4 // users in parallel
	// dockerPatience is for an engine that starts several containers at once on few cores.
	dockerPatience = 30 * time.Second
)

func TestGeneratedTracesOnDocker(t *testing.T) {
	harness.NeedDocker(t)
	seed := seedOf(t)
	requested := dockerTraces
	if v := os.Getenv("PODLIFE_TRACES"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			t.Fatalf("PODLIFE_TRACES=%q is not a number of traces", v)
		}
		requested = n
	}
	w := harness.NewDocker(t, harness.DockerOptions{Binary: binary.Path(t), Gate: true, Users: requested + 32})
	r := NewRunner(w, tabs, dockerPatience)
	began := time.Now()
	failure := driveAll(t.Context(), r, requested, seed)
	took := time.Since(began)
	n := r.Counts.Now()
	t.Logf("%s", n.Summary(took))
	if err := n.Results("docker", strconv.Itoa(seed), requested, failure != nil, took).Write(); err != nil {
		t.Error(err)
	}
	if failure != nil {
		t.Errorf("seed %d (PODLIFE_SEED): %s", seed, describe(failure))
		shrinkElsewhere(t, r, failure)
		return
	}
	if requested == dockerTraces {
		for _, s := range n.Short(Minima{Plans: dockerTraces, Steps: dockerTraces * steps, EachAction: 5, Tried: 5}) {
			t.Error(s)
		}
	}
}

// seedOf gives the seed of the run's plans: another one each time, unless the environment names one.
func seedOf(t *testing.T) int {
	if v := os.Getenv("PODLIFE_SEED"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatalf("PODLIFE_SEED=%q is not a number", v)
		}
		return n
	}
	return int(time.Now().UnixNano() % 1_000_000_000)
}

// driveAll drives so many plans, several users at a time, and gives the first failure. The plans depend on the seed alone, not on how fast the server is.
func driveAll(ctx context.Context, r *Runner, requested, seed int) (failure error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	plans := make(chan Plan)
	var mu sync.Mutex // guards failure
	var workers sync.WaitGroup
	for range dockerWorkers {
		workers.Go(func() {
			for plan := range plans {
				if err := r.Run(ctx, plan); err != nil {
					mu.Lock()
					if failure == nil {
						failure = err
						cancel()
					}
					mu.Unlock()
				}
			}
		})
	}
	drawing := Drawing{Tabs: tabs, Steps: steps, Kinds: AllKinds(), Seen: map[Mark]int{}}
	generator := rapid.Custom(drawing.Draw)
	for sent := 0; sent < requested && ctx.Err() == nil; seed++ {
		plan := generator.Example(seed)
		if len(plan) < steps {
			continue // one in some hundred leaves a step out
		}
		drawing.See(plan)
		select {
		case plans <- plan:
			sent++
		case <-ctx.Done():
		}
	}
	close(plans)
	workers.Wait()
	return failure
}

// shrinkElsewhere looks for a short plan that fails: in the simulated world, where a try costs milliseconds, and then once on the real engine.
func shrinkElsewhere(t *testing.T, r *Runner, failure error) {
	var f *Failure
	if !errors.As(failure, &f) {
		return
	}
	plan := f.Plan[:min(len(f.Plan), f.At+1)]
	w := &simulatedWorlds{t: t, users: 256}
	fails := func(p Plan) bool {
		var here *Failure
		return errors.As(w.run(t.Context(), p, NewCounts()), &here)
	}
	if !fails(plan) {
		t.Logf("the plan up to there does not fail on the simulated engine, so it was not shortened: %s", plan)
		return
	}
	short := Shrink(plan, 300, fails)
	t.Logf("shortened on the simulated engine: %s", short)
	if err := r.Run(t.Context(), short); err != nil {
		t.Logf("and it fails on the real one too: %s", describe(err))
	} else {
		t.Logf("on the real one the short plan passes")
	}
}
