package checker

import (
	"podlife/tla/eval"
	"podlife/tla/value"
)

// fingerprinter gives states their fingerprint: states that count as one, because of a symmetry or a view, have the same. It is for one goroutine.
type fingerprinter struct {
	eval   *eval.Evaluator // evaluates the view
	noView bool            // known not to have one
	group  []eval.Permutation
	orbits *value.Orbits        // of the group; nil: there is no symmetry
	made   []*value.Permutation // the members of the group that a view needed
}

func newFingerprinter(e *eval.Evaluator) (*fingerprinter, error) {
	group, err := e.Symmetry()
	if err != nil {
		return nil, err
	}
	f := &fingerprinter{eval: e, group: group}
	if len(group) > 0 {
		f.orbits, f.made = value.NewOrbits(group), make([]*value.Permutation, len(group))
	}
	return f, nil
}

// of is the fingerprint of a state. It raises where a value has none, because it is infinite.
func (f *fingerprinter) of(s eval.State) (uint64, error) {
	least, fp := 0, uint64(0)
	if f.orbits != nil {
		least, fp = f.orbit(s)
	} else {
		fp = plain(s)
	}
	if f.noView {
		return fp, nil
	}
	if least > 0 {
		s = f.permuted(s, least-1)
	}
	v, has, err := f.eval.View(s)
	if err != nil {
		return 0, err
	}
	if !has {
		f.noView = true
		return fp, nil
	}
	return finish(value.Hash(v)), nil
}

// orbit is the fingerprint that all permuted forms of a state share, and which of them stands for all: 0 is the state itself, i+1 the one that member i
// of the group makes of it. The forms have the same hashes, in another order, and as often each; what is made of them here does not depend on the order.
func (f *fingerprinter) orbit(s eval.State) (least int, fp uint64) {
	sum, lowest := uint64(0), ^uint64(0)
	f.orbits.Blocks(func(hs []uint64, first int) {
		for _, v := range s {
			f.orbits.Step(hs, v)
		}
		for i, h := range hs {
			sum += finish(h)
			if h < lowest {
				least, lowest = first+i, h
			}
		}
	})
	// A sum alone would lose bits: a form that k members of the group leave as it is occurs k times in it.
	return least, finish(sum ^ finish(lowest)*0x9fb21c651e98df25)
}

// permuted is what a member of the group makes of a state.
func (f *fingerprinter) permuted(s eval.State, member int) eval.State {
	if f.made[member] == nil {
		f.made[member] = value.NewPermutation(f.group[member])
	}
	t := make(eval.State, len(s))
	for i, v := range s {
		t[i] = value.Permute(v, f.made[member])
	}
	return t
}

// plain is the fingerprint of a state as it is. For each variable it is a bijection of the hash of the others' values, so that no difference is lost.
func plain(s eval.State) uint64 {
	h := uint64(len(s))
	for _, v := range s {
		h = (h ^ value.Hash(v)) * 0x9fb21c651e98df25
		h ^= h >> 29
	}
	return finish(h)
}

// finish spreads the bits of a hash, since the upper ones choose the shard and the place.
func finish(h uint64) uint64 {
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return h ^ h>>32
}

// collisionProbability estimates how likely it is that a state was taken for another one: each of the repeats may have been one.
func collisionProbability(generated, distinct int64) float64 {
	return float64(distinct) * float64(generated-distinct) / (1 << 63) / 2
}
