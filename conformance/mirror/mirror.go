// Package mirror holds a table of package model against the TLA+ specification that it claims to be, on every state.
//
// The specification is not translated: it is read and evaluated as it stands. For each reachable state, each action and each argument
// the two must agree on whether the action is enabled, on the successors (and on how often TLC generates each), and on the value of
// each invariant. Guards are held against the conjuncts that carry their names: the table without a guard must be the specification
// without that conjunct.
//
// It imports model (tables), the packages under tla (the specification) and, for the pairs that this project has, model/podlifecycle and
// model/podruntime. Read first: mirror.go; podlifecycle.go and podruntime.go say how the two sides of our own specifications are matched.
package mirror

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"podlife/model"
	"podlife/tla/eval"
	"podlife/tla/value"
)

// A Pair is a specification and the system that claims to mirror it.
type Pair[S comparable] struct {
	System  model.System[S]
	Program *eval.Program
	// Without compiles the specification as if one conjunct of the named action were not there.
	Without func(action string, conjunct *eval.Conjunct) (*eval.Program, error)
	// Spec gives a state of the system as the values of the specification's variables, in the order of Program.Variables.
	Spec func(S) eval.State
	// Argument gives the value that the specification passes where the system's step has this argument.
	Argument func(arg string) value.Value
}

// A Difference is one point in which the two sides disagree.
type Difference struct {
	Kind      Kind
	Action    string   // "" where no action is concerned
	Args      []string // the action's arguments
	Guard     string   // the guard that both sides had dropped; "" is none
	Invariant string   // for KindInvariant
	State     string   // the state in which they disagree; "" is the initial states
	OnlySpec  []string // what only the specification has
	OnlyTable []string // what only the table has
}

// Kind says in what the sides disagree.
type Kind string

// The kinds of differences.
const (
	KindInitial    Kind = "initial states"
	KindActions    Kind = "actions"    // one side has an action that the other has not
	KindEnabled    Kind = "enabled"    // only one side can take the action
	KindSuccessors Kind = "successors" // both can, but get somewhere else, or TLC would count differently
	KindNext       Kind = "next"       // the specification's Next is not the disjunction of the table's actions
	KindInvariants Kind = "invariants" // one side has an invariant that the other has not
	KindInvariant  Kind = "invariant"  // an invariant has two values
	KindGuards     Kind = "guards"     // names or order of an action's guards and named conjuncts differ
)

// String is the difference on a few lines: (state, action, argument, only in the specification, only in the table).
func (d Difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", d.Kind)
	if d.Action != "" {
		fmt.Fprintf(&b, " of %s", d.Action)
		if len(d.Args) > 0 {
			fmt.Fprintf(&b, "(%s)", strings.Join(d.Args, ", "))
		}
	}
	if d.Guard != "" {
		fmt.Fprintf(&b, " without guard %s", d.Guard)
	}
	if d.Invariant != "" {
		fmt.Fprintf(&b, " %s", d.Invariant)
	}
	if d.State != "" {
		fmt.Fprintf(&b, "\n  in state          %s", d.State)
	}
	for _, s := range d.OnlySpec {
		fmt.Fprintf(&b, "\n  only in spec      %s", s)
	}
	for _, s := range d.OnlyTable {
		fmt.Fprintf(&b, "\n  only in table     %s", s)
	}
	return b.String()
}

// A Report is what was compared, and every difference found, up to Options.MaxDifferences.
type Report struct {
	States      int // distinct states in which the sides were compared
	Reached     int // those of them that are reachable, or were to be followed
	Comparisons int // (state, action, argument) triples, those with a dropped guard included
	Guards      int // guards that were dropped on both sides
	Invariants  int // invariant values compared
	// Undefined counts what was not compared because the specification says nothing of it: without a guard, or in a state that is not
	// reachable, it may ask for what there is not, such as incarnation 0.
	Undefined   int
	Differences []Difference
}

