package mirror

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"podlife/model"
	"podlife/tla/eval"
)

// guards pairs the table's guards with the named conjuncts of the specification, then drops each on both sides: in each of these states the
// action must do the same without it. A guard that stands for another conjunct than its name says is found here, also where the whole
// actions agree.
func (c *comparison[S]) guards(ctx context.Context, states []pairState[S]) error {
	done := map[string]bool{}
	for i := range c.System.Steps {
		name := c.System.Steps[i].Name
		action := c.actions[name]
		if done[name] || action == nil {
			continue
		}
		done[name] = true
		named := namedConjuncts(action)
		spec, table := conjunctNames(named), guardNames(c.System.Steps[i])
		if !slices.Equal(spec, table) {
			c.differ(Difference{Kind: KindGuards, Action: name,
				OnlySpec: []string{strings.Join(spec, ", ")}, OnlyTable: []string{strings.Join(table, ", ")}})
			continue
		}
		for guard, conjunct := range named {
			if c.full() {
				return nil
			}
			if err := c.dropped(ctx, name, guard, conjunct, states); err != nil {
				return fmt.Errorf("%s without %s: %w", name, conjunct.Name, err)
			}
			c.report.Guards++
		}
	}
	return nil
}

// dropped compares an action without one guard, the one with this index.
func (c *comparison[S]) dropped(ctx context.Context, action string, guard int, conjunct *eval.Conjunct, states []pairState[S]) error {
	program, err := c.Without(action, conjunct)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(program.Actions(), func(a *eval.Action) bool { return a.Name == action })
	if at < 0 {
		return fmt.Errorf("the specification has no such action any more")
	}
	wrong, evaluator := program.Actions()[at], program.NewEvaluator(ctx)
	for i := range c.System.Steps {
		if c.System.Steps[i].Name != action {
			continue
		}
		step := c.System.Steps[i]
		step.Guards = slices.Delete(slices.Clone(step.Guards), guard, guard+1)
		for _, s := range states {
			if c.full() {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			ofSpec, err := specSuccessors(evaluator, wrong, c.args[i], s.spec)
			if err != nil && c.undefined(err) {
				continue
			}
			if err != nil {
				return fmt.Errorf("in %s: %w", c.show(s.spec), err)
			}
			c.report.Comparisons++
			about := Difference{Kind: KindSuccessors, Action: action, Args: step.Args, Guard: conjunct.Name}
			c.compare(about, s.spec, ofSpec, c.tableSuccessors(s.table, &step, nil))
		}
	}
	return nil
}

func namedConjuncts(a *eval.Action) []*eval.Conjunct {
	var named []*eval.Conjunct
	for _, conjunct := range a.Conjuncts {
		if conjunct.Name != "" {
			named = append(named, conjunct)
		}
	}
	return named
}

func conjunctNames(conjuncts []*eval.Conjunct) []string {
	var names []string
	for _, conjunct := range conjuncts {
		names = append(names, conjunct.Name)
	}
	return names
}

func guardNames[S any](step model.Step[S]) []string {
	var names []string
	for _, g := range step.Guards {
		names = append(names, g.Name)
	}
	return names
}
