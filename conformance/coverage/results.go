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

// round makes seconds that stay the same from run to run, mostly.
func round(seconds float64) float64 { return math.Round(seconds/10) * 10 }

// take puts a run's results into the file.
func (f *File) take(r results) {
	f.takeSpecs(r.specs)
	f.takeMirrors(r.mirrors)
	f.Conformance, f.Linearizability, f.Mutants = r.conformance, r.linear, r.mutants
	for i, g := range f.Guards {
		if g.Spec != podlifecycle.Name {
			continue
		}
		for _, c := range r.conformance {
			seen := c.Guards[g.Action+"."+g.Guard]
			if c.Engine == "docker" {
				f.Guards[i].Docker = seen
			} else {
				f.Guards[i].Simulated = seen
			}
		}
	}
}
