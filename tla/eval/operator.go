package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// lambdaName is how a LAMBDA is called in messages.
const lambdaName = "LAMBDA"

// An operator is one that is an argument, while it is known only at run time.
type operator struct {
	unit, action *callUnit
	up           *frame
}

// operatorUnit compiles an operator that is an argument. hops says where the frame around it is, -1 where it needs none.
func (c *compiler) operatorUnit(x module.Expr, e *env, w want) (u *callUnit, hops int) {
	switch x := x.(type) {
	case *module.Lambda:
		u := &callUnit{name: lambdaName, params: x.Params}
		c.fill(u, c.unit, e, x.Body, nil, w)
		return u, 0
	case *module.OperatorRef:
		params := make([]*module.Param, x.Arity)
		args := make([]module.Expr, x.Arity)
		for i := range params {
			params[i] = &module.Param{Name: "_", Span: x.Span}
			args[i] = &module.ParamRef{Node: module.Node{Span: x.Span}, Param: params[i]}
		}
		var body module.Expr
		name := ""
		switch {
		case x.Definition != nil:
			if d := x.Definition; !d.Let {
				if _, ok := c.p.native(c.overridden(d)); !ok && c.p.defTables[d] == nil {
					return c.calledUnit(c.overridden(d), w), -1
				}
			}
			body, name = &module.Call{Node: x.Node, Definition: x.Definition, Args: args}, x.Definition.Name
		case x.Constant != nil:
			body, name = &module.ConstantRef{Node: x.Node, Constant: x.Constant, Args: args}, x.Constant.Name
		case x.Builtin == module.And || x.Builtin == module.Or:
			body = &module.Junction{Node: x.Node, Or: x.Builtin == module.Or, Items: args, Names: make([]string, len(args))}
		default:
			body = &module.Apply{Node: x.Node, Op: x.Builtin, Args: args}
		}
		u := &callUnit{name: name, params: params}
		c.fill(u, c.unit, e, body, nil, w)
		return u, 0
	}
	c.reject(x, CodeInternal, "an operator was expected")
	return nil, 0
}

// operatorArgument passes an operator to a unit that is called.
func (c *compiler) operatorArgument(i int, x module.Expr, e *env) argument {
	if ref, ok := x.(*module.OperatorRef); ok && ref.Param != nil {
		b := e.find(ref.Param)
		switch {
		case b == nil:
			c.reject(x, CodeInternal, "the operator %s has no meaning here", ref.Param.Name)
		case b.kind == bindOpSlot:
			hops, from := c.hops(b.unit), b.slot
			return func(m *machine, f, nf *frame) { nf.ops[i] = ancestor(f, hops).ops[from] }
		default:
			x, e = b.expr, b.env
			var a argument
			c.at(b.where, func() { a = c.operatorArgument(i, x, e) })
			return a
		}
	}
	u, hops := c.operatorUnit(x, e, wantValue)
	op := operator{unit: u}
	if c.uses(x, e)&usesNext != 0 {
		op.action, _ = c.operatorUnit(x, e, c.actionWant())
	}
	return func(m *machine, f, nf *frame) {
		o := op
		if hops >= 0 {
			o.up = ancestor(f, hops)
		}
		nf.ops[i] = &o
	}
}

func (c *compiler) actionWant() want {
	if c.initial {
		return wantInitial
	}
	return wantAction
}

// applied gives the use of an operator binding as an expression, if it is that of a definition, constant or builtin.
func applied(x module.Expr, b *binding, args []module.Expr) module.Expr {
	ref, ok := b.expr.(*module.OperatorRef)
	if !ok {
		return nil
	}
	node := module.Node{Span: x.Place(), Level: x.ExprLevel()}
	switch {
	case ref.Definition != nil:
		return &module.Call{Node: node, Definition: ref.Definition, Args: args}
	case ref.Constant != nil:
		return &module.ConstantRef{Node: node, Constant: ref.Constant, Args: args}
	case ref.Builtin == module.And || ref.Builtin == module.Or:
		return &module.Junction{Node: node, Or: ref.Builtin == module.Or, Items: args, Names: make([]string, len(args))}
	case ref.Builtin != module.BuiltinNone:
		return &module.Apply{Node: node, Op: ref.Builtin, Args: args}
	}
	return nil
}

// applyIn gives the use of an operator that stands for a parameter, and the env in which it is compiled: the operator's own, so that a definition of a LET is found, and the arguments bound
// in it so that they keep theirs.
func (c *compiler) applyIn(x module.Expr, b *binding, args []module.Expr, e *env) (module.Expr, *env) {
	wrapped := make([]module.Expr, len(args))
	inner := b.env
	for i, a := range args {
		p := &module.Param{Name: "_", Span: a.Place()}
		inner = inner.bind(p, c.aliased(a, e))
		wrapped[i] = &module.ParamRef{Node: module.Node{Span: a.Place(), Level: a.ExprLevel()}, Param: p}
	}
	return applied(x, b, wrapped), inner
}

// aliased is a binding for an expression that is used in one place.
func (c *compiler) aliased(x module.Expr, e *env) *binding {
	if ref, ok := x.(*module.ParamRef); ok && len(ref.Args) == 0 {
		if b := e.find(ref.Param); b != nil {
			return b
		}
	}
	return &binding{kind: bindInline, expr: x, env: e, where: c.where()}
}

