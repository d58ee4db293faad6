package main

import (
	"cmp"
	"fmt"
	"slices"

	"podlife/conformance/paths"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// pathsBelow holds the paths of PodRuntime against their minima: of each configuration every path to its end and every edge that a server can be driven along, and on
// each engine every action and every outcome of every guard.
func (f File) pathsBelow(want []PathMinima) []error {
	var problems []error
	taken := map[string]map[string]int{}
	for _, m := range want {
		at := fmt.Sprintf("conformance[%s, paths %s]", m.Engine, m.Config)
		i := slices.IndexFunc(f.Conformance, func(c Conformance) bool { return c.Engine == m.Engine && c.Kind == paths.Kind && c.Config == m.Config })
		if i < 0 {
			problems = append(problems, fmt.Errorf("%s: not_run", at))
			continue
		}
		c := f.Conformance[i]
		problems = append(problems, verdict(at, c.Verdict)...)
		problems = append(problems, atLeast(at+".executed", c.Executed, max(1, c.Requested))...)
		problems = append(problems, atLeast(at+".edges_covered", c.EdgesCovered, max(m.Edges, c.EdgesReachable))...)
		problems = append(problems, atLeast(at+".steps", c.Steps, c.EdgesCovered)...)
		problems = append(problems, atLeast(at+".disabled_tried", c.DisabledTried, m.DisabledTried)...)
		problems = append(problems, c.unclassed(at)...)
		if taken[m.Engine] == nil {
			taken[m.Engine] = map[string]int{}
		}
		for action, n := range c.Actions {
			taken[m.Engine][action] += n
		}
	}
	for _, engine := range engines {
		for _, a := range podruntime.Table(podruntime.Constants{}).Actions {
			if a.Name != podruntime.DialWakes { // it is of the design with the bug
				problems = append(problems, atLeast(fmt.Sprintf("paths[%s].actions.%s", engine, a.Name), taken[engine][a.Name], 1)...)
			}
		}
	}
	return append(problems, f.outcomesBelow()...)
}

// unclassed says that an edge is in no class, or in two.
func (c Conformance) unclassed(at string) []error {
	sum := c.EdgesReachable + c.Unreachable
	for _, n := range c.NotDrivable {
		sum += n
	}
	if sum != c.EdgesAll {
		return []error{fmt.Errorf("%s.edges_all is %d, and the classes have %d", at, c.EdgesAll, sum)}
	}
	return nil
}

func (f File) outcomesBelow() []error {
	var problems []error
	nevers := paths.Nevers()
	for _, g := range f.Guards {
		if g.Spec == podlifecycle.Name {
			continue
		}
		for engine, seen := range map[string]Seen{"docker": g.Docker, "simulated": g.Simulated} {
			for outcome, n := range map[string]int{"true": seen.True, "false": seen.False} {
				if _, never := nevers[fmt.Sprintf("%s.%s: %s", g.Action, g.Guard, outcome)]; !never {
					problems = append(problems, atLeast(fmt.Sprintf("guards[%s.%s].%s.%s", g.Action, g.Guard, engine, outcome), n, 1)...)
				}
			}
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return problems
}
