package library

import (
	"strings"

	"podlife/tla/value"
)

// sequencesExt is the module SequencesExt but for what is in subsequences.go. Strings are accepted where TLC accepts them.
func sequencesExt(t table) {
	const module = "SequencesExt"
	t.own(module, "ToSet", 1, func(env *Env, args []value.Value) value.Value {
		_, vals := function("ToSet", "first", args[0])
		return env.Work.NewSet(append([]value.Value(nil), vals...))
	})
	t.own(module, "ToBag", 1, func(_ *Env, args []value.Value) value.Value {
		b := newBag("ToBag")
		for _, e := range sequence("ToBag", "first", args[0]) {
			b.elems, b.counts = append(b.elems, e), append(b.counts, value.NewInt(1))
		}
		return b.value()
	})
	t.fixed(module, "SetToSeq", 1, func(_ *Env, args []value.Value) value.Value {
		return value.NewTuple(setOf("SetToSeq", "first", args[0]))
	})
	t.fixed(module, "SetToSeqs", 1, func(env *Env, args []value.Value) value.Value {
		return env.Work.NewSet(orders("SetToSeqs", setOf("SetToSeqs", "first", args[0])))
	})
	t.own(module, "SetToSortSeq", 2, func(_ *Env, args []value.Value) value.Value {
		return sortSequence("SetToSortSeq", setOf("SetToSortSeq", "first", args[0]), args[1])
	})
	t.own(module, "SetToAllKPermutations", 1, func(env *Env, args []value.Value) value.Value {
		elems := setOf("SetToAllKPermutations", "first", args[0])
		all := []value.Value{value.EmptyTuple()}
		for k := 1; k <= len(elems); k++ {
			combinations(len(elems), k, func(chosen []int) {
				part := make([]value.Value, k)
				for i, j := range chosen {
					part[i] = elems[j]
				}
				all = append(all, orders("SetToAllKPermutations", part)...)
				limit("SetToAllKPermutations", value.NewInt(int64(len(all))))
			})
		}
		return env.Work.NewSet(all)
	})

	t.fixed(module, "Contains", 2, func(_ *Env, args []value.Value) value.Value {
		return value.Bool(find(sequence("Contains", "first", args[0]), args[1]) >= 0)
	})
	t.own(module, "IsSorted", 2, func(_ *Env, args []value.Value) value.Value {
		elems := sequence("IsSorted", "first", args[0])
		apply := operator(args[1])
		for j := range elems {
			for i := range j {
				result := apply([]value.Value{elems[i], elems[j]})
				if !boolean("IsSorted", "second", result) {
					return value.Bool(false)
				}
			}
		}
		return value.Bool(true)
	})
	t.fixed(module, "SelectInSeq", 2, func(_ *Env, args []value.Value) value.Value {
		elems := sequence("SelectInSeq", "first", args[0])
		return selectIn(elems, 1, len(elems), predicate("SelectInSeq", "second", args[1]))
	})
	t.fixed(module, "SelectLastInSeq", 2, func(_ *Env, args []value.Value) value.Value {
		elems := sequence("SelectLastInSeq", "first", args[0])
		return selectIn(elems, len(elems), 1, predicate("SelectLastInSeq", "second", args[1]))
	})
	t.fixed(module, "SelectInSubSeq", 4, func(_ *Env, args []value.Value) value.Value {
		elems, from, to := subSeqBounds("SelectInSubSeq", args)
		return selectIn(elems, from, to, predicate("SelectInSubSeq", "fourth", args[3]))
	})
	t.fixed(module, "SelectLastInSubSeq", 4, func(_ *Env, args []value.Value) value.Value {
		elems, from, to := subSeqBounds("SelectLastInSubSeq", args)
		return selectIn(elems, to, from, predicate("SelectLastInSubSeq", "fourth", args[3]))
	})

	t.own(module, "Reverse", 1, func(_ *Env, args []value.Value) value.Value {
		return value.NewTuple(reversed(sequence("Reverse", "first", args[0])))
	})
	t.own(module, "Remove", 2, func(env *Env, args []value.Value) value.Value {
		var rest []value.Value
		for _, e := range sequence("Remove", "first", args[0]) {
			if !env.Work.Equal(e, args[1]) {
				rest = append(rest, e)
			}
		}
		return value.NewTuple(rest)
	})
	t.own(module, "ReplaceAll", 3, func(env *Env, args []value.Value) value.Value {
		elems := append([]value.Value(nil), sequence("ReplaceAll", "first", args[0])...)
		for i, e := range elems {
			if env.Work.Equal(e, args[1]) {
				elems[i] = args[2]
			}
		}
		return value.NewTuple(elems)
	})
	t.fixed(module, "RemoveFirst", 2, func(_ *Env, args []value.Value) value.Value {
		elems := sequence("RemoveFirst", "first", args[0])
		return without(elems, find(elems, args[1]))
	})
	t.fixed(module, "RemoveFirstMatch", 2, func(_ *Env, args []value.Value) value.Value {
		elems := sequence("RemoveFirstMatch", "first", args[0])
		holds := predicate("RemoveFirstMatch", "second", args[1])
		for i, e := range elems {
			if holds(e) {
				return without(elems, i)
			}
		}
		return value.NewTuple(elems)
	})
	t.own(module, "Cons", 2, func(_ *Env, args []value.Value) value.Value {
		return joined(args[:1], sequence("Cons", "second", args[1]))
	})
	t.own(module, "Snoc", 2, func(_ *Env, args []value.Value) value.Value {
		return appended(sequence("Snoc", "second", args[1]), args[0])
	})
	t.own(module, "Last", 1, func(_ *Env, args []value.Value) value.Value {
		elems := notEmpty("Last", sequence("Last", "first", args[0]))
		return elems[len(elems)-1]
	})

	t.fixed(module, "FoldSeq", 3, func(_ *Env, args []value.Value) value.Value {
		return foldFunction("FoldSeq", operator(args[0]), args[1], args[2])
	})
	t.fixed(module, "FoldLeft", 3, func(_ *Env, args []value.Value) value.Value {
		return foldLeft(operator(args[0]), args[1], sequence("FoldLeft", "third", args[2]))
	})
	t.fixed(module, "FoldRight", 3, func(_ *Env, args []value.Value) value.Value {
		return foldRight(operator(args[0]), sequence("FoldRight", "second", args[1]), args[2])
	})
	t.fixed(module, "FoldLeftDomain", 3, func(_ *Env, args []value.Value) value.Value {
		return foldLeft(operator(args[0]), args[1], positions(sequence("FoldLeftDomain", "third", args[2])))
	})
	t.fixed(module, "FoldRightDomain", 3, func(_ *Env, args []value.Value) value.Value {
		return foldRight(operator(args[0]), positions(sequence("FoldRightDomain", "second", args[1])), args[2])
	})
	t.own(module, "Zip", 2, func(_ *Env, args []value.Value) value.Value {
		s, u := sequence("Zip", "first", args[0]), sequence("Zip", "second", args[1])
		pairs := make([]value.Value, min(len(s), len(u)))
		for i := range pairs {
			pairs[i] = value.TupleOf(s[i], u[i])
		}
		return value.NewTuple(pairs)
	})
	t.own(module, "FlattenSeq", 1, flatten)
}

