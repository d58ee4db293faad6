package module_test

import (
	"fmt"

	"podlife/tla/module"
)

// checkResolved holds what every resolved module promises to the evaluator against m: that no name is loose. It goes through all that m's
// definitions, assumptions and theorems lead to.
func checkResolved(m *module.Module) error {
	c := &checker{m: m, done: map[*module.Definition]bool{}, binders: map[*module.Param]any{}, contexts: map[*module.Definition][2]bool{}, constants: map[*module.Constant]bool{}, variables: map[*module.Variable]bool{}}
	for _, k := range m.Constants {
		c.constants[k] = true
	}
	for _, v := range m.Variables {
		c.variables[v] = true
	}
	for _, d := range append(append([]*module.Definition(nil), m.Defs...), m.Definitions()...) {
		c.top(d)
	}
	for _, list := range [][]*module.Assumption{m.Assumes, m.InstanceAssumes, m.Theorems} {
		for _, a := range list {
			c.expr(a.Body, nil)
		}
	}
	for len(c.todo) > 0 && c.err == nil {
		d := c.todo[0]
		c.todo = c.todo[1:]
		c.enabled, c.hides = c.contexts[d][0], c.contexts[d][1]
		c.definition(d, nil)
	}
	return c.err
}

type checker struct {
	m         *module.Module
	done      map[*module.Definition]bool
	todo      []*module.Definition
	constants map[*module.Constant]bool
	variables map[*module.Variable]bool
	binders   map[*module.Param]any          // the one place that binds a name
	enabled   bool                           // inside of ENABLED
	hides     bool                           // and of a prime there, where variables of instances are, too
	contexts  map[*module.Definition][2]bool // where a definition is called first: enabled, hides
	err       error
}

// names is what is bound around an expression.
type names struct {
	outer *names
	param *module.Param
	def   *module.Definition
}

func (n *names) hasParam(p *module.Param) bool {
	for ; n != nil; n = n.outer {
		if n.param == p {
			return true
		}
	}
	return false
}

func (n *names) hasDef(d *module.Definition) bool {
	for ; n != nil; n = n.outer {
		if n.def == d {
			return true
		}
	}
	return false
}

func (c *checker) fail(e module.Expr, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %s: %s", e.Place(), fmt.Sprintf(format, args...), module.Dump(e))
	}
}

func (c *checker) top(d *module.Definition) {
	if !c.done[d] {
		c.done[d] = true
		c.todo = append(c.todo, d)
		c.contexts[d] = [2]bool{c.enabled, c.hides}
	}
}

// bind adds names that by binds, a definition or a part of an expression.
func (c *checker) bind(params []*module.Param, by any, at module.Expr, in *names) *names {
	for _, p := range params {
		if other := c.binders[p]; other != nil && other != by {
			c.fail(at, "%s is bound here and elsewhere", p.Name)
		}
		c.binders[p] = by
		if in.hasParam(p) {
			c.fail(at, "%s is bound inside itself", p.Name)
		}
		in = &names{outer: in, param: p}
	}
	return in
}

func (c *checker) definition(d *module.Definition, in *names) {
	if d.Body == nil {
		c.err = fmt.Errorf("%s has no body", d.Name)
		return
	}
	if _, is := d.Body.(*module.Function); d.Function && !is {
		c.fail(d.Body, "%s is a function and its body is none", d.Name)
	}
	if d.Level != d.Body.ExprLevel() && !d.Recursive {
		c.fail(d.Body, "%s has level %s and its body %s", d.Name, d.Level, d.Body.ExprLevel())
	}
	c.expr(d.Body, c.bind(d.Params, d, d.Body, in))
}

func (c *checker) called(e module.Expr, d *module.Definition, in *names) {
	if d.Let {
		if !in.hasDef(d) {
			c.fail(e, "%s is used outside of its LET", d.Name)
		}
		return
	}
	c.top(d)
}

func (c *checker) args(e module.Expr, params []*module.Param, args []module.Expr, in *names) {
	if len(params) != len(args) {
		c.fail(e, "%d arguments for %d parameters", len(args), len(params))
		return
	}
	for i, a := range args {
		arity := 0
		switch a := a.(type) {
		case *module.OperatorRef:
			arity = a.Arity
		case *module.Lambda:
			arity = len(a.Params)
		}
		if arity != params[i].Arity {
			c.fail(e, "argument %d has arity %d instead of %d", i+1, arity, params[i].Arity)
		}
		c.expr(a, in)
	}
}

func (c *checker) exprs(list []module.Expr, in *names) {
	for _, e := range list {
		c.expr(e, in)
	}
}

