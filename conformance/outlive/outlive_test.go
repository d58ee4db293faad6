package outlive

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"podlife/conformance/harness"
)

var binary harness.Binary

func TestMain(m *testing.M) {
	code := m.Run()
	binary.Remove()
	next.Remove()
	os.Exit(code)
}

// amount is how much is done.
type amount struct {
	bytes      int64
	operations int
	limit      time.Duration
}

// asked is what the environment asks for: all, or each of so many kinds of operations once.
func asked(kinds int) amount {
	if os.Getenv("PODLIFE_OUTLIVE") == "full" {
		return amount{1 << 30, 50, 30 * time.Minute}
	}
	return amount{20 << 20, kinds, 5 * time.Minute}
}

// seed is that of PODLIFE_SEED, or a new one.
func seed(t *testing.T) uint64 {
	t.Helper()
	s := os.Getenv("PODLIFE_SEED")
	if s == "" {
		return rand.Uint64()
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("PODLIFE_SEED=%q: %v", s, err)
	}
	return n
}

func TestDockerAWorkspaceOutlivesStopsStartsAndCrashes(t *testing.T) {
	harness.NeedDocker(t)
	outlives(t, asked(len(operations())), operations())
}

// outlives draws operations, does them to a workspace, and looks at it after each.
func outlives(t *testing.T, a amount, kinds []operation) {
	ctx, cancel := context.WithTimeout(t.Context(), a.limit)
	defer cancel()
	n := seed(t)
	t.Logf("PODLIFE_SEED=%d", n)
	r := newRun(ctx, t, rand.New(rand.NewPCG(n, 0)))
	began := time.Now()
	if err := r.prepare(ctx, t.TempDir(), a.bytes); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MiB in %d entries (hash %s), written and hashed in %s", a.bytes>>20, r.filled, r.home, since(began))
	done := map[string]int{}
	var told []string
	for i, o := range drawn(r.draw, kinds, a.operations) {
		if i == a.operations/3 {
			if err := r.lease(ctx); err != nil {
				t.Fatal(err)
			}
		}
		was, began := r.now, time.Now()
		r.how = ""
		err := o.do(r, ctx)
		told = append(told, fmt.Sprintf("%2d. %s%s, while %s", i+1, o.name, r.how, was))
		if err != nil {
			t.Fatalf("%s:\nfailed: %v", strings.Join(told, "\n"), err)
		}
		acted := since(began)
		if err := r.check(ctx); err != nil {
			t.Fatalf("%s:\nafterwards: %v", strings.Join(told, "\n"), err)
		}
		done[o.name+r.how]++
		t.Logf("%s: %s, then %s in incarnation %d; with the look %s", told[i], acted, r.now, r.highest, since(began))
	}
	highest := r.highest
	if err := r.adopt(ctx); err != nil {
		t.Fatalf("adopted and removed: %v", err)
	}
	if r.idled == 0 {
		t.Error("it never slept for being idle")
	}
	t.Logf("%d operations: %v; %d idle sleeps; %d hashes compared with the first and equal, %d of them with the pod asleep; incarnations up to %d; %s in all",
		a.operations, done, r.idled, r.equal, r.looks, highest, since(began))
}

func since(t time.Time) time.Duration { return time.Since(t).Round(10 * time.Millisecond) }

// newRun starts a server with two images to be started with.
func newRun(ctx context.Context, t *testing.T, draw *rand.Rand) *run {
	t.Helper()
	other := fmt.Sprintf("plimage-%d-%d", os.Getpid(), draw.Uint32())
	undo, err := makeImage(ctx, other)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := undo(ctx); err != nil {
			t.Error(err)
		}
	})
	r := &run{draw: draw, images: [2]string{harness.Image, "podlife/outlive:" + other}}
	r.world = harness.NewDocker(t, harness.DockerOptions{Binary: binary.Path(t), Users: 1, Env: r.environment()})
	return r
}

// drawn gives so many operations: all kinds in any order, then all again. An idle sleep is among those before the lease.
func drawn(r *rand.Rand, kinds []operation, n int) []operation {
	var all []operation
	for len(all) < n {
		for _, i := range r.Perm(len(kinds)) {
			all = append(all, kinds[i])
		}
	}
	for i, o := range all {
		if o.name == idle {
			if early := r.IntN(n / 3); i >= n/3 {
				all[i], all[early] = all[early], all[i]
			}
			break
		}
	}
	return all[:n]
}
