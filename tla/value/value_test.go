package value

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"sync"
	"testing"
)

func i(n int64) Value             { return NewInt(n) }
func s(text string) Value         { return NewString(text) }
func m(name string) Value         { return NewModel(name) }
func tup(elems ...Value) Value    { return TupleOf(elems...) }
func set(elems ...Value) Value    { return SetOf(elems...) }
func interval(lo, hi int64) Value { return Interval(i(lo), i(hi)) }
func fun(argsAndVals ...Value) Value {
	var args, vals []Value
	for k := 0; k < len(argsAndVals); k += 2 {
		args, vals = append(args, argsAndVals[k]), append(vals, argsAndVals[k+1])
	}
	return NewFunction(args, vals)
}

func codeOf(f func()) ErrorCode {
	var e *Error
	if errors.As(Catch(f), &e) {
		return e.Code
	}
	return ""
}

// The printed forms are those of TLC 2026.11, each seen there but for the values that it does not have.
func TestPrintsAsTLC(t *testing.T) {
	recordSet := RecordSet(ShapeOf("a", "b"), []Value{set(i(1), i(2)), Booleans()})
	for _, c := range []struct {
		v    Value
		want string
	}{
		{Bool(true), "TRUE"},
		{i(-7), "-7"},
		{s("say \"hi\"\\\n"), `"say \"hi\"\\\n"`},
		{m("p1"), "p1"},
		{tup(), "<<>>"},
		{tup(i(1), s("a")), `<<1, "a">>`},
		{fun(s("b"), i(1), s("a"), tup()), `[a |-> <<>>, b |-> 1]`},
		{fun(s("no name"), i(1)), `("no name" :> 1)`},
		{fun(s("WF_x"), i(1)), `("WF_x" :> 1)`},
		{fun(s("_1"), i(1)), `("_1" :> 1)`},
		{fun(i(2), i(3), i(1), i(4)), "<<4, 3>>"},
		{fun(i(0), i(3), i(1), i(4)), "(0 :> 3 @@ 1 :> 4)"},
		{fun(m("x"), i(3), m("a"), i(4)), "(a :> 4 @@ x :> 3)"},
		{set(i(3), i(1), i(2), i(1)), "{1, 2, 3}"},
		{set(set(i(3)), set(i(1), i(2)), set()), "{{}, {3}, {1, 2}}"},
		{set(i(1), m("x"), i(0)), "{x, 0, 1}"},
		{interval(1, 3), "1..3"},
		{interval(1, 0), "{}"},
		{Domain(fun(i(4), i(1))), "{4}"},
		{Domain(fun(i(4), i(1), i(5), i(1))), "4..5"},
		{Domain(tup(i(1), i(1))), "1..2"},
		{Powerset(set(i(1), i(2))), "{{}, {1}, {2}, {1, 2}}"},
		{Powerset(interval(1, 7)), "SUBSET (1..7)"},
		{Powerset(Naturals), "SUBSET Nat"},
		{FunctionSet(set(i(1)), set(i(5), i(6))), "{<<5>>, <<6>>}"},
		{FunctionSet(set(s("a"), s("b")), interval(1, 2)), `{[a |-> 1, b |-> 1], [a |-> 1, b |-> 2], [a |-> 2, b |-> 1], [a |-> 2, b |-> 2]}`},
		{FunctionSet(interval(1, 11), interval(1, 2)), "[1..11 -> 1..2]"},
		{FunctionSet(set(i(1)), Naturals), "[{1} -> Nat]"},
		{recordSet, "{[a |-> 1, b |-> FALSE], [a |-> 1, b |-> TRUE], [a |-> 2, b |-> FALSE], [a |-> 2, b |-> TRUE]}"},
		{RecordSet(ShapeOf("a", "b"), []Value{Naturals, Strings}), "[a: Nat, b: STRING]"},
		{Product(set(i(1)), Booleans()), "{<<1, FALSE>>, <<1, TRUE>>}"},
		{Product(Naturals, Integers), `(Nat \X Int)`},
		{Union(set(i(-1)), Naturals), `{-1} \cup Nat`},
		{Union(Powerset(set(i(1))), set(set(i(2)))), "{{}, {1}, {2}}"},
		{Difference(Naturals, set(i(0))), `Nat \ {0}`},
		{Union(set(), Naturals), "Nat"},
		{Union(Naturals, interval(1, 0)), "Nat"},
		{Sequences(set(i(1))), "Seq({1})"},
		{Reals, "Real"},
		{NewBig(new(big.Int).Lsh(big.NewInt(-1), 64)), "-18446744073709551616"},
		{LazyFunction(interval(1, 2), func(x Value) Value { return Add(x, x) }), "<<2, 4>>"},
	} {
		if got := c.v.String(); got != c.want {
			t.Errorf("printed as %s, not %s", got, c.want)
		}
	}
}

