package eval

import (
	"podlife/tla/module"
)

// An argument of a definition that is called can be evaluated before the call, and needs no thunk, if the definition needs it in any case and evaluates it under the
// same states. It is then evaluated sooner than its place in the definition says, which makes a difference only to which of two errors is given.

// strict tells of each parameter of a definition whether its argument may be evaluated before the call.
func (p *Program) strict(d *module.Definition) []bool {
	if s, ok := p.strictness[d]; ok {
		return s
	}
	out := make([]bool, len(d.Params))
	usable := p.usesOf(d)&usesNext == 0
	for _, param := range d.Params {
		usable = usable && param.Arity == 0
	}
	if usable {
		for i, param := range d.Params {
			n := needs{p: p, assumed: map[need]bool{{d, i}: true}}
			out[i] = n.expr(d.Body, param)
		}
	}
	p.strictness[d] = out
	return out
}

// A need is a parameter of a definition, by its index.
type need struct {
	d *module.Definition
	i int
}

// needs finds out whether the value of an expression needs that of a parameter. What it has assumed of definitions on the way holds if it comes out: a call that
// returns has returned after finitely many others.
type needs struct {
	p       *Program
	assumed map[need]bool
}

// any tells whether one of the expressions, all of which are evaluated, needs the parameter.
func (n *needs) any(xs []module.Expr, param *module.Param) bool {
	for _, x := range xs {
		if n.expr(x, param) {
			return true
		}
	}
	return false
}

func (n *needs) bounds(bs []*module.Bound, param *module.Param) bool {
	for _, b := range bs {
		if b.Set != nil && n.expr(b.Set, param) {
			return true
		}
	}
	return false
}

func (n *needs) expr(x module.Expr, param *module.Param) bool {
	switch x := x.(type) {
	case *module.ParamRef:
		return x.Param == param && len(x.Args) == 0
	case *module.Label:
		return n.expr(x.Body, param)
	case *module.Let:
		return n.expr(x.Body, param)
	case *module.Call:
		return n.call(x, param)
	case *module.Apply:
		if strict, _ := builtinNeeds(x.Op); strict == needsFirst {
			return n.expr(x.Args[0], param)
		} else if strict == needsAll {
			return n.any(x.Args, param)
		}
		return false
	case *module.Junction:
		return n.expr(x.Items[0], param)
	case *module.If:
		return n.expr(x.Cond, param) || n.expr(x.Then, param) && n.expr(x.Else, param)
	case *module.Case:
		return n.expr(x.Conds[0], param)
	case *module.Quantifier:
		return n.bounds(x.Bounds, param)
	case *module.Choose:
		return n.bounds([]*module.Bound{x.Bound}, param)
	case *module.SetFilter:
		return n.bounds([]*module.Bound{x.Bound}, param)
	case *module.SetMap:
		return n.bounds(x.Bounds, param)
	case *module.Function:
		return n.bounds(x.Bounds, param)
	case *module.Record:
		return n.any(x.Values, param)
	case *module.RecordSet:
		return n.any(x.Values, param)
	case *module.Field:
		return n.expr(x.Record, param)
	case *module.Except:
		return n.expr(x.Function, param)
	}
	return false
}

// How many of its arguments a builtin evaluates in any case, and under the states that it is evaluated under itself.
type builtinNeed uint8

const (
	needsNone builtinNeed = iota
	needsFirst
	needsAll
)

// builtinNeeds is exhaustive: known is false for what is no builtin, or for one that somebody has added and not thought of here.
func builtinNeeds(op module.Builtin) (need builtinNeed, known bool) {
	switch op {
	case module.Implies, module.And, module.Or:
		return needsFirst, true
	case module.Prime, module.Unchanged, module.Enabled, module.Compose, module.Always, module.Eventually, module.LeadsTo, module.WhilePlus:
		return needsNone, true // other states, or no value at all
	case module.True, module.False, module.Boolean, module.StringSet:
		return needsAll, true // of no arguments
	case module.Not, module.Equivalent, module.Equal, module.NotEqual, module.In, module.NotIn, module.SubsetEq, module.Union, module.Intersect,
		module.Difference, module.Powerset, module.BigUnion, module.Domain, module.FunctionApply, module.SetEnum, module.Tuple, module.Times, module.FunctionSet:
		return needsAll, true
	}
	return needsNone, false
}

func (n *needs) call(x *module.Call, param *module.Param) bool {
	d := x.Definition
	if d.Let {
		return false
	}
	if _, ok := n.p.definitionValue(d); ok {
		return false
	}
	d = n.p.overridden(d)
	if op, ok := n.p.native(d); ok {
		return op.Func != nil && n.any(x.Args, param)
	}
	if d.Body == nil || d.Function {
		return false
	}
	for i, a := range x.Args {
		if d.Params[i].Arity > 0 || !n.expr(a, param) {
			continue
		}
		k := need{d, i}
		if n.assumed[k] {
			return true
		}
		n.assumed[k] = true
		if n.expr(d.Body, d.Params[i]) {
			return true
		}
		delete(n.assumed, k)
	}
	return false
}
