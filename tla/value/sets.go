package value

import (
	"math"
	"math/big"
	"math/bits"
)

// reducible tells whether TLC carries out \cup, \cap and \ with this set at once; with any other set they stay lazy.
func reducible(s Value) bool {
	switch s.(type) {
	case *Set, *Range:
		return true
	}
	return false
}

// Union is a \cup b. Of two enumerated sets it is one; with a lazy set it is lazy.
func (w *Work) Union(a, b Value) Value {
	needSet(a, `\cup`)
	needSet(b, `\cup`)
	if !reducible(a) && reducible(b) {
		a, b = b, a
	}
	if !reducible(a) {
		return combine(opCup, a, b)
	}
	if isEmpty(a) {
		return b
	}
	if !reducible(b) {
		return combine(opCup, a, b)
	}
	return w.unite(w.enumerated(a), w.enumerated(b))
}

func isEmpty(s Value) bool {
	switch s := s.(type) {
	case *Set:
		return len(s.elems) == 0
	case *Range:
		return s.hi < s.lo
	}
	return false
}

func (w *Work) unite(a, b *Set) Value {
	if len(b.elems) == 0 {
		return a
	}
	if len(b.elems) == 1 {
		return w.insert(a, b.elems[0], b)
	}
	if len(a.elems) == 1 {
		return w.insert(b, a.elems[0], a)
	}
	x, y := a.elems, b.elems
	w.Spend(len(x) + len(y))
	out := make([]Value, 0, len(x)+len(y))
	for len(x) > 0 && len(y) > 0 {
		switch c := w.Compare(x[0], y[0]); {
		case c < 0:
			out, x = append(out, x[0]), x[1:]
		case c > 0:
			out, y = append(out, y[0]), y[1:]
		default:
			out, x, y = append(out, x[0]), x[1:], y[1:]
		}
	}
	out = append(append(out, x...), y...)
	tooMany(len(out))
	switch len(out) {
	case len(a.elems):
		return a
	case len(b.elems):
		return b
	}
	return &Set{elems: out}
}

// insert is s \cup {x}.
func (w *Work) insert(s *Set, x Value, single *Set) Value {
	if len(s.elems) == 0 {
		return single
	}
	lo, hi := 0, len(s.elems)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch c := w.Compare(x, s.elems[mid]); {
		case c == 0:
			return s
		case c < 0:
			hi = mid
		default:
			lo = mid + 1
		}
	}
	out := makeSet(len(s.elems) + 1)
	copy(out.elems, s.elems[:lo])
	out.elems[lo] = x
	copy(out.elems[lo+1:], s.elems[lo:])
	return out
}

// Intersect is a \cap b.
func (w *Work) Intersect(a, b Value) Value {
	needSet(a, `\cap`)
	needSet(b, `\cap`)
	if _, ok := a.(*Range); ok && reducible(b) {
		a, b = b, a // an interval may be long
	}
	switch {
	case reducible(a):
		return w.keep(w.enumerated(a), b, true)
	case reducible(b):
		return w.keep(w.enumerated(b), a, true)
	}
	return combine(opCap, a, b)
}

