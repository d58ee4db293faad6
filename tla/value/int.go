package value

import (
	"math/big"
	"math/bits"
)

// Integers are exact: int64 where the result fits, math/big where it does not, and CodeTooLarge above MaxBits. TLC stops at 32 bits instead.

// integer is an operand as a big integer, for reading only.
func integer(v Value) *big.Int {
	switch v := v.(type) {
	case Int:
		return big.NewInt(int64(v))
	case *Big:
		return v.n
	}
	Raise(CodeType, "an integer was expected, not %s: %s", v.Kind(), brief(v))
	return nil
}

// operands are two operands as big integers; anything else raises CodeType.
func operands(a, b Value, op string) (x, y *big.Int) {
	for i, v := range [...]Value{a, b} {
		if v.Kind() != KindInt {
			Raise(CodeType, "the %s operand of %s is not an integer but %s: %s", [...]string{"first", "second"}[i], op, v.Kind(), brief(v))
		}
	}
	return integer(a), integer(b)
}

// Add is a + b.
func Add(a, b Value) Value {
	if x, ok := a.(Int); ok {
		if y, ok := b.(Int); ok {
			if s := x + y; (s > x) == (y > 0) {
				return NewInt(int64(s))
			}
		}
	}
	x, y := operands(a, b, "+")
	return NewBig(new(big.Int).Add(x, y))
}

// Sub is a - b.
func Sub(a, b Value) Value {
	if x, ok := a.(Int); ok {
		if y, ok := b.(Int); ok {
			if d := x - y; (d < x) == (y > 0) {
				return NewInt(int64(d))
			}
		}
	}
	x, y := operands(a, b, "-")
	return NewBig(new(big.Int).Sub(x, y))
}

// Mul is a * b.
func Mul(a, b Value) Value {
	if x, ok := a.(Int); ok {
		if y, ok := b.(Int); ok {
			hi, lo := bits.Mul64(uint64(x), uint64(y))
			if x < 0 {
				hi -= uint64(y)
			}
			if y < 0 {
				hi -= uint64(x)
			}
			if hi == uint64(int64(lo)>>63) {
				return NewInt(int64(lo))
			}
		}
	}
	x, y := operands(a, b, "*")
	return NewBig(new(big.Int).Mul(x, y))
}

// Neg is -a.
func Neg(a Value) Value {
	if a.Kind() != KindInt {
		Raise(CodeType, "the operand of - is not an integer but %s: %s", a.Kind(), brief(a))
	}
	return Sub(Int(0), a)
}

// Div is a \div b: the largest integer that is at most the quotient. Division by zero raises CodeArithmetic.
func Div(a, b Value) Value {
	x, xok := a.(Int)
	y, yok := b.(Int)
	if xok && yok && y != 0 && y != -1 {
		q := x / y
		if x%y != 0 && (x < 0) != (y < 0) {
			q--
		}
		return NewInt(int64(q))
	}
	n, m := operands(a, b, `\div`)
	if m.Sign() == 0 {
		Raise(CodeArithmetic, "division by zero")
	}
	q, r := new(big.Int).QuoRem(n, m, new(big.Int))
	if r.Sign() != 0 && r.Sign() != m.Sign() {
		q.Sub(q, big.NewInt(1))
	}
	return NewBig(q)
}

// Mod is a % b, which is between 0 and b-1. A b that is not positive raises CodeArithmetic.
func Mod(a, b Value) Value {
	x, xok := a.(Int)
	y, yok := b.(Int)
	if xok && yok && y > 0 {
		r := x % y
		if r < 0 {
			r += y
		}
		return NewInt(int64(r))
	}
	n, m := operands(a, b, "%")
	if m.Sign() <= 0 {
		Raise(CodeArithmetic, "the second operand of %% is not positive: %s", brief(b))
	}
	return NewBig(new(big.Int).Mod(n, m))
}

// Pow is a ^ b. A negative b and 0^0 raise CodeArithmetic.
func Pow(a, b Value) Value {
	x, y := operands(a, b, "^")
	switch {
	case y.Sign() < 0:
		Raise(CodeArithmetic, "the second operand of ^ is negative: %s", brief(b))
	case y.Sign() == 0 && x.Sign() == 0:
		Raise(CodeArithmetic, "0^0 has no value")
	case x.IsInt64() && x.Int64() >= -1 && x.Int64() <= 1 && y.Sign() > 0:
		if x.Sign() < 0 && y.Bit(0) == 0 {
			return NewInt(1)
		}
		return NewBig(x)
	}
	if y.Sign() > 0 && (!y.IsInt64() || y.Int64() > MaxBits || (int64(x.BitLen())-1)*y.Int64() > MaxBits) {
		Raise(CodeTooLarge, "a power of more than %d bits", MaxBits)
	}
	return NewBig(new(big.Int).Exp(x, y, nil))
}

// Less is a < b of two integers.
func Less(a, b Value) bool {
	x, xok := a.(Int)
	y, yok := b.(Int)
	if xok && yok {
		return x < y
	}
	n, m := operands(a, b, "<")
	return n.Cmp(m) < 0
}

// LessEq is a <= b of two integers.
func LessEq(a, b Value) bool {
	x, xok := a.(Int)
	y, yok := b.(Int)
	if xok && yok {
		return x <= y
	}
	n, m := operands(a, b, "<=")
	return n.Cmp(m) <= 0
}
