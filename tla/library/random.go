package library

import (
	"math/rand/v2"

	"podlife/tla/value"
)

// randomization is the module Randomization. The choices follow from Env.Rand alone; they are not those that TLC makes.
func randomization(t table) {
	t.volatile("Randomization", "RandomSubset", 2, randomSubset)
	t.volatile("Randomization", "RandomSetOfSubsets", 3, randomSetOfSubsets)
}

// random gives the source of chance.
func (env *Env) random(op string) *rand.Rand {
	if env.Rand == nil {
		value.Raise(CodeRefused, "%s: there is no source of chance here", op)
	}
	return env.Rand
}

func randomElement(env *Env, args []value.Value) value.Value {
	if args[0].Kind() != value.KindSet {
		wrong("RandomElement", "first", "a set", args[0])
	}
	return draw(env.random("RandomElement"), args[0])
}

// draw gives an element of a set that is not empty, each with the same probability, and does not write out sets of functions and the like for it.
func draw(chance *rand.Rand, set value.Value) value.Value {
	switch s := set.(type) {
	case *value.Range:
		if lo, hi := s.Bounds(); lo <= hi {
			if span := uint64(hi) - uint64(lo) + 1; span != 0 {
				return value.NewInt(int64(uint64(lo) + chance.Uint64N(span)))
			}
			return value.NewInt(int64(chance.Uint64()))
		}
	case *value.Subsets:
		var chosen []value.Value
		for _, e := range value.Elements(s.Of()) {
			if chance.Uint64()&1 == 1 {
				chosen = append(chosen, e)
			}
		}
		return value.SetOfSorted(chosen)
	case *value.Functions:
		domain, codomain := s.Sets()
		vals := make([]value.Value, len(value.Elements(domain)))
		for i := range vals {
			vals[i] = draw(chance, codomain)
		}
		return value.FunctionOn(domain, vals)
	}
	elems := value.Elements(set)
	if len(elems) == 0 {
		value.Raise(CodeEmpty, "an element of the empty set is wanted")
	}
	return elems[chance.IntN(len(elems))]
}

// enumerated is the size up to which a set is written out for choosing some of its elements.
const enumerated = 100_000

func randomSubset(env *Env, args []value.Value) value.Value {
	chance := env.random("RandomSubset")
	k := natural("RandomSubset", "first", args[0])
	if args[1].Kind() != value.KindSet || !env.Work.IsFinite(args[1]) {
		wrong("RandomSubset", "second", "a finite set", args[1])
	}
	size := env.Work.Cardinality(args[1])
	if value.LessEq(size, value.NewInt(k)) {
		return args[1] // as in TLC, though its documentation wants fewer than there are
	}
	limit("RandomSubset", value.NewInt(k))
	if value.LessEq(size, value.NewInt(enumerated)) || value.Less(size, value.NewInt(4*k)) {
		return env.Work.NewSet(sample(chance, env.Work.Elements(args[1]), int(k)))
	}
	// At most a quarter of the elements is wanted, so that few draws repeat an earlier one.
	chosen := value.EmptySet()
	for missing := int(k); missing > 0; missing = int(k) - chosen.Len() {
		more := append([]value.Value(nil), chosen.Elems()...)
		for range missing {
			more = append(more, draw(chance, args[1]))
		}
		chosen = env.Work.NewSet(more)
	}
	return chosen
}

// sample chooses k of the elements, each subset with the same probability.
func sample(chance *rand.Rand, elems []value.Value, k int) []value.Value {
	rest := append([]value.Value(nil), elems...)
	for i := range k {
		j := i + chance.IntN(len(rest)-i)
		rest[i], rest[j] = rest[j], rest[i]
	}
	return rest[:k:k]
}

func randomSetOfSubsets(env *Env, args []value.Value) value.Value {
	const op = "RandomSetOfSubsets"
	chance := env.random(op)
	k, n := natural(op, "first", args[0]), natural(op, "second", args[1])
	if args[2].Kind() != value.KindSet || !env.Work.IsFinite(args[2]) {
		wrong(op, "third", "a finite set", args[2])
	}
	elems := env.Work.Elements(args[2])
	if size := len(elems); size < 62 && k > 1<<size {
		value.Raise(value.CodeDomain, "%s is to choose %d subsets, but a set of %d elements does not have that many", op, k, size)
	}
	if n > int64(len(elems)) {
		value.Raise(value.CodeDomain, "%s is to choose subsets of %d elements on average, but the set has only %d", op, n, len(elems))
	}
	limit(op, value.NewInt(k))
	subsets := make([]value.Value, 0, k)
	for range k {
		var chosen []value.Value
		for _, e := range elems {
			if chance.Int64N(int64(len(elems))) < n {
				chosen = append(chosen, e)
			}
		}
		subsets = append(subsets, value.SetOfSorted(chosen))
	}
	return env.Work.NewSet(subsets)
}