// A set that is written out is searched from the left, so that what cannot be compared does no harm behind what is found.
func TestMemberOfListStopsWhereItFinds(t *testing.T) {
	mixed := []Value{i(1), s("a")}
	if !MemberOfList(i(1), mixed) {
		t.Error("not found")
	}
	if code := codeOf(func() { MemberOfList(i(2), mixed) }); code != CodeIncomparable {
		t.Errorf("code %q", code)
	}
	if code := codeOf(func() { NewSet(mixed) }); code != CodeIncomparable {
		t.Errorf("as a set: code %q", code)
	}
}

// Lazy unions repeat shared elements, as TLC's do: \E over one counts such a successor twice.
func TestLazyUnionsRepeatSharedElements(t *testing.T) {
	list := func(s Value) string {
		var b strings.Builder
		Enumerate(s, func(v Value) bool { fmt.Fprint(&b, v, " "); return true })
		return strings.TrimSpace(b.String())
	}
	one, two := Powerset(set(i(1))), Powerset(set(i(2)))
	for _, c := range []struct {
		s    Value
		want string
	}{
		{Union(one, two), "{} {1} {} {2}"},
		{Union(two, one), "{} {2} {} {1}"},
		{Union(set(set(i(2)), set()), one), "{} {2} {} {1}"},
		{Union(one, set(set(i(2)), set())), "{} {2} {} {1}"},
		{UnionOf(set(interval(1, 2), interval(2, 3))), "1 2 2 3"},
		{UnionOf(set(set(i(1), i(2)), set(i(2), i(3)))), "1 2 3"},
		{Difference(one, two), "{1}"},
		{Product(set(i(2), i(1)), set(s("b"), s("a"))), `<<1, "a">> <<1, "b">> <<2, "a">> <<2, "b">>`},
		{Product(set(), Naturals), ""},
		{BoundedSequences(interval(1, 2), 2), "<<>> <<1>> <<2>> <<1, 1>> <<1, 2>> <<2, 1>> <<2, 2>>"},
		{FunctionSet(set(), Naturals), "<<>>"},
		{FunctionSet(set(i(1)), set()), ""},
		{interval(math.MaxInt64-1, math.MaxInt64), "9223372036854775806 9223372036854775807"},
	} {
		if got := list(c.s); got != c.want {
			t.Errorf("%s: %s, not %s", brief(c.s), got, c.want)
		}
	}
}

// CHOOSE needs the elements in order, whatever the order in which they are enumerated.
func TestEnumerateSortedSorts(t *testing.T) {
	back := Union(Powerset(set(i(2))), Powerset(set(i(1)))) // {} {2} {} {1}
	for _, s := range []Value{
		back, FunctionSet(set(i(1)), back), Product(set(i(1)), back), RecordSet(ShapeOf("a"), []Value{back}), Filter(back, func(Value) bool { return true }),
		BoundedSequences(back, 1),
	} {
		var got []Value
		EnumerateSorted(s, func(v Value) bool { got = append(got, v); return true })
		if !isSorted(got) || len(got) < 3 {
			t.Errorf("%s: %v", brief(s), got)
		}
	}
}

