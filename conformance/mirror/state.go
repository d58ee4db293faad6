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

// state compares everything in one state.
func (c *comparison[S]) state(both pairState[S]) error {
	s, spec := both.table, both.spec
	var ofTable successors
	for i := range c.System.Steps {
		if err := c.step(s, spec, &c.System.Steps[i], &ofTable); err != nil {
			return err
		}
	}
	var ofSpec successors
	err := c.eval.Successors(spec, func(next eval.Step) bool {
		ofSpec = append(ofSpec, next.Next)
		return true
	})
	if err != nil {
		return err
	}
	c.compare(Difference{Kind: KindNext}, spec, ofSpec, ofTable)
	return c.invariantsIn(s, spec)
}

// step compares one action with its arguments, and adds the table's successors to all.
func (c *comparison[S]) step(s S, spec eval.State, step *model.Step[S], all *successors) error {
	ofTable := c.tableSuccessors(s, step)
	*all = append(*all, ofTable...)
	action := c.actions[step.Name]
	if action == nil {
		return nil // already a difference
	}
	ofSpec, err := c.specSuccessors(c.eval, action, step.Args, spec)
	if err != nil {
		return err
	}
	if len(ofTable) > 0 {
		c.reach(step.Effect(s))
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

func (c *comparison[S]) tableSuccessors(s S, step *model.Step[S]) successors {
	var made successors
	ways := step.Ways(s)
	if ways == 0 {
		return made
	}
	next := c.Spec(step.Effect(s))
	for range ways {
		made = append(made, next)
	}
	return made
}

func (c *comparison[S]) specSuccessors(e *eval.Evaluator, action *eval.Action, args []string, s eval.State) (successors, error) {
	values := make([]value.Value, len(args))
	for i, arg := range args {
		values[i] = c.Argument(arg)
	}
	var made successors
	err := e.TakeDefinition(action.Definition, values, s, func(next eval.State) bool {
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
