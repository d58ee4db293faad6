package value

import "testing"

// Which pairs are equal, different, or not to be compared, is as in TLC.
func TestComparesWhatTLCCompares(t *testing.T) {
	const refused = CodeIncomparable
	for _, c := range []struct {
		a, b Value
		want any // true, false, or an error code
	}{
		{i(1), s("a"), refused},
		{i(1), Bool(true), refused},
		{s("a"), Bool(true), refused},
		{i(1), set(i(1)), refused},
		{set(i(1)), tup(i(1)), refused},
		{s("a"), tup(), refused},
		{m("x"), i(1), false},
		{m("x"), set(), false},
		{m("x"), m("x"), true},
		{m("x"), m("y"), false},
		{m("x"), m("T_1"), false},
		{m("T_1"), m("T_1"), true},
		{m("T_1"), m("T_2"), false},
		{m("T_1"), m("U_1"), refused},
		{m("T_1"), i(1), refused},
		{m("T_1"), set(), refused},
		{m("T_"), i(1), false}, // too short to have a type
		{tup(i(1)), tup(s("a")), refused},
		{tup(i(1), i(2)), tup(s("a")), false},
		{tup(i(2), i(1)), tup(i(1), s("a")), false},
		{set(i(1)), set(s("a")), refused},
		{set(i(1), i(2)), set(s("a")), false},
		{set(), set(s("a")), false},
		{tup(i(1)), fun(i(1), i(1)), true},
		{tup(), fun(), true},
		{tup(i(1)), fun(s("a"), i(1)), refused},
		{tup(i(1), i(2)), fun(s("a"), i(1)), false},
		{fun(s("a"), i(1)), fun(s("b"), s("c")), false},
		{fun(s("a"), i(1)), fun(m("x"), i(1)), false},
		{fun(i(0), i(1)), fun(i(2), s("c")), false},
		{interval(1, 3), set(i(3), i(2), i(1)), true},
		{interval(1, 3), set(i(3), i(2)), false},
		{interval(1, 1<<40), set(i(3)), false},
		{interval(1, 0), set(), true},
		{interval(5, 2), interval(1, 0), true},
		{interval(1, 2), set(s("a"), s("b")), refused},
		{Naturals, Naturals, true},
		{Naturals, Integers, false},
		{Naturals, set(i(1)), refused},
		{Naturals, Strings, refused},
		{Naturals, interval(1, 3), refused},
		{Powerset(interval(1, 50)), Powerset(interval(1, 50)), true},
		{Powerset(interval(1, 50)), Powerset(interval(1, 51)), false},
		{Powerset(interval(1, 50)), set(set(i(1))), false},
		{Powerset(set()), set(set()), true},
		{FunctionSet(Naturals, Naturals), FunctionSet(Naturals, Naturals), true},
		{FunctionSet(set(i(1)), Naturals), FunctionSet(set(i(2)), Naturals), false},
		{FunctionSet(set(), set(i(1))), FunctionSet(set(), set(i(2))), true},
		{FunctionSet(set(i(1)), set()), FunctionSet(set(i(2)), set()), true},
		{Product(set(), Naturals), set(), true},
		{Sequences(Naturals), Sequences(Naturals), true},
		{Sequences(Naturals), Sequences(Integers), false},
		{LazyFunction(interval(1, 2), func(x Value) Value { return x }), tup(i(1), i(2)), true},
	} {
		for _, order := range []string{"a = b", "b = a"} {
			a, b := c.a, c.b
			if order == "b = a" {
				a, b = b, a
			}
			var got any
			if code := codeOf(func() { got = Equal(a, b) }); code != "" {
				got = code
			}
			if got != c.want {
				t.Errorf("%s = %s is %v, not %v", brief(a), brief(b), got, c.want)
			}
		}
	}
}

func TestDecidesMembershipWhereTLCDoes(t *testing.T) {
	recordSet := RecordSet(ShapeOf("a", "b"), []Value{Naturals, Strings})
	for _, c := range []struct {
		x, set Value
		want   any
	}{
		{i(1), set(i(1), i(2)), true},
		{i(3), set(i(1), i(2)), false},
		{s("a"), set(i(1)), CodeIncomparable},
		{s("a"), set(), false},
		{m("x"), set(i(1)), false},
		{i(1), i(1), CodeType},
		{i(1), s("abc"), CodeType},
		{i(-1), Naturals, false},
		{i(-1), Integers, true},
		{Pow(i(2), i(70)), Naturals, true},
		{Neg(Pow(i(2), i(70))), Naturals, false},
		{s("a"), Naturals, CodeType},
		{s("a"), Strings, true},
		{i(1), Strings, CodeType},
		{m("x"), Naturals, false},
		{m("T_1"), Naturals, CodeType},
		{set(), AnyValue, true},
		{i(5), interval(1, 5), true},
		{s("a"), interval(1, 5), CodeType},
		{s("a"), interval(1, 0), false},
		{m("x"), interval(1, 5), false},
		{m("T_1"), interval(1, 5), CodeType},
		{set(i(1), i(3)), Powerset(Naturals), true},
		{set(i(-1)), Powerset(Naturals), false},
		{i(1), Powerset(Naturals), CodeType},
		{m("x"), Powerset(Naturals), CodeType},
		{Naturals, Powerset(Integers), CodeType},
		{tup(i(1), i(2)), FunctionSet(interval(1, 2), Naturals), true},
		{tup(i(1)), FunctionSet(interval(1, 2), Naturals), false},
		{fun(s("a"), i(1)), FunctionSet(set(s("a")), Naturals), true},
		{fun(s("a"), i(1)), FunctionSet(Naturals, Naturals), CodeIncomparable},
		{i(1), FunctionSet(interval(1, 2), Naturals), CodeType},
		{m("x"), FunctionSet(interval(1, 2), Naturals), false},
		{fun(s("a"), i(1), s("b"), s("x")), recordSet, true},
		{fun(s("a"), i(1), s("c"), s("x")), recordSet, false},
		{fun(s("a"), i(1)), recordSet, false},
		{fun(s("a"), s("x"), s("b"), s("x")), recordSet, CodeType},
		{tup(), recordSet, false},
		{tup(i(1)), recordSet, CodeType},
		{tup(i(1), s("a")), Product(Naturals, Strings), true},
		{tup(i(1)), Product(Naturals, Strings), false},
		{fun(i(2), i(1)), Product(Naturals, Strings), false},
		{fun(s("a"), i(1)), Product(Naturals, Strings), CodeType},
		{tup(i(1), i(1)), Sequences(set(i(1))), true},
		{tup(i(1), i(2)), Sequences(set(i(1))), false},
		{tup(i(1), i(1)), BoundedSequences(set(i(1)), 1), false},
		{fun(i(2), i(1)), Sequences(set(i(1))), CodeType},
		{i(3), Union(set(i(-1)), Naturals), true},
		{i(-2), Union(set(i(-1)), Naturals), false},
		{i(0), Difference(Naturals, set(i(0))), false},
		{i(2), Intersect(Naturals, Integers), true},
		{i(4), UnionOf(set(interval(1, 2), interval(4, 5))), true},
		{i(4), Filter(Naturals, func(x Value) bool { return Mod(x, i(2)) == i(0) }), true},
		{i(5), Filter(Naturals, func(x Value) bool { return Mod(x, i(2)) == i(0) }), false},
	} {
		var got any
		if code := codeOf(func() { got = Member(c.x, c.set) }); code != "" {
			got = code
		}
		if got != c.want {
			t.Errorf("%s \\in %s is %v, not %v", brief(c.x), brief(c.set), got, c.want)
		}
	}
}