// Err is nil where the two sides agree. It is an error too to have compared nothing.
func (r Report) Err() error {
	if r.States == 0 || r.Comparisons == 0 {
		return errors.New("mirror: nothing was compared")
	}
	if len(r.Differences) == 0 {
		return nil
	}
	return &DifferError{Report: r}
}

// DifferError says that specification and table disagree.
type DifferError struct{ Report Report }

func (e *DifferError) Error() string {
	d := e.Report.Differences
	return fmt.Sprintf("specification and table differ in %d places, first: %s", len(d), d[0])
}

// Options bound a comparison. The zero value compares in all reachable states.
type Options[S comparable] struct {
	// States are compared in addition to the reachable ones: a wrong guard may only show in a state that the right ones keep from
	// being reached.
	States []S
	// Only, where it is not nil, are the states to compare in, instead of the reachable ones. Where they lead to is not followed.
	Only []S
	// Beside gives states to compare in beside a reachable one that is drawn, which has this number. Where they lead to is not followed.
	Beside func(number int, s S) []S
	// Draw is for what costs too much in every state: each so manieth reachable state is drawn for it, from the first on; 0 stands for 1,
	// which is all. Guards are dropped in those that are drawn and in those beside them.
	Draw int
	// NoGuards drops no guard.
	NoGuards bool
	// MaxDifferences stops after so many; 0 stands for 20.
	MaxDifferences int
}

// Compare holds the two sides against each other in every state that they reach. One that only one side reaches is a difference where the
// paths part, and is not followed further. The error is that of ctx, or what the evaluator refuses; a difference is a result.
func (p Pair[S]) Compare(ctx context.Context, opts Options[S]) (Report, error) {
	c := newComparison(ctx, p, opts)
	c.names()
	if opts.Only == nil {
		if err := c.initial(); err != nil {
			return c.report, fmt.Errorf("mirror: initial states: %w", err)
		}
		for _, s := range opts.States {
			c.reach(s)
		}
		if err := c.follow(ctx, 0); err != nil {
			return c.report, err
		}
	}
	reached := len(c.states)
	c.ended, c.report.Reached = true, reached
	drawn := c.drawn(reached)
	if err := c.follow(ctx, reached); err != nil || opts.NoGuards {
		return c.report, err
	}
	drawn = append(drawn, c.states[reached:]...)
	if err := c.guards(ctx, drawn); err != nil {
		return c.report, fmt.Errorf("mirror: %w", err)
	}
	return c.report, nil
}

func newComparison[S comparable](ctx context.Context, p Pair[S], opts Options[S]) *comparison[S] {
	c := &comparison[S]{Pair: p, opts: opts, seen: map[S]int{}, steps: map[string][]int{}, eval: p.Program.NewEvaluator(ctx)}
	if c.opts.MaxDifferences == 0 {
		c.opts.MaxDifferences = 20
	}
	for number, step := range p.System.Steps {
		c.steps[step.Name] = append(c.steps[step.Name], number)
		values := make([]value.Value, len(step.Args))
		for i, arg := range step.Args {
			values[i] = p.Argument(arg)
		}
		c.args = append(c.args, values)
	}
	return c
}

// drawn draws from the states that were reached, and adds those that are beside them and those that were asked for to the states.
func (c *comparison[S]) drawn(reached int) []pairState[S] {
	var drawn []pairState[S]
	for n := 0; n < reached; n += max(c.opts.Draw, 1) {
		drawn = append(drawn, c.states[n])
		if c.opts.Beside != nil {
			for _, s := range c.opts.Beside(n, c.states[n].table) {
				c.keep(s)
			}
		}
	}
	for _, s := range c.opts.Only {
		c.keep(s)
	}
	return drawn
}

// follow compares in the states from the one with this number on, and in those that they lead to.
func (c *comparison[S]) follow(ctx context.Context, from int) error {
	for done := from; done < len(c.states) && !c.full(); done++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.state(c.states[done]); err != nil {
			return fmt.Errorf("mirror: in %s: %w", c.show(c.states[done].spec), err)
		}
	}
	return nil
}

