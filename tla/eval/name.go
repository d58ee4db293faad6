package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// variable reads an unprimed variable.
func (c *compiler) variable(x *module.VariableRef) code {
	i, s := c.p.indexOf(x.Variable), c.site(x)
	return func(m *machine, f *frame) value.Value {
		if i < len(m.cur) {
			if v := m.cur[i]; v != nil {
				return v
			}
		}
		m.unbound(s, m.cur, x.Variable.Name, "")
		return nil
	}
}

// primedVariable reads a primed one.
func (c *compiler) primedVariable(x module.Expr, v *module.Variable) code {
	i, s := c.p.indexOf(v), c.site(x)
	return func(m *machine, f *frame) value.Value {
		if i < len(m.next) {
			if v := m.next[i]; v != nil {
				return v
			}
		}
		m.unbound(s, m.next, v.Name, "'")
		return nil
	}
}

// unbound fails because a variable has no value.
func (m *machine) unbound(s *site, state []value.Value, name, prime string) {
	if state == nil {
		what := "no current state"
		if prime != "" {
			what = "no next state"
		}
		fail(s, CodeUnbound, "there is %s here in which %s%s could have a value", what, name, prime)
	}
	fail(s, CodeUnbound, "%s%s has no value yet: the formula must give it one before it is used", name, prime)
}

// constantRef is a constant, or the use of a constant operator.
func (c *compiler) constantRef(x *module.ConstantRef, e *env) code {
	k := x.Constant
	if d := c.p.constantDefs[k]; d != nil {
		return c.call(&module.Call{Node: x.Node, Definition: d, Args: x.Args}, e)
	}
	if v, ok := c.p.constantValues[k]; ok && k.Arity == 0 {
		return literal(v)
	}
	if t := c.p.constantTables[k]; t != nil {
		return c.tableCall(x, k.Name, t, x.Args, e)
	}
	return c.cannot(x, CodeUnassigned, "the constant %s has no value", k.Name)
}

// tableCall looks up the arguments in what the configuration says.
func (c *compiler) tableCall(x module.Expr, name string, t *opTable, args []module.Expr, e *env) code {
	run, s := c.values(args, e), c.site(x)
	return func(m *machine, f *frame) value.Value {
		vals := make([]value.Value, len(run))
		for i, a := range run {
			vals[i] = a(m, f)
		}
		m.at = s
		v, ok := t.at(vals)
		if !ok {
			fail(s, CodeEvaluation, "the configuration gives %s no value for these arguments: %s", name, brief(value.NewTuple(vals)))
		}
		return v
	}
}

func (c *compiler) values(xs []module.Expr, e *env) []code {
	out := make([]code, len(xs))
	for i, x := range xs {
		out[i] = c.value(x, e)
	}
	return out
}

// param is a bound name or parameter, or the use of an operator parameter.
func (c *compiler) param(x *module.ParamRef, e *env) code {
	b := e.find(x.Param)
	if b == nil {
		return c.cannot(x, CodeInternal, "the name %s has no meaning here", x.Param.Name)
	}
	if len(x.Args) > 0 || b.kind == bindOperator || b.kind == bindOpSlot {
		return c.operatorCall(x, b, x.Args, e)
	}
	return c.bound(x, b)
}

// bound is what a name stands for.
func (c *compiler) bound(x module.Expr, b *binding) code {
	switch b.kind {
	case bindSlot:
		return within(c.hops(b.unit), readSlot(b.slot))
	case bindParam:
		i := b.slot
		return within(c.hops(b.unit), func(m *machine, f *frame) value.Value {
			if t := f.thunks[i]; t != nil {
				return t.force(m)
			}
			return f.slots[i].v
		})
	case bindInline:
		var run code
		c.at(b.where, func() { run = c.value(b.expr, b.env) })
		return run
	case bindConstant:
		return b.k.get
	case bindCell:
		return within(c.hops(b.unit), c.cell(b))
	case bindFunction:
		return c.functionValue(x, b.fn)
	}
	return c.cannot(x, CodeInternal, "an operator stands where a value is needed")
}

func readSlot(i int) code {
	return func(m *machine, f *frame) value.Value { return f.slots[i].v }
}

// cell reads what a binding remembers in the frame of its unit.
func (c *compiler) cell(b *binding) code {
	if b.code == nil {
		in := *c
		in.unit = b.unit
		in.definition, in.caller, in.text = b.where.definition, b.where.caller, b.where.text
		run := in.value(b.expr, b.env)
		c.size = in.size
		depends := (&analysis{p: c.p}).binding(b)
		i := b.slot
		switch {
		case depends&(usesCur|usesNext) == 0:
			b.code = func(m *machine, f *frame) value.Value {
				if v := f.slots[i].v; v != nil {
					return v
				}
				v := run(m, f)
				f.slots[i].v = v
				return v
			}
		default:
			b.code = func(m *machine, f *frame) value.Value {
				s := &f.slots[i]
				if s.v != nil && s.cur == m.curID && s.next == m.nextID {
					return s.v
				}
				v := run(m, f)
				s = &f.slots[i]
				s.v, s.cur, s.next = v, m.curID, m.nextID
				return v
			}
		}
	}
	return b.code
}

// predParam compiles a name as a boolean without going through its value, or gives nil.
func (c *compiler) predParam(x *module.ParamRef, e *env) pred {
	b := e.find(x.Param)
	if b == nil {
		return nil
	}
	if b.kind == bindInline && len(x.Args) == 0 {
		var p pred
		c.at(b.where, func() { p = c.pred(b.expr, b.env) })
		return p
	}
	if b.kind == bindOperator && len(x.Args) > 0 {
		return c.predOperatorCall(x, b, x.Args, e)
	}
	return nil
}

// resolve follows names that stand for expressions, as far as that is known when compiling. It gives the expression and its env, or, where a
// thunk stands for the name, the binding of that.
func (c *compiler) resolve(x module.Expr, e *env) (module.Expr, *env, *binding) {
	return c.follow(x, e, true)
}

// follow is resolve; constants says whether it looks into definitions that are constants of the program.
func (c *compiler) follow(x module.Expr, e *env, constants bool) (module.Expr, *env, *binding) {
	for range 10_000 {
		switch y := x.(type) {
		case *module.Label:
			x = y.Body
		case *module.ParamRef:
			if len(y.Args) > 0 {
				return x, e, nil
			}
			b := e.find(y.Param)
			if b == nil {
				return x, e, nil
			}
			switch b.kind {
			case bindInline, bindCell, bindConstant:
				if b.expr == nil {
					return x, e, nil // a mere value
				}
				x, e = b.expr, b.env
			case bindParam:
				return x, e, b
			default:
				return x, e, nil
			}
		case *module.Call:
			if len(y.Args) > 0 || len(y.Definition.Params) > 0 {
				return x, e, nil
			}
			d := y.Definition
			if d.Let {
				b := e.find(d)
				if b == nil || b.kind != bindInline && b.kind != bindCell && b.kind != bindConstant {
					return x, e, nil
				}
				x, e = b.expr, b.env
				continue
			}
			if _, ok := c.p.definitionValue(d); ok {
				return x, e, nil
			}
			d = c.overridden(d)
			if _, ok := c.p.native(d); ok || d.Recursive || d.Body == nil {
				return x, e, nil
			}
			if !constants && c.definitionConstant(d) != nil {
				return x, e, nil
			}
			x, e = d.Body, nil
		default:
			return x, e, nil
		}
	}
	return x, e, nil
}