func TestRaises(t *testing.T) {
	f := fun(s("a"), i(1))
	name := NewString
	for _, c := range []struct {
		what string
		do   func()
		want ErrorCode
	}{
		{"1 + a", func() { Add(i(1), s("a")) }, CodeType},
		{"a < 1", func() { Less(s("a"), i(1)) }, CodeType},
		{"- TRUE", func() { Neg(Bool(true)) }, CodeType},
		{"1 div 0", func() { Div(i(1), i(0)) }, CodeArithmetic},
		{"1 % 0", func() { Mod(i(1), i(0)) }, CodeArithmetic},
		{"1 % -2", func() { Mod(i(1), i(-2)) }, CodeArithmetic},
		{"0^0", func() { Pow(i(0), i(0)) }, CodeArithmetic},
		{"2^-1", func() { Pow(i(2), i(-1)) }, CodeArithmetic},
		{"2^2^40", func() { Pow(i(2), i(1<<40)) }, CodeTooLarge},
		{"7^400000", func() { Pow(i(7), i(400_000)) }, CodeTooLarge},
		{"a power of a large number", func() { Pow(Pow(i(2), i(600_000)), i(600_000)) }, CodeTooLarge},
		{"a large product", func() { n := Pow(i(2), i(600_000)); Mul(n, n) }, CodeTooLarge},
		{"a large sum", func() { n := Pow(i(2), i(MaxBits-1)); Add(n, n) }, CodeTooLarge},
		{"f[missing]", func() { Apply(f, s("b")) }, CodeDomain},
		{"f[1]", func() { Apply(f, i(1)) }, CodeType},
		{"<<1>>[2]", func() { Apply(tup(i(1)), i(2)) }, CodeDomain},
		{"<<1>>[a]", func() { Apply(tup(i(1)), s("a")) }, CodeType},
		{"1[1]", func() { Apply(i(1), i(1)) }, CodeType},
		{"(0 :> 1)[model]", func() { Apply(fun(i(0), i(1)), m("x")) }, CodeType},
		{"(x :> 1)[1]", func() { Apply(fun(m("x"), i(1)), i(1)) }, CodeDomain},
		{"(<<1>> :> 1)[1]", func() { Apply(fun(tup(i(1)), i(1)), i(1)) }, CodeIncomparable},
		{"r.missing", func() { Field(f, name("b")) }, CodeDomain},
		{"1.a", func() { Field(i(1), name("a")) }, CodeType},
		{"<<1>>.a", func() { Field(tup(i(1)), name("a")) }, CodeType},
		{"DOMAIN 1", func() { Domain(i(1)) }, CodeType},
		{"[1 EXCEPT ![1]]", func() { Except(i(1), []Value{i(1)}, nil) }, CodeType},
		{"[f EXCEPT ![a][1]]", func() { Except(f, []Value{s("a"), i(1)}, nil) }, CodeType},
		{"[f EXCEPT ![1]]", func() { Except(f, []Value{i(1)}, nil) }, CodeType},
		{"two values of one argument", func() { fun(i(3), i(1), i(3), i(2)) }, CodeDuplicate},
		{"two fields of one name", func() { ShapeOf("a", "b", "a") }, CodeDuplicate},
		{"values that do not fit", func() { NewRecord(ShapeOf("a"), nil) }, CodeInternal},
		{"the elements of Nat", func() { Elements(Naturals) }, CodeNotEnumerable},
		{"the elements of Seq", func() { Elements(Sequences(set(i(1)))) }, CodeNotEnumerable},
		{"the elements of 1", func() { Elements(i(1)) }, CodeType},
		{"the elements of a function set", func() { Elements(FunctionSet(set(i(1)), Naturals)) }, CodeNotEnumerable},
		{"the elements of a union", func() { Elements(Union(set(i(-1)), Naturals)) }, CodeNotEnumerable},
		{"the elements of a long interval", func() { Elements(interval(1, 1<<40)) }, CodeTooLarge},
		{"Cardinality of Nat", func() { Cardinality(Naturals) }, CodeNotEnumerable},
		{"Cardinality of 1", func() { Cardinality(i(1)) }, CodeType},
		{"IsFiniteSet of a filter", func() { IsFinite(Filter(Naturals, nil)) }, CodeNotEnumerable},
		{"1 union {}", func() { Union(i(1), set()) }, CodeType},
		{"UNION 1", func() { UnionOf(i(1)) }, CodeType},
		{"UNION {1}", func() { Elements(UnionOf(set(i(1)))) }, CodeType},
		{"a..1", func() { Interval(s("a"), i(1)) }, CodeType},
		{"1..2^64", func() { Interval(i(1), Pow(i(2), i(64))) }, CodeTooLarge},
		{"normal form of Nat", func() { Normalize(tup(Naturals)) }, CodeNotEnumerable},
		{"normal form of an operator", func() { Normalize(&Operator{}) }, CodeType},
		{"hash of Nat", func() { Hash(Naturals) }, CodeNotEnumerable},
		{"no permutation", func() { NewPermutation(map[*Model]*Model{NewModel("x"): NewModel("y")}) }, CodeType},
		{"its own error", func() { Raise(CodeDomain, "%d", 1) }, CodeDomain},
		{"no error", func() {}, ""},
	} {
		if got := codeOf(c.do); got != c.want {
			t.Errorf("%s: code %q, not %q", c.what, got, c.want)
		}
	}
}

