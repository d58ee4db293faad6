package main

import (
	"context"
	"fmt"
	"path/filepath"

	"podlife/conformance/mirror"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/tla/checker"
	"podlife/tla/module"
	"podlife/tla/spec"
)

// Mirror is one comparison of the specification with the table: in each state, each action with each argument, with all guards and
// without each one. Those of PodRuntime, which take longer, are what a run leaves.
type Mirror struct {
	Module      string `json:"module"`
	Design      string `json:"design"`
	Clients     int    `json:"clients"`
	MaxInc      int    `json:"max_inc"`
	States      int    `json:"states"`
	Comparisons int    `json:"comparisons"`
	Guards      int    `json:"guards"` // dropped on both sides
	Invariants  int    `json:"invariants"`
	Undefined   int    `json:"undefined,omitempty"` // what the specification says nothing of, and so was not compared
	Differences int    `json:"differences"`
}

// mirrors compares the table of PodLifecycle with the specification in dir, and names the comparisons that a run has to make.
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
			Module: podlifecycle.Name, Design: d.Name, Clients: d.Clients, MaxInc: d.MaxInc,
			States: r.States, Comparisons: r.Comparisons, Guards: r.Guards, Invariants: r.Invariants, Differences: len(r.Differences),
		})
	}
	for _, d := range mirror.RuntimeDesigns() {
		list = append(list, Mirror{Module: podruntime.Name, Design: d.Name, Clients: d.Tabs, MaxInc: d.MaxInc})
	}
	return list, nil
}

// withoutRun drops what a run leaves.
func (m Mirror) withoutRun() Mirror {
	if m.Module == podlifecycle.Name {
		return m
	}
	return Mirror{Module: m.Module, Design: m.Design, Clients: m.Clients, MaxInc: m.MaxInc}
}

// takeMirrors puts what a run compared into the file.
func (f *File) takeMirrors(found []mirror.Result) {
	for i, m := range f.Mirror {
		for _, r := range found {
			if m.Module == podruntime.Name && m.Design == r.Design {
				m = m.withoutRun()
				m.States, m.Comparisons, m.Guards, m.Invariants = r.States, r.Comparisons, r.Guards, r.Invariants
				m.Undefined, m.Differences = r.Undefined, r.Differences
				f.Mirror[i] = m
			}
		}
	}
}

// mirrorsBelow names the comparisons that no run has made, and those that found a difference.
func (f File) mirrorsBelow() []error {
	var problems []error
	guards := 0
	for _, a := range podruntime.Table(podruntime.Constants{}).Actions {
		guards += len(a.Guards)
	}
	for _, m := range f.Mirror {
		at := fmt.Sprintf("mirror[%s]", m.Design)
		switch {
		case m.States == 0 || m.Comparisons == 0:
			problems = append(problems, fmt.Errorf("%s: not_run", at))
		case m.Differences > 0:
			problems = append(problems, fmt.Errorf("%s: specification and table differ in %d places", at, m.Differences))
		case m.Module == podruntime.Name:
			problems = append(problems, atLeast(at+".guards", m.Guards, guards)...)
		}
	}
	return problems
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
