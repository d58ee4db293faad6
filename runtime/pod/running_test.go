package pod_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"podlife/model/podlifecycle"
	"podlife/runtime/pod"
)

// bounded is a rig on which so many pods of one user may run.
func bounded(t *testing.T, most int) *rig {
	r := newRig(t)
	r.stop()
	r.maxRunning = most
	r.start()
	return r
}

// of gives a pod of a user's.
func (r *rig) of(owner, name string) *pod.Pod {
	p := r.Pod(pod.ID(owner + "." + name))
	p.BelongsTo(owner, name)
	return p
}

// full boots what must be refused for what runs.
func (r *rig) full(p *pod.Pod, running ...string) {
	r.t.Helper()
	steps, _ := p.Steps(0)
	_, err := p.Boot(r.ctx(), "late", nil)
	var refused *pod.TooManyRunningError
	if !errors.As(err, &refused) || refused.Most != r.maxRunning || !slices.Equal(refused.Running, running) {
		r.t.Errorf("a boot of %s: %v, want a refusal that names %q", p.ID(), err, running)
	}
	if after, _ := p.Steps(0); len(after) != len(steps) || p.Status().State != podlifecycle.Asleep {
		r.t.Errorf("the refused boot of %s took the steps %+v, in %+v", p.ID(), after[len(steps):], p.Status())
	}
}

func TestABootOfOnePodMoreThanMayRunIsRefusedAndNothingElseIs(t *testing.T) {
	r := bounded(t, 2)
	a, b, c := r.Pod("u"), r.of("u", "b"), r.of("u", "c")
	r.boot(a, "c1")
	r.boot(b, "c1")
	r.full(c, "b", "default")
	r.has(2)
	r.boot(b, "c1") // it runs
	r.boot(b, "c2")
	r.attach(a, "c1")
	r.boot(r.of("v", "c"), "c1") // somebody else's
	if err := b.Destroy(r.ctx()); err != nil {
		t.Fatal(err)
	}
	r.boot(c, "c1")
	r.full(b, "c", "default")
}

func TestABootThatComesToNothingTakesNoPlace(t *testing.T) {
	r := bounded(t, 1)
	a, b := r.of("u", "a"), r.of("u", "b")
	r.store.failWith(errors.New("no such luck"))
	var unstored *pod.StoreError
	if _, err := a.Boot(r.ctx(), "c1", nil); !errors.As(err, &unstored) {
		t.Errorf("%v", err)
	}
	r.store.failWith(nil)
	r.boot(b, "c1")
	if err := b.Destroy(r.ctx()); err != nil {
		t.Fatal(err)
	}
	r.engine.FailNext("create", errors.New("no such luck"))
	var failed *pod.BootError
	if _, err := a.Boot(r.ctx(), "c1", nil); !errors.As(err, &failed) {
		t.Errorf("%v", err)
	}
	r.boot(b, "c1")
	r.full(a, "b")
}

// Whatever runs when the server starts is counted, also where less may run by now.
func TestWhatRunsOverARestartIsCounted(t *testing.T) {
	r := bounded(t, 3)
	r.boot(r.Pod("u"), "c1")
	for _, name := range []string{"a", "b"} {
		r.boot(r.of("u", name), "c1")
	}
	r.stop()
	r.maxRunning = 2
	r.start()
	d := r.of("u", "d")
	for _, name := range []string{"a", "b"} {
		r.boot(r.of("u", name), "c1")
	}
	r.full(d, "a", "b", "default")
	for _, name := range []string{"a", "b"} {
		if err := r.of("u", name).Destroy(r.ctx()); err != nil {
			t.Fatal(err)
		}
	}
	r.boot(d, "c1")
	r.full(r.of("u", "a"), "d", "default")
}

func TestOfManyBootsAtOnceNoMoreRunThanMay(t *testing.T) {
	const most, all = 3, 20
	r := bounded(t, most)
	for round := range 3 {
		var wg sync.WaitGroup
		var mu sync.Mutex // guards the next
		ready, refused := 0, 0
		for i := range all {
			p := r.of("u", fmt.Sprintf("p%d", i))
			wg.Go(func() {
				_, err := p.Boot(r.ctx(), "c1", nil)
				var full *pod.TooManyRunningError
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					ready++
				case errors.As(err, &full) && len(full.Running) == most:
					refused++
				default:
					t.Errorf("%v", err)
				}
			})
		}
		wg.Wait()
		r.has(most)
		if ready != most || refused != all-most {
			t.Errorf("round %d: %d are ready and %d were refused", round, ready, refused)
		}
		for i := range all {
			if err := r.of("u", fmt.Sprintf("p%d", i)).Destroy(r.ctx()); err != nil {
				t.Fatal(err)
			}
		}
	}
}
