package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// nativeCall compiles the use of a definition that is written in Go, or gives nil.
func (c *compiler) nativeCall(x module.Expr, d *module.Definition, args []module.Expr, e *env) code {
	op, ok := c.p.native(d)
	if !ok {
		return nil
	}
	if run := c.arithmetic(x, d, args, e); run != nil {
		return run
	}
	s := c.site(x)
	if op.Lazy != nil {
		run := c.values(args, e)
		return func(m *machine, f *frame) value.Value {
			thunks := make([]func() value.Value, len(run))
			for i, r := range run {
				thunks[i] = func() value.Value { return r(m, f) }
			}
			m.at = s
			return op.Lazy(m.lib, thunks)
		}
	}
	run := make([]code, len(args))
	for i, a := range args {
		if d.Params[i].Arity > 0 {
			run[i] = c.operatorValue(a, e)
		} else {
			run[i] = c.value(a, e)
		}
	}
	native := op.Func
	return func(m *machine, f *frame) value.Value {
		vals := make([]value.Value, len(run))
		for i, r := range run {
			vals[i] = r(m, f)
		}
		m.at = s
		return native(m.lib, vals)
	}
}

// operation names an operator of the standard modules that is compiled without a call.
func operation(d *module.Definition) string {
	switch s := d.Source(); s.Module {
	case "Naturals", "Integers", "Reals", "Sequences", "FiniteSets":
		return s.Name
	}
	return ""
}

// arithmetic compiles the operators that are used most in place, or gives nil.
func (c *compiler) arithmetic(x module.Expr, d *module.Definition, args []module.Expr, e *env) code {
	switch len(args) {
	case 1:
		return c.unaryArithmetic(x, d, args[0], e)
	case 2:
		return c.binaryArithmetic(x, d, args, e)
	}
	return nil
}

func (c *compiler) unaryArithmetic(x module.Expr, d *module.Definition, arg module.Expr, e *env) code {
	switch operation(d) {
	case "-.":
		return c.unaryAt(x, arg, e, func(_ *value.Work, v value.Value) value.Value { return value.Neg(v) })
	case "Cardinality":
		return c.unaryAt(x, arg, e, (*value.Work).Cardinality)
	case "Len":
		return c.ofTuple(x, d, arg, e, func(t *value.Tuple) value.Value { return value.NewInt(int64(t.Len())) })
	case "Head":
		return c.ofTuple(x, d, arg, e, func(t *value.Tuple) value.Value {
			if t.Len() == 0 {
				return nil
			}
			return t.At(0)
		})
	}
	return nil
}

// ofTuple compiles a native with a quick way for tuples, which gives nil where the native has to say what is wrong.
func (c *compiler) ofTuple(x module.Expr, d *module.Definition, arg module.Expr, e *env, quick func(*value.Tuple) value.Value) code {
	a, s := c.value(arg, e), c.site(x)
	native, _ := c.p.native(d)
	return func(m *machine, f *frame) value.Value {
		v := a(m, f)
		if t, ok := v.(*value.Tuple); ok {
			if r := quick(t); r != nil {
				return r
			}
		}
		m.at = s
		return native.Func(m.lib, []value.Value{v})
	}
}

func (c *compiler) binaryArithmetic(x module.Expr, d *module.Definition, args []module.Expr, e *env) code {
	var op func(l, r value.Value) value.Value
	switch operation(d) {
	case "<", ">", "<=", ">=", `\leq`, `\geq`, "=<":
		if p := c.comparison(x, d, args, e); p != nil {
			return boolean(p)
		}
		return nil
	case "+":
		return c.sum(x, args, e)
	case "-":
		return c.difference(x, args, e)
	case "*":
		op = value.Mul
	case "^":
		op = value.Pow
	case `\div`:
		op = value.Div
	case "%":
		op = value.Mod
	case "..":
		op = func(l, r value.Value) value.Value { return value.Interval(l, r) }
	default:
		return nil
	}
	a, b, s := c.value(args[0], e), c.value(args[1], e), c.site(x)
	return func(m *machine, f *frame) value.Value {
		l := a(m, f)
		r := b(m, f)
		m.at = s
		return op(l, r)
	}
}

func (c *compiler) sum(x module.Expr, args []module.Expr, e *env) code {
	a, b, s := c.value(args[0], e), c.value(args[1], e), c.site(x)
	return func(m *machine, f *frame) value.Value {
		l := a(m, f)
		r := b(m, f)
		if l, ok := l.(value.Int); ok {
			if r, ok := r.(value.Int); ok {
				if sum := l + r; (sum > l) == (r > 0) {
					return value.NewInt(int64(sum))
				}
			}
		}
		m.at = s
		return value.Add(l, r)
	}
}

func (c *compiler) difference(x module.Expr, args []module.Expr, e *env) code {
	a, b, s := c.value(args[0], e), c.value(args[1], e), c.site(x)
	return func(m *machine, f *frame) value.Value {
		l := a(m, f)
		r := b(m, f)
		if l, ok := l.(value.Int); ok {
			if r, ok := r.(value.Int); ok {
				if diff := l - r; (diff < l) == (r > 0) {
					return value.NewInt(int64(diff))
				}
			}
		}
		m.at = s
		return value.Sub(l, r)
	}
}

// nativePred compiles a comparison of numbers, or gives nil.
func (c *compiler) nativePred(x *module.Call, d *module.Definition, e *env) pred {
	if _, ok := c.p.native(d); !ok || len(x.Args) != 2 {
		return nil
	}
	if k := c.fold(x, e); k != nil {
		return nil
	}
	return c.comparison(x, d, x.Args, e)
}

func (c *compiler) comparison(x module.Expr, d *module.Definition, args []module.Expr, e *env) pred {
	var swap, strict bool
	switch operation(d) {
	case "<":
		strict = true
	case ">":
		swap, strict = true, true
	case "<=", `\leq`, "=<":
	case ">=", `\geq`:
		swap = true
	default:
		return nil
	}
	a, b, s := c.value(args[0], e), c.value(args[1], e), c.site(x)
	return func(m *machine, f *frame) bool {
		l := a(m, f)
		r := b(m, f)
		if swap {
			l, r = r, l
		}
		if l, ok := l.(value.Int); ok {
			if r, ok := r.(value.Int); ok {
				return l < r || !strict && l == r
			}
		}
		m.at = s
		if strict {
			return value.Less(l, r)
		}
		return value.LessEq(l, r)
	}
}

// interval compiles the bounds of a..b, or gives nil for anything else.
func (c *compiler) interval(x module.Expr, e *env) (lo, hi code) {
	call, ok := x.(*module.Call)
	if !ok || len(call.Args) != 2 || call.Definition.Let {
		return nil, nil
	}
	if _, ok := c.p.definitionValue(call.Definition); ok {
		return nil, nil
	}
	d := c.overridden(call.Definition)
	if operation(d) != ".." {
		return nil, nil
	}
	if _, ok := c.p.native(d); !ok {
		return nil, nil
	}
	return c.value(call.Args[0], e), c.value(call.Args[1], e)
}
