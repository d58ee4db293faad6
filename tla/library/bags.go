package library

import "podlife/tla/value"

// bags is the module Bags.
func bags(t table) {
	t.fixed("Bags", "EmptyBag", 0, func(*Env, []value.Value) value.Value { return value.EmptyTuple() })
	t.fixed("Bags", "IsABag", 1, func(_ *Env, args []value.Value) value.Value {
		_, vals, ok := functionOf(args[0])
		for _, n := range vals {
			ok = ok && isCount(n)
		}
		return value.Bool(ok)
	})
	t.fixed("Bags", "BagToSet", 1, func(_ *Env, args []value.Value) value.Value {
		function("BagToSet", "first", args[0])
		return value.Domain(args[0])
	})
	t.fixed("Bags", "SetToBag", 1, func(_ *Env, args []value.Value) value.Value {
		elems := setOf("SetToBag", "first", args[0])
		ones := make([]value.Value, len(elems))
		for i := range ones {
			ones[i] = value.NewInt(1)
		}
		return value.FunctionOn(args[0], ones)
	})
	t.fixed("Bags", "BagIn", 2, func(_ *Env, args []value.Value) value.Value {
		return value.Bool(value.Less(value.NewInt(0), copies("BagIn", args[0], args[1])))
	})
	t.fixed("Bags", "CopiesIn", 2, func(_ *Env, args []value.Value) value.Value { return copies("CopiesIn", args[0], args[1]) })
	t.fixed("Bags", "(+)", 2, func(_ *Env, args []value.Value) value.Value {
		sum := newBag("(+)")
		sum.put("first", args[0], nil)
		sum.put("second", args[1], nil)
		return sum.value()
	})
	t.fixed("Bags", "(-)", 2, bagDifference)
	t.fixed("Bags", `\sqsubseteq`, 2, subBagOf)
	t.fixed("Bags", "BagUnion", 1, func(_ *Env, args []value.Value) value.Value {
		sum := newBag("BagUnion")
		for _, b := range setOf("BagUnion", "first", args[0]) {
			sum.put("first", b, nil)
		}
		return sum.value()
	})
	t.fixed("Bags", "BagOfAll", 2, func(_ *Env, args []value.Value) value.Value {
		image := operator(args[0])
		all := newBag("BagOfAll")
		all.put("second", args[1], func(e value.Value) value.Value { return image([]value.Value{e}) })
		return all.value()
	})
	t.fixed("Bags", "BagCardinality", 1, func(_ *Env, args []value.Value) value.Value {
		_, counts := bag("BagCardinality", "first", args[0])
		sum := value.NewInt(0)
		for _, n := range counts {
			sum = value.Add(sum, n)
		}
		return sum
	})
	t.own("Bags", "SubBag", 1, subBags)
}

// isCount tells whether v is a number of copies: an integer above 0.
func isCount(v value.Value) bool {
	return v.Kind() == value.KindInt && value.Less(value.NewInt(0), v)
}

// bag gives the elements and numbers of copies of an argument that has to be a bag.
func bag(op, which string, v value.Value) (elems, counts []value.Value) {
	elems, counts, ok := functionOf(v)
	for _, n := range counts {
		ok = ok && isCount(n)
	}
	if !ok {
		wrong(op, which, "a bag, a function to integers above 0", v)
	}
	return elems, counts
}

// copies is how many copies of e are in b.
func copies(op string, e, b value.Value) value.Value {
	_, vals := function(op, "second", b)
	if len(vals) == 0 || !value.Member(e, value.Domain(b)) {
		return value.NewInt(0)
	}
	n := value.Apply(b, e)
	if n.Kind() != value.KindInt {
		wrong(op, "second", "a bag, a function to integers above 0", b)
	}
	return n
}

// A newBagOf adds up copies.
type newBagOf struct {
	op     string
	elems  []value.Value
	counts []value.Value
}

func newBag(op string) *newBagOf { return &newBagOf{op: op} }

// put adds the copies of a bag, of image(e) instead of e where image is given.
func (b *newBagOf) put(which string, v value.Value, image func(value.Value) value.Value) {
	elems, counts := bag(b.op, which, v)
	for i, e := range elems {
		if image != nil {
			e = image(e)
		}
		b.elems, b.counts = append(b.elems, e), append(b.counts, counts[i])
	}
}

// value is the bag of all that was put into it.
func (b *newBagOf) value() value.Value {
	set := value.NewSet(append([]value.Value(nil), b.elems...))
	at := newIndex(set.Elems())
	sums := make([]value.Value, set.Len())
	for i, e := range b.elems {
		j := at.of(e)
		if sums[j] == nil {
			sums[j] = b.counts[i]
		} else {
			sums[j] = value.Add(sums[j], b.counts[i])
		}
	}
	return value.FunctionOn(set, sums)
}

// bagDifference takes away what the second has; the values may be any integers, as in TLC, and those that end above 0 stay.
func bagDifference(_ *Env, args []value.Value) value.Value {
	elems, counts := function("(-)", "first", args[0])
	function("(-)", "second", args[1])
	var left, sums []value.Value
	for i, e := range elems {
		n := value.Sub(counts[i], copies("(-)", e, args[1]))
		if isCount(n) {
			left, sums = append(left, e), append(sums, n)
		}
	}
	return value.NewFunction(left, sums)
}

// subBagOf tells whether the second has at least the copies of the first.
func subBagOf(_ *Env, args []value.Value) value.Value {
	elems, counts := function(`\sqsubseteq`, "first", args[0])
	function(`\sqsubseteq`, "second", args[1])
	for i, e := range elems {
		if isCount(value.Sub(counts[i], copies(`\sqsubseteq`, e, args[1]))) {
			return value.Bool(false)
		}
	}
	return value.Bool(true)
}

// subBags is the set of all bags that have no more copies than b.
func subBags(env *Env, args []value.Value) value.Value {
	elems, counts := bag("SubBag", "first", args[0])
	total := value.NewInt(1)
	for _, n := range counts {
		total = value.Mul(total, value.Add(n, value.NewInt(1)))
		limit("SubBag", total)
	}
	var all []value.Value
	chosen := make([]int64, len(elems))
	for {
		var in, sums []value.Value
		for i, n := range chosen {
			if n > 0 {
				in, sums = append(in, elems[i]), append(sums, value.NewInt(n))
			}
		}
		all = append(all, value.NewFunction(in, sums))
		i := 0
		for ; i < len(chosen); i++ {
			if most, _ := integer("SubBag", "first", counts[i]); chosen[i] < most {
				chosen[i]++
				break
			}
			chosen[i] = 0
		}
		if i == len(chosen) {
			return env.Work.NewSet(all)
		}
	}
}

// limit raises when the result of an operator would have more than n elements, n being an integer.
func limit(op string, n value.Value) {
	if value.Less(value.NewInt(value.MaxElements), n) {
		value.Raise(value.CodeTooLarge, "%s would have to write out %s elements, more than %d", op, show(n), value.MaxElements)
	}
}
