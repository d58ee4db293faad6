package resume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"podlife/conformance/resume"
	"podlife/conformance/specs"
	"podlife/mutants"
	"podlife/tla/diag"
)

const (
	driver = "./mutants/resume/driver"
	// Shipped is the id of the build without a change.
	Shipped = "release"
	// ResultsFile is the results' name in the folder of a run.
	ResultsFile = "mutants-resume.json"

	runTime   = time.Minute
	buildTime = 10 * time.Minute
)

// Result is what became of one mutant.
type Result struct {
	ID       string        `json:"id"`
	About    string        `json:"about"`
	Expected string        `json:"expected"` // what the registry names
	Broke    []string      `json:"broke"`    // what was broken in truth; never null
	Differs  string        `json:"differs"`  // what the table says otherwise, first
	Class    mutants.Class `json:"class"`
	Shipped  string        `json:"shipped"` // mutants.ShippedPass, or what was wrong with the build that ships in the same scenario
	Detail   string        `json:"detail"`
}

// Expectations reads from the registry below root what the loss of each guard and rule breaks in the specification.
func Expectations(root string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(root, "tla", "configs", "registry.txt"))
	if err != nil {
		return nil, err
	}
	entries, err := specs.Parse(diag.NewSource("registry.txt", text))
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, e := range entries {
		if name, ok := strings.CutPrefix(e.File, "configs/SessionResume/off/"); ok {
			all[strings.TrimSuffix(name, ".cfg")] = e.Expect.Name
		}
	}
	return all, nil
}

// Compile builds the driver of a changed source into dir.
func Compile(ctx context.Context, s *mutants.Source, dir, id string) (mutants.Build, error) {
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	return s.CompileProgram(ctx, dir, id, driver)
}

// Drive runs a driver through a scenario, and reads back which build it is.
func Drive(ctx context.Context, b mutants.Build, scenario string) (resume.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, b.Binary, scenario).Output()
	if ctx.Err() != nil {
		return resume.Outcome{}, ctx.Err()
	}
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %.600s", err, exit.Stderr)
		}
		return resume.Outcome{}, err
	}
	var r struct {
		Build    string           `json:"build"`
		Outcomes []resume.Outcome `json:"outcomes"`
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return resume.Outcome{}, fmt.Errorf("the driver's output: %w", err)
	}
	if r.Build != b.ID {
		return resume.Outcome{}, &mutants.WrongBuildError{Want: b.ID, Got: r.Build}
	}
	if len(r.Outcomes) != 1 || r.Outcomes[0].Scenario != scenario {
		return resume.Outcome{}, fmt.Errorf("the outcomes %+v are not of %q", r.Outcomes, scenario)
	}
	return r.Outcomes[0], nil
}

// Judge makes, builds, runs and judges a mutant on the source below root. dir is for its files, ships the build that ships.
func Judge(ctx context.Context, root, dir string, m Mutant, expected string, ships mutants.Build) Result {
	r := Result{ID: m.ID, About: m.About, Expected: expected, Broke: []string{}, Shipped: mutants.ShippedPass}
	if o, err := Drive(ctx, ships, m.ID); err != nil {
		r.Shipped = err.Error()
	} else if len(o.Broke) > 0 || o.Differs != "" || o.Err != "" {
		r.Shipped = fmt.Sprintf("breaks %v, differs %q, error %q", o.Broke, o.Differs, o.Err)
	}
	source := mutants.NewSource(root)
	err := source.Apply(m.Edits)
	var b mutants.Build
	if err == nil {
		b, err = Compile(ctx, source, dir, m.ID)
	}
	var o resume.Outcome
	if err == nil {
		o, err = Drive(ctx, b, m.ID)
	}
	if err != nil {
		r.Class, r.Detail = classOf(err), err.Error()
		return r
	}
	r.weigh(o)
	return r
}

// weigh makes a class of what was found. What was broken before the host could not be followed any more is broken.
func (r *Result) weigh(o resume.Outcome) {
	r.Broke, r.Differs = append(r.Broke, o.Broke...), o.Differs
	switch {
	case r.Shipped != mutants.ShippedPass:
		r.Class, r.Detail = mutants.Failed, "the build that ships does not pass the same, so nothing is known: "+r.Shipped
	case slices.Contains(r.Broke, r.Expected):
		r.Class = mutants.KilledExpected
	case len(r.Broke) > 0 || r.Differs != "":
		r.Class = mutants.KilledOther
	case o.Err != "":
		r.Class, r.Detail = mutants.Failed, o.Err
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

// Write writes the results into a run's folder, whole or not at all.
func Write(dir string, results []Result) error {
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	temp := filepath.Join(dir, "."+ResultsFile+".new")
	if err := os.WriteFile(temp, append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(dir, ResultsFile))
}
