package value

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var nobody *Work // stops nothing

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// The order is total among values that can be compared, and Equal, Hash and the printed form agree with it.
func TestOrderIsTotalAndAgreesWithEqualAndHash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ty := drawTyp(t, 3)
		x, y, z := drawValue(t, ty), drawValue(t, ty), drawValue(t, ty)
		xy, yx, yz, xz := Compare(x, y), Compare(y, x), Compare(y, z), Compare(x, z)
		if sign(xy) != -sign(yx) {
			t.Fatalf("Compare(x, y) = %d, Compare(y, x) = %d for\n%s\n%s", xy, yx, x, y)
		}
		if xy <= 0 && yz <= 0 && xz > 0 {
			t.Fatalf("not transitive:\n%s\n%s\n%s", x, y, z)
		}
		if Equal(x, y) != (xy == 0) || Equal(y, x) != (xy == 0) {
			t.Fatalf("Equal and Compare disagree:\n%s\n%s", x, y)
		}
		if (Hash(x) == Hash(y)) != (xy == 0) {
			t.Fatalf("Hash and Compare disagree:\n%s\n%s", x, y)
		}
		if Compare(x, x) != 0 || !Equal(x, x) {
			t.Fatalf("not equal to itself: %s", x)
		}
		n := Normalize(x)
		if Compare(n, x) != 0 || Hash(n) != Hash(x) || Compare(n, y) != xy && sign(Compare(n, y)) != sign(xy) {
			t.Fatalf("not as its normal form: %s", x)
		}
		if factsOf(n, 0)&factPlain == 0 {
			t.Fatalf("the normal form is lazy: %s", n)
		}
	})
}

// However a set or a function is written, it has one form.
func TestFormsAreCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ty := drawTyp(t, 2)
		elems := make([]Value, rapid.IntRange(0, 40).Draw(t, "number"))
		for i := range elems {
			elems[i] = Normalize(drawValue(t, ty))
		}
		a := NewSet(slices.Clone(elems))
		b := NewSet(rapid.Permutation(elems).Draw(t, "other order"))
		if Hash(a) != Hash(b) || !Equal(a, b) || a.Len() != b.Len() {
			t.Fatalf("%s\n%s", a, b)
		}
		for i := 1; i < a.Len(); i++ {
			if Compare(a.At(i-1), a.At(i)) >= 0 {
				t.Fatalf("out of order: %s", a)
			}
		}
		for _, e := range elems {
			if !Member(e, a) || !MemberOfList(e, elems) {
				t.Fatalf("%s not in %s", e, a)
			}
		}
		vals := make([]Value, a.Len())
		for i := range vals {
			vals[i] = NewInt(int64(i))
		}
		f := NewFunction(slices.Clone(a.Elems()), slices.Clone(vals))
		order := rapid.Permutation(vals).Draw(t, "order of arguments")
		args := make([]Value, len(order))
		for i, v := range order {
			args[i] = a.At(int(v.(Int)))
		}
		g := NewFunction(args, order)
		h := FunctionOn(a, vals)
		for _, other := range []Value{g, h} {
			if !Equal(f, other) || Hash(f) != Hash(other) || f.Kind() != other.Kind() {
				t.Fatalf("%s\n%s", f, other)
			}
		}
		if !Equal(Domain(f), a) {
			t.Fatalf("the domain of %s is %s", f, Domain(f))
		}
		wantKind := KindFunction
		switch {
		case same(a, Interval(NewInt(1), NewInt(int64(a.Len())))):
			wantKind = KindTuple
		case allOf[*Str](a.Elems()):
			wantKind = KindRecord
		}
		if f.Kind() != wantKind {
			t.Fatalf("%s is %s", f, f.Kind())
		}
	})
}

// A lazy set has the members that it enumerates, and its size, order, printed form and hash are those of the enumerated set.
func TestLazySetsAreWhatTheyEnumerate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ty := drawTyp(t, 2)
		s := drawSet(t, ty)
		var raw, sorted []Value
		Enumerate(s, func(v Value) bool { raw = append(raw, v); return true })
		EnumerateSorted(s, func(v Value) bool { sorted = append(sorted, v); return true })
		set := NewSet(slices.Clone(raw))
		if len(sorted) != set.Len() || !slices.EqualFunc(sorted, set.Elems(), Equal) {
			t.Fatalf("in order: %v, enumerated: %s", sorted, set)
		}
		if !slices.EqualFunc(Elements(s), set.Elems(), Equal) {
			t.Fatalf("elements %v of %s", Elements(s), set)
		}
		if Cardinality(s) != NewInt(int64(set.Len())) || !IsFinite(s) {
			t.Fatalf("%s has %s elements", set, Cardinality(s))
		}
		for _, e := range raw {
			if !Member(e, s) {
				t.Fatalf("%s is not in %s", e, set)
			}
		}
		var x Value
		if Catch(func() { x = drawValue(t, ty) }) == nil {
			var in bool
			if Catch(func() { in = Member(x, s) }) == nil && in != nobody.memberOf(x, set.Elems()) {
				t.Fatalf("%s in %s: %v", x, set, in)
			}
		}
		if !Subset(s, set) || !Subset(set, s) || Hash(s) != Hash(set) {
			t.Fatalf("not the same set: %s", set)
		}
		n := 0
		if Enumerate(s, func(Value) bool { n++; return false }) != (len(raw) == 0) || n > 1 {
			t.Fatalf("the enumeration of %s did not stop", set)
		}
	})
}

