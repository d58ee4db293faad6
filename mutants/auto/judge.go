package auto

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"podlife/mutants"
	"podlife/mutants/auto/trial"
)

// driver is the program that a mutant is built of.
const driver = "./mutants/auto/driver"

// Shipped is the id of the build without a change.
const Shipped = "release"

// runTime bounds one run of a driver, buildTime a build with a cold cache.
const (
	runTime   = 2 * time.Minute
	buildTime = 10 * time.Minute
)

// Result is what became of one mutant.
type Result struct {
	ID       string        `json:"id"`
	Switch   string        `json:"switch"`
	About    string        `json:"about"`
	Expected []string      `json:"expected"` // what the registry names, and what else is accepted
	Broke    []string      `json:"broke"`    // the invariants and properties that were broken in truth; never null
	Table    bool          `json:"table"`    // the table that ships refuses a step that the mutant committed
	Class    mutants.Class `json:"class"`
	Shipped  string        `json:"shipped"` // what the build that ships did in the same scenarios: mutants.ShippedPass, or what was wrong
	Seconds  float64       `json:"seconds"` // of the scenarios
	Build    float64       `json:"build"`   // seconds
	Detail   string        `json:"detail"`

	changed map[string][]byte // the mutant's files
}

// run is what a driver said.
type run struct {
	Build    string          `json:"build"`
	Outcomes []trial.Outcome `json:"outcomes"`
}

// Compile builds the driver of a changed source.
func Compile(ctx context.Context, s *mutants.Source, dir, id string) (mutants.Build, error) {
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	return s.CompileProgram(ctx, dir, id, driver)
}

// drive runs a built driver through scenarios, and reads back which build it is.
func drive(ctx context.Context, b mutants.Build, scenarios []string) (run, error) {
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, b.Binary, scenarios...).Output()
	if ctx.Err() != nil {
		return run{}, ctx.Err()
	}
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %.600s", err, exit.Stderr)
		}
		return run{}, err
	}
	var r run
	if err := json.Unmarshal(out, &r); err != nil {
		return run{}, fmt.Errorf("the driver's output: %w", err)
	}
	if r.Build != b.ID {
		return run{}, &mutants.WrongBuildError{Want: b.ID, Got: r.Build}
	}
	if len(scenarios) > 0 && len(r.Outcomes) != len(scenarios) {
		return run{}, fmt.Errorf("%d outcomes of %d scenarios", len(r.Outcomes), len(scenarios))
	}
	return r, nil
}

// JudgeShipped runs the build that ships through all scenarios, and gives for each mutants.ShippedPass or what is wrong.
func JudgeShipped(ctx context.Context, b mutants.Build) (map[string]string, error) {
	r, err := drive(ctx, b, nil)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, o := range r.Outcomes {
		all[o.Scenario] = mutants.ShippedPass
		if len(o.Findings) > 0 || o.Err != "" {
			all[o.Scenario] = fmt.Sprintf("finds %v, error %q", o.Findings, o.Err)
		}
	}
	return all, nil
}

// Judge makes, builds, runs and judges a mutant. expected is what its switch breaks in the specification, shipped what [JudgeShipped] gave.
func Judge(ctx context.Context, root, dir string, m Mutant, expected string, shipped map[string]string) Result {
	r := Result{ID: m.ID, Switch: m.Switch, About: m.About, Expected: append([]string{expected}, m.Accepted...), Broke: []string{}, Shipped: mutants.ShippedPass}
	for _, s := range m.Scenarios {
		if shipped[s] != mutants.ShippedPass {
			r.Shipped = fmt.Sprintf("%s: %s", s, shipped[s])
		}
	}
	source := mutants.NewSource(root)
	start := time.Now()
	err := source.Apply(m.Edits)
	var b mutants.Build
	if err == nil {
		r.changed = source.Changed()
		b, err = Compile(ctx, source, dir, m.ID)
	}
	r.Build = time.Since(start).Round(time.Millisecond).Seconds()
	if err != nil {
		r.Class, r.Detail = classOf(err), err.Error()
		return r
	}
	start = time.Now()
	got, err := drive(ctx, b, m.Scenarios)
	r.Seconds = time.Since(start).Round(time.Millisecond).Seconds()
	if err != nil {
		r.Class, r.Detail = classOf(err), err.Error()
		return r
	}
	r.weigh(got)
	return r
}

// weigh makes a class of what was found. What was broken before a scenario failed is broken.
func (r *Result) weigh(got run) {
	failed, first := "", ""
	for _, o := range got.Outcomes {
		if o.Err != "" && failed == "" {
			failed = fmt.Sprintf("%s: %s", o.Scenario, o.Err)
		}
		for _, f := range o.Findings {
			switch {
			case f.By == trial.ByTable:
				r.Table = true
			case !slices.Contains(r.Broke, f.By):
				r.Broke = append(r.Broke, f.By)
			}
			if first == "" || f.By == r.Expected[0] {
				first = fmt.Sprintf("%s, in %q: %s", f.By, o.Scenario, f.Detail)
			}
		}
	}
	r.Detail = first
	switch {
	case r.Shipped != mutants.ShippedPass:
		r.Class, r.Detail = mutants.Failed, "the build that ships does not pass the same, so nothing is known: "+r.Shipped
	case slices.ContainsFunc(r.Broke, func(by string) bool { return slices.Contains(r.Expected, by) }):
		r.Class = mutants.KilledExpected
	case len(r.Broke) > 0 || r.Table:
		r.Class = mutants.KilledOther
	case failed != "":
		r.Class, r.Detail = mutants.Failed, failed
	default:
		r.Class = mutants.Survived
	}
}

func classOf(err error) mutants.Class {
	var notApplied *mutants.NotAppliedError
	var notBuilt *mutants.DoesNotBuildError
	switch {
	case errors.As(err, &notApplied):
		return mutants.DoesNotApply
	case errors.As(err, &notBuilt):
		return mutants.DoesNotBuild
	case errors.Is(err, context.DeadlineExceeded):
		return mutants.Timeout
	}
	return mutants.Failed
}
