package library

import (
	"math/big"

	"podlife/tla/value"
)

// bitwise is the module Bitwise, exact beyond TLC's 32 bits. TLC computes with negative numbers too, in two's complement; Not and shiftR have no meaning
// for them that does not depend on a width, and refuse them.
func bitwise(t table) {
	binary := func(symbol, local string, f func(z, x, y *big.Int) *big.Int) {
		compute := func(_ *Env, args []value.Value) value.Value {
			return value.NewBig(f(new(big.Int), bigInteger(symbol, "first", args[0]), bigInteger(symbol, "second", args[1])))
		}
		t.own("Bitwise", symbol, 2, compute)
		// The helpers of the text in common use, which TLC overrides: the numbers, and where a recursion stands.
		t.fixed("Bitwise", local, 4, compute)
	}
	binary("&", "And", (*big.Int).And)
	binary("|", "Or", (*big.Int).Or)
	binary("^^", "Xor", (*big.Int).Xor)
	t.fixed("Bitwise", "Not", 1, func(_ *Env, args []value.Value) value.Value {
		x := bigNatural("Not", "first", args[0])
		ones := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(x.BitLen())), big.NewInt(1))
		return value.NewBig(ones.Xor(ones, x))
	})
	t.fixed("Bitwise", "shiftR", 2, func(_ *Env, args []value.Value) value.Value {
		x, by := bigNatural("shiftR", "first", args[0]), bigNatural("shiftR", "second", args[1])
		if !by.IsInt64() || by.Int64() > value.MaxBits {
			return value.NewInt(0)
		}
		return value.NewBig(new(big.Int).Rsh(x, uint(by.Int64())))
	})
}

// bigNatural gives a natural number of any size, for reading only.
func bigNatural(op, which string, v value.Value) *big.Int {
	n := bigInteger(op, which, v)
	if n.Sign() < 0 {
		wrong(op, which, "a natural number", v)
	}
	return n
}
