package value

import (
	"slices"
)

// The order is TLC's: FALSE before TRUE; integers by size; strings as text.go says; sets first by their number of elements, then by their elements in
// turn; functions (tuples and records are functions) first by the size of their domain, then by the elements of the domain, then by the values; an
// untyped model value before everything that is none. Other pairs of values of different kinds have no order, and no equality either: there, both
// Compare and Equal raise CodeIncomparable, but, like TLC, only when they get that far: <<1, 2>> = <<1>> is FALSE, and so is <<1, 2>> = <<2, "a">>.

// Compare is below 0, 0 or above 0 as a is before, equal to, or after b. It raises CodeIncomparable for values that TLC does not compare.
func (w *Work) Compare(a, b Value) int { return w.compare(a, b, 0) }

// Equal is a = b. It raises CodeIncomparable for values that TLC does not compare.
func (w *Work) Equal(a, b Value) bool { return w.equal(a, b, 0) }

func (w *Work) compare(a, b Value, depth int) int {
	switch x := a.(type) {
	case Int:
		switch y := b.(type) {
		case Int:
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		case *Big:
			return -y.n.Sign()
		}
	case *Str:
		if y, ok := b.(*Str); ok {
			return compareText(x, y)
		}
	case *Model:
		return compareModel(x, b)
	case Bool:
		if y, ok := b.(Bool); ok {
			switch {
			case x == y:
				return 0
			case bool(y):
				return -1
			}
			return 1
		}
	case *Set:
		if y, ok := b.(*Set); ok {
			if x == y {
				return 0
			}
			if len(x.elems) != len(y.elems) {
				return len(x.elems) - len(y.elems)
			}
			return w.compareAll(x.elems, y.elems, depth)
		}
	case *Tuple:
		if y, ok := b.(*Tuple); ok {
			if x == y {
				return 0
			}
			if len(x.elems) != len(y.elems) {
				return len(x.elems) - len(y.elems)
			}
			return w.compareAll(x.elems, y.elems, depth)
		}
	case *Record:
		if y, ok := b.(*Record); ok {
			if x == y {
				return 0
			}
			if x.shape == y.shape {
				return w.compareAll(x.vals, y.vals, depth)
			}
		}
	case *Big:
		switch y := b.(type) {
		case Int:
			return x.n.Sign()
		case *Big:
			return x.n.Cmp(y.n)
		}
	}
	return w.compareOther(a, b, depth)
}

func (w *Work) compareAll(a, b []Value, depth int) int {
	tooDeep(depth)
	w.Spend(len(a))
	for i, x := range a {
		if c := w.compare(x, b[i], depth+1); c != 0 {
			return c
		}
	}
	return 0
}

func compareModel(x *Model, b Value) int {
	y, ok := b.(*Model)
	if !ok {
		if x.Type != 0 {
			refuse(x, b)
		}
		return -1
	}
	if x.Type != 0 && y.Type != 0 && x.Type != y.Type {
		refuse(x, b)
	}
	return compareText(x.text, y.text)
}

// compareOther compares what compare itself has no quick way for: different kinds, different domains, lazy values.
func (w *Work) compareOther(a, b Value, depth int) int {
	tooDeep(depth)
	if y, ok := b.(*Model); ok {
		if y.Type != 0 {
			refuse(a, b)
		}
		return 1
	}
	if a.Kind() == KindSet && b.Kind() == KindSet {
		return w.compareSets(a, b, depth)
	}
	if l, ok := a.(*Lambda); ok {
		return w.compare(l.normal(w), b, depth+1)
	}
	if l, ok := b.(*Lambda); ok {
		return w.compare(a, l.normal(w), depth+1)
	}
	av, aok := w.functionVals(a)
	bv, bok := w.functionVals(b)
	if !aok || !bok {
		refuse(a, b)
	}
	if len(av) != len(bv) {
		return len(av) - len(bv)
	}
	if c := w.compareDomains(a, b, depth); c != 0 {
		return c
	}
	return w.compareAll(av, bv, depth)
}

// compareDomains compares the domains of two functions, which are of the same size.
func (w *Work) compareDomains(a, b Value, depth int) int {
	if shapeless(a) == shapeless(b) && shapeless(a) != nil {
		return 0
	}
	x, y := w.Elements(Domain(a)), w.Elements(Domain(b))
	return w.compareAll(x, y, depth)
}

func shapeless(f Value) *Shape {
	switch f := f.(type) {
	case *Record:
		return f.shape
	case *Function:
		return f.shape
	}
	return nil
}

// compareSets compares two sets of which at least one is not enumerated.
func (w *Work) compareSets(a, b Value, depth int) int {
	x, xinf := a.(Infinite)
	y, yinf := b.(Infinite)
	if xinf || yinf {
		switch {
		case xinf && yinf && x == y && x != AnyValue:
			return 0
		case xinf && yinf && x <= Integers && y <= Integers:
			return int(x) - int(y) // Nat before Int
		}
		refuse(a, b)
	}
	if c, ok := w.compareWithRange(a, b, depth); ok {
		return c
	}
	if s, ok := a.(*SequenceSet); ok {
		if t, ok := b.(*SequenceSet); ok {
			if s.most < 0 && t.most < 0 {
				return w.compare(s.of, t.of, depth+1)
			}
		}
		if s.most < 0 {
			refuse(a, b)
		}
	}
	if t, ok := b.(*SequenceSet); ok && t.most < 0 {
		refuse(a, b)
	}
	if c := w.compareSizes(a, b); c != 0 {
		return c
	}
	return w.compare(w.enumerated(a), w.enumerated(b), depth+1)
}

