package traces

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"podlife/conformance/harness"
)

const (
	tabs  = 3
	steps = 15

	simulatedTraces  = 2100
	simulatedWorkers = 4
	simulatedBatch   = 75 // traces drawn with the same weights, in one rapid.Check
)

// simulatedPatience is for a machine that does much else; in a simulated world what has to happen happens in milliseconds.
const simulatedPatience = 10 * time.Second

func TestGeneratedTracesOnTheSimulatedEngine(t *testing.T) {
	// rapid's own number of checks is a flag for the whole process.
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	if err := flag.Set("rapid.checks", strconv.Itoa(simulatedBatch)); err != nil {
		t.Fatal(err)
	}
	defer flag.Set("rapid.checks", before)
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // many short-lived requests, little that stays
	counts := NewCounts()
	began := time.Now()
	t.Run("workers", func(t *testing.T) {
		for i := range simulatedWorkers {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				for range simulatedTraces / simulatedWorkers / simulatedBatch {
					simulatedBatchOf(t, counts)
				}
			})
		}
	})
	n := counts.Now()
	took := time.Since(began)
	if err := n.Results("simulated", "", simulatedTraces, t.Failed(), took).Write(); err != nil {
		t.Error(err)
	}
	t.Logf("%s", n.Summary(took))
	if t.Failed() {
		return
	}
	// rapid stops early near the test's deadline and still says OK.
	for _, s := range n.Short(Minima{Plans: simulatedTraces, Steps: 30_000, EachAction: 100, Tried: 100}) {
		t.Error(s)
	}
}

// simulatedBatchOf is one rapid.Check in a world of its own, or in as many as shrinking needs.
func simulatedBatchOf(t *testing.T, counts *Counts) {
	w := &simulatedWorlds{t: t, users: simulatedBatch}
	drawing := Drawing{Tabs: tabs, Steps: steps, Kinds: append(AllKinds(), Idle), Seen: counts.Now().Seen}
	rapid.Check(t, func(rt *rapid.T) {
		plan := drawing.Draw(rt)
		if err := w.run(rt.Context(), plan, counts); err != nil {
			rt.Fatal(describe(err))
		}
	})
}

// describe is the report of a failure, and every other error as it is.
func describe(err error) string {
	var f *Failure
	if errors.As(err, &f) {
		return f.Report(Table())
	}
	return err.Error()
}

// simulatedWorlds gives every plan a fresh user, and starts another world when one has no more.
type simulatedWorlds struct {
	t      *testing.T
	users  int
	runner *Runner
}

func (w *simulatedWorlds) run(ctx context.Context, plan Plan, counts *Counts) error {
	for try := 0; ; try++ {
		if w.runner != nil {
			w.runner.Counts = counts
			if err := w.runner.Run(ctx, plan); !errors.Is(err, harness.ErrNoMoreUsers) || try > 1 {
				return err
			}
		}
		w.runner = NewRunner(harness.NewSimulated(w.t, harness.SimulatedOptions{Users: w.users, Gate: true}), tabs, simulatedPatience)
		w.runner.EveryLook = true
	}
}

// theTabThatWasLeftOpen is the story of the bug that started it all: the tab believes, the container is gone, and its terminal connects.
const theTabThatWasLeftOpen = "boot c1; gate; attach c1; destroy; attach c1; connect c1; gate"

// TestOnePlan drives the one above, or the plan in PODLIFE_PLAN, given as Plan.String writes it, for somebody who looks for the reason of a failure.
func TestOnePlan(t *testing.T) {
	text := os.Getenv("PODLIFE_PLAN")
	if text == "" {
		text = theTabThatWasLeftOpen
	}
	plan, err := ParsePlan(text)
	if err != nil {
		t.Fatal(err)
	}
	w := &simulatedWorlds{t: t, users: 4}
	if err := w.run(t.Context(), plan, NewCounts()); err != nil {
		t.Fatal(describe(err))
	}
}
