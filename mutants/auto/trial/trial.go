// Package trial is what a build of the runtime goes through to be judged: the pods, the real store and the simulated engine in one process, scenarios that use them, and a judge that looks at what
// is really there.
//
// The scenarios know nothing of mutants: the build that ships goes through the same, and must break nothing. The judge follows every committed step by the table that ships, and holds the table's
// invariants against the truth: the engine's containers, what is set up in them, their markers, the store's records, and what the callers were answered. It imports runtime and model, and only
// mutants/auto and its driver import it. Read this file first, then judge.go and scenarios.go.
package trial

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// Scenario is a way of using the server.
type Scenario struct {
	Name string
	run  func(*machine) error
}

// ByTable is the By of a finding that the table which ships refuses a committed step. Nothing need be broken by it.
const ByTable = "table"

// Refines is the property that every step is, for the outside, what PodLifecycle allows (tla/PodRuntimeRefinement.tla); the next two are those of PodRuntime that are about steps.
const (
	Refines         = "Refines"
	ReadyIsKept     = "ReadyIsKept"
	AttachIsCurrent = "AttachIsCurrent"
)

// Finding is one thing that the judge found wrong.
type Finding struct {
	By     string `json:"by"`     // the invariant or property that is broken, or ByTable
	Detail string `json:"detail"` // what was seen, in a line
}

// Outcome is what became of one scenario.
type Outcome struct {
	Scenario string    `json:"scenario"`
	Findings []Finding `json:"findings"` // each By at most once, the first that was seen; never null
	// Err is what kept the scenario from its end; empty for nothing. What was found before it counts.
	Err     string  `json:"err"`
	Seconds float64 `json:"seconds"`
}

// bound is the time of one scenario. Each takes a fraction of a second where nothing hangs.
const bound = 30 * time.Second

// Names gives the names of all scenarios.
func Names() []string {
	var names []string
	for _, s := range scenarios() {
		names = append(names, s.Name)
	}
	return names
}

// atOnce is how many scenarios run at the same time.
const atOnce = 8

// Run runs the named scenarios, or all where none is named, and gives their outcomes in that order. An unknown name is an error.
func Run(ctx context.Context, names []string) ([]Outcome, error) {
	all := scenarios()
	if len(names) == 0 {
		names = Names()
	}
	outcomes := make([]Outcome, len(names))
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, name := range names {
		at := slices.IndexFunc(all, func(s Scenario) bool { return s.Name == name })
		if at < 0 {
			wg.Wait()
			return nil, fmt.Errorf("there is no scenario %.100q", name)
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			outcomes[i] = run(ctx, all[at])
		})
	}
	wg.Wait()
	return outcomes, nil
}

func run(ctx context.Context, s Scenario) (o Outcome) {
	o = Outcome{Scenario: s.Name, Findings: []Finding{}}
	start := time.Now()
	defer func() { o.Seconds = time.Since(start).Round(time.Millisecond).Seconds() }()
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	dir, err := os.MkdirTemp("", "podlife-trial-")
	if err != nil {
		o.Err = err.Error()
		return o
	}
	defer os.RemoveAll(dir)
	m, err := newMachine(ctx, dir)
	if err == nil {
		err = m.start()
	}
	if err == nil {
		err = s.run(m)
	}
	if err == nil {
		err = m.settle()
	}
	if err != nil {
		o.Err = err.Error()
	}
	if m != nil {
		m.close()
		o.Findings = m.judge.found()
	}
	return o
}
