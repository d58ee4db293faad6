package main

import (
	"bytes"
	"encoding/json"

	"github.com/spf13/cobra"

	"podlife/tla/checker"
	"podlife/tla/eval"
	"podlife/tla/itf"
)

// tlaResult is what "podlife tla check --json" prints; docs/tla.md says what the fields mean. Fields are only ever added.
type tlaResult struct {
	Schema   int    `json:"schema"`
	Spec     string `json:"spec"`
	Config   string `json:"config,omitempty"`
	Verdict  string `json:"verdict"`
	Exited   bool   `json:"exited,omitempty"` // the specification ended the run by TLCSet("exit", TRUE)
	Name     string `json:"name,omitempty"`
	ExitCode int    `json:"exitCode"`

	Generated int64   `json:"generated"`
	Distinct  *int64  `json:"distinct,omitempty"`
	Queue     *int64  `json:"queue,omitempty"`
	Depth     int     `json:"depth"`
	Initial   int64   `json:"initial"`
	Behaviors int64   `json:"behaviors,omitempty"`
	Excluded  int64   `json:"excluded,omitempty"`
	Workers   int     `json:"workers"`
	Seconds   float64 `json:"seconds"`
	Collision float64 `json:"collisionProbability"`

	Errors         []tlaError         `json:"errors,omitempty"`
	Warnings       []tlaError         `json:"warnings,omitempty"`
	Place          *tlaPlace          `json:"place,omitempty"` // of what is violated
	Violations     int64              `json:"violations,omitempty"`
	Counterexample *tlaCounterexample `json:"counterexample,omitempty"`
	Actions        []tlaAction        `json:"actions,omitempty"`
	Unsupported    []tlaUnsupported   `json:"unsupported,omitempty"`
	Fairness       []tlaUnsupported   `json:"fairness,omitempty"`
	Vacuity        *tlaVacuity        `json:"vacuity,omitempty"`
	Coverage       *tlaCoverage       `json:"coverage,omitempty"`
}

type tlaCounterexample struct {
	States []tlaState `json:"states"`
	// Incomplete says why the rest of it is not there.
	Incomplete string `json:"incomplete,omitempty"`
	// ITF is the same in the Informal Trace Format, which keeps the sorts of values; ITFError is why it is not there.
	ITF      json.RawMessage `json:"itf,omitempty"`
	ITFError string          `json:"itfError,omitempty"`
}

type tlaState struct {
	Number    int           `json:"number"`
	Action    string        `json:"action,omitempty"`
	Arguments []tlaBinding  `json:"arguments,omitempty"`
	Place     *tlaPlace     `json:"place,omitempty"`
	Variables []tlaVariable `json:"variables"`
	Alias     string        `json:"alias,omitempty"`
}

type tlaBinding struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type tlaVariable struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Changed bool   `json:"changed"`
}

type tlaUnsupported struct {
	Property string    `json:"property,omitempty"`
	Text     string    `json:"text"`
	Why      string    `json:"why"`
	Place    *tlaPlace `json:"place,omitempty"`
}

type tlaVacuity struct {
	Mode       string       `json:"mode"`    // gate, report or off
	Verdict    string       `json:"verdict"` // none, found or off
	Findings   []tlaFinding `json:"findings"`
	NotChecked []tlaFinding `json:"notChecked"`
}

type tlaFinding struct {
	Kind       string    `json:"kind"`
	Definition string    `json:"definition"`
	Message    string    `json:"message"`
	Accepted   string    `json:"accepted,omitempty"`
	Place      *tlaPlace `json:"place,omitempty"`
}

type tlaCoverage struct {
	Conjuncts    []tlaConjunct    `json:"conjuncts"`
	Quantifiers  []tlaQuantifier  `json:"quantifiers"`
	Implications []tlaImplication `json:"implications"`
}

type tlaConjunct struct {
	Definition string    `json:"definition"`
	Index      int       `json:"index"`
	Name       string    `json:"name,omitempty"`
	True       int64     `json:"true"`
	False      int64     `json:"false"`
	Text       string    `json:"text"`
	Place      *tlaPlace `json:"place,omitempty"`
}

type tlaQuantifier struct {
	Definition string    `json:"definition"`
	Exists     bool      `json:"exists"`
	Evaluated  int64     `json:"evaluated"`
	Empty      int64     `json:"empty"`
	Place      *tlaPlace `json:"place,omitempty"`
}

type tlaImplication struct {
	Definition string    `json:"definition"`
	Evaluated  int64     `json:"evaluated"`
	Active     int64     `json:"antecedentTrue"`
	Place      *tlaPlace `json:"place,omitempty"`
}

// printLoading prints the errors because of which there is no run.
func (t *tlaReport) printLoading(cmd *cobra.Command, code int, err error) error {
	out := tlaResult{Schema: 1, Spec: t.file, ExitCode: code, Verdict: "specification-error", Errors: tlaErrors(err)}
	if code == tlaExitConfig {
		out.Verdict = "configuration-error"
	}
	return printJSON(cmd, out)
}