// compareWithRange compares two sets of which one is an interval and the other an interval or enumerated.
func (w *Work) compareWithRange(a, b Value, depth int) (c int, ok bool) {
	switch x := a.(type) {
	case *Range:
		switch y := b.(type) {
		case *Range:
			return compareRanges(x, y), true
		case *Set:
			return w.compareRangeSet(x, y, depth), true
		}
	case *Set:
		if y, ok := b.(*Range); ok {
			return -w.compareRangeSet(y, x, depth), true
		}
	}
	return 0, false
}

func (w *Work) compareRangeSet(a *Range, b *Set, depth int) int {
	if n, m := a.len(), int64(len(b.elems)); n < m {
		return -1
	} else if n > m {
		return 1
	}
	w.Spend(len(b.elems))
	for i, e := range b.elems {
		if c := w.compare(Int(a.lo+int64(i)), e, depth+1); c != 0 {
			return c
		}
	}
	return 0
}

// compareSizes compares the sizes of two sets, when both can be told without writing the sets out; it is 0 otherwise.
func (w *Work) compareSizes(a, b Value) int {
	if !sized(a) || !sized(b) {
		return 0
	}
	return w.Compare(w.Cardinality(a), w.Cardinality(b))
}

func sized(s Value) bool {
	switch s := s.(type) {
	case *Set, *Range:
		return true
	case *Subsets:
		return sized(s.of)
	case *Functions:
		return sized(s.domain) && sized(s.codomain)
	case *Records:
		return !slices.ContainsFunc(s.sets, func(s Value) bool { return !sized(s) })
	case *Tuples:
		return !slices.ContainsFunc(s.sets, func(s Value) bool { return !sized(s) })
	}
	return false
}

func compareRanges(a, b *Range) int {
	n, m := uint64(a.len()), uint64(b.len())
	switch {
	case n < m:
		return -1
	case n > m:
		return 1
	case n == 0 || a.lo == b.lo:
		return 0
	case a.lo < b.lo:
		return -1
	}
	return 1
}

func refuse(a, b Value) {
	Raise(CodeIncomparable, "%s %s cannot be compared with %s %s", a.Kind(), brief(a), b.Kind(), brief(b))
}

func (w *Work) equal(a, b Value, depth int) bool {
	switch x := a.(type) {
	case Int:
		switch y := b.(type) {
		case Int:
			return x == y
		case *Big:
			return false
		}
	case *Str:
		if y, ok := b.(*Str); ok {
			return equalText(x, y)
		}
	case Bool:
		if y, ok := b.(Bool); ok {
			return x == y
		}
	case *Model:
		if y, ok := b.(*Model); ok && (x.Type == y.Type || x.Type == 0 || y.Type == 0) {
			return x == y
		}
		return compareModel(x, b) == 0
	case *Set:
		if y, ok := b.(*Set); ok {
			return x == y || len(x.elems) == len(y.elems) && w.equalAll(x.elems, y.elems, depth)
		}
	case *Tuple:
		if y, ok := b.(*Tuple); ok {
			return x == y || len(x.elems) == len(y.elems) && w.equalAll(x.elems, y.elems, depth)
		}
	case *Record:
		if y, ok := b.(*Record); ok {
			return x == y || (x.shape == y.shape || x.shape.equal(w, y.shape, depth)) && w.equalAll(x.vals, y.vals, depth)
		}
	case *Function:
		if y, ok := b.(*Function); ok {
			return x == y || (x.shape == y.shape || x.shape.equal(w, y.shape, depth)) && w.equalAll(x.vals, y.vals, depth)
		}
	case *Functions:
		if y, ok := b.(*Functions); ok {
			return w.equalFunctionSets(x, y, depth)
		}
	case *Subsets:
		if y, ok := b.(*Subsets); ok {
			return w.equal(x.of, y.of, depth+1)
		}
	case *Records:
		if y, ok := b.(*Records); ok && (x == y || x.shape == y.shape && w.equalAll(x.sets, y.sets, depth)) {
			return true
		}
	case *Tuples:
		if y, ok := b.(*Tuples); ok && (x == y || len(x.sets) == len(y.sets) && w.equalAll(x.sets, y.sets, depth)) {
			return true
		}
	}
	return w.compare(a, b, depth) == 0
}

// equal tells whether two domains are.
func (s *Shape) equal(w *Work, t *Shape, depth int) bool {
	return len(s.args) == len(t.args) && w.equalAll(s.args, t.args, depth)
}

func (w *Work) equalAll(a, b []Value, depth int) bool {
	tooDeep(depth)
	w.Spend(len(a))
	for i, x := range a {
		if !w.equal(x, b[i], depth+1) {
			return false
		}
	}
	return true
}

// equalFunctionSets compares [D -> R] with [E -> S] without writing them out where it can.
func (w *Work) equalFunctionSets(x, y *Functions, depth int) bool {
	if x == y {
		return true
	}
	if w.equal(x.domain, y.domain, depth+1) {
		if w.equal(x.codomain, y.codomain, depth+1) {
			return true
		}
		// With different sets of values there are different functions, unless there is no argument to map to them.
		return enumerable(x.domain) && len(w.Elements(x.domain)) == 0
	}
	// Functions on different domains differ, but there may be none on either.
	return w.noFunctions(x) && w.noFunctions(y)
}

func (w *Work) noFunctions(f *Functions) bool {
	return enumerable(f.codomain) && len(w.Elements(f.codomain)) == 0 && !(enumerable(f.domain) && len(w.Elements(f.domain)) == 0)
}
