package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"podlife/tla/checker"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/spec"
	"podlife/tla/value"
)

// tlaReport is what one run of "podlife tla check" found, for either output.
type tlaReport struct {
	file     string
	spec     *spec.Spec
	result   *checker.Result
	vacuity  string
	tried    int // states on which conditions are tried, at most
	coverage bool
}

// printText writes the report for people.
func (t *tlaReport) printText(out io.Writer) error {
	var b bytes.Buffer
	color := colorful(out)
	r := t.result
	showWarnings(&b, t.spec.Module.Warnings)
	showWarnings(&b, t.spec.Config.Warnings)
	t.printVerdict(&b, color)
	t.printCounterexample(&b, color)
	t.printUnsupported(&b, color)
	t.printVacuity(&b, color)
	t.printCounts(&b)
	if r.Distinct > 0 { // random behaviours are not counted by action
		t.printActions(&b)
	}
	if t.coverage && r.Coverage != nil {
		t.printCoverage(&b)
	}
	_, err := b.WriteTo(out)
	return err
}

// showWarnings writes what is legal and probably not meant.
func showWarnings(w io.Writer, warnings diag.List) {
	for _, e := range warnings {
		show(w, "warning", e, colorful(w))
	}
}

// show writes an error as diag does, with another word at its head.
func show(w io.Writer, head string, e *diag.Error, color bool) {
	diag.RenderAs(w, head, e, color)
	_, _ = io.WriteString(w, "\n")
}

func (t *tlaReport) printVerdict(w io.Writer, color bool) {
	r := t.result
	report := func(code, format string, args ...any) {
		show(w, "error", &diag.Error{Code: diag.Code(code), Span: r.Span, Message: fmt.Sprintf(format, args...)}, color)
	}
	switch r.Verdict {
	case checker.VerdictAssumption:
		report("assumption", "this assumption is false")
	case checker.VerdictPostCondition:
		report("postcondition", "the postcondition %s is false", r.Name)
	case checker.VerdictInvariant:
		report("invariant", "invariant %s is violated", r.Name)
	case checker.VerdictProperty:
		report("property", "property %s is violated", r.Name)
	case checker.VerdictDeadlock:
		report("deadlock", "deadlock: a state has no successor")
	case checker.VerdictEvaluation:
		for _, e := range diag.All(asDiag(r.Err)) {
			if r.Name != "" {
				e.Notes = append(e.Notes, diag.Note{Message: "it came up while " + r.Name + " was checked"})
			}
			show(w, "error", e, color)
		}
		if len(diag.All(asDiag(r.Err))) == 0 {
			report("evaluation", "%v", r.Err)
		}
	case checker.VerdictMemory:
		report("memory-limit", "%v", r.Err)
	}
}

func (t *tlaReport) printCounterexample(w io.Writer, color bool) {
	r := t.result
	if len(r.Trace) == 0 {
		if r.TraceErr != nil {
			fmt.Fprintf(w, "There is no counterexample to show: %s\n\n", printable(r.TraceErr.Error()))
		}
		return
	}
	what := "A shortest counterexample"
	switch {
	case r.Distinct < 0: // of a random behaviour
		what = "A counterexample"
	case r.Verdict == checker.VerdictEvaluation:
		what = "A shortest behaviour to it"
	}
	fmt.Fprintf(w, "%s, %s; what a step changes is marked *:\n\n", what, counted(len(r.Trace), "state"))
	for i, s := range r.Trace {
		t.printState(w, i, s, color)
	}
	if r.TraceErr != nil {
		fmt.Fprintf(w, "The rest cannot be shown: %s\n", printable(r.TraceErr.Error()))
	}
	if r.Verdict == checker.VerdictDeadlock {
		fmt.Fprintln(w, "and no action is possible.")
	}
	fmt.Fprintln(w)
}