func decides(x, s Value) bool { return Catch(func() { Member(x, s) }) == nil }

// Set operations are those of the textbook.
func TestSetOperations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ty := drawTyp(t, 1)
		a, b := drawSet(t, ty), drawSet(t, ty)
		var union, both, minus Value
		if Catch(func() { union, both, minus = Union(a, b), Intersect(a, b), Difference(a, b) }) != nil {
			return // as below
		}
		subset := true
		for _, e := range append(slices.Clone(Elements(a)), Elements(b)...) {
			inA, inB := nobody.memberOf(e, Elements(a)), nobody.memberOf(e, Elements(b))
			if !decides(e, a) || !decides(e, b) {
				return // like TLC, it does not say of a model value whether it is an element of SUBSET S
			}
			if !Member(e, union) || Member(e, both) != (inA && inB) || Member(e, minus) != (inA && !inB) {
				t.Fatalf("%s: a = %s, b = %s", e, a, b)
			}
			subset = subset && (!inA || inB)
		}
		var got bool
		if Catch(func() { got = Subset(a, b) }) == nil && got != subset {
			t.Fatalf("subset: a = %s, b = %s", a, b)
		}
		n := len(Elements(a)) + len(Elements(b))
		if len(Elements(union))+len(Elements(both)) != n || len(Elements(minus)) != len(Elements(a))-len(Elements(both)) {
			t.Fatalf("sizes: a = %s, b = %s", a, b)
		}
		if !Equal(UnionOf(NewSet([]Value{nobody.enumerated(a), nobody.enumerated(b)})), union) {
			t.Fatalf("UNION: a = %s, b = %s", a, b)
		}
	})
}

// EXCEPT changes one value and nothing else, and leaves the function that it starts from alone.
func TestExcept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ty := typ{KindFunction, []typ{drawTyp(t, 1), drawTyp(t, 1)}}
		switch rapid.IntRange(0, 2).Draw(t, "kind of function") {
		case 0:
			ty.kind, ty.parts = KindTuple, []typ{drawTyp(t, 1), drawTyp(t, 1), drawTyp(t, 1)}
		case 1:
			ty.kind, ty.parts = KindRecord, []typ{drawTyp(t, 1), drawTyp(t, 1), drawTyp(t, 1)}
		}
		f := Normalize(drawValue(t, ty))
		if f.Kind() == KindModel {
			return
		}
		domain := Elements(Domain(f))
		lazy := LazyFunction(Domain(f), func(x Value) Value { return Apply(f, x) })
		before := f.String()
		for _, x := range domain {
			mark := NewTuple([]Value{NewString("was"), Apply(f, x)})
			update := func(old Value) Value { return NewTuple([]Value{NewString("was"), old}) }
			g, ok := TryExcept(f, []Value{x}, update)
			l := Except(lazy, []Value{x}, update)
			if !ok || !Equal(g, l) {
				t.Fatalf("%s EXCEPT %s: %s, lazily %s", f, x, g, l)
			}
			for _, y := range domain {
				want := Apply(f, y)
				if Equal(x, y) {
					want = mark
				}
				if !Equal(Apply(g, y), want) {
					t.Fatalf("%s EXCEPT %s: at %s there is %s", f, x, y, Apply(g, y))
				}
			}
			if !Equal(Domain(g), Domain(f)) || g.Kind() != f.Kind() {
				t.Fatalf("%s EXCEPT %s has the domain %s", f, x, Domain(g))
			}
		}
		if f.String() != before {
			t.Fatalf("EXCEPT changed %s to %s", before, f)
		}
	})
}

// naivePermute makes the permuted value from its parts.
func naivePermute(v Value, p map[*Model]*Model) Value {
	list := func(elems []Value) []Value {
		out := make([]Value, len(elems))
		for i, e := range elems {
			out[i] = naivePermute(e, p)
		}
		return out
	}
	switch v := v.(type) {
	case *Model:
		return p[v]
	case *Set:
		return NewSet(list(v.Elems()))
	case *Tuple, *Record, *Function:
		vals, _ := nobody.functionVals(v)
		return NewFunction(list(Elements(Domain(v))), list(vals))
	}
	return v
}

