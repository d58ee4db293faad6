package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	registry "podlife/conformance/specs"
	"podlife/model"
	"podlife/model/podlifecycle"
	tlaconfig "podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/value"
)

// specs gives every configuration of the registry in dir that is run with every change. It explores those of PodLifecycle by the table, and adds
// to explored how each guard came out; of the others the numbers are the registry's, and the rest is a run's to say.
func specs(ctx context.Context, dir string, explored map[string]Seen) ([]Spec, error) {
	var list []Spec
	var problems []error
	entries, err := registry.Read(dir)
	if err != nil {
		problems = append(problems, fmt.Errorf("specs: %w", unfold(err)))
	}
	for _, e := range registry.Of(entries, registry.PR) {
		if e.Module != podlifecycle.Name {
			list = append(list, Spec{
				Module: e.Module, Config: e.File, Expect: e.Expect.String(),
				Distinct: e.Numbers.Distinct, Generated: e.Numbers.States, Depth: e.Numbers.Depth, Length: e.Numbers.Length,
			})
			continue
		}
		s, err := explore(ctx, filepath.Join(dir, e.File), e.Expect.String(), explored)
		if err == nil {
			err = embedded(ctx, dir, s)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("specs[%s]: %w", e.File, err))
			continue
		}
		list = append(list, s)
	}
	return list, errors.Join(append(problems, vacuous(list)...)...)
}

// unfold gives all errors of a list, where it would read as its first.
func unfold(err error) error {
	var all []error
	for _, e := range diag.All(err) {
		all = append(all, e)
	}
	if len(all) == 0 {
		return err
	}
	return errors.Join(all...)
}

// takeSpecs puts what a run found of the configurations into the file.
func (f *File) takeSpecs(found []registry.Result) {
	for i, s := range f.Specs {
		if s.Module == podlifecycle.Name {
			continue
		}
		at := slices.IndexFunc(found, func(r registry.Result) bool { return r.Config == s.Config })
		if at < 0 {
			continue // its verdict stays empty, which is not_run
		}
		r := found[at]
		f.Specs[i].Verdict, f.Specs[i].Fired, f.Specs[i].Antecedents = r.Verdict, r.Fired, r.Antecedents
		if want := (registry.Numbers{States: s.Generated, Distinct: s.Distinct, Depth: s.Depth, Length: s.Length}); r.Numbers() != want {
			f.Specs[i].Verdict = fmt.Sprintf("%s, with other numbers: %s", r.Verdict, r.Numbers())
		}
	}
}

// specsBelow names the configurations that no run has confirmed, and those in which what holds may hold because nothing happened.
func (f File) specsBelow() []error {
	var problems []error
	for _, s := range f.Specs {
		at := fmt.Sprintf("specs[%s]", s.Config)
		switch {
		case s.Verdict == "":
			problems = append(problems, fmt.Errorf("%s: not_run", at))
		case s.Verdict != s.Expect:
			problems = append(problems, fmt.Errorf("%s.verdict is %q, expected %q", at, s.Verdict, s.Expect))
		case s.Expect == string(registry.Holds) && len(s.Fired) == 0:
			problems = append(problems, fmt.Errorf("%s.fired: nobody counted what happened", at))
		}
	}
	return append(problems, idle(f.Specs)...)
}

// idle finds the left sides that are never true where something is to hold.
func idle(list []Spec) []error {
	var problems []error
	for _, s := range list {
		for _, name := range slices.Sorted(maps.Keys(s.Antecedents)) {
			if s.Expect == string(registry.Holds) && s.Antecedents[name] == 0 {
				problems = append(problems, fmt.Errorf("specs[%s]: vacuous: the left side of %s is never true", s.Config, name))
			}
		}
	}
	return problems
}

