package library

import (
	"math/big"

	"podlife/tla/value"
)

// combinatorics is the module Combinatorics.
func combinatorics(t table) {
	t.own("Combinatorics", "factorial", 0, func(*Env, []value.Value) value.Value {
		return value.LazyFunction(value.Naturals, func(n value.Value) value.Value {
			return value.NewBig(new(big.Int).MulRange(1, combinatorial("factorial", "first", n)))
		})
	})
	t.fixed("Combinatorics", "choose", 2, func(_ *Env, args []value.Value) value.Value {
		return binomial(combinatorial("choose", "first", args[0]), combinatorial("choose", "second", args[1]))
	})
}

// maxCombinatorial bounds the numbers of which factorials and binomial coefficients are computed: that of a larger one would take long, and soon have
// more than value.MaxBits bits.
const maxCombinatorial = 100_000

// combinatorial gives a natural number up to maxCombinatorial.
func combinatorial(op, which string, v value.Value) int64 {
	n := natural(op, which, v)
	if n > maxCombinatorial {
		value.Raise(value.CodeTooLarge, "the %s argument of %s is above %d: %d", which, op, maxCombinatorial, n)
	}
	return n
}

// binomial is n over k, 0 where k is above n. n may be anything up to the size of a set if k or n - k is small.
func binomial(n, k int64) value.Value {
	if k > n {
		return value.NewInt(0)
	}
	k = min(k, n-k)
	if k > maxCombinatorial {
		value.Raise(value.CodeTooLarge, "the binomial coefficient of %d and %d is too large to be computed", n, k)
	}
	return value.NewBig(new(big.Int).Binomial(n, k))
}