// operatorCall is the use of an operator parameter.
func (c *compiler) operatorCall(x module.Expr, b *binding, args []module.Expr, e *env) code {
	if b.kind == bindOpSlot {
		return c.dynamicCall(x, b, args, e)
	}
	if b.kind != bindOperator {
		return c.cannot(x, CodeInternal, "a value stands where an operator is needed")
	}
	if y, inner := c.applyIn(x, b, args, e); y != nil {
		return c.value(y, inner)
	}
	lambda := b.expr.(*module.Lambda)
	d := &module.Definition{Name: lambdaName, Params: lambda.Params, Body: lambda.Body}
	if len(c.inlined) >= maxInlined || c.p.sizeOfExpr(lambda.Body) > largeUnit {
		return c.callLambda(x, b, lambda, args, e)
	}
	var run code
	c.inline(x, d, args, e, b.env, func(inner *env, reset []int) {
		c.definition, c.text = b.where.definition, b.where.text
		run = withReset(reset, c.value(d.Body, inner))
	})
	return run
}

// callLambda calls a lambda that is too large to be written into its users.
func (c *compiler) callLambda(x module.Expr, b *binding, lambda *module.Lambda, args []module.Expr, e *env) code {
	u := b.calls[wantValue]
	if u == nil {
		u = &callUnit{name: lambdaName, params: lambda.Params}
		b.calls = map[want]*callUnit{wantValue: u}
		c.fill(u, b.unit, b.env, lambda.Body, nil, wantValue)
	}
	return c.realCall(x, u, b.unit, args, e)
}

func (c *compiler) predOperatorCall(x module.Expr, b *binding, args []module.Expr, e *env) pred {
	if y, inner := c.applyIn(x, b, args, e); y != nil {
		return c.pred(y, inner)
	}
	lambda := b.expr.(*module.Lambda)
	if len(c.inlined) >= maxInlined || c.p.sizeOfExpr(lambda.Body) > largeUnit {
		return nil
	}
	d := &module.Definition{Name: lambdaName, Params: lambda.Params, Body: lambda.Body}
	var p pred
	c.inline(x, d, args, e, b.env, func(inner *env, reset []int) {
		c.definition, c.text = b.where.definition, b.where.text
		p = predWithReset(reset, c.pred(d.Body, inner))
	})
	return p
}

// dynamicCall calls an operator that is known at run time only.
func (c *compiler) dynamicCall(x module.Expr, b *binding, args []module.Expr, e *env) code {
	hops, slot, s := c.hops(b.unit), b.slot, c.site(x)
	pass := make([]argument, len(args))
	for i, a := range args {
		pass[i] = c.argument(i, a, e)
	}
	return func(m *machine, f *frame) value.Value {
		op := ancestor(f, hops).ops[slot]
		nf := m.enterOperator(op.unit, op.up, f, s, pass)
		v := op.unit.value(m, nf)
		m.leave(op.unit, nf)
		return v
	}
}

func (m *machine) enterOperator(u *callUnit, up, f *frame, s *site, pass []argument) *frame {
	m.tick()
	m.descend(u.unit.deepest + 2)
	nf := m.frame(u.unit)
	nf.up = up
	for _, p := range pass {
		p(m, f, nf)
	}
	m.calls = append(m.calls, s)
	return nf
}

// operatorValue is an operator as an argument of one that is written in Go. It may be called as long as that runs.
func (c *compiler) operatorValue(x module.Expr, e *env) code {
	s := c.site(x)
	if ref, ok := x.(*module.OperatorRef); ok && ref.Param != nil {
		b := e.find(ref.Param)
		switch {
		case b == nil:
			return c.cannot(x, CodeInternal, "the operator %s has no meaning here", ref.Param.Name)
		case b.kind == bindOpSlot:
			hops, slot := c.hops(b.unit), b.slot
			return func(m *machine, f *frame) value.Value {
				op := ancestor(f, hops).ops[slot]
				return m.operatorValue(op.unit, op.up, s)
			}
		default:
			var run code
			c.at(b.where, func() { run = c.operatorValue(b.expr, b.env) })
			return run
		}
	}
	u, hops := c.operatorUnit(x, e, wantValue)
	return func(m *machine, f *frame) value.Value {
		var up *frame
		if hops >= 0 {
			up = ancestor(f, hops)
		}
		return m.operatorValue(u, up, s)
	}
}

func (m *machine) operatorValue(u *callUnit, up *frame, s *site) value.Value {
	m.escaped++
	return &value.Operator{Arity: len(u.params), Apply: func(args []value.Value) value.Value {
		if len(args) != len(u.params) {
			fail(s, CodeInternal, "an operator of %s is called with %d", plural(len(u.params), "argument"), len(args))
		}
		at := m.at
		nf := m.enterOperator(u, up, nil, s, nil)
		for i, a := range args {
			nf.thunks[i], nf.slots[i].v = nil, a
		}
		v := u.value(m, nf)
		m.leave(u, nf)
		m.at = at
		return v
	}}
}
