package value

// Member is x \in s. It raises CodeType when s is no set, and CodeIncomparable or CodeType where TLC refuses to decide, as for 1 \in {"a"}.
func (w *Work) Member(x, s Value) bool {
	switch s := s.(type) {
	case *Set:
		return w.memberOf(x, s.elems)
	case Infinite:
		return memberOfInfinite(x, s)
	case lazySet:
		return s.member(w, x)
	}
	Raise(CodeType, "%s was used as a set: %s", s.Kind(), brief(s))
	return false
}

// MemberOfList is x \in {elems...} as TLC evaluates it for a set that is written out and has not yet been sorted: it compares x with one after the other, and
// so does not notice that later ones could not be compared with it.
func (w *Work) MemberOfList(x Value, elems []Value) bool {
	w.Spend(len(elems))
	for _, e := range elems {
		if w.Equal(e, x) {
			return true
		}
	}
	return false
}

func (w *Work) memberOf(x Value, sorted []Value) bool { return w.search(sorted, x) >= 0 }

// search is the place of x in a sorted list, or -1.
func (w *Work) search(sorted []Value, x Value) int {
	lo, hi := 0, len(sorted)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch c := w.Compare(x, sorted[mid]); {
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

func (r *Range) member(w *Work, x Value) bool {
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

func (p *Subsets) member(w *Work, x Value) bool {
	if !enumerable(x) {
		refuseMember(x, p)
	}
	return w.Enumerate(x, func(e Value) bool { return w.Member(e, p.of) })
}

func (f *Functions) member(w *Work, x Value) bool {
	vals, ok := w.functionVals(x)
	if !ok {
		return modelMember(x, f)
	}
	return w.Equal(f.domain, Domain(x)) && w.all(vals, f.codomain)
}

// functionVals are the values of a function in the order of its domain.
func (w *Work) functionVals(f Value) (vals []Value, ok bool) {
	switch f := f.(type) {
	case *Tuple:
		return f.elems, true
	case *Record:
		return f.vals, true
	case *Function:
		return f.vals, true
	case *Lambda:
		return w.functionVals(f.normal(w))
	}
	return nil, false
}

func (w *Work) all(elems []Value, s Value) bool {
	w.Spend(len(elems))
	for _, e := range elems {
		if !w.Member(e, s) {
			return false
		}
	}
	return true
}

func (r *Records) member(w *Work, x Value) bool {
	if l, ok := x.(*Lambda); ok {
		x = l.normal(w)
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
		if !equalText(rec.shape.texts[i], r.shape.texts[i]) || !w.Member(rec.vals[i], s) {
			return false
		}
	}
	return true
}

func (t *Tuples) member(w *Work, x Value) bool {
	tuple, is := w.tupleMember(x, t)
	if !is || len(tuple.elems) != len(t.sets) {
		return false
	}
	for i, s := range t.sets {
		if !w.Member(tuple.elems[i], s) {
			return false
		}
	}
	return true
}

// tupleMember gives x as a tuple. A function on other integers than 1..n is none; for anything else, TLC refuses to decide.
func (w *Work) tupleMember(x, s Value) (*Tuple, bool) {
	if l, ok := x.(*Lambda); ok {
		x = l.normal(w)
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

func (s *SequenceSet) member(w *Work, x Value) bool {
	if l, ok := x.(*Lambda); ok {
		x = l.normal(w)
	}
	t, ok := x.(*Tuple)
	if !ok {
		return modelMember(x, s)
	}
	return (s.most < 0 || len(t.elems) <= s.most) && w.all(t.elems, s.of)
}

func (u *UnionSet) member(w *Work, x Value) bool {
	return !w.Enumerate(u.of, func(s Value) bool { return !w.Member(x, s) })
}

func (f *Filtered) member(w *Work, x Value) bool { return w.Member(x, f.of) && f.holds(x) }

func (c *Combined) member(w *Work, x Value) bool {
	switch c.op {
	case opCup:
		return w.Member(x, c.a) || w.Member(x, c.b)
	case opCap:
		return w.Member(x, c.a) && w.Member(x, c.b)
	default:
		return w.Member(x, c.a) && !w.Member(x, c.b)
	}
}