func explore(ctx context.Context, file, expect string, explored map[string]Seen) (Spec, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Spec{}, err
	}
	c, err := parseConfig(string(text))
	if err != nil {
		return Spec{}, err
	}
	sys, err := podlifecycle.System(c.constants, c.clients)
	if err != nil {
		return Spec{}, err
	}
	r, err := model.Explore(ctx, sys, model.Options[podlifecycle.State]{Invariants: c.invariants})
	if err != nil {
		return Spec{}, err
	}
	s := Spec{
		Module: podlifecycle.Name, Config: filepath.Base(file), Expect: expect, Verdict: "holds",
		Distinct: r.Distinct, Generated: r.Generated, Depth: r.Depth,
		Fired: map[string]int{}, Antecedents: map[string]int{},
	}
	if r.Violation != nil {
		s.Verdict = "violates " + r.Violation.Invariant
		s.Length = len(r.Violation.Path)
	}
	for _, e := range r.Edges {
		s.Fired[e.Action] = e.Edges
	}
	for _, a := range r.Antecedents {
		s.Antecedents[a.Invariant] = a.Reached
	}
	for _, g := range r.Guards {
		seen := explored[g.Action+"."+g.Guard]
		explored[g.Action+"."+g.Guard] = Seen{True: seen.True + g.True, False: seen.False + g.False}
	}
	if s.Verdict != s.Expect {
		return s, fmt.Errorf("verdict is %q, expected %q", s.Verdict, s.Expect)
	}
	return s, nil
}

// vacuous finds what would pass because nothing happened: an action that fires in no configuration, and in one that is to hold an invariant whose left side is never true.
func vacuous(list []Spec) []error {
	var problems []error
	for _, a := range podlifecycle.Table(podlifecycle.Constants{}).Actions {
		if !slices.ContainsFunc(list, func(s Spec) bool { return s.Module == podlifecycle.Name && s.Fired[a.Name] > 0 }) {
			problems = append(problems, fmt.Errorf("specs: vacuous: %s fires in no configuration", a.Name))
		}
	}
	return append(problems, idle(list)...)
}

// config is what a configuration of this specification can say.
type config struct {
	constants  podlifecycle.Constants
	clients    int
	invariants []string
}

// parseConfig takes what this specification's configurations have, and refuses every other thing in one, so that nothing is overlooked.
func parseConfig(text string) (config, error) {
	c := config{invariants: []string{}}
	read, err := tlaconfig.Parse(diag.NewSource("configuration", []byte(text)))
	switch {
	case err != nil:
		return c, err
	case len(read.Warnings) > 0:
		return c, read.Warnings.Err()
	case read.Specification == nil || read.Specification.Text != "Spec":
		return c, errors.New("it is not SPECIFICATION Spec")
	case read.CheckDeadlock == nil || *read.CheckDeadlock:
		return c, errors.New("it is not CHECK_DEADLOCK FALSE")
	case read.View != nil, read.Alias != nil,
		len(read.Overrides)+len(read.Properties)+len(read.Constraints)+len(read.ActionConstraints)+len(read.Symmetry)+len(read.PostCondition) > 0:
		return c, errors.New("it has more than a specification, constants, invariants and CHECK_DEADLOCK, which the table's explorer does not have")
	}
	seen := map[string]bool{}
	for _, k := range read.Constants {
		if k.Module != "" || len(k.Args) > 0 {
			return c, fmt.Errorf("%s: %s is no plain constant", k.Name.Span, k.Name.Text)
		}
		seen[k.Name.Text] = true
		if err := c.constant(k.Name.Text, k.Value); err != nil {
			return c, fmt.Errorf("%s: %w", k.Name.Span, err)
		}
	}
	for _, needed := range []string{"Clients", "MaxInc", "GuardedAttach"} {
		if !seen[needed] {
			return c, fmt.Errorf("the constant %s is missing", needed)
		}
	}
	for _, name := range read.Invariants {
		c.invariants = append(c.invariants, name.Text)
	}
	if len(c.invariants) == 0 {
		return c, errors.New("it checks no invariant")
	}
	return c, nil
}

func (c *config) constant(name string, v value.Value) error {
	ok := false
	switch name {
	case "MaxInc":
		var n value.Int
		if n, ok = v.(value.Int); ok {
			c.constants.MaxInc = int(n)
		}
	case "GuardedAttach":
		var b value.Bool
		if b, ok = v.(value.Bool); ok {
			c.constants.GuardedAttach = bool(b)
		}
	case "Clients":
		var set *value.Set
		if set, ok = v.(*value.Set); ok {
			c.clients = set.Len()
		}
	default:
		var m *value.Model
		m, ok = v.(*value.Model)
		ok = ok && m.Name == name // a model value: c1 = c1
	}
	if !ok {
		return fmt.Errorf("%s = %s is not understood", name, v)
	}
	return nil
}
