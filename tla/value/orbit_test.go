package value

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// groupOf is all permutations of model values but the identity.
func groupOf(names ...string) []map[*Model]*Model {
	var group []map[*Model]*Model
	var add func(left, to []string)
	add = func(left, to []string) {
		if len(left) > 0 {
			for i, n := range left {
				add(slices.Delete(slices.Clone(left), i, i+1), append(slices.Clone(to), n))
			}
			return
		}
		if p := permutationTo(names, to); !slices.Equal(names, to) {
			group = append(group, p)
		}
	}
	add(names, nil)
	return group
}

func permutationTo(from, to []string) map[*Model]*Model {
	p := map[*Model]*Model{}
	for i, n := range from {
		p[NewModel(n)] = NewModel(to[i])
	}
	return p
}

// hashesOf is what a value has under each permutation.
func hashesOf(o *Orbits, vs ...Value) []uint64 {
	var all []uint64
	o.Blocks(func(hs []uint64, first int) {
		if first != len(all) {
			panic(fmt.Sprintf("a block begins at %d, after %d hashes", first, len(all)))
		}
		for _, v := range vs {
			o.Step(hs, v)
		}
		all = append(all, hs...)
	})
	return all
}

// Hash i of a value is that of the permuted value under the identity, whatever was asked before; values that differ have different ones.
func TestOrbitsHashThePermutedValue(t *testing.T) {
	group := groupOf("m1", "m2", "m3")
	shared := NewOrbits(group)
	rapid.Check(t, func(t *rapid.T) {
		v, w := drawValue(t, drawTyp(t, 3)), Normalize(drawValue(t, drawTyp(t, 2)))
		got := hashesOf(shared, v, w)
		if len(got) != len(group)+1 {
			t.Fatalf("%d hashes for %d permutations", len(got), len(group)+1)
		}
		forms := map[uint64][2]Value{got[0]: {Normalize(v), w}}
		for i, p := range group {
			a, b := Permute(v, NewPermutation(p)), Permute(w, NewPermutation(p))
			if want := hashesOf(NewOrbits(group), a, b)[0]; got[i+1] != want {
				t.Fatalf("%s, %s under %v: %x, and what it becomes, %s, %s, has %x", v, w, p, got[i+1], a, b, want)
			}
			if known, ok := forms[got[i+1]]; ok && !(same(known[0], a) && same(known[1], b)) {
				t.Fatalf("%s and %s have one hash", known, [2]Value{a, b})
			}
			forms[got[i+1]] = [2]Value{a, b}
		}
	})
}

// The order of elements and of arguments, which a permutation changes, is not in the hash.
func TestOrbitsOfPartsThatChangePlaces(t *testing.T) {
	group := groupOf("m1", "m2", "m3")
	a, b, c := NewModel("m1"), NewModel("m2"), NewModel("m3")
	for _, v := range []Value{SetOf(a, b), SetOf(b, c), SetOf(TupleOf(a, NewInt(1)), TupleOf(b, NewInt(2)), TupleOf(c, NewInt(3))), SetOf(SetOf(a, b), SetOf(b, c)),
		NewFunction([]Value{a, b, c}, []Value{NewInt(1), b, SetOf(a, c)}), NewFunction([]Value{SetOf(a), SetOf(b)}, []Value{b, c})} {
		o := NewOrbits(group)
		got := hashesOf(o, v)
		for i, p := range group {
			w := Permute(v, NewPermutation(p))
			if want := hashesOf(o, w)[0]; got[i+1] != want {
				t.Errorf("%s under %v: %x, and %s has %x", v, p, got[i+1], w, want)
			}
		}
	}
}

// A value that only holds model values which stay has its own hash, and so has one without any.
func TestOrbitsLeaveAsItIsWhatNoPermutationChanges(t *testing.T) {
	o := NewOrbits(groupOf("m1", "m2"))
	for _, v := range []Value{NewInt(3), NewString("m1"), NewModel("zz"), SetOf(NewModel("m3"), NewInt(1)),
		NewFunction([]Value{NewModel("zz")}, []Value{Interval(NewInt(1), NewInt(2))})} {
		for range 2 { // computed, then remembered
			row, h := o.of(v, 0)
			if row != nil || h != Hash(v) {
				t.Errorf("%s: %x, %x, not %x", v, row, h, Hash(v))
			}
		}
	}
}