func (t *tlaReport) printState(w io.Writer, i int, s checker.TraceState, color bool) {
	head, place := "initial state", ""
	if s.Action != nil {
		head = spec.ActionLabel(s.Action.Name, s.Args)
		place = "  " + s.Action.Span.String()
	}
	bold, plain := "", ""
	if color {
		bold, plain = "\x1b[1m", "\x1b[0m"
	}
	fmt.Fprintf(w, "%d  %s%s%s%s\n", i+1, bold, printable(head), plain, printable(place))
	var before eval.State
	if i > 0 {
		before = t.result.Trace[i-1].State
	}
	for j, name := range t.spec.Program.Variables() {
		mark, on, off := " ", "", ""
		if before != nil && !sameInState(before[j], s.State[j]) {
			mark, on, off = "*", bold, plain
		}
		fmt.Fprintf(w, "   %s %s%s = %s%s\n", mark, on, name, printable(valueText(s.State[j])), off)
	}
	switch {
	case s.AliasErr != nil:
		fmt.Fprintf(w, "     (the alias cannot be evaluated: %s)\n", printable(s.AliasErr.Error()))
	case s.Alias != nil:
		fmt.Fprintf(w, "     alias: %s\n", printable(valueText(s.Alias)))
	}
}

// valueText is a value as text. Those of states have none that cannot be printed, but an alias may.
func valueText(v value.Value) (text string) {
	if v == nil {
		return "(no value yet)"
	}
	if err := value.Catch(func() { text = v.String() }); err != nil {
		return "(" + err.Error() + ")"
	}
	return text
}

// sameInState compares a variable's values; those that TLC would not compare are different.
func sameInState(a, b value.Value) (same bool) {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return value.Catch(func() { same = value.Equal(a, b) }) == nil && same
}

func (t *tlaReport) printUnsupported(w io.Writer, color bool) {
	for _, u := range t.result.Unsupported {
		show(w, "not checked", &diag.Error{Code: "unsupported", Span: u.Span, Message: fmt.Sprintf("a part of property %s: %s", u.Property, u.Why)}, color)
	}
}

func (t *tlaReport) printVacuity(w io.Writer, color bool) {
	head := "error"
	if t.vacuity == vacuityReport {
		head = "warning"
	}
	accepted := 0
	for _, f := range t.result.Findings {
		if f.Accepted != "" {
			accepted++
			continue
		}
		show(w, head, &diag.Error{Code: diag.Code(f.Kind), Span: f.Span, Message: f.Message,
			Help: `if this is as it should be, say so in a comment beside it: \* vacuous-ok: REASON`}, color)
	}
	if accepted > 0 {
		fmt.Fprintf(w, "%s accepted by a comment \"vacuous-ok\".\n", counted(accepted, "vacuous finding"))
	}
	if n := len(t.result.NotChecked); n > 0 {
		fmt.Fprintf(w, "Not checked for vacuity: %s. Conditions are tried on the first %s states (--vacuity-states); --json lists what could not be decided.\n", counted(n, "item"), grouped(int64(t.tried)))
	}
	if accepted > 0 || len(t.result.NotChecked) > 0 {
		fmt.Fprintln(w)
	}
}

