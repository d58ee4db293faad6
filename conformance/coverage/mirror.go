package main

import (
	"context"
	"fmt"
	"path/filepath"

	"podlife/conformance/mirror"
	"podlife/model/podlifecycle"
	"podlife/tla/checker"
	"podlife/tla/module"
	"podlife/tla/spec"
)

// Mirror is one comparison of the specification with the table: in each state, each action with each argument, with all guards and
// without each one.
type Mirror struct {
	Design      string `json:"design"`
	Clients     int    `json:"clients"`
	MaxInc      int    `json:"max_inc"`
	States      int    `json:"states"`
	Comparisons int    `json:"comparisons"`
	Guards      int    `json:"guards"` // dropped on both sides
	Invariants  int    `json:"invariants"`
	Differences int    `json:"differences"`
}

// mirrors compares the table with the specification in dir.
func mirrors(ctx context.Context, dir string) ([]Mirror, error) {
	m, err := module.Load(filepath.Join(dir, podlifecycle.Name+".tla"), module.Options{})
	if err != nil {
		return nil, fmt.Errorf("mirror: %w", err)
	}
	var list []Mirror
	for _, d := range mirror.Designs() {
		r, err := d.Compare(ctx, m, podlifecycle.Table)
		if err == nil {
			err = r.Err()
		}
		if err != nil {
			return list, fmt.Errorf("mirror[%s]: %w", d.Name, err)
		}
		list = append(list, Mirror{
			Design: d.Name, Clients: d.Clients, MaxInc: d.MaxInc,
			States: r.States, Comparisons: r.Comparisons, Guards: r.Guards, Invariants: r.Invariants, Differences: len(r.Differences),
		})
	}
	return list, nil
}

// embedded runs the embedded checker on a configuration as it stands: verdict and numbers must be those that the table's explorer
// found, and nothing may hold for no reason, unless the specification gives one.
func embedded(ctx context.Context, dir string, s Spec) error {
	loaded, err := spec.Load(filepath.Join(dir, s.Module+".tla"), spec.Options{Config: filepath.Join(dir, s.Config)})
	if err != nil {
		return fmt.Errorf("the embedded checker does not read it: %w", err)
	}
	r, err := checker.Run(ctx, loaded.Program, loaded.CheckerOptions())
	if err != nil {
		return err
	}
	verdict := string(r.Verdict)
	switch r.Verdict {
	case checker.VerdictOK:
		verdict = "holds"
	case checker.VerdictInvariant:
		verdict = "violates " + r.Name
	}
	if verdict != s.Verdict || int(r.Distinct) != s.Distinct || int(r.Generated) != s.Generated || r.Depth != s.Depth {
		return fmt.Errorf("the embedded checker says %s with %d distinct, %d generated, depth %d; the table's explorer %s with %d, %d, %d",
			verdict, r.Distinct, r.Generated, r.Depth, s.Verdict, s.Distinct, s.Generated, s.Depth)
	}
	for _, f := range r.Findings {
		if f.Accepted == "" {
			return fmt.Errorf("vacuous: %s: %s", f.Span, f.Message)
		}
	}
	if r.Verdict == checker.VerdictOK && r.Vacuity != checker.VacuityNone {
		return fmt.Errorf("nobody looked for what holds vacuously: %q", r.Vacuity)
	}
	for _, f := range r.NotChecked {
		return fmt.Errorf("vacuous or not, it was not checked: %s: %s", f.Span, f.Message)
	}
	return nil
}