// comparison is the state of one Compare.
type comparison[S comparable] struct {
	Pair[S]
	opts   Options[S]
	eval   *eval.Evaluator
	seen   map[S]int      // the place of a state in states
	states []pairState[S] // in the order reached
	ended  bool           // all reachable states are there: what comes now is not followed
	report Report

	args       [][]value.Value            // of each step of the system
	steps      map[string][]int           // the steps of each action
	actions    map[string]*eval.Action    // by name, one of each
	invariants map[string]*eval.Predicate // likewise
}

// pairState is one state as each side has it.
type pairState[S comparable] struct {
	table S
	spec  eval.State
}

func (c *comparison[S]) full() bool { return len(c.report.Differences) >= c.opts.MaxDifferences }

func (c *comparison[S]) differ(d Difference) {
	if !c.full() {
		c.report.Differences = append(c.report.Differences, d)
	}
}

func (c *comparison[S]) reach(s S) {
	if !c.ended {
		c.keep(s)
	}
}

func (c *comparison[S]) keep(s S) {
	if _, ok := c.seen[s]; !ok {
		c.seen[s] = len(c.states)
		c.states = append(c.states, pairState[S]{s, c.Spec(s)})
		c.report.States++
	}
}

// spec gives a state as the specification has it.
func (c *comparison[S]) spec(s S) eval.State {
	if at, ok := c.seen[s]; ok {
		return c.states[at].spec
	}
	return c.Spec(s)
}

// undefined tells whether the specification says nothing in a case that its right actions do not come to, and counts that.
func (c *comparison[S]) undefined(err error) bool {
	var failed *eval.Error
	if !errors.As(err, &failed) || failed.Code != eval.CodeEvaluation {
		return false
	}
	c.report.Undefined++
	return true
}

// show is a state as people read it: ctr = "asleep", inc = 0, ...
func (c *comparison[S]) show(s eval.State) string {
	parts := make([]string, len(s))
	for i, name := range c.Program.Variables() {
		parts[i] = name + " = " + s[i].String()
	}
	return strings.Join(parts, ", ")
}

// names compares what there is on each side, by name.
func (c *comparison[S]) names() {
	c.actions, c.invariants = map[string]*eval.Action{}, map[string]*eval.Predicate{}
	var specActions, tableActions, specInvariants, tableInvariants []string
	for _, a := range c.Program.Actions() {
		if c.actions[a.Name] == nil {
			c.actions[a.Name] = a
			specActions = append(specActions, a.Name)
		}
	}
	for _, s := range c.System.Steps {
		if !slices.Contains(tableActions, s.Name) {
			tableActions = append(tableActions, s.Name)
		}
	}
	for _, p := range c.Program.Invariants() {
		c.invariants[p.Name] = p
		specInvariants = append(specInvariants, p.Name)
	}
	for _, inv := range c.System.Invariants {
		tableInvariants = append(tableInvariants, inv.Name)
	}
	c.sameNames(KindActions, specActions, tableActions)
	c.sameNames(KindInvariants, specInvariants, tableInvariants)
}

func (c *comparison[S]) sameNames(kind Kind, spec, table []string) {
	d := Difference{Kind: kind, OnlySpec: without(spec, table), OnlyTable: without(table, spec)}
	if len(d.OnlySpec)+len(d.OnlyTable) > 0 {
		c.differ(d)
	}
}

// without gives what is in a and not in b, each as often as it is there more often.
func without(a, b []string) []string {
	b = slices.Clone(b)
	var only []string
	for _, s := range a {
		if i := slices.Index(b, s); i >= 0 {
			b = slices.Delete(b, i, i+1)
		} else {
			only = append(only, s)
		}
	}
	return only
}

func (c *comparison[S]) initial() error {
	var spec, table []string
	err := c.eval.Initial(func(s eval.State) bool {
		spec = append(spec, c.show(s))
		return true
	})
	if err != nil {
		return err
	}
	for _, s := range c.System.Init {
		table = append(table, c.show(c.Spec(s)))
		c.reach(s)
	}
	c.sameNames(KindInitial, spec, table)
	return nil
}
