package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// apply compiles a builtin operator with its operands.
func (c *compiler) apply(x *module.Apply, e *env) code {
	if isLogical(x.Op) {
		switch x.Op {
		case module.True:
			return literal(value.Bool(true))
		case module.False:
			return literal(value.Bool(false))
		}
		return boolean(c.logical(x, e))
	}
	switch x.Op {
	case module.Boolean:
		return literal(value.Booleans())
	case module.StringSet:
		return literal(value.Strings)
	case module.Union:
		return c.binary(x, e, (*value.Work).Union)
	case module.Intersect:
		return c.binary(x, e, (*value.Work).Intersect)
	case module.Difference:
		return c.binary(x, e, (*value.Work).Difference)
	case module.FunctionSet:
		return c.binary(x, e, func(_ *value.Work, d, r value.Value) value.Value { return value.FunctionSet(d, r) })
	case module.Powerset:
		return c.unary(x, e, func(_ *value.Work, s value.Value) value.Value { return value.Powerset(s) })
	case module.BigUnion:
		return c.unary(x, e, (*value.Work).UnionOf)
	case module.Domain:
		return c.unary(x, e, func(_ *value.Work, f value.Value) value.Value { return value.Domain(f) })
	case module.FunctionApply:
		return c.functionApply(x, e)
	case module.SetEnum:
		return c.setEnum(x, e)
	case module.Tuple:
		return c.tuple(x, e)
	case module.Times:
		run, s := c.values(x.Args, e), c.site(x)
		return func(m *machine, f *frame) value.Value {
			sets := evaluated(run, m, f)
			m.at = s
			return value.Product(sets...)
		}
	case module.Prime:
		return c.prime(x, e)
	case module.Compose:
		return boolean(c.composePred(x, e))
	case module.Always, module.Eventually, module.LeadsTo, module.WhilePlus:
		return c.cannot(x, CodeUnsupported, "a temporal formula (%s) cannot be evaluated in a state or step", x.Op)
	}
	return c.cannot(x, CodeUnsupported, "the operator %s cannot be evaluated", x.Op)
}

func (c *compiler) unary(x *module.Apply, e *env, op func(*value.Work, value.Value) value.Value) code {
	return c.unaryAt(x, x.Args[0], e, op)
}

// unaryAt is unary for an operator that is not of the language itself.
func (c *compiler) unaryAt(x, arg module.Expr, e *env, op func(*value.Work, value.Value) value.Value) code {
	a, s := c.value(arg, e), c.site(x)
	return func(m *machine, f *frame) value.Value {
		v := a(m, f)
		m.at = s
		return op(&m.work, v)
	}
}

func (c *compiler) binary(x *module.Apply, e *env, op func(w *value.Work, l, r value.Value) value.Value) code {
	a, b, s := c.value(x.Args[0], e), c.value(x.Args[1], e), c.site(x)
	return func(m *machine, f *frame) value.Value {
		l := a(m, f)
		r := b(m, f)
		m.at = s
		return op(&m.work, l, r)
	}
}

func evaluated(run []code, m *machine, f *frame) []value.Value {
	out := make([]value.Value, len(run))
	for i, r := range run {
		out[i] = r(m, f)
	}
	return out
}

func (c *compiler) tuple(x *module.Apply, e *env) code {
	run := c.values(x.Args, e)
	switch len(run) {
	case 0:
		return literal(value.EmptyTuple())
	case 1:
		a := run[0]
		return func(m *machine, f *frame) value.Value { return value.TupleOf(a(m, f)) }
	case 2:
		a, b := run[0], run[1]
		return func(m *machine, f *frame) value.Value {
			l := a(m, f)
			return value.TupleOf(l, b(m, f))
		}
	}
	if len(run) > 8 {
		return func(m *machine, f *frame) value.Value { return value.NewTuple(evaluated(run, m, f)) }
	}
	return func(m *machine, f *frame) value.Value {
		var room [8]value.Value
		vals := room[:len(run)]
		for i, r := range run {
			vals[i] = r(m, f)
		}
		return value.TupleOf(vals...)
	}
}