// printJSON prints the report. writing is what went wrong with the files that were to be written.
func (t *tlaReport) printJSON(cmd *cobra.Command, code int, writing error) error {
	out := tlaResult{Schema: 1, Spec: t.file, ExitCode: code}
	r := t.result
	if t.spec.Config.Source != nil {
		out.Config = t.spec.Config.Source.Name
	}
	out.Verdict, out.Exited = string(r.Verdict), r.Exited
	if r.Verdict != checker.VerdictInterrupted { // where it was just then is of no interest
		out.Name, out.Place = r.Name, tlaPlaceOf(r.Span)
	}
	out.Generated, out.Depth, out.Initial, out.Behaviors, out.Excluded = r.Generated, r.Depth, r.Initial, r.Behaviors, r.Excluded
	if r.Distinct >= 0 {
		out.Distinct, out.Queue = &r.Distinct, &r.Queue
	}
	out.Workers, out.Seconds, out.Collision, out.Violations = r.Workers, r.Duration.Seconds(), r.Collision, r.Violations
	if r.Err != nil && r.Verdict != checker.VerdictInterrupted {
		out.Errors = tlaErrors(r.Err)
	}
	if writing != nil {
		out.Errors = append(out.Errors, tlaError{Code: "file", Message: writing.Error()})
	}
	if w := append(t.spec.Module.Warnings[:len(t.spec.Module.Warnings):len(t.spec.Module.Warnings)], t.spec.Config.Warnings...); len(w) > 0 {
		out.Warnings = tlaErrors(w)
	}
	out.Counterexample = t.counterexample()
	if r.Distinct >= 0 { // random behaviours are not counted by action
		out.Actions = t.actions()
	}
	for _, u := range r.Unsupported {
		out.Unsupported = append(out.Unsupported, tlaUnsupported{u.Property, u.Text, u.Why, tlaPlaceOf(u.Span)})
	}
	for _, u := range r.Fairness {
		out.Fairness = append(out.Fairness, tlaUnsupported{"", u.Text, u.Why, tlaPlaceOf(u.Span)})
	}
	out.Vacuity = &tlaVacuity{t.vacuity, string(r.Vacuity), tlaFindings(r.Findings), tlaFindings(r.NotChecked)}
	if t.coverage && r.Coverage != nil {
		out.Coverage = t.coverageJSON(r.Coverage)
	}
	return printJSON(cmd, out)
}

func tlaFindings(findings []checker.Finding) []tlaFinding {
	out := []tlaFinding{}
	for _, f := range findings {
		out = append(out, tlaFinding{string(f.Kind), f.Definition, f.Message, f.Accepted, tlaPlaceOf(f.Span)})
	}
	return out
}

func (t *tlaReport) counterexample() *tlaCounterexample {
	r := t.result
	if len(r.Trace) == 0 && r.TraceErr == nil {
		return nil
	}
	c := &tlaCounterexample{States: []tlaState{}}
	if r.TraceErr != nil {
		c.Incomplete = r.TraceErr.Error()
	}
	for i, s := range r.Trace {
		x := tlaState{Number: i + 1, Variables: []tlaVariable{}}
		if s.Action != nil {
			x.Action, x.Place = s.Action.Name, tlaPlaceOf(s.Action.Span)
			for j, v := range s.Args {
				x.Arguments = append(x.Arguments, tlaBinding{s.Action.Params[j], valueText(v)})
			}
		}
		for j, name := range t.spec.Program.Variables() {
			changed := i > 0 && !sameInState(r.Trace[i-1].State[j], s.State[j])
			x.Variables = append(x.Variables, tlaVariable{name, valueText(s.State[j]), changed})
		}
		if s.Alias != nil {
			x.Alias = valueText(s.Alias)
		}
		c.States = append(c.States, x)
	}
	var b bytes.Buffer
	// Of a behaviour to an error, the last state may have variables without a value; then there is no such form.
	// A string may have bytes that JSON cannot hold. The verdict does not depend on it.
	if err := itf.Write(&b, t.spec.Trace(r.Trace, r.Name)); err != nil {
		c.ITFError = err.Error()
	} else {
		c.ITF = b.Bytes()
	}
	return c
}

// conjuncts are the parts of actions and invariants with their counts. Actions that are instances of one definition are one.
func (t *tlaReport) conjuncts() []tlaConjunct {
	out := []tlaConjunct{}
	index := map[string]int{}
	add := func(list []*eval.Conjunct) {
		for _, c := range list {
			count := t.result.Coverage.Conjuncts[c]
			key := c.Definition + " " + c.Span.String()
			i, ok := index[key]
			if !ok {
				i = len(out)
				index[key] = i
				out = append(out, tlaConjunct{Definition: c.Definition, Index: c.Index, Name: c.Name, Text: c.Span.Text(), Place: tlaPlaceOf(c.Span)})
			}
			out[i].True += count.True
			out[i].False += count.False
		}
	}
	for _, a := range t.spec.Program.Actions() {
		add(a.Conjuncts)
	}
	for _, p := range t.spec.Program.Invariants() {
		add(p.Conjuncts)
	}
	return out
}

func (t *tlaReport) coverageJSON(c *eval.Coverage) *tlaCoverage {
	out := &tlaCoverage{Conjuncts: t.conjuncts(), Quantifiers: []tlaQuantifier{}, Implications: []tlaImplication{}}
	for _, q := range c.Quantifiers {
		out.Quantifiers = append(out.Quantifiers, tlaQuantifier{q.Definition, q.Exists, q.Evaluated, q.Empty, tlaPlaceOf(q.Span)})
	}
	for _, i := range c.Implications {
		out.Implications = append(out.Implications, tlaImplication{i.Definition, i.Evaluated, i.Active, tlaPlaceOf(i.Span)})
	}
	return out
}
