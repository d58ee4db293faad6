package main

import (
	"fmt"
	"slices"

	"podlife/conformance/paths"
	"podlife/model/podlifecycle"
	"podlife/mutants"
)

// pass is the one verdict that is green.
const pass = "pass"

// Minima is how much must have happened before a pass is believed. They are stated here and in the file, so that whoever lowers one shows it twice.
type Minima struct {
	Docker          TraceMinima  `json:"docker"`
	Simulated       TraceMinima  `json:"simulated"`
	Paths           []PathMinima `json:"paths"`
	Linearizability LinearMinima `json:"linearizability"`
	Mutants         int          `json:"mutants"` // killed by the expected invariant, or proved equivalent
}

// TraceMinima are those of the generated traces on one engine.
type TraceMinima struct {
	Traces        int `json:"traces"`
	Steps         int `json:"steps"`
	EachAction    int `json:"each_action"` // times each action of the design that ships fired
	EachGuardTrue int `json:"each_guard_true"`
	DisabledTried int `json:"disabled_tried"`
	EdgesCovered  int `json:"edges_covered"`
}

// PathMinima are those of the paths of a configuration of PodRuntime on one engine. All edges that a server can be driven along are covered, whatever their number;
// that they have not become fewer, the number says. Every action, and every outcome of every guard but those of paths.Nevers, is among them.
type PathMinima struct {
	Engine        string `json:"engine"`
	Config        string `json:"config"`
	Edges         int    `json:"edges"`
	DisabledTried int    `json:"disabled_tried"`
}

// LinearMinima are those of the concurrent histories, of both engines together: so many histories are more than either has.
type LinearMinima struct {
	Histories       int `json:"histories"`
	Operations      int `json:"operations"`
	UnknownOutcomes int `json:"unknown_outcomes"`
}

func minima() Minima {
	return Minima{
		Docker:    TraceMinima{Traces: 60, Steps: 60 * 15, EachAction: 5, EachGuardTrue: 1, DisabledTried: 5, EdgesCovered: 30},
		Simulated: TraceMinima{Traces: 2000, Steps: 2000 * 15, EachAction: 100, EachGuardTrue: 1, DisabledTried: 100, EdgesCovered: 40},
		Paths: []PathMinima{
			{Engine: "docker", Config: paths.KeptName, Edges: 580},
			{Engine: "simulated", Config: paths.KeptName, Edges: 580, DisabledTried: 2000},
			{Engine: "simulated", Config: "1,1,1", Edges: 5000, DisabledTried: 4000},
			{Engine: "simulated", Config: "2,1,0", Edges: 11000, DisabledTried: 11000},
			{Engine: "simulated", Config: "2,1,1", Edges: 28000, DisabledTried: 24000},
			{Engine: "simulated", Config: "1,2,0", Edges: 47000, DisabledTried: 24000},
		},
		Linearizability: LinearMinima{Histories: 844, Operations: 25000, UnknownOutcomes: 1000},
		Mutants:         len(mutants.Catalogue()),
	}
}

// engines are those that everything runs on.
var engines = []string{"docker", "simulated"}

func (m Minima) of(engine string) TraceMinima {
	if engine == "docker" {
		return m.Docker
	}
	return m.Simulated
}

// shippedActions are those that the design that ships can take: all but the two of the design with the bug.
func shippedActions() []string {
	var names []string
	for _, a := range podlifecycle.Table(podlifecycle.Constants{GuardedAttach: true}).Actions {
		if a.Name != podlifecycle.AttachWakesFresh && a.Name != podlifecycle.AttachAwakeNotReady {
			names = append(names, a.Name)
		}
	}
	return names
}

// belowMinima holds what a run left, as it is in f, against the minima and the one green verdict. Everything is named; nothing that is missing passes.
func (f File) belowMinima() []error {
	var problems []error
	m := minima()
	problems = append(problems, f.specsBelow()...)
	problems = append(problems, f.mirrorsBelow()...)
	for _, engine := range engines {
		i := slices.IndexFunc(f.Conformance, func(c Conformance) bool { return c.Engine == engine && c.Spec == "" })
		if i < 0 {
			problems = append(problems, fmt.Errorf("conformance[%s]: not_run", engine))
		} else {
			problems = append(problems, f.Conformance[i].below(m.of(engine))...)
			problems = append(problems, f.guardsBelow(engine, m.of(engine))...)
		}
	}
	problems = append(problems, f.pathsBelow(m.Paths)...)
	problems = append(problems, f.Linearizability.below(m.Linearizability)...)
	return append(problems, f.mutantsBelow(m.Mutants)...)
}