func (c *compiler) setEnum(x *module.Apply, e *env) code {
	run, s := c.values(x.Args, e), c.site(x)
	switch len(run) {
	case 0:
		return literal(value.EmptySet())
	case 1:
		a := run[0]
		return func(m *machine, f *frame) value.Value {
			v := a(m, f)
			m.at = s
			return value.SetOf(v)
		}
	}
	if len(run) > 8 {
		return func(m *machine, f *frame) value.Value {
			elems := evaluated(run, m, f)
			m.at = s
			return m.work.NewSet(elems)
		}
	}
	return func(m *machine, f *frame) value.Value {
		var room [8]value.Value
		elems := room[:len(run)]
		for i, r := range run {
			elems[i] = r(m, f)
		}
		m.at = s
		return value.SetOf(elems...)
	}
}

// prime compiles e'.
func (c *compiler) prime(x *module.Apply, e *env) code {
	y, env, dynamic := c.resolve(x.Args[0], e)
	if v, ok := y.(*module.VariableRef); ok {
		return c.primedVariable(x, v.Variable)
	}
	run := c.value(y, env)
	if dynamic == nil && c.uses(y, env)&(usesCur|usesNext) == 0 {
		return run
	}
	return func(m *machine, f *frame) value.Value { return m.primed(f, run) }
}

func (c *compiler) caseValue(x *module.Case, e *env) code {
	s := c.site(x)
	conds := make([]pred, len(x.Conds))
	for i, y := range x.Conds {
		conds[i] = c.pred(y, e)
	}
	vals := c.values(x.Values, e)
	var other code
	if x.Other != nil {
		other = c.value(x.Other, e)
	}
	return func(m *machine, f *frame) value.Value {
		for i, p := range conds {
			if p(m, f) {
				return vals[i](m, f)
			}
		}
		if other == nil {
			fail(s, CodeEvaluation, "no condition of the CASE is TRUE, and it has no OTHER")
		}
		return other(m, f)
	}
}

func (c *compiler) record(x *module.Record, e *env) code {
	run, shape, place, err := c.fields(x, x.Names, x.Values, e)
	if err != nil {
		return err
	}
	n := len(run)
	if n > 12 {
		return func(m *machine, f *frame) value.Value {
			vals := make([]value.Value, n)
			for i, r := range run {
				vals[place[i]] = r(m, f)
			}
			return value.NewRecord(shape, vals)
		}
	}
	return func(m *machine, f *frame) value.Value {
		var room [12]value.Value
		vals := room[:n]
		for i, r := range run {
			vals[place[i]] = r(m, f)
		}
		return value.RecordOf(shape, vals...)
	}
}

func (c *compiler) recordSet(x *module.RecordSet, e *env) code {
	run, shape, place, err := c.fields(x, x.Names, x.Values, e)
	if err != nil {
		return err
	}
	s := c.site(x)
	return func(m *machine, f *frame) value.Value {
		sets := make([]value.Value, len(run))
		for i, r := range run {
			sets[place[i]] = r(m, f)
		}
		m.at = s
		return value.RecordSet(shape, sets)
	}
}

// fields compiles the parts of a record or record set; place says where each goes in the shape.
func (c *compiler) fields(x module.Expr, names []string, parts []module.Expr, e *env) (run []code, shape *value.Shape, place []int, wrong code) {
	if err := value.Catch(func() { shape = value.ShapeOf(names...) }); err != nil {
		return nil, nil, nil, c.cannot(x, CodeEvaluation, "%v", err)
	}
	place = make([]int, len(names))
	for i, n := range names {
		place[i] = shape.Index(n)
	}
	return c.values(parts, e), shape, place, nil
}

func (c *compiler) field(x *module.Field, e *env) code {
	a, s := c.value(x.Record, e), c.site(x)
	name := value.NewString(x.Name)
	var known shapeCache
	return func(m *machine, f *frame) value.Value {
		v := a(m, f)
		if r, ok := v.(*value.Record); ok {
			if at := known.load(); at != nil && at.shape == r.Shape() {
				return r.At(at.index)
			}
			if i := r.Shape().Index(x.Name); i >= 0 {
				known.store(r.Shape(), i)
				return r.At(i)
			}
		}
		m.at = s
		return m.work.Field(v, name)
	}
}