func (t *tlaReport) printCounts(w io.Writer) {
	r := t.result
	name := t.spec.Module.Name
	switch {
	case r.Verdict == checker.VerdictOK && !t.spec.Program.HasBehavior():
		fmt.Fprintf(w, "%s: all %s hold; the configuration names no behaviour.\n", name, counted(len(t.spec.Module.Assumes), "assumption"))
		return
	case r.Verdict == checker.VerdictOK && r.Distinct < 0:
		fmt.Fprintf(w, "%s: nothing was violated in %s random behaviours.\n", name, grouped(r.Behaviors))
	case r.Exited:
		fmt.Fprintf(w, "%s: stopped before the end by the specification itself, TLCSet(\"exit\", TRUE); nothing was violated until then.\n", name)
	case r.Verdict == checker.VerdictOK:
		fmt.Fprintf(w, "%s: everything holds.\n", name)
	case r.Verdict == checker.VerdictUnsupported:
		fmt.Fprintf(w, "%s: everything that was checked holds.\n", name)
	case r.Verdict == checker.VerdictInterrupted && r.Complete:
		fmt.Fprintf(w, "%s: every state was explored and nothing was violated; stopped before it was known whether something holds vacuously.\n", name)
	case r.Verdict == checker.VerdictInterrupted:
		fmt.Fprintf(w, "%s: stopped before the end; nothing was violated until then.\n", name)
	}
	speed := ""
	if s := r.Duration.Seconds(); s >= 0.1 {
		speed = fmt.Sprintf(" (%s per second)", grouped(int64(float64(r.Generated)/s)))
	}
	if r.Distinct < 0 {
		fmt.Fprintf(w, "%s states generated in %.2f s%s, %s\n", grouped(r.Generated), r.Duration.Seconds(), speed, counted(r.Workers, "worker"))
		return
	}
	fmt.Fprintf(w, "%s states generated, %s distinct, depth %d, in %.2f s%s, %s\n", grouped(r.Generated), grouped(r.Distinct), r.Depth, r.Duration.Seconds(), speed, counted(r.Workers, "worker"))
	if r.Queue > 0 {
		fmt.Fprintf(w, "%s states were not explored.\n", grouped(r.Queue))
	}
	if r.Violations > 1 {
		fmt.Fprintf(w, "%s violations in all.\n", grouped(r.Violations))
	}
	if r.Excluded > 0 {
		fmt.Fprintf(w, "%s generated states are outside of the constraints.\n", grouped(r.Excluded))
	}
	if r.Collision > 1e-6 {
		fmt.Fprintf(w, "Probability that a state was taken for another one and missed: %.1g.\n", r.Collision)
	}
	if len(r.Fairness) > 0 {
		fmt.Fprintf(w, "%s of the specification passed over: safety does not depend on it.\n", counted(len(r.Fairness), "fairness condition"))
	}
}

// tlaAction is an action in the table: those that are instances of one definition are one line.
type tlaAction struct {
	Name      string    `json:"name"`
	Place     *tlaPlace `json:"place,omitempty"`
	Generated int64     `json:"generated"`
	Distinct  int64     `json:"distinct"`
}

func (t *tlaReport) actions() []tlaAction {
	actions := []tlaAction{}
	index := map[string]int{}
	for _, a := range t.result.Actions {
		key := a.Action.Name + " " + a.Action.Span.String()
		i, ok := index[key]
		if !ok {
			i = len(actions)
			index[key] = i
			actions = append(actions, tlaAction{Name: a.Action.Name, Place: tlaPlaceOf(a.Action.Span)})
		}
		actions[i].Generated += a.Generated
		actions[i].Distinct += a.Distinct
	}
	return actions
}

func (t *tlaReport) printActions(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w)
	fmt.Fprintln(tw, "generated\tnew\t  action")
	for _, a := range t.actions() {
		place := ""
		if a.Place != nil {
			place = fmt.Sprintf("%s:%d", a.Place.File, a.Place.Line)
		}
		fmt.Fprintf(tw, "%s\t%s\t  %s  %s\n", grouped(a.Generated), grouped(a.Distinct), printable(a.Name), printable(place))
	}
	_ = tw.Flush() // w is a buffer
}

func (t *tlaReport) printCoverage(w io.Writer) {
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "true\tfalse\t  part")
	for _, c := range t.conjuncts() {
		name := c.Definition
		if c.Name != "" {
			name += "." + c.Name
		}
		if c.Place != nil {
			name += fmt.Sprintf("  %s:%d", c.Place.File, c.Place.Line)
		}
		fmt.Fprintf(tw, "%s\t%s\t  %s: %s\n", grouped(c.True), grouped(c.False), printable(name), printable(oneLine(c.Text)))
	}
	_ = tw.Flush()
}

// oneLine is a text without its line breaks, not longer than fits beside the rest.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return text
}