// orders are all sequences that have each element once.
func orders(op string, elems []value.Value) []value.Value {
	var all []value.Value
	permutations(op, len(elems), func(order []int) {
		s := make([]value.Value, len(order))
		for i, j := range order {
			s[i] = elems[j]
		}
		all = append(all, value.NewTuple(s))
	})
	return all
}

// find is the place of the first element that equals e, or -1.
func find(elems []value.Value, e value.Value) int {
	for i, x := range elems {
		if value.Equal(x, e) {
			return i
		}
	}
	return -1
}

// without is the sequence without the element at i, or the whole one for -1.
func without(elems []value.Value, i int) value.Value {
	if i < 0 {
		return value.NewTuple(elems)
	}
	return joined(elems[:i], elems[i+1:])
}

// selectIn is the first position on the way from one to the other whose element passes, or 0. Positions count from 1; a way with an end below 1 or
// past the sequence has no positions.
func selectIn(elems []value.Value, from, to int, holds func(value.Value) bool) value.Value {
	step := 1
	if from > to {
		step = -1
	}
	for i := from; i >= 1 && i <= len(elems); i += step {
		if holds(elems[i-1]) {
			return value.NewInt(int64(i))
		}
		if i == to {
			break
		}
	}
	return value.NewInt(0)
}

// subSeqBounds gives a sequence and two of its positions; 0, 0 where the first is above the second.
func subSeqBounds(op string, args []value.Value) (elems []value.Value, from, to int) {
	elems = sequence(op, "first", args[0])
	integer(op, "second", args[1])
	integer(op, "third", args[2])
	if value.Less(args[2], args[1]) {
		return elems, 0, 0
	}
	return elems, position(op, "second", args[1], len(elems), args[0]), position(op, "third", args[2], len(elems), args[0])
}

func reversed(elems []value.Value) []value.Value {
	back := make([]value.Value, len(elems))
	for i, e := range elems {
		back[len(elems)-1-i] = e
	}
	return back
}

// positions are 1, 2, ... for the elements.
func positions(elems []value.Value) []value.Value {
	at := make([]value.Value, len(elems))
	for i := range at {
		at[i] = value.NewInt(int64(i) + 1)
	}
	return at
}

func foldLeft(op apply, base value.Value, elems []value.Value) value.Value {
	for _, e := range elems {
		base = op([]value.Value{base, e})
	}
	return base
}

func foldRight(op apply, elems []value.Value, base value.Value) value.Value {
	for i := len(elems) - 1; i >= 0; i-- {
		base = op([]value.Value{elems[i], base})
	}
	return base
}

// flatten joins sequences, or strings.
func flatten(_ *Env, args []value.Value) value.Value {
	parts := sequence("FlattenSeq", "first", args[0])
	if len(parts) == 0 {
		return args[0]
	}
	if _, ok := parts[0].(*value.Str); ok {
		var all strings.Builder
		for _, p := range parts {
			all.WriteString(text("FlattenSeq", "first", p))
		}
		return value.NewString(all.String())
	}
	elems := make([][]value.Value, len(parts))
	for i, p := range parts {
		elems[i] = sequence("FlattenSeq", "first", p)
	}
	return joined(elems...)
}