// Difference is a \ b.
func (w *Work) Difference(a, b Value) Value {
	needSet(a, `\`)
	needSet(b, `\`)
	if reducible(a) {
		return w.keep(w.enumerated(a), b, false)
	}
	return combine(opDiff, a, b)
}

func combine(op byte, a, b Value) Value {
	return &Combined{op: op, a: a, b: b, cached: nested(a, b)}
}

// keep is the elements of a that are, or are not, in b.
func (w *Work) keep(a *Set, b Value, in bool) Value {
	if len(a.elems) <= 64 {
		return w.keepSmall(a, b, in)
	}
	w.Spend(len(a.elems))
	var out *Set
	n := 0
	for i, e := range a.elems {
		if w.Member(e, b) == in {
			if out != nil {
				out.elems[n] = e
			}
			n++
		} else if out == nil {
			out = &Set{elems: make([]Value, len(a.elems)-1)}
			copy(out.elems, a.elems[:i])
		}
	}
	switch {
	case out == nil:
		return a
	case n == 0:
		return emptySet
	}
	out.elems = out.elems[:n:n]
	return out
}

// keepSmall is keep for at most 64 elements: it makes the set in its final size.
func (w *Work) keepSmall(a *Set, b Value, in bool) Value {
	var kept uint64
	for i, e := range a.elems {
		if w.Member(e, b) == in {
			kept |= 1 << i
		}
	}
	n := bits.OnesCount64(kept)
	if n == len(a.elems) {
		return a
	}
	out := makeSet(n)
	for i := range out.elems {
		out.elems[i] = a.elems[bits.TrailingZeros64(kept)]
		kept &= kept - 1
	}
	return out
}

// UnionOf is UNION s.
func (w *Work) UnionOf(s Value) Value {
	needSet(s, "UNION")
	set, ok := s.(*Set)
	if !ok {
		return &UnionSet{of: s, cached: nested(s)}
	}
	total := 0
	for _, e := range set.elems {
		e, ok := e.(*Set)
		if !ok {
			return &UnionSet{of: s, cached: nested(s)}
		}
		total += len(e.elems)
		tooMany(total)
	}
	switch len(set.elems) {
	case 0:
		return emptySet
	case 1:
		return set.elems[0]
	}
	out := make([]Value, 0, total)
	for _, e := range set.elems {
		out = append(out, e.(*Set).elems...)
	}
	return w.NewSet(out)
}

func needSet(s Value, op string) {
	if s.Kind() != KindSet {
		Raise(CodeType, "an operand of %s is not a set but %s: %s", op, s.Kind(), brief(s))
	}
}

// Subset is a \subseteq b. The elements of a are enumerated, so that a must not be infinite.
func (w *Work) Subset(a, b Value) bool {
	switch x := a.(type) {
	case *Range:
		if y, ok := b.(*Range); ok && y.lo <= x.lo && y.hi >= x.hi {
			return true
		}
	case *Subsets:
		if y, ok := b.(*Subsets); ok && enumerable(x.of) {
			return w.Subset(x.of, y.of)
		}
	}
	needSet(b, `\subseteq`)
	return w.Enumerate(a, func(e Value) bool { return w.Member(e, b) })
}

// Cardinality is the number of elements of a set. It raises for an infinite one.
func (w *Work) Cardinality(s Value) Value {
	if !w.IsFinite(s) {
		Raise(CodeNotEnumerable, "the infinite set %s has no cardinality", brief(s))
	}
	switch s := s.(type) {
	case *Range:
		if n := s.len(); n < math.MaxInt64 {
			return NewInt(n)
		}
		return Add(Sub(NewInt(s.hi), NewInt(s.lo)), NewInt(1))
	case *Subsets:
		return Pow(NewInt(2), w.Cardinality(s.of))
	case *Functions:
		n, m := w.Cardinality(s.domain), w.Cardinality(s.codomain)
		if n == Value(Int(0)) {
			return NewInt(1)
		}
		return Pow(m, n)
	case *Records:
		return w.cardinalityOfProduct(s.sets)
	case *Tuples:
		return w.cardinalityOfProduct(s.sets)
	}
	return NewInt(int64(len(w.Elements(s))))
}

func (w *Work) cardinalityOfProduct(sets []Value) Value {
	n := new(big.Int).SetInt64(1)
	for _, s := range sets {
		n.Mul(n, integer(w.Cardinality(s)))
	}
	return NewBig(n)
}

// IsFinite tells whether a set is finite. It raises CodeType for what is no set, and CodeNotEnumerable when it cannot tell, as for {x \in Nat : p(x)}.
func (w *Work) IsFinite(s Value) bool {
	switch s := s.(type) {
	case *Set:
		return true
	case Infinite:
		return false
	case lazySet:
		return s.isFinite(w)
	}
	needSet(s, "IsFiniteSet")
	return false
}

func (r *Range) isFinite(w *Work) bool     { return true }
func (p *Subsets) isFinite(w *Work) bool   { return w.IsFinite(p.of) }
func (f *Functions) isFinite(w *Work) bool { return w.IsFinite(f.domain) && w.IsFinite(f.codomain) }
func (r *Records) isFinite(w *Work) bool   { return w.allFinite(r.sets) }
func (t *Tuples) isFinite(w *Work) bool    { return w.allFinite(t.sets) }
func (s *SequenceSet) isFinite(w *Work) bool {
	return s.most >= 0 && w.IsFinite(s.of)
}

func (w *Work) allFinite(sets []Value) bool {
	for _, s := range sets {
		if !w.IsFinite(s) {
			return false
		}
	}
	return true
}

func (u *UnionSet) isFinite(w *Work) bool {
	return w.Enumerate(u.of, w.IsFinite)
}

func (f *Filtered) isFinite(w *Work) bool {
	if !w.IsFinite(f.of) {
		Raise(CodeNotEnumerable, "cannot tell whether %s is finite", brief(f))
	}
	return true
}

func (c *Combined) isFinite(w *Work) bool {
	a := w.IsFinite(c.a)
	switch c.op {
	case opCup:
		return a && w.IsFinite(c.b)
	case opCap:
		if a || w.IsFinite(c.b) {
			return true
		}
	default:
		if a {
			return true
		}
		if w.IsFinite(c.b) {
			return false
		}
	}
	Raise(CodeNotEnumerable, "cannot tell whether %s is finite", brief(c))
	return false
}
