package value

// Member is x \in s. It raises CodeType when s is no set, and CodeIncomparable or CodeType where TLC refuses to decide, as for 1 \in {"a"}.
func Member(x, s Value) bool {
	switch s := s.(type) {
	case *Set:
		return memberOf(x, s.elems)
	case Infinite:
		return memberOfInfinite(x, s)
	case lazySet:
		return s.member(x)
	}
	Raise(CodeType, "%s was used as a set: %s", s.Kind(), brief(s))
	return false
}

// MemberOfList is x \in {elems...} as TLC evaluates it for a set that is written out and has not yet been sorted: it compares x with one after the other, and
// so does not notice that later ones could not be compared with it.
func MemberOfList(x Value, elems []Value) bool {
	for _, e := range elems {
		if Equal(e, x) {
			return true
		}
	}
	return false
}

func memberOf(x Value, sorted []Value) bool { return search(sorted, x) >= 0 }

// search is the place of x in a sorted list, or -1.
func search(sorted []Value, x Value) int {
	lo, hi := 0, len(sorted)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch c := Compare(x, sorted[mid]); {
		case c == 0:
			return mid
		case c < 0:
			hi = mid
		default:
			lo = mid + 1
		}
	}
	return -1
}

func memberOfInfinite(x Value, s Infinite) bool {
	if s == AnyValue {
		return true
	}
	switch x := x.(type) {
	case Int:
		if s != Strings {
			return s != Naturals || x >= 0
		}
	case *Big:
		if s != Strings {
			return s != Naturals || x.n.Sign() > 0
		}
	case *Str:
		if s == Strings {
			return true
		}
	case *Model:
		if x.Type == 0 {
			return false
		}
	}
	refuseMember(x, s)
	return false
}

func refuseMember(x, s Value) {
	Raise(CodeType, "cannot tell whether %s %s is an element of %s", x.Kind(), brief(x), brief(s))
}

// modelMember is x \in s for an x that is of another kind than all elements: FALSE for an untyped model value, an error for anything else.
func modelMember(x, s Value) bool {
	if m, ok := x.(*Model); !ok || m.Type != 0 {
		refuseMember(x, s)
	}
	return false
}

func (r *Range) member(x Value) bool {
	switch n := x.(type) {
	case Int:
		return r.lo <= int64(n) && int64(n) <= r.hi
	case *Big:
		return false
	}
	if r.hi < r.lo {
		return false
	}
	return modelMember(x, r)
}

func (p *Subsets) member(x Value) bool {
	if !enumerable(x) {
		refuseMember(x, p)
	}
	return Enumerate(x, func(e Value) bool { return Member(e, p.of) })
}

func (f *Functions) member(x Value) bool {
	vals, ok := functionVals(x)
	if !ok {
		return modelMember(x, f)
	}
	return Equal(f.domain, Domain(x)) && all(vals, f.codomain)
}

// functionVals are the values of a function in the order of its domain.
func functionVals(f Value) (vals []Value, ok bool) {
	switch f := f.(type) {
	case *Tuple:
		return f.elems, true
	case *Record:
		return f.vals, true
	case *Function:
		return f.vals, true
	case *Lambda:
		return functionVals(f.normal())
	}
	return nil, false
}

func all(elems []Value, s Value) bool {
	for _, e := range elems {
		if !Member(e, s) {
			return false
		}
	}
	return true
}

func (r *Records) member(x Value) bool {
	if l, ok := x.(*Lambda); ok {
		x = l.normal()
	}
	rec, ok := x.(*Record)
	if !ok {
		if t, ok := x.(*Tuple); ok && len(t.elems) == 0 {
			return false
		}
		return modelMember(x, r)
	}
	if len(rec.vals) != len(r.sets) {
		return false
	}
	for i, s := range r.sets {
		if !equalText(rec.shape.texts[i], r.shape.texts[i]) || !Member(rec.vals[i], s) {
			return false
		}
	}
	return true
}

func (t *Tuples) member(x Value) bool {
	tuple, is := tupleMember(x, t)
	if !is || len(tuple.elems) != len(t.sets) {
		return false
	}
	for i, s := range t.sets {
		if !Member(tuple.elems[i], s) {
			return false
		}
	}
	return true
}

// tupleMember gives x as a tuple. A function on other integers than 1..n is none; for anything else, TLC refuses to decide.
func tupleMember(x, s Value) (*Tuple, bool) {
	if l, ok := x.(*Lambda); ok {
		x = l.normal()
	}
	switch x := x.(type) {
	case *Tuple:
		return x, true
	case *Function:
		for _, a := range x.shape.args {
			if a.Kind() != KindInt {
				refuseMember(x, s)
			}
		}
		return nil, false
	}
	modelMember(x, s)
	return nil, false
}

func (s *SequenceSet) member(x Value) bool {
	if l, ok := x.(*Lambda); ok {
		x = l.normal()
	}
	t, ok := x.(*Tuple)
	if !ok {
		return modelMember(x, s)
	}
	return (s.most < 0 || len(t.elems) <= s.most) && all(t.elems, s.of)
}

func (u *UnionSet) member(x Value) bool {
	return !Enumerate(u.of, func(s Value) bool { return !Member(x, s) })
}

func (f *Filtered) member(x Value) bool { return Member(x, f.of) && f.holds(x) }

func (c *Combined) member(x Value) bool {
	switch c.op {
	case opCup:
		return Member(x, c.a) || Member(x, c.b)
	case opCap:
		return Member(x, c.a) && Member(x, c.b)
	default:
		return Member(x, c.a) && !Member(x, c.b)
	}
}
