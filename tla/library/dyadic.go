package library

import (
	"math/big"

	"podlife/tla/value"
)

// dyadicRationals is the module DyadicRationals.
func dyadicRationals(t table) {
	t.fixed("DyadicRationals", "Reduce", 1, func(_ *Env, args []value.Value) value.Value {
		const op = "Reduce"
		r := record(op, "first", args[0])
		num := bigInteger(op, "first", field(op, "first", r, "num"))
		den := bigInteger(op, "first", field(op, "first", r, "den"))
		gcd := new(big.Int).GCD(nil, nil, new(big.Int).Abs(num), new(big.Int).Abs(den))
		if gcd.Sign() == 0 || gcd.IsInt64() && gcd.Int64() == 1 {
			return r
		}
		shape := value.ShapeOf("num", "den")
		vals := make([]value.Value, 2)
		vals[shape.Index("num")] = value.NewBig(new(big.Int).Quo(num, gcd))
		vals[shape.Index("den")] = value.NewBig(new(big.Int).Quo(den, gcd))
		return value.NewRecord(shape, vals)
	})
}