func atLeast(what string, got, want int) []error {
	if got >= want {
		return nil
	}
	return []error{fmt.Errorf("%s is %d, below its minimum of %d", what, got, want)}
}

func verdict(what, got string) []error {
	switch got {
	case pass:
		return nil
	case "":
		return []error{fmt.Errorf("%s.verdict: there is none: not_run", what)}
	}
	return []error{fmt.Errorf("%s.verdict is %q, and only %q is green", what, got, pass)}
}

func (c Conformance) below(want TraceMinima) []error {
	at := "conformance[" + c.Engine + "]"
	problems := verdict(at, c.Verdict)
	problems = append(problems, atLeast(at+".executed", c.Executed, max(want.Traces, c.Requested))...)
	problems = append(problems, atLeast(at+".steps", c.Steps, want.Steps)...)
	problems = append(problems, atLeast(at+".disabled_tried", c.DisabledTried, want.DisabledTried)...)
	problems = append(problems, atLeast(at+".edges_covered", c.EdgesCovered, want.EdgesCovered)...)
	for _, a := range shippedActions() {
		problems = append(problems, atLeast(at+".actions."+a, c.Actions[a], want.EachAction)...)
	}
	for _, a := range []string{podlifecycle.AttachWakesFresh, podlifecycle.AttachAwakeNotReady} {
		if n := c.Actions[a]; n > 0 {
			problems = append(problems, fmt.Errorf("%s.actions.%s is %d: the design that ships has no such action", at, a, n))
		}
	}
	return problems
}

func (f File) guardsBelow(engine string, want TraceMinima) []error {
	var problems []error
	for _, g := range f.Guards {
		if g.Spec != podlifecycle.Name || !slices.Contains(shippedActions(), g.Action) {
			continue
		}
		seen := g.Docker
		if engine == "simulated" {
			seen = g.Simulated
		}
		problems = append(problems, atLeast(fmt.Sprintf("guards[%s.%s].%s.true", g.Action, g.Guard, engine), seen.True, want.EachGuardTrue)...)
	}
	return problems
}

func (l Linearizability) below(want LinearMinima) []error {
	const at = "linearizability"
	problems := verdict(at, l.Verdict)
	problems = append(problems, atLeast(at+".histories", l.Histories, want.Histories)...)
	problems = append(problems, atLeast(at+".operations", l.Operations, want.Operations)...)
	problems = append(problems, atLeast(at+".unknown_outcomes", l.UnknownOutcomes, want.UnknownOutcomes)...)
	if l.Unknown != 0 {
		problems = append(problems, fmt.Errorf("%s.unknown is %d, and unknown is not a pass", at, l.Unknown))
	}
	return problems
}

func (f File) mutantsBelow(want int) []error {
	var problems []error
	green := 0
	for _, c := range mutants.Catalogue() {
		i := slices.IndexFunc(f.Mutants, func(m Mutant) bool { return m.ID == c.ID })
		if i < 0 {
			problems = append(problems, fmt.Errorf("mutants[%s]: not_run", c.ID))
			continue
		}
		m := f.Mutants[i]
		switch {
		case !mutants.Class(m.Class).Green():
			problems = append(problems, fmt.Errorf("mutants[%s].class is %q, and only %q and %q are green", c.ID, m.Class, mutants.KilledExpected, mutants.Equivalent))
		case m.Shipped != mutants.ShippedPass:
			problems = append(problems, fmt.Errorf("mutants[%s].shipped is %q: the build that ships does not pass the scenario", c.ID, m.Shipped))
		case m.Class == string(mutants.KilledExpected) && !slices.Contains(m.Broke, c.Expected):
			problems = append(problems, fmt.Errorf("mutants[%s].broke is %v, without %s", c.ID, m.Broke, c.Expected))
		default:
			green++
		}
	}
	for _, m := range f.Mutants {
		if !slices.ContainsFunc(mutants.Catalogue(), func(c mutants.Mutant) bool { return c.ID == m.ID }) {
			problems = append(problems, fmt.Errorf("mutants[%s]: there is no such mutant", m.ID))
		}
	}
	return append(problems, atLeast("green mutants", green, want)...)
}
