package checker

import (
	"testing"

	"podlife/tla/eval"
	"podlife/tla/value"
)

// exchanges are the permutations of three model values, without the identity.
func exchanges(a, b, c *value.Model) []eval.Permutation {
	return []eval.Permutation{{a: b, b: a}, {a: c, c: a}, {b: c, c: b}, {a: b, b: c, c: a}, {a: c, c: b, b: a}}
}

func symmetric(group []eval.Permutation) *fingerprinter {
	return &fingerprinter{noView: true, group: group, orbits: value.NewOrbits(group), made: make([]*value.Permutation, len(group))}
}

// The states that a symmetry makes one have one fingerprint, and one of them stands for all; no others have it.
func TestPermutedStatesHaveOneFingerprint(t *testing.T) {
	a, b, c := value.NewModel("a"), value.NewModel("b"), value.NewModel("c")
	f := symmetric(exchanges(a, b, c))
	orbits := map[uint64]eval.State{}
	for _, s := range []eval.State{
		{a, value.SetOf()}, {a, value.SetOf(a)}, {a, value.SetOf(b)}, {a, value.SetOf(a, b)}, {a, value.SetOf(b, c)}, {a, value.SetOf(a, b, c)},
		{value.NewInt(0), value.SetOf()}, {value.NewInt(0), value.SetOf(a, b, c)}, // which no permutation changes
		{value.TupleOf(a, b), c}, {value.TupleOf(a, b), a}, {value.TupleOf(a, b), b},
	} {
		member, fp := f.orbit(s)
		if known, ok := orbits[fp]; ok {
			t.Errorf("%v and %v have one fingerprint", known, s)
		}
		orbits[fp] = s
		form := s
		if member > 0 {
			form = f.permuted(s, member-1)
		}
		for i := range f.group {
			p := f.permuted(s, i)
			member, got := f.orbit(p)
			if got != fp {
				t.Errorf("%v has the fingerprint %x, and %v, a permuted form, %x", s, fp, p, got)
			}
			if member > 0 {
				p = f.permuted(p, member-1)
			}
			if plain(p) != plain(form) {
				t.Errorf("%v and %v stand for the same states", form, p)
			}
		}
	}
}

// The upper bits of a fingerprint choose its place: those of states with a symmetry must be as even as others'. The least of many numbers is not.
func TestFingerprintsWithASymmetryAreEven(t *testing.T) {
	a, b, c := value.NewModel("a"), value.NewModel("b"), value.NewModel("c")
	f := symmetric(exchanges(a, b, c))
	const states, parts = 4096, 16
	var count [parts]int
	for i := range states {
		_, fp := f.orbit(eval.State{value.NewInt(int64(i)), value.TupleOf(a, b, value.NewInt(int64(i)))})
		count[fp>>60]++
	}
	for i, n := range count {
		if n < states/parts/2 || n > states/parts*2 {
			t.Errorf("%d of %d states are in part %d of %d", n, states, i, parts)
		}
	}
}
