package checker

import (
	"fmt"
	"slices"

	"podlife/tla/diag"
	"podlife/tla/eval"
)

// VacuityVerdict is whether what holds does so for no reason.
type VacuityVerdict string

// The verdicts on vacuity.
const (
	VacuityOff   VacuityVerdict = "off"   // nobody looked, because of Options or because the search did not come to its end, or not to the end
	VacuityNone  VacuityVerdict = "none"  // nothing was found that is not accepted
	VacuityFound VacuityVerdict = "found" // Result.Findings has one that is not accepted
)

// FindingKind is what is wrong with a specification in which everything holds.
type FindingKind string

// The kinds of findings.
const (
	FindingAction     FindingKind = "action-never-fires"      // the action generated no successor at all
	FindingAntecedent FindingKind = "antecedent-never-true"   // the left side of an implication was FALSE whenever it was evaluated
	FindingConjunct   FindingKind = "conjunct-without-effect" // without this part of an action, it has the same successors in each reachable state
	FindingConstraint FindingKind = "constraint-cuts"         // a constraint left states out while a PROPERTY was to be checked, which may not hold of the behaviors through them
	FindingQuantifier FindingKind = "quantifier-over-nothing" // the set of a quantifier was empty whenever it was evaluated
	FindingUnchecked  FindingKind = "never-checked"           // an invariant or property was evaluated in no state, or no step, that counts: there is none
)

// A Finding is one thing that holds vacuously.
type Finding struct {
	Kind       FindingKind
	Definition string // in which it is; "" in Result.NotChecked: in no single one
	Span       diag.Span
	Message    string
	Accepted   string // the reason that the specification gives for it; "": none
}

// vacuity looks for what holds vacuously, in a run that found nothing wrong.
func (r *run) vacuity(res *Result) {
	res.Vacuity = VacuityOff
	if r.opt.Vacuity.Off || r.exited || r.opt.Simulate != nil || !r.program.HasBehavior() || res.Verdict != VerdictOK && res.Verdict != VerdictUnsupported {
		return
	}
	f := findings{accepted: r.opt.Vacuity.Accepted}
	f.unevaluated(r)
	f.actions(r.actions)
	f.constraints(r.program, r.excluded)
	coverage, complete := res.Coverage, true
	if coverage == nil {
		var err error
		if coverage, complete, err = r.coverageOfKept(); err != nil {
			f.add(FindingAntecedent, false, "", diag.Span{}, "Whether the left sides of implications are ever true was not looked at: %s", err)
			f.add(FindingQuantifier, false, "", diag.Span{}, "Whether the sets of quantifiers are ever not empty was not looked at: %s", err)
		}
	}
	if coverage != nil {
		f.implications(coverage, complete)
		f.quantifiers(coverage, complete)
	}
	f.conjuncts(r)
	if err := r.ctx.Err(); err != nil {
		// What was found until then is of a part of the trials, and that there is nothing else cannot be said.
		res.Verdict, res.Err = VerdictInterrupted, err
		return
	}
	res.Findings, res.NotChecked = f.found, f.unchecked
	res.Vacuity = VacuityNone
	for _, x := range f.found {
		if x.Accepted == "" {
			res.Vacuity = VacuityFound
		}
	}
}

type findings struct {
	accepted         func(definition string, at diag.Span) string
	found, unchecked []Finding
}

// add notes a finding; known tells whether all states were looked at.
func (f *findings) add(kind FindingKind, known bool, definition string, at diag.Span, format string, args ...any) *Finding {
	x := Finding{Kind: kind, Definition: definition, Span: at, Message: fmt.Sprintf(format, args...)}
	// A reason for a whole definition is none for each of its conditions: they have their own.
	if f.accepted != nil && kind != FindingConjunct {
		x.Accepted = f.accepted(definition, at)
	}
	list := &f.unchecked
	if known {
		list = &f.found
	}
	*list = append(*list, x)
	return &(*list)[len(*list)-1]
}

// unevaluated finds the invariants and properties that there was nothing to evaluate in. Of states that the constraints exclude, the initial ones are
// checked too, but nothing follows from them.
func (f *findings) unevaluated(r *run) {
	when, why := "", ""
	switch {
	case r.generated == 0:
		why = "there is no initial state"
	case r.distinct == 0:
		when, why = " within the constraints", "they exclude every initial state"
	}
	if why != "" {
		for _, p := range r.program.Invariants() {
			f.add(FindingUnchecked, true, p.Name, p.Span, "%s was never checked%s: %s.", p.Name, when, why)
		}
	}
	steps := slices.ContainsFunc(r.actions, func(c Fired) bool { return c.Generated > 0 })
	for _, p := range r.program.Properties() {
		switch {
		case len(p.Always)+len(p.Initial)+len(p.Step) == 0: // it is named as not supported
		case why != "":
			f.add(FindingUnchecked, true, p.Name, p.Span, "%s was never checked%s: %s.", p.Name, when, why)
		case len(p.Step) > 0 && !steps:
			f.add(FindingUnchecked, true, p.Name, p.Span, "What %s says of steps was never checked: there is no step.", p.Name)
		}
	}
}

func (f *findings) actions(counts []Fired) {
	named := map[string]int{}
	for _, c := range counts {
		named[c.Action.Name]++
	}
	for _, c := range counts {
		if c.Generated > 0 {
			continue
		}
		a := c.Action
		if at := partOf(a); named[a.Name] > 1 && at.Known() {
			f.add(FindingAction, true, a.Name, at, "This part of %s is never possible: no reachable state has a successor by it.", a.Name)
		} else {
			f.add(FindingAction, true, a.Name, a.Span, "%s is never possible: no reachable state has a successor by it.", a.Name)
		}
	}
}

// partOf is where the conjuncts of an action stand, for one of several without a name of their own.
func partOf(a *eval.Action) diag.Span {
	var at diag.Span
	for _, c := range a.Conjuncts {
		at = at.To(c.Span)
	}
	return at
}

func (f *findings) constraints(p *eval.Program, excluded int64) {
	if excluded == 0 {
		return
	}
	for _, property := range p.Properties() {
		f.add(FindingConstraint, true, property.Name, property.Span,
			"%s was checked on a part of the behaviors only: the constraints cut off some of the generated states.", property.Name)
	}
}

func (f *findings) implications(c *eval.Coverage, complete bool) {
	for _, i := range c.Implications {
		if i.Evaluated > 0 && i.Active == 0 {
			f.add(FindingAntecedent, complete, i.Definition, i.Span,
				"The left side of this implication in %s was FALSE whenever it was evaluated, so that its right side was never checked.", i.Definition)
		}
	}
}

func (f *findings) quantifiers(c *eval.Coverage, complete bool) {
	for _, q := range c.Quantifiers {
		if q.Evaluated > 0 && q.Empty == q.Evaluated {
			word := "\\A"
			if q.Exists {
				word = "\\E"
			}
			f.add(FindingQuantifier, complete, q.Definition, q.Span, "The set of this %s in %s was empty whenever it was evaluated.", word, q.Definition)
		}
	}
}