// A message about a huge or an infinite value stays short, and evaluates nothing.
func TestMessagesAreShort(t *testing.T) {
	bomb := LazyFunction(interval(1, 5), func(Value) Value { t.Error("evaluated for a message"); return nil })
	var many []Value
	for k := range 10_000 {
		many = append(many, i(int64(k)))
	}
	for _, v := range []Value{NewSet(many), Pow(i(3), i(500_000)), FunctionSet(Naturals, Naturals), Powerset(Powerset(interval(1, 6))), bomb, set(tup(bomb))} {
		if text := brief(v); len(text) > 410 {
			t.Errorf("%d bytes: %.600s", len(text), text)
		}
	}
}

// A path that leaves a domain changes nothing, and says so.
func TestExceptOutsideTheDomain(t *testing.T) {
	never := func(Value) Value { t.Error("called"); return nil }
	for _, c := range []struct {
		f    Value
		path []Value
	}{
		{fun(s("a"), i(1)), []Value{s("b")}},
		{tup(i(1)), []Value{i(0)}},
		{tup(i(1)), []Value{i(2)}},
		{tup(), []Value{s("b")}},
		{fun(m("x"), i(1)), []Value{m("y")}},
		{fun(i(0), tup(i(1))), []Value{i(0), i(7)}},
		{LazyFunction(Naturals, func(x Value) Value { return x }), []Value{i(-1)}},
	} {
		if g, ok := TryExcept(c.f, c.path, never); ok || g != c.f {
			t.Errorf("%s EXCEPT %v is %s", brief(c.f), c.path, brief(g))
		}
	}
}

// A chain of EXCEPTs on a function that is never written out stays quick and shallow.
func TestExceptOnAnInfiniteDomain(t *testing.T) {
	var f Value = LazyFunction(Naturals, func(x Value) Value { return x })
	for k := range int64(1000) {
		f = Except(f, []Value{i(k % 10)}, func(old Value) Value { return Add(old, i(1)) })
	}
	if got := Apply(f, i(3)); got != i(103) {
		t.Errorf("f[3] = %s", got)
	}
	if got := Apply(f, i(50)); got != i(50) {
		t.Errorf("f[50] = %s", got)
	}
	if code := codeOf(func() { Normalize(f) }); code != CodeNotEnumerable {
		t.Errorf("normal form: code %q", code)
	}
}

func TestCardinalityOfWhatCannotBeWrittenOut(t *testing.T) {
	for _, c := range []struct {
		s    Value
		want string
	}{
		{Powerset(interval(1, 70)), "1180591620717411303424"},
		{FunctionSet(interval(1, 30), interval(1, 10)), "1000000000000000000000000000000"},
		{Product(interval(1, 1<<40), interval(1, 1<<40)), "1208925819614629174706176"},
		{interval(math.MinInt64, math.MaxInt64), "18446744073709551616"},
		{FunctionSet(set(), Naturals), ""},
		{FunctionSet(set(), set()), "1"},
	} {
		got := ""
		Catch(func() { got = Cardinality(c.s).String() })
		if got != c.want {
			t.Errorf("%s has %s elements, not %s", brief(c.s), got, c.want)
		}
	}
}

