package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"podlife/conformance/mirror"
	"podlife/conformance/paths"
	registry "podlife/conformance/specs"
	"podlife/model/podlifecycle"
	"podlife/mutants"
)

// results is what a run left.
type results struct {
	specs       []registry.Result
	mirrors     []mirror.Result
	conformance []Conformance
	linear      Linearizability
	mutants     []Mutant
}

// linearResults is what the concurrent histories leave.
const linearResults = "linearizability.json"

func tracesResults(engine string) string { return "conformance-" + engine + ".json" }

// readResults reads all of a run's files. One that is not there is not_run, which is never green.
func readResults(dir string) (results, error) {
	var r results
	if dir == "" {
		return r, errors.New("not_run: no folder of results was given; make check gives one, by hand it is --results DIR or PODLIFE_RESULTS")
	}
	var problems []error
	read := func(name string, into any) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			problems = append(problems, fmt.Errorf("%s: not_run: the run left no such file in %s", name, dir))
		case err != nil:
			problems = append(problems, err)
		default:
			if err := json.Unmarshal(data, into); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	for _, engine := range engines {
		var c struct {
			Conformance
			Guards map[string]Seen `json:"guards"`
		}
		read(tracesResults(engine), &c)
		if c.Engine != "" && c.Engine != engine {
			problems = append(problems, fmt.Errorf("%s: engine is %q, want %q", tracesResults(engine), c.Engine, engine))
		}
		c.Conformance.Guards = c.Guards
		c.Seconds = round(c.Seconds)
		r.conformance = append(r.conformance, c.Conformance)
	}
	for _, m := range minima().Paths {
		var result paths.Result
		name := paths.ResultsFile(m.Engine, m.Config)
		read(name, &result)
		if result.Engine != "" && (result.Engine != m.Engine || result.Config != m.Config) {
			problems = append(problems, fmt.Errorf("%s: it is of %s, %s", name, result.Engine, result.Config))
		}
		r.conformance = append(r.conformance, pathsOf(result))
	}
	read(registry.ResultsFile, &r.specs)
	read(mirror.ResultsFile, &r.mirrors)
	read(linearResults, &r.linear)
	r.linear.Seconds = round(r.linear.Seconds)
	var judged []mutants.Result
	read(mutants.ResultsFile, &judged)
	for _, m := range judged {
		r.mutants = append(r.mutants, Mutant{
			ID: m.ID, Guard: m.Guard, Expected: m.Expected, Broke: append([]string{}, m.Broke...), Class: string(m.Class), Shipped: m.Shipped, Detector: m.Detector, Seconds: round(m.Seconds),
		})
	}
	return r, errors.Join(problems...)
}

// pathsOf is what paths did, in the form of the file.
func pathsOf(r paths.Result) Conformance {
	c := Conformance{
		Engine: r.Engine, Kind: r.Kind, Spec: r.Spec, Config: r.Config, Requested: r.Requested, Executed: r.Executed, Steps: r.Steps, Actions: r.Actions,
		DisabledTried: r.DisabledTried, EdgesCovered: r.EdgesCovered, EdgesReachable: r.EdgesReachable, EdgesAll: r.EdgesAll, Unreachable: r.Unreachable,
		Verdict: r.Verdict, Seconds: round(r.Seconds), Guards: map[string]Seen{},
	}
	for reason, n := range r.NotDrivable {
		if c.NotDrivable == nil {
			c.NotDrivable = map[string]int{}
		}
		c.NotDrivable[string(reason)] = n
	}
	for guard, o := range r.Guards {
		c.Guards[guard] = Seen(o)
	}
	return c
}

// round makes seconds that stay the same from run to run, mostly.
func round(seconds float64) float64 { return math.Round(seconds/10) * 10 }

// take puts a run's results into the file.
func (f *File) take(r results) {
	f.takeSpecs(r.specs)
	f.takeMirrors(r.mirrors)
	f.Conformance, f.Linearizability, f.Mutants = r.conformance, r.linear, r.mutants
	for i, g := range f.Guards {
		for _, c := range r.conformance {
			if (g.Spec == podlifecycle.Name) != (c.Spec == "") {
				continue
			}
			seen, sum := c.Guards[g.Action+"."+g.Guard], &f.Guards[i].Simulated
			if c.Engine == "docker" {
				sum = &f.Guards[i].Docker
			}
			sum.True += seen.True
			sum.False += seen.False
		}
	}
}
