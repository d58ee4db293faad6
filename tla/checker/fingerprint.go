package checker

import (
	"podlife/tla/eval"
	"podlife/tla/value"
)

// fingerprinter gives states their fingerprint: states that count as one, because of a symmetry or a view, have the same. It is for one goroutine.
type fingerprinter struct {
	eval   *eval.Evaluator // evaluates the view
	noView bool            // known not to have one
	group  []*value.Permutation
}

func newFingerprinter(e *eval.Evaluator) (*fingerprinter, error) {
	perms, err := e.Symmetry()
	if err != nil {
		return nil, err
	}
	f := &fingerprinter{eval: e}
	for _, p := range perms {
		f.group = append(f.group, value.NewPermutation(p))
	}
	return f, nil
}

// of is the fingerprint of a state. It raises where a value has none, because it is infinite.
func (f *fingerprinter) of(s eval.State) (uint64, error) {
	least := plain(s)
	if len(f.group) > 0 {
		s, least = f.canonical(s, least)
	}
	if f.noView {
		return least, nil
	}
	v, has, err := f.eval.View(s)
	if err != nil {
		return 0, err
	}
	if !has {
		f.noView = true
		return least, nil
	}
	return finish(value.Hash(v)), nil
}

// canonical is that of the permuted forms of s, and s itself, whose fingerprint is least. All members of a group's orbit have the same.
func (f *fingerprinter) canonical(s eval.State, least uint64) (eval.State, uint64) {
	best := s
	t := make(eval.State, len(s))
	for _, p := range f.group {
		for i, v := range s {
			t[i] = value.Permute(v, p)
		}
		if fp := plain(t); fp < least {
			least = fp
			best = append(eval.State(nil), t...)
		}
	}
	return best, least
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