// A permutation of model values can be taken back, and gives the value itself when it changes nothing.
func TestPermute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := Normalize(drawValue(t, drawTyp(t, 3)))
		to := rapid.Permutation(testModels).Draw(t, "permutation")
		there, back := map[*Model]*Model{}, map[*Model]*Model{}
		for i, from := range testModels {
			there[NewModel(from)], back[NewModel(to[i])] = NewModel(to[i]), NewModel(from)
		}
		p, q := NewPermutation(there), NewPermutation(back)
		w := Permute(v, p)
		if want := naivePermute(v, there); !Equal(w, want) || Hash(w) != Hash(want) {
			t.Fatalf("%s became %s, not %s", v, w, want)
		}
		if u := Permute(w, q); !Equal(u, v) || Hash(u) != Hash(v) {
			t.Fatalf("%s became %s and then %s", v, w, u)
		}
		if Equal(v, w) && v.Kind() != KindSet && v.Kind() != KindFunction && v != w && factsOf(v, 0)&factModels == 0 {
			t.Fatalf("%s was copied", v)
		}
		if same := Permute(v, NewPermutation(nil)); same != v {
			t.Fatalf("%s was copied by the identity", v)
		}
		if factsOf(v, 0)&factModels == 0 && w != v {
			t.Fatalf("%s has no model values, but was copied", v)
		}
		n := NewSet([]Value{v})
		if got := Permute(n, p); !Equal(got, NewSet([]Value{w})) {
			t.Fatalf("in a set: %s became %s", n, got)
		}
	})
}

// What Append writes, Decode reads, and leaves what follows alone.
func TestCodecRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, w := drawValue(t, drawTyp(t, 3)), drawValue(t, drawTyp(t, 2))
		b := Append(Append([]byte("before"), v), w)
		got, rest, err := Decode(b[len("before"):])
		if err != nil || !Equal(got, v) || Hash(got) != Hash(v) || got.Kind() != v.Kind() {
			t.Fatalf("%s was read as %v, %v", v, got, err)
		}
		got, rest, err = Decode(rest)
		if err != nil || !Equal(got, w) || len(rest) != 0 {
			t.Fatalf("%s was read as %v, %v, with %d bytes left", w, got, err, len(rest))
		}
		if cut := len(b) - 1; cut > len("before") {
			_, rest, err := Decode(b[len("before"):cut])
			if err == nil {
				_, _, err = Decode(rest)
			}
			if err == nil {
				t.Fatalf("%s, %s: read although a byte is missing", v, w)
			}
		}
	})
}

// The quick arithmetic of 64 bits gives what big integers give.
func TestArithmeticIsExact(t *testing.T) {
	edge := []int64{0, 1, -1, 2, 3, -3, 1 << 31, -(1 << 31), 1<<31 - 1, 1<<62 + 1, 1<<63 - 1, -1 << 63, -1<<63 + 1}
	draw := func(t *rapid.T, name string) Value {
		switch rapid.IntRange(0, 2).Draw(t, "form of "+name) {
		case 0:
			return NewInt(rapid.SampledFrom(edge).Draw(t, name))
		case 1:
			n := big.NewInt(rapid.SampledFrom(edge).Draw(t, name))
			return NewBig(n.Mul(n, big.NewInt(rapid.SampledFrom(edge).Draw(t, name))))
		}
		return drawInt(t)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, "a"), draw(t, "b")
		x, y := integer(a), integer(b)
		check := func(op string, got Value, want *big.Int) {
			if !Equal(got, NewBig(want)) || got.String() != want.String() {
				t.Fatalf("%s %s %s = %s, not %s", x, op, y, got, want)
			}
			if _, isBig := got.(*Big); isBig == want.IsInt64() {
				t.Fatalf("%s %s %s has the form %T", x, op, y, got)
			}
		}
		check("+", Add(a, b), new(big.Int).Add(x, y))
		check("-", Sub(a, b), new(big.Int).Sub(x, y))
		check("*", Mul(a, b), new(big.Int).Mul(x, y))
		check("neg", Neg(a), new(big.Int).Neg(x))
		if y.Sign() != 0 {
			q, m := new(big.Int).DivMod(x, y, new(big.Int)) // rounds so that m is not negative
			if y.Sign() < 0 && m.Sign() != 0 {
				q.Sub(q, big.NewInt(1)) // towards minus infinity instead
			}
			check(`\div`, Div(a, b), q)
		}
		if y.Sign() > 0 {
			check("%", Mod(a, b), new(big.Int).Mod(x, y))
		}
		if Less(a, b) != (x.Cmp(y) < 0) || LessEq(a, b) != (x.Cmp(y) <= 0) || sign(Compare(a, b)) != x.Cmp(y) {
			t.Fatalf("order of %s and %s", x, y)
		}
		if n := int64(rapid.IntRange(0, 20).Draw(t, "exponent")); n > 0 || x.Sign() != 0 {
			check("^", Pow(a, NewInt(n)), new(big.Int).Exp(x, big.NewInt(n), nil))
		}
	})
}
