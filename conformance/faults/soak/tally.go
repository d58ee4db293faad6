package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"text/tabwriter"
	"time"
)

// maxViolations is how many violations are kept in words; all are counted.
const maxViolations = 50

// Count is how often an operation was answered as asked, and with an error, as most faults have it.
type Count struct {
	OK      int `json:"ok"`
	Refused int `json:"refused"`
}

// Report is what a soak has found.
type Report struct {
	Engine         string           `json:"engine"`
	Seed           uint64           `json:"seed"`
	Pods           int              `json:"pods"`
	Seconds        float64          `json:"seconds"`
	Rounds         int              `json:"rounds"`
	Operations     map[string]Count `json:"operations"`
	Faults         map[string]int   `json:"faults"`
	Checks         map[string]int   `json:"checks"`
	Actions        map[string]int   `json:"actions,omitempty"` // committed steps of the server
	ViolationCount int              `json:"violation_count"`
	Violations     []string         `json:"violations"` // the first
	Left           map[string]Left  `json:"left"`       // what was there before and after, by kind
	Leaks          []string         `json:"leaks"`
}

// Tally counts. Its methods may be called from any goroutine.
type Tally struct {
	began time.Time

	mu sync.Mutex // guards the following
	r  Report
}

// NewTally begins.
func NewTally(o Options) *Tally {
	return &Tally{began: time.Now(), r: Report{
		Engine: o.Engine, Seed: o.Seed, Pods: o.Pods, Operations: map[string]Count{}, Faults: map[string]int{}, Checks: map[string]int{}, Violations: []string{}, Left: map[string]Left{}, Leaks: []string{},
	}}
}

func (t *Tally) did(op string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.r.Operations[op]
	if err == nil {
		c.OK++
	} else {
		c.Refused++
	}
	t.r.Operations[op] = c
}

func (t *Tally) fault(kind string)   { t.mu.Lock(); defer t.mu.Unlock(); t.r.Faults[kind]++ }
func (t *Tally) checked(what string) { t.checkedTimes(what, 1) }
func (t *Tally) round()              { t.mu.Lock(); defer t.mu.Unlock(); t.r.Rounds++ }

func (t *Tally) checkedTimes(what string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.r.Checks[what] += n
}

func (t *Tally) fail(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.r.ViolationCount++
	if len(t.r.Violations) < maxViolations {
		t.r.Violations = append(t.r.Violations, fmt.Sprintf("at %s: ", time.Since(t.began).Round(time.Millisecond))+fmt.Sprintf(format, args...))
	}
}

func (t *Tally) leak(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.r.Leaks = append(t.r.Leaks, what)
}

func (t *Tally) actions(n map[string]int) { t.mu.Lock(); defer t.mu.Unlock(); t.r.Actions = n }

// Report sums up.
func (t *Tally) Report() Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.r
	r.Seconds = time.Since(t.began).Round(100 * time.Millisecond).Seconds()
	return r
}

// Table prints the report for people.
func (r Report) Table(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	p := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) } // who has closed the output does not want it
	p("operation\tas asked\trefused\n")
	for _, name := range slices.Sorted(maps.Keys(r.Operations)) {
		p("%s\t%d\t%d\n", name, r.Operations[name].OK, r.Operations[name].Refused)
	}
	for _, part := range []struct {
		title  string
		counts map[string]int
	}{{"fault", r.Faults}, {"check", r.Checks}, {"committed step", r.Actions}} {
		if len(part.counts) == 0 {
			continue
		}
		p("\n%s\ttimes\n", part.title)
		for _, name := range slices.Sorted(maps.Keys(part.counts)) {
			p("%s\t%d\n", name, part.counts[name])
		}
	}
	p("\nleft\tbefore\tafter\n")
	for _, kind := range slices.Sorted(maps.Keys(r.Left)) {
		p("%s\t%d\t%d\n", kind, r.Left[kind].Before, r.Left[kind].After)
	}
	p("\n")
	_ = w.Flush()
	for _, v := range r.Violations {
		p("violation %s\n", v)
	}
	for _, l := range r.Leaks {
		p("leak %s\n", l)
	}
	p("soak: %d pods on the %s engine, %d rounds in %.0f s: %d violations, %d leaks (seed %d)\n", r.Pods, r.Engine, r.Rounds, r.Seconds, r.ViolationCount, len(r.Leaks), r.Seed)
	_ = w.Flush()
}
