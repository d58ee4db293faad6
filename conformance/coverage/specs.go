package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"podlife/model"
	"podlife/model/podlifecycle"
)

// expectations says of each configuration what must come out. One that is not here is refused, and so is one that is here and not in the folder.
var expectations = map[string]string{
	"PodLifecycle.cfg":              "holds",
	"PodLifecycleUnguarded.cfg":     "violates " + podlifecycle.NoAttachWithoutShellSetup,
	"PodLifecycleUnguardedBoot.cfg": "holds",
}

// specs explores every configuration in dir, and adds to explored how each guard came out.
func specs(ctx context.Context, dir string, explored map[string]Seen) ([]Spec, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.cfg"))
	if err != nil {
		return nil, err
	}
	var list []Spec
	var problems []error
	missing := maps.Clone(expectations)
	for _, file := range files {
		name := filepath.Base(file)
		expect, ok := missing[name]
		if !ok {
			problems = append(problems, fmt.Errorf("specs[%s]: nobody says what must come out: add it to conformance/coverage/specs.go", name))
			continue
		}
		delete(missing, name)
		s, err := explore(ctx, file, expect, explored)
		if err != nil {
			problems = append(problems, fmt.Errorf("specs[%s]: %w", name, err))
			continue
		}
		if err := embedded(ctx, dir, s); err != nil {
			problems = append(problems, fmt.Errorf("specs[%s]: %w", name, err))
			continue
		}
		list = append(list, s)
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		problems = append(problems, fmt.Errorf("specs[%s]: there is no such configuration in %s", name, dir))
	}
	return list, errors.Join(append(problems, vacuous(list)...)...)
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
		if !slices.ContainsFunc(list, func(s Spec) bool { return s.Fired[a.Name] > 0 }) {
			problems = append(problems, fmt.Errorf("specs: vacuous: %s fires in no configuration", a.Name))
		}
	}
	for _, s := range list {
		for _, name := range slices.Sorted(maps.Keys(s.Antecedents)) {
			if s.Expect == "holds" && s.Antecedents[name] == 0 {
				problems = append(problems, fmt.Errorf("specs[%s]: vacuous: the left side of %s is never true", s.Config, name))
			}
		}
	}
	return problems
}

// config is what a configuration of this specification can say.
type config struct {
	constants  podlifecycle.Constants
	clients    int
	invariants []string
}

// parseConfig reads the few forms that our configurations have, and refuses every other, so that nothing in one is overlooked.
func parseConfig(text string) (config, error) {
	c := config{invariants: []string{}}
	section, seen := "", map[string]bool{}
	for number, line := range strings.Split(text, "\n") {
		if at := strings.Index(line, `\*`); at >= 0 {
			line = line[:at]
		}
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case line == "SPECIFICATION Spec", line == "CHECK_DEADLOCK FALSE":
			seen[strings.Fields(line)[0]] = true
			section = ""
		case line == "CONSTANTS", line == "INVARIANTS":
			section = line
		case section == "INVARIANTS" && !strings.ContainsAny(line, " \t="):
			c.invariants = append(c.invariants, line)
		case section == "CONSTANTS":
			name, value, ok := strings.Cut(line, "=")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			if !ok || seen[name] {
				return c, fmt.Errorf("line %d: %q is no constant, or one that is there twice", number+1, line)
			}
			seen[name] = true
			if err := c.constant(name, value); err != nil {
				return c, fmt.Errorf("line %d: %w", number+1, err)
			}
		default:
			return c, fmt.Errorf("line %d: %q is not understood", number+1, line)
		}
	}
	for _, needed := range []string{"SPECIFICATION", "CHECK_DEADLOCK", "Clients", "MaxInc", "GuardedAttach"} {
		if !seen[needed] {
			return c, fmt.Errorf("%s is missing", needed)
		}
	}
	if len(c.invariants) == 0 {
		return c, errors.New("it checks no invariant")
	}
	return c, nil
}

func (c *config) constant(name, value string) error {
	var err error
	switch name {
	case "MaxInc":
		c.constants.MaxInc, err = strconv.Atoi(value)
	case "GuardedAttach":
		c.constants.GuardedAttach = value == "TRUE"
		if value != "TRUE" && value != "FALSE" {
			err = fmt.Errorf("GuardedAttach is %q", value)
		}
	case "Clients":
		inner, ok := strings.CutPrefix(value, "{")
		inner, ok2 := strings.CutSuffix(inner, "}")
		if !ok || !ok2 || strings.TrimSpace(inner) == "" {
			return fmt.Errorf("the set Clients is %q", value)
		}
		c.clients = len(strings.Split(inner, ","))
	default:
		if name != value { // a model value: c1 = c1
			err = fmt.Errorf("constant %s is not known", name)
		}
	}
	return err
}
