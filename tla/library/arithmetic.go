package library

import (
	"math/big"

	"podlife/tla/value"
)

// arithmetic is Naturals, Integers and Reals. What the operators do and which operands they refuse is package value's.
func arithmetic(t table) {
	binary := func(name string, f func(a, b value.Value) value.Value) {
		t.fixed("Naturals", name, 2, func(_ *Env, args []value.Value) value.Value { return f(args[0], args[1]) })
	}
	compare := func(name string, f func(a, b value.Value) bool) {
		t.fixed("Naturals", name, 2, func(_ *Env, args []value.Value) value.Value { return value.Bool(f(args[0], args[1])) })
	}
	constant := func(module, name string, v value.Value) {
		t.fixed(module, name, 0, func(*Env, []value.Value) value.Value { return v })
	}

	constant("Naturals", "Nat", value.Naturals)
	binary("+", value.Add)
	binary("-", value.Sub)
	binary("*", value.Mul)
	binary("^", value.Pow)
	binary(`\div`, value.Div)
	binary("%", value.Mod)
	binary("..", func(a, b value.Value) value.Value { return value.Interval(a, b) })
	compare("<", value.Less)
	compare("<=", value.LessEq)
	compare(">", func(a, b value.Value) bool { return value.Less(b, a) })
	compare(">=", func(a, b value.Value) bool { return value.LessEq(b, a) })

	constant("Integers", "Int", value.Integers)
	t.fixed("Integers", "-.", 1, func(_ *Env, args []value.Value) value.Value { return value.Neg(args[0]) })

	constant("Reals", "Real", value.Reals)
	t.fixed("Reals", "/", 2, divide)
	t.fixed("Reals", "Infinity", 0, func(*Env, []value.Value) value.Value {
		value.Raise(CodeUnsupported, "Infinity has no value here: there are no numbers but the integers")
		return nil
	})
}

// divide is a / b where that is an integer.
func divide(_ *Env, args []value.Value) value.Value {
	a, b := bigInteger("/", "first", args[0]), bigInteger("/", "second", args[1])
	if b.Sign() == 0 {
		value.Raise(value.CodeArithmetic, "division by zero: %s / 0", show(args[0]))
	}
	q, rest := new(big.Int).QuoRem(a, b, new(big.Int))
	if rest.Sign() != 0 {
		value.Raise(CodeUnsupported, "%s / %s is not an integer, and there are no other numbers here", show(args[0]), show(args[1]))
	}
	return value.NewBig(q)
}

// bigInteger gives an integer argument of any size, for reading only.
func bigInteger(op, which string, v value.Value) *big.Int {
	switch v := v.(type) {
	case value.Int:
		return big.NewInt(int64(v))
	case *value.Big:
		return v.Big()
	}
	wrong(op, which, "an integer", v)
	return nil
}