// What distinguishes values: the order in a tuple, the argument that has a value, the number of elements.
func TestOrbitsTellSimilarValuesApart(t *testing.T) {
	o := NewOrbits(groupOf("m1", "m2", "m3"))
	a, b, c := NewModel("m1"), NewModel("m2"), NewModel("m3")
	on := func(vals ...Value) Value { return NewFunction([]Value{a, b, c}, vals) }
	values := []Value{a, SetOf(a), TupleOf(a), SetOf(a, b), TupleOf(a, b), TupleOf(b, a), TupleOf(a, a), SetOf(SetOf(a), SetOf(b)), SetOf(SetOf(a, b)),
		on(a, b, c), on(b, a, c), on(a, a, b), on(a, b, b), on(b, b, a), on(NewInt(1), NewInt(2), NewInt(2)), on(NewInt(2), NewInt(1), NewInt(2)),
		NewFunction([]Value{a, b}, []Value{a, b}), SetOf(TupleOf(a, a), TupleOf(b, b)), SetOf(TupleOf(a, b), TupleOf(b, a)), SetOf(a, NewInt(1)), SetOf(a, NewInt(2)),
		RecordOf(ShapeOf("x"), a), RecordOf(ShapeOf("y"), a), RecordOf(ShapeOf("x"), b)}
	known := map[uint64]Value{}
	for _, v := range values {
		h := hashesOf(o, v)[0]
		if w, ok := known[h]; ok {
			t.Errorf("%s and %s have one hash", v, w)
		}
		known[h] = v
	}
}

// A group that is larger than a block gives each permutation once, and the same as a small group does.
func TestOrbitsOfALargeGroup(t *testing.T) {
	names := []string{"p1", "p2", "p3", "p4", "p5", "p6", "p7"}
	group := groupOf(names...)
	o := NewOrbits(group)
	if o.known != nil || o.size <= 2*orbitBlock {
		t.Fatalf("the group of %d is not large", o.size)
	}
	v := NewFunction([]Value{NewModel("p1"), NewModel("p2"), NewModel("p3")}, []Value{SetOf(NewModel("p4"), NewModel("p5")), TupleOf(NewModel("p6")), NewInt(1)})
	got := hashesOf(o, v)
	if len(got) != 5040 {
		t.Fatalf("%d hashes", len(got))
	}
	all := permutationTo(names, append(slices.Clone(names[1:]), names[0])) // moves each, as the group does
	for i := 0; i < len(group); i += 97 {
		if small := hashesOf(NewOrbits([]map[*Model]*Model{group[i], all}), v); small[0] != got[0] || small[1] != got[i+1] {
			t.Fatalf("permutation %d: %x, alone %x", i, got[i+1], small)
		}
	}
	differ := slices.Clone(got)
	slices.Sort(differ)
	// Exchanging p4 and p5, and p7 with itself, leaves the value as it is.
	if n := len(slices.Compact(differ)); n != 2520 {
		t.Errorf("%d forms, not 2520", n)
	}
}

func BenchmarkOrbits(b *testing.B) {
	group := groupOf("m1", "m2", "m3", "m4")
	var msgs []Value
	for i := range 12 {
		msgs = append(msgs, RecordOf(ShapeOf("from", "bal"), NewModel(fmt.Sprint("m", 1+i%4)), NewInt(int64(i))))
	}
	b.Run("remembered", func(b *testing.B) {
		o, v := NewOrbits(group), NewSet(slices.Clone(msgs))
		b.ReportAllocs()
		for b.Loop() {
			o.Blocks(func(hs []uint64, _ int) { o.Step(hs, v) })
		}
	})
	b.Run("parts remembered", func(b *testing.B) {
		o, v := NewOrbits(group), NewSet(slices.Clone(msgs))
		b.ReportAllocs()
		for b.Loop() {
			o.known[int(Hash(v)%uint64(len(o.known)))].hash = 0
			o.Blocks(func(hs []uint64, _ int) { o.Step(hs, v) })
		}
	})
}
