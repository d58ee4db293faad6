// Package rule judges wrong builds for a small specification: one for each guard and rule of it, by what a driver finds in the scenario of that guard.
//
// A driver is a program that goes through scenarios beside the table of the specification, such as mutants/resume/driver; what it prints is an [Outcome] for each. A build of it has changed source under it and the mutant's id compiled in, and
// must break what tla/configs/registry.txt names for the configuration without the same guard: seen in what is there in truth, not by the table. That the table differs too is told beside it.
//
// It imports mutants, mutants/guards, conformance/specs and tla/diag; mutants/resume, mutants/idlerule and mutants/workspace import it. Read this file first; drive/ is the frame of a driver.
package rule

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

	"podlife/conformance/specs"
	"podlife/mutants"
	"podlife/mutants/guards"
	"podlife/tla/diag"
)

// Shipped is the id of the build without a change.
const Shipped = "release"

const (
	runTime   = time.Minute
	buildTime = 10 * time.Minute
)

// Subject is what is built wrong.
type Subject struct {
	Spec        string // the specification, whose configurations are in a folder of that name
	Driver      string // its package, from the root
	ResultsFile string // the results' name in the folder of a run
}

// Mutant is one wrong build.
type Mutant struct {
	ID    string // the guard or rule that it lacks, "Action.guard": compiled in, and the name of its scenario
	About string // one line
	Edits []mutants.Edit
}

// Without makes the mutant without a guard or rule.
func Without(id, about string, edits ...mutants.Edit) Mutant {
	return Mutant{ID: id, About: about, Edits: edits}
}

// Outcome is what a driver says of a scenario.
type Outcome struct {
	Scenario string   `json:"scenario"`
	Broke    []string `json:"broke"`   // the invariants that were broken in truth
	Differs  string   `json:"differs"` // the first difference to the table, empty for none
	Err      string   `json:"err"`     // why it was not followed to the end, empty where it was
}

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
func (u Subject) Expectations(root string) (map[string]string, error) {
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
		if name, ok := strings.CutPrefix(e.File, "configs/"+u.Spec+"/off/"); ok {
			all[strings.TrimSuffix(name, ".cfg")] = e.Expect.Name
		}
	}
	return all, nil
}

// Compile builds the driver of a changed source into dir.
func (u Subject) Compile(ctx context.Context, s *mutants.Source, dir, id string) (mutants.Build, error) {
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	return s.CompileProgram(ctx, dir, id, u.Driver)
}

// Drive runs a driver through a scenario, and reads back which build it is.
func Drive(ctx context.Context, b mutants.Build, scenario string) (Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, b.Binary, scenario).Output()
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %.600s", err, exit.Stderr)
		}
		return Outcome{}, err
	}
	var r struct {
		Build    string    `json:"build"`
		Outcomes []Outcome `json:"outcomes"`
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return Outcome{}, fmt.Errorf("the driver's output: %w", err)
	}
	if r.Build != b.ID {
		return Outcome{}, &mutants.WrongBuildError{Want: b.ID, Got: r.Build}
	}
	if len(r.Outcomes) != 1 || r.Outcomes[0].Scenario != scenario {
		return Outcome{}, fmt.Errorf("the outcomes %+v are not of %q", r.Outcomes, scenario)
	}
	return r.Outcomes[0], nil
}

// Judge makes, builds, runs and judges a mutant on the source below root. dir is for its files, ships the build that ships.
func (u Subject) Judge(ctx context.Context, root, dir string, m Mutant, expected string, ships mutants.Build) Result {
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
		b, err = u.Compile(ctx, source, dir, m.ID)
	}
	var o Outcome
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

// weigh makes a class of what was found. What was broken before it could not be followed any more is broken.
func (r *Result) weigh(o Outcome) {
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
func (u Subject) Write(dir string, results []Result) error {
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	temp := filepath.Join(dir, "."+u.ResultsFile+".new")
	if err := os.WriteFile(temp, append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(dir, u.ResultsFile))
}

// Kept gives those of the annotated statements that no mutant is without. known is what their annotations name. The error is a [*mutants.NotAppliedError].
func Kept(root string, statements []guards.Statement, known guards.Known, catalogue []Mutant) ([]guards.Statement, error) {
	var kept []guards.Statement
	for _, s := range statements {
		gone := false
		for _, m := range catalogue {
			source := mutants.NewSource(root)
			if err := source.Apply(m.Edits); err != nil {
				return nil, err
			}
			changed, is := source.Changed()[s.File]
			left, _ := guards.InFile(s.File, changed, known) // a comment that is left alone is an error, and no statement
			gone = gone || is && !slices.ContainsFunc(left, func(l guards.Statement) bool { return l.Hash == s.Hash && l.Guard == s.Guard && l.Action == s.Action })
		}
		if !gone {
			kept = append(kept, s)
		}
	}
	return kept, nil
}