func (c *checker) bounds(e module.Expr, bounds []*module.Bound, body module.Expr, in *names) {
	inner := in
	for _, b := range bounds {
		if b.Set != nil {
			c.expr(b.Set, in)
		}
		inner = c.bind(b.Params, b, e, inner)
	}
	c.expr(body, inner)
}

func (c *checker) expr(e module.Expr, in *names) {
	if c.err != nil {
		return
	}
	switch e := e.(type) {
	case *module.Number, *module.String:
	case *module.ConstantRef:
		if !c.constants[e.Constant] || len(e.Args) != e.Constant.Arity {
			c.fail(e, "no constant of the module, or not used as one")
		}
		c.exprs(e.Args, in)
	case *module.VariableRef:
		if !c.variables[e.Variable] && !c.hides {
			c.fail(e, "no variable of the module")
		}
	case *module.ParamRef:
		if !in.hasParam(e.Param) || len(e.Args) != e.Param.Arity {
			c.fail(e, "no bound name, or not used as one")
		}
		c.exprs(e.Args, in)
	case *module.Call:
		c.called(e, e.Definition, in)
		c.args(e, e.Definition.Params, e.Args, in)
	case *module.OperatorRef:
		c.operator(e, in)
	case *module.Lambda:
		c.expr(e.Body, c.bind(e.Params, e, e, in))
	case *module.Apply:
		enabled, hides := c.enabled, c.hides
		c.enabled = enabled || e.Op == module.Enabled
		c.hides = hides || enabled && e.Op == module.Prime
		c.exprs(e.Args, in)
		c.enabled, c.hides = enabled, hides
	case *module.Junction:
		if len(e.Names) != len(e.Items) || e.VacuousOK != nil && len(e.VacuousOK) != len(e.Items) {
			c.fail(e, "names do not pair with items")
		}
		c.exprs(e.Items, in)
	case *module.Quantifier:
		c.bounds(e, e.Bounds, e.Body, in)
	case *module.Choose:
		c.bounds(e, []*module.Bound{e.Bound}, e.Body, in)
	case *module.SetFilter:
		c.bounds(e, []*module.Bound{e.Bound}, e.Where, in)
	case *module.SetMap:
		c.bounds(e, e.Bounds, e.Value, in)
	case *module.Function:
		c.bounds(e, e.Bounds, e.Body, in)
	case *module.Record:
		c.exprs(e.Values, in)
	case *module.RecordSet:
		c.exprs(e.Values, in)
	case *module.Field:
		c.expr(e.Record, in)
	case *module.Except:
		c.except(e, in)
	case *module.If:
		c.exprs([]module.Expr{e.Cond, e.Then, e.Else}, in)
	case *module.Case:
		c.exprs(e.Conds, in)
		c.exprs(e.Values, in)
		if e.Other != nil {
			c.expr(e.Other, in)
		}
	case *module.Let:
		for _, d := range e.Defs {
			if !d.Let {
				c.fail(e, "%s is in a LET and does not say so", d.Name)
			}
			in = &names{outer: in, def: d}
		}
		for _, d := range e.Defs {
			c.definition(d, in)
		}
		c.expr(e.Body, in)
	case *module.Subscripted:
		c.exprs([]module.Expr{e.Action, e.Vars}, in)
	case *module.Fairness:
		c.exprs([]module.Expr{e.Vars, e.Action}, in)
	case *module.Label:
		c.expr(e.Body, in)
	default:
		c.err = fmt.Errorf("%s: an expression of type %T", e.Place(), e)
	}
}

func (c *checker) operator(e *module.OperatorRef, in *names) {
	set, arity := 0, e.Arity
	if e.Definition != nil {
		set, arity = set+1, len(e.Definition.Params)
		c.called(e, e.Definition, in)
	}
	if e.Constant != nil {
		set, arity = set+1, e.Constant.Arity
	}
	if e.Param != nil {
		set, arity = set+1, e.Param.Arity
		if !in.hasParam(e.Param) {
			c.fail(e, "no bound name")
		}
	}
	if e.Builtin != module.BuiltinNone {
		set++
	}
	if set != 1 || arity != e.Arity || arity == 0 {
		c.fail(e, "%d meanings, arity %d instead of %d", set, arity, e.Arity)
	}
}

func (c *checker) except(e *module.Except, in *names) {
	c.expr(e.Function, in)
	for _, u := range e.Updates {
		c.exprs(u.Path, in)
		inner := in
		if u.At != nil {
			inner = c.bind([]*module.Param{u.At}, u, e, in)
		}
		c.expr(u.Value, inner)
	}
}
