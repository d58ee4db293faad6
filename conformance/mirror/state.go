package mirror

import (
	"slices"

	"podlife/model"
	"podlife/tla/eval"
	"podlife/tla/value"
)

// successors are states, each as often as TLC generates it.
type successors []eval.State

func same(a, b eval.State) bool { return slices.EqualFunc(a, b, value.Equal) }

// without gives the states that are in ss and not in other, each as often as it is there more often.
func (ss successors) without(other successors) successors {
	left := slices.Clone(other)
	var only successors
	for _, s := range ss {
		at := slices.IndexFunc(left, func(t eval.State) bool { return same(s, t) })
		if at >= 0 {
			left = slices.Delete(left, at, at+1)
		} else {
			only = append(only, s)
		}
	}
	return only
}

// state compares everything in one state. What Next does is compared action by action, and argument by argument; only where that is not what
// the table does, or cannot be evaluated, each definition is asked on its own, to say where the difference is.
func (c *comparison[S]) state(both pairState[S]) error {
	ofTable := make([]successors, len(c.System.Steps))
	for i := range c.System.Steps {
		ofTable[i] = c.tableSuccessors(both.table, &c.System.Steps[i], c.reach)
	}
	if c.agree(both.spec, ofTable) {
		c.report.Comparisons += len(ofTable)
		return c.invariantsIn(both.table, both.spec)
	}
	for i := range c.System.Steps {
		if err := c.step(both.spec, i, ofTable[i]); err != nil {
			return err
		}
	}
	var ofSpec successors
	err := c.eval.Successors(both.spec, func(next eval.Step) bool {
		ofSpec = append(ofSpec, next.Next)
		return true
	})
	if err == nil {
		c.compare(Difference{Kind: KindNext}, both.spec, ofSpec, slices.Concat(ofTable...))
	} else if !c.ended || !c.undefined(err) {
		return err
	}
	return c.invariantsIn(both.table, both.spec)
}

// agree tells whether Next makes exactly these successors of the table, each by the action and the arguments of the table's step.
func (c *comparison[S]) agree(spec eval.State, ofTable []successors) bool {
	ofSpec := make([]successors, len(ofTable))
	known := true
	err := c.eval.Successors(spec, func(next eval.Step) bool {
		at := slices.IndexFunc(c.steps[next.Action.Name], func(i int) bool { return slices.EqualFunc(c.args[i], next.Args, equalArgument) })
		if known = at >= 0; known {
			i := c.steps[next.Action.Name][at]
			ofSpec[i] = append(ofSpec[i], next.Next)
		}
		return known
	})
	return err == nil && known && slices.EqualFunc(ofSpec, ofTable, func(a, b successors) bool {
		return len(a) == len(b) && len(a.without(b)) == 0
	})
}

// equalArgument compares an argument of the table with one of Next's, which is nil where it could not be evaluated.
func equalArgument(of, next value.Value) bool { return next != nil && value.Equal(of, next) }

// step compares one action with its arguments, the system's step of this number, of which the table's successors are given.
func (c *comparison[S]) step(spec eval.State, number int, ofTable successors) error {
	step := &c.System.Steps[number]
	action := c.actions[step.Name]
	if action == nil {
		return nil // already a difference
	}
	ofSpec, err := specSuccessors(c.eval, action, c.args[number], spec)
	if err != nil && c.ended && c.undefined(err) {
		return nil
	}
	if err != nil {
		return err
	}
	c.report.Comparisons++
	c.compare(Difference{Kind: KindSuccessors, Action: step.Name, Args: step.Args}, spec, ofSpec, ofTable)
	return nil
}

// compare adds a difference where two lists of successors are not the same; about says of what.
func (c *comparison[S]) compare(about Difference, spec eval.State, ofSpec, ofTable successors) {
	onlySpec, onlyTable := ofSpec.without(ofTable), ofTable.without(ofSpec)
	if len(onlySpec)+len(onlyTable) == 0 {
		return
	}
	if about.Kind == KindSuccessors && (len(ofSpec) == 0 || len(ofTable) == 0) {
		about.Kind = KindEnabled
	}
	about.State = c.show(spec)
	for _, s := range onlySpec {
		about.OnlySpec = append(about.OnlySpec, c.show(s))
	}
	for _, s := range onlyTable {
		about.OnlyTable = append(about.OnlyTable, c.show(s))
	}
	c.differ(about)
}

// tableSuccessors tells reached, where there is one, where the step leads to.
func (c *comparison[S]) tableSuccessors(s S, step *model.Step[S], reached func(S)) successors {
	var made successors
	ways := step.Ways(s)
	if ways == 0 {
		return made
	}
	after := step.Effect(s)
	if reached != nil {
		reached(after)
	}
	next := c.spec(after)
	for range ways {
		made = append(made, next)
	}
	return made
}

func specSuccessors(e *eval.Evaluator, action *eval.Action, args []value.Value, s eval.State) (successors, error) {
	var made successors
	err := e.TakeDefinition(action.Definition, args, s, func(next eval.State) bool {
		made = append(made, next)
		return true
	})
	return made, err
}

// invariantsIn compares the value of each invariant that both sides have.
func (c *comparison[S]) invariantsIn(s S, spec eval.State) error {
	for _, inv := range c.System.Invariants {
		predicate := c.invariants[inv.Name]
		if predicate == nil {
			continue
		}
		inSpec, err := c.eval.Holds(predicate, spec)
		if err != nil && c.ended && c.undefined(err) {
			continue
		}
		if err != nil {
			return err
		}
		c.report.Invariants++
		if inTable := inv.Holds(s); inTable != inSpec {
			d := Difference{Kind: KindInvariant, Invariant: inv.Name, State: c.show(spec), OnlySpec: []string{"it holds"}}
			if inTable {
				d.OnlySpec, d.OnlyTable = nil, []string{"it holds"}
			}
			c.differ(d)
		}
	}
	return nil
}
