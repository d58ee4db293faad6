package mutants

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"podlife/conformance/harness"
)

// atOnce is how many servers run at the same time.
const atOnce = 2

// run is a mutant, what has to become of it, and what did.
type run struct {
	mutant         Mutant
	want           Class
	result         Result
	shippedSeconds float64
}

// TestDockerMatrix builds every mutant, runs each, and the build that ships, through its scenario, and prints what became of each.
func TestDockerMatrix(t *testing.T) {
	harness.NeedDocker(t)
	start := time.Now()
	ships, err := NewSource("..").Compile(t.Context(), t.TempDir(), "release")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("a wrong id is no kill", func(t *testing.T) { wrongID(t, ships) })
	var runs []*run
	for _, m := range Catalogue() {
		runs = append(runs, &run{mutant: m, want: KilledExpected})
	}
	runs = append(runs, &run{mutant: Control(), want: Survived})
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for _, r := range runs {
		dir := t.TempDir()
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			shipped := ShippedPass
			if r.want == KilledExpected { // the control's scenario is another's
				shipped, r.shippedSeconds = JudgeShipped(t.Context(), r.mutant.Scenario, ships)
			}
			r.result = Judge(t.Context(), "..", dir, r.mutant, shipped)
		})
	}
	wg.Wait()
	save(t, runs)
	t.Logf("%d mutants in %.0f s\n%s", len(Catalogue()), time.Since(start).Seconds(), matrix(runs))
	for _, r := range runs {
		t.Logf("%s (%s): %s", r.mutant.ID, r.mutant.About, r.result.Detail)
		if r.result.Shipped != ShippedPass {
			t.Errorf("the build that ships does not pass the scenario %q: %s", r.mutant.Scenario.Name, r.result.Shipped)
		}
		if r.result.Class != r.want {
			t.Errorf("%s is %s, want %s", r.mutant.ID, r.result.Class, r.want)
		}
	}
}

// save leaves the results for coverage.json, where a run asks for them. The control is no mutant.
func save(t *testing.T, runs []*run) {
	t.Helper()
	dir := os.Getenv("PODLIFE_RESULTS")
	if dir == "" {
		return
	}
	var results []Result
	for _, r := range runs {
		if r.want == KilledExpected {
			results = append(results, r.result)
		}
	}
	if err := WriteResults(dir, results); err != nil {
		t.Error(err)
	}
}

func matrix(runs []*run) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "mutant\tguard\tmust break\tbroke\tclass\tshipped\tseconds\tseen by\tscenario")
	for _, r := range runs {
		broke := strings.Join(r.result.Broke, ", ")
		if broke == "" {
			broke = "-"
		}
		shipped, _, _ := strings.Cut(r.result.Shipped, ":")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%.1f + %.1f\t%s\t%s\n", r.mutant.ID, r.mutant.Guard, r.mutant.Expected, broke, r.result.Class, shipped,
			r.shippedSeconds, r.result.Seconds, r.result.Detector, r.mutant.Scenario.Name)
	}
	w.Flush()
	return text.String()
}

// wrongID runs the build that ships under a mutant's name: the running server says what it is, and nothing is judged.
func wrongID(t *testing.T, ships Build) {
	o := attempt(t.Context(), AttachAfterWipe(), Build{ID: "mutant-a", Binary: ships.Binary})
	var wrong *WrongBuildError
	if !errors.As(o.err, &wrong) || wrong.Got != "release" || wrong.Want != "mutant-a" || classOf(o.err) != Failed {
		t.Errorf("seen %+v, error %v, class %s", o.seen, o.err, classOf(o.err))
	}
}
