package library

import "podlife/tla/value"

// bagsExt is the module BagsExt.
func bagsExt(t table) {
	const module = "BagsExt"
	t.own(module, "BagAdd", 2, func(_ *Env, args []value.Value) value.Value {
		sum := newBag("BagAdd")
		sum.put("first", args[0], nil)
		sum.elems, sum.counts = append(sum.elems, args[1]), append(sum.counts, value.NewInt(1))
		return sum.value()
	})
	t.own(module, "BagRemove", 2, func(_ *Env, args []value.Value) value.Value {
		one := value.NewFunction([]value.Value{args[1]}, []value.Value{value.NewInt(1)})
		return bagDifference(nil, []value.Value{args[0], one})
	})
	t.own(module, "BagRemoveAll", 2, func(env *Env, args []value.Value) value.Value {
		elems, counts := function("BagRemoveAll", "first", args[0])
		var left, sums []value.Value
		for i, e := range elems {
			if !env.Work.Equal(e, args[1]) {
				left, sums = append(left, e), append(sums, counts[i])
			}
		}
		return value.NewFunction(left, sums)
	})
	t.fixed(module, "FoldBag", 3, func(_ *Env, args []value.Value) value.Value {
		return foldBag("FoldBag", "third", operator(args[0]), args[1], args[2])
	})
	t.own(module, "SumBag", 1, func(_ *Env, args []value.Value) value.Value {
		elems, counts := bag("SumBag", "first", args[0])
		total := value.NewInt(0)
		for i, e := range elems {
			total = value.Add(total, value.Mul(e, counts[i]))
		}
		return total
	})
	t.own(module, "ProductBag", 1, func(_ *Env, args []value.Value) value.Value {
		elems, counts := bag("ProductBag", "first", args[0])
		total := value.NewInt(1)
		for i, e := range elems {
			total = value.Mul(total, value.Pow(e, counts[i]))
		}
		return total
	})
}

// foldBag is op(... op(op(base, x), x) ..., z) for each copy of each element, in the order of the elements.
func foldBag(name, which string, op apply, base, b value.Value) value.Value {
	elems, counts := bag(name, which, b)
	for i, e := range elems {
		for range smallInteger(name, which, counts[i]) {
			base = op([]value.Value{base, e})
		}
	}
	return base
}
