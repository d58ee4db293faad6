package library

import "podlife/tla/value"

// finiteSetsExt is the module FiniteSetsExt.
func finiteSetsExt(t table) {
	t.fixed("FiniteSetsExt", "FoldSet", 3, func(_ *Env, args []value.Value) value.Value {
		return foldSet("FoldSet", "third", operator(args[0]), args[1], args[2])
	})
	t.own("FiniteSetsExt", "ReduceSet", 3, func(_ *Env, args []value.Value) value.Value {
		return foldSet("ReduceSet", "second", operator(args[0]), args[2], args[1])
	})
	t.own("FiniteSetsExt", "SumSet", 1, func(_ *Env, args []value.Value) value.Value {
		return sum(setOf("SumSet", "first", args[0]), itself)
	})
	t.own("FiniteSetsExt", "ProductSet", 1, func(_ *Env, args []value.Value) value.Value {
		product := value.NewInt(1)
		for _, e := range setOf("ProductSet", "first", args[0]) {
			product = value.Mul(e, product)
		}
		return product
	})
	t.own("FiniteSetsExt", "MapThenSumSet", 2, func(_ *Env, args []value.Value) value.Value {
		return sum(setOf("MapThenSumSet", "second", args[1]), of(operator(args[0])))
	})
	t.fixed("FiniteSetsExt", "Quantify", 2, func(env *Env, args []value.Value) value.Value {
		if args[0].Kind() != value.KindSet {
			wrong("Quantify", "first", "a set", args[0])
		}
		holds := predicate("Quantify", "second", args[1])
		n := 0
		for _, e := range env.Work.Elements(args[0]) {
			if holds(e) {
				n++
			}
		}
		return value.NewInt(int64(n))
	})
	t.fixed("FiniteSetsExt", "kSubset", 2, kSubset)
	t.own("FiniteSetsExt", "Max", 1, func(_ *Env, args []value.Value) value.Value {
		return extreme("Max", args[0], func(best, x value.Value) bool { return value.Less(best, x) })
	})
	t.own("FiniteSetsExt", "Min", 1, func(_ *Env, args []value.Value) value.Value {
		return extreme("Min", args[0], func(best, x value.Value) bool { return value.Less(x, best) })
	})
	t.own("FiniteSetsExt", "Choices", 1, choices)
	t.own("FiniteSetsExt", "ChooseUnique", 2, func(_ *Env, args []value.Value) value.Value {
		holds := predicate("ChooseUnique", "second", args[1])
		var found value.Value
		for _, e := range setOf("ChooseUnique", "first", args[0]) {
			if !holds(e) {
				continue
			}
			if found != nil {
				value.Raise(value.CodeDomain, "ChooseUnique: more than one element of %s satisfies the condition: %s and %s", show(args[0]), show(found), show(e))
			}
			found = e
		}
		if found == nil {
			value.Raise(CodeEmpty, "ChooseUnique: no element of %s satisfies the condition", show(args[0]))
		}
		return found
	})
}

// extreme is the element of a set of integers that is better than all others.
func extreme(op string, set value.Value, better func(best, x value.Value) bool) value.Value {
	elems := setOf(op, "first", set)
	if len(elems) == 0 {
		value.Raise(CodeEmpty, "%s of the empty set", op)
	}
	best := elems[0]
	for _, e := range elems {
		if better(best, e) {
			best = e
		}
	}
	return best
}

// kSubset is the set of the subsets with k elements.
func kSubset(env *Env, args []value.Value) value.Value {
	k, ok := integer("kSubset", "first", args[0])
	elems := setOf("kSubset", "second", args[1])
	if !ok || k < 0 || k > int64(len(elems)) {
		return value.EmptySet()
	}
	limit("kSubset", binomial(int64(len(elems)), k))
	var all []value.Value
	combinations(len(elems), int(k), func(chosen []int) {
		subset := make([]value.Value, len(chosen))
		for i, j := range chosen {
			subset[i] = elems[j]
		}
		all = append(all, value.SetOfSorted(subset))
	})
	return env.Work.NewSet(all)
}

// combinations calls visit with each way to choose k of 0..n-1, in rising order. visit must not keep or change the slice.
func combinations(n, k int, visit func(chosen []int)) {
	chosen := make([]int, k)
	for i := range chosen {
		chosen[i] = i
	}
	for {
		visit(chosen)
		i := k - 1
		for i >= 0 && chosen[i] == n-k+i {
			i--
		}
		if i < 0 {
			return
		}
		chosen[i]++
		for j := i + 1; j < k; j++ {
			chosen[j] = chosen[j-1] + 1
		}
	}
}

// choices is the set of all sets that have an element of each of the given sets.
func choices(env *Env, args []value.Value) value.Value {
	sets := setOf("Choices", "first", args[0])
	all := value.SetOf(value.EmptySet())
	for _, s := range sets {
		elems := setOf("Choices", "first", s)
		limit("Choices", value.Mul(value.NewInt(int64(all.Len())), value.NewInt(int64(len(elems)))))
		var more []value.Value
		for _, chosen := range all.Elems() {
			for _, e := range elems {
				more = append(more, env.Work.Normalize(env.Work.Union(chosen, value.SetOf(e))))
			}
		}
		all = env.Work.NewSet(more)
	}
	return all
}