// Declared strings come in the order of their declaration, and before all others, which are in the order of their bytes. Sets that were made before
// keep their order.
func TestDeclaredStringsComeFirst(t *testing.T) {
	before := NewSet([]Value{s("declared-k"), s("declared-a")})
	DeclareStrings("declared-z", "declared-y", "declared-k")
	DeclareStrings("declared-b", "declared-z")
	got := NewSet([]Value{s("declared-a"), s("declared-b"), s("declared-k"), s("declared-y"), s("declared-z"), s("declared-0")})
	if want := `{"declared-z", "declared-y", "declared-b", "declared-0", "declared-a", "declared-k"}`; got.String() != want {
		t.Errorf("%s, not %s", got, want)
	}
	if want := `{"declared-a", "declared-k"}`; before.String() != want {
		t.Errorf("%s, not %s", before, want)
	}
	if want := []string{"declared-y", "declared-b"}; fmt.Sprint(ShapeOf("declared-b", "declared-y").Names()) != fmt.Sprint(want) {
		t.Errorf("fields %v", ShapeOf("declared-b", "declared-y").Names())
	}
	if Compare(m("declared-z"), m("declared-y")) >= 0 {
		t.Error("model values are not in the order of their names")
	}
}

// Values inside values beyond all measure end the evaluation, not the process.
func TestDepthIsBounded(t *testing.T) {
	nest := func() Value {
		v := tup()
		for range 3 * MaxDepth {
			v = tup(v)
		}
		return v
	}
	a, b := nest(), nest()
	var deep Value = Naturals
	for what, do := range map[string]func(){
		"Hash":      func() { Hash(a) },
		"Compare":   func() { Compare(a, b) },
		"Equal":     func() { Equal(a, b) },
		"Normalize": func() { Normalize(a) },
		"Append":    func() { Append(nil, a) },
		"Permute":   func() { Permute(a, NewPermutation(nil)) },
		"Decode": func() {
			code := make([]byte, 6*MaxDepth)
			for k := range code {
				code[k] = codeTuple
				if k%2 == 1 {
					code[k] = 1
				}
			}
			if _, _, err := Decode(code); err != nil {
				panic(err)
			}
		},
		"lazy sets": func() {
			for range 2 * MaxDepth {
				deep = Union(deep, Integers)
			}
		},
	} {
		if code := codeOf(do); code != CodeTooLarge {
			t.Errorf("%s: code %q", what, code)
		}
	}
	if text := a.String(); len(text) > 4*MaxDepth {
		t.Errorf("printed %d bytes", len(text))
	}
}

// Values are read by several goroutines, which fill in what values remember.
func TestConcurrentReaders(t *testing.T) {
	domain := Product(set(s("p"), s("q")), interval(1, 3))
	f := LazyFunction(domain, func(x Value) Value { return tup(x, Powerset(interval(1, 3))) })
	v := tup(f, domain, Union(Powerset(interval(1, 2)), Powerset(interval(2, 4))))
	var wg sync.WaitGroup
	results := make([]string, 8)
	for k := range results {
		wg.Go(func() {
			n := Normalize(v)
			text := NewString(fmt.Sprint("made by one of ", k%2))
			g := NewFunction([]Value{text, s("a")}, []Value{i(1), i(2)})
			u, _, err := Decode(Append(nil, tup(n, g)))
			if err != nil {
				t.Error(err)
			}
			results[k] = fmt.Sprint(Hash(v), Equal(n, v), Hash(Apply(u, i(1))), len(n.String()), Member(tup(s("p"), i(2)), domain))
		})
	}
	wg.Wait()
	for _, got := range results {
		if got != results[0] {
			t.Errorf("%s, not %s", got, results[0])
		}
	}
}

// The values of a thousand states in which little differs have as many hashes.
func TestHashTellsNeighboursApart(t *testing.T) {
	seen := map[uint64]Value{}
	note := func(v Value) {
		if old, ok := seen[Hash(v)]; ok && !same(old, v) {
			t.Fatalf("%s and %s have the same hash", old, v)
		}
		seen[Hash(v)] = v
	}
	for a := range int64(40) {
		for b := range int64(40) {
			note(i(a * b))
			note(tup(i(a), i(b)))
			note(set(i(a), i(b)))
			note(set(tup(i(a)), tup(i(b))))
			note(tup(set(i(a)), i(b)))
			note(fun(s("a"), i(a), s("b"), i(b)))
			note(fun(i(a+2), i(b)))
			note(fun(i(a+2), i(b), i(a+3), i(b)))
			note(tup(Bool(a%2 == 0), i(b), s(fmt.Sprint(a))))
			note(set(s(fmt.Sprint(a)), s(fmt.Sprint(b))))
			note(Pow(i(a+2), i(b+70)))
			note(Neg(Pow(i(a+2), i(b+70))))
		}
	}
	if len(seen) < 8000 {
		t.Errorf("%d hashes", len(seen))
	}
}

func TestCodecOfIntegers(t *testing.T) {
	for n := int64(-400); n < 400; n++ {
		v, rest, err := Decode(append(Append(nil, i(n)), 1))
		if v != i(n) || len(rest) != 1 || err != nil {
			t.Errorf("%d was read as %v, %v", n, v, err)
		}
	}
}

// Bytes that Append did not write do not become values that cannot be.
func TestDecodeRefuses(t *testing.T) {
	one, two := byte(codeSmall+1-smallFirst), byte(codeSmall+2-smallFirst)
	notShape := byte(0x7f)
	for what, b := range map[string][]byte{
		"nothing":                    {},
		"an unknown kind":            {0x3f},
		"a cut off tuple":            {codeTuple, 2, one},
		"a set out of order":         {codeSet, 2, two, one},
		"a set with a double":        {codeSet, 2, one, one},
		"a set of unlike elements":   {codeSet, 2, one, codeTrue},
		"a function out of order":    {codeMap, 2, two, one, one, one},
		"an unknown string":          {codeStr, 0xff, 0xff, 0xff, 0x7f},
		"an unknown model value":     {codeModel, 0xff, 0xff, 0xff, 0x7f},
		"an unknown domain":          {codeRecord, 0xff, 0xff, 0xff, notShape},
		"a function for a record":    append([]byte{codeRecord}, Append(nil, fun(i(7), i(1)))[1:]...),
		"a record for a function":    append([]byte{codeFunction}, Append(nil, fun(s("a"), i(1)))[1:]...),
		"a number that does not end": {codeInt, 0x80, 0x80},
		"a string longer than all":   {codeText, 200, 'a'},
		"a sign that is none":        {codeBig, 2, 1, 1},
	} {
		v, _, err := Decode(b)
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeDecode && e.Code != CodeIncomparable {
			t.Errorf("%s was read as %v, %v", what, v, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range []Value{
		Bool(true), i(5), i(-1 << 40), Pow(i(2), i(90)), s("a"), m("x"), tup(i(1), tup()), set(i(1), i(2)), interval(1, 9),
		fun(s("a"), i(1)), fun(m("x"), i(2), i(7), i(1)), fun(i(0), i(2)),
	} {
		f.Add(Append(nil, v))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, rest, err := Decode(b)
		if err != nil {
			return
		}
		if len(rest) > len(b) {
			t.Fatal("more left than there was")
		}
		var again []byte
		if err := Catch(func() { again = Append(nil, v) }); err != nil {
			t.Fatalf("%s cannot be written: %v", brief(v), err)
		}
		w, rest, err := Decode(again)
		if err != nil || len(rest) != 0 || !same(v, w) {
			t.Fatalf("%s was read as %v, %v", brief(v), w, err)
		}
	})
}
