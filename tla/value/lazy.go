package value

import (
	"math"
	"strings"
	"sync/atomic"
)

// lazySet is a set that is known without its elements being written down. All but *Range and Infinite are.
type lazySet interface {
	Value
	normal(w *Work) *Set                            // the enumerated set; raises when infinite or too large
	enumerate(w *Work, yield func(Value) bool) bool // in TLC's order; may repeat elements
	member(w *Work, x Value) bool
	isFinite(w *Work) bool
	print(p *printer)
}

// Infinite is one of the infinite sets that have a name.
type Infinite uint8

// The infinite sets.
const (
	Naturals Infinite = iota // Nat
	Integers                 // Int
	Reals                    // Real, which holds the integers: there are no other numbers
	Strings                  // STRING
	AnyValue                 // ANY of the module TLC: everything is a member
)

type (
	// Range is lo..hi; empty when hi < lo.
	Range struct {
		lo, hi int64
		cache  atomic.Pointer[Set]
		memo
	}
	// Subsets is SUBSET of a set.
	Subsets struct {
		of Value
		cached
	}
	// Functions is [domain -> range].
	Functions struct {
		domain, codomain Value
		cached
	}
	// Records is [a : A, b : B]. The sets are in the order of the shape.
	Records struct {
		shape *Shape
		sets  []Value
		cached
	}
	// Tuples is A \X B.
	Tuples struct {
		sets []Value
		cached
	}
	// UnionSet is UNION of a set of sets.
	UnionSet struct {
		of Value
		cached
	}
	// Combined is a \cup b, a \cap b or a \ b of sets of which at least one is lazy.
	Combined struct {
		op   byte // one of opCup, opCap, opDiff
		a, b Value
		cached
	}
	// Filtered is {x \in of : holds(x)}.
	Filtered struct {
		of    Value
		holds func(Value) bool
		cached
	}
	// SequenceSet is Seq(of), or, when most is not negative, the sequences of at most that length.
	SequenceSet struct {
		of   Value
		most int
		cached
	}
	// Lambda is [x \in domain |-> apply(x)], not yet evaluated.
	Lambda struct {
		domain Value
		apply  func(Value) Value
		except *exception
		cache  atomic.Pointer[Value]
	}
	// exception is what EXCEPT did to a Lambda, the latest first.
	exception struct {
		arg, val Value
		before   *exception
	}
)

const (
	opCup  = 'u'
	opCap  = 'n'
	opDiff = '\\'
)

// cached is the enumerated form of a lazy set, once somebody needed it.
type cached struct {
	set   atomic.Pointer[Set]
	depth int32 // of lazy sets inside lazy sets
}

// nested is the cached of a lazy set made of these. It bounds how deep the recursion through them can get.
func nested(sets ...Value) cached {
	depth := int32(0)
	for _, s := range sets {
		if l, ok := s.(interface{ nesting() int32 }); ok {
			depth = max(depth, l.nesting())
		}
	}
	tooDeep(int(depth) + 1)
	return cached{depth: depth + 1}
}

func (c *cached) nesting() int32 { return c.depth }

// Interval is lo..hi of two integers.
func Interval(lo, hi Value) *Range {
	return &Range{lo: bound(lo, "first"), hi: bound(hi, "second")}
}

func bound(v Value, which string) int64 {
	n, ok := v.(Int)
	if !ok {
		if _, big := v.(*Big); big {
			Raise(CodeTooLarge, "the %s bound of an interval has more than 64 bits: %s", which, brief(v))
		}
		Raise(CodeType, "the %s operand of .. is not an integer but %s: %s", which, v.Kind(), brief(v))
	}
	return int64(n)
}

// Bounds are lo and hi of lo..hi.
func (r *Range) Bounds() (lo, hi int64) { return r.lo, r.hi }

// Powerset is SUBSET s.
func Powerset(s Value) *Subsets { return &Subsets{of: s, cached: nested(s)} }

// Of is the set of which it has the subsets.
func (p *Subsets) Of() Value { return p.of }

// FunctionSet is [domain -> codomain].
func FunctionSet(domain, codomain Value) *Functions {
	return &Functions{domain: domain, codomain: codomain, cached: nested(domain, codomain)}
}

// Sets are the domain and the set of the values.
func (f *Functions) Sets() (domain, codomain Value) { return f.domain, f.codomain }

// RecordSet is [field : set, ...], the sets in the order of the shape. It keeps the slice.
func RecordSet(shape *Shape, sets []Value) *Records {
	if len(sets) != len(shape.args) || shape.texts == nil {
		Raise(CodeInternal, "%d sets for a record of %d fields", len(sets), shape.Len())
	}
	return &Records{shape: shape, sets: sets, cached: nested(sets...)}
}

// Product is the set of tuples of elements of the sets. It keeps the slice.
func Product(sets ...Value) *Tuples { return &Tuples{sets: sets, cached: nested(sets...)} }

// Sequences is Seq(s).
func Sequences(s Value) *SequenceSet { return &SequenceSet{of: s, most: -1, cached: nested(s)} }

// BoundedSequences is the set of the sequences over s that have at most n elements.
func BoundedSequences(s Value, n int) *SequenceSet {
	return &SequenceSet{of: s, most: max(0, n), cached: nested(s)}
}

// Filter is {x \in s : holds(x)}, evaluated when needed. The function must give the same answers at any time and in any goroutine.
func Filter(s Value, holds func(Value) bool) *Filtered {
	return &Filtered{of: s, holds: holds, cached: nested(s)}
}

// LazyFunction is [x \in domain |-> apply(x)], evaluated when needed. The function must give the same answers at any time and in any
// goroutine; it is called for elements of the domain only.
func LazyFunction(domain Value, apply func(Value) Value) *Lambda {
	return &Lambda{domain: domain, apply: apply}
}

// Kind is KindSet for all lazy sets.
func (Infinite) Kind() Kind { return KindSet }

// Kind is KindSet.
func (*Range) Kind() Kind { return KindSet }

// Kind is KindSet.
func (*Subsets) Kind() Kind { return KindSet }

// Kind is KindSet.
func (*Functions) Kind() Kind { return KindSet }

// Kind is KindSet.
func (*Records) Kind() Kind { return KindSet }

// Kind is KindSet.
func (*Tuples) Kind() Kind { return KindSet }

// Kind is KindSet.
func (*UnionSet) Kind() Kind { return KindSet }

// Kind is KindSet.
func (*Combined) Kind() Kind { return KindSet }

// Kind is KindSet.
func (*Filtered) Kind() Kind { return KindSet }

// Kind is KindSet.
func (*SequenceSet) Kind() Kind { return KindSet }

// Kind is KindFunction.
func (*Lambda) Kind() Kind { return KindFunction }

func (Infinite) closed()     {}
func (*Range) closed()       {}
func (*Lambda) closed()      {}
func (*Subsets) closed()     {}
func (*Functions) closed()   {}
func (*Records) closed()     {}
func (*Tuples) closed()      {}
func (*UnionSet) closed()    {}
func (*Combined) closed()    {}
func (*Filtered) closed()    {}
func (*SequenceSet) closed() {}

// String is the name of the set.
func (i Infinite) String() string {
	return strings.Split("Nat Int Real STRING ANY", " ")[i]
}

// of remembers the enumerated form.
func (c *cached) of(w *Work, s lazySet) *Set {
	if set := c.set.Load(); set != nil {
		return set
	}
	set := w.collect(s)
	c.set.Store(set)
	return set
}

func (w *Work) collect(s lazySet) *Set {
	var elems []Value
	if sized(s) {
		n, ok := w.Cardinality(s).(Int)
		if !ok || n > MaxElements {
			tooMany(MaxElements + 1)
		}
		elems = make([]Value, 0, n)
	}
	s.enumerate(w, func(v Value) bool {
		w.Spend(1)
		elems = append(elems, v)
		tooMany(len(elems))
		return true
	})
	return w.NewSet(elems)
}

// len is the number of elements, or math.MaxInt64 when it is larger than that.
func (r *Range) len() int64 {
	if r.hi < r.lo {
		return 0
	}
	if n := uint64(r.hi) - uint64(r.lo); n < math.MaxInt64 {
		return int64(n) + 1
	}
	return math.MaxInt64
}

func (r *Range) normal(w *Work) *Set {
	if set := r.cache.Load(); set != nil {
		return set
	}
	n := r.size()
	elems := make([]Value, n)
	for i := range elems {
		w.Spend(1)
		elems[i] = NewInt(r.lo + int64(i))
	}
	set := SetOfSorted(elems)
	r.cache.Store(set)
	return set
}

// size is the number of elements, which must not be above MaxElements.
func (r *Range) size() int {
	n := r.len()
	if n > MaxElements {
		tooMany(MaxElements + 1)
	}
	return int(n)
}

// fingerprint is that of the enumerated set.
func (r *Range) fingerprint(w *Work) uint64 {
	if h := r.memo.hash.Load(); h != 0 {
		return h
	}
	n := r.size()
	w.Spend(n)
	h := uint64(seedSet) ^ uint64(n)
	for i := r.lo; n > 0; i, n = i+1, n-1 {
		h = step(h, mix(uint64(i)+seedInt))
	}
	return r.memo.keep(mix(h))
}

func (r *Range) enumerate(w *Work, yield func(Value) bool) bool {
	if r.hi < r.lo {
		return true
	}
	for i := r.lo; ; i++ {
		w.Spend(1)
		if !yield(NewInt(i)) {
			return false
		}
		if i == r.hi {
			return true
		}
	}
}

func (p *Subsets) normal(w *Work) *Set     { return p.cached.of(w, p) }
func (f *Functions) normal(w *Work) *Set   { return f.cached.of(w, f) }
func (r *Records) normal(w *Work) *Set     { return r.cached.of(w, r) }
func (p *Tuples) normal(w *Work) *Set      { return p.cached.of(w, p) }
func (u *UnionSet) normal(w *Work) *Set    { return u.cached.of(w, u) }
func (c *Combined) normal(w *Work) *Set    { return c.cached.of(w, c) }
func (f *Filtered) normal(w *Work) *Set    { return f.cached.of(w, f) }
func (s *SequenceSet) normal(w *Work) *Set { return s.cached.of(w, s) }

// normal is the function written out.
func (f *Lambda) normal(w *Work) Value {
	if v := f.cache.Load(); v != nil {
		return *v
	}
	args := w.Elements(f.domain)
	vals := make([]Value, len(args))
	for i, a := range args {
		vals[i] = f.at(w, a)
	}
	v := functionOf(args, vals)
	f.cache.Store(&v)
	return v
}

// lookup is the value for x, if x is in the domain.
func (f *Lambda) lookup(w *Work, x Value) (Value, bool) {
	if v := f.cache.Load(); v != nil {
		return w.lookup(*v, x)
	}
	if !w.Member(x, f.domain) {
		return nil, false
	}
	return f.at(w, x), true
}

// at is the value for an element of the domain.
func (f *Lambda) at(w *Work, x Value) Value {
	for e := f.except; e != nil; e = e.before {
		w.Spend(1)
		if w.Equal(e.arg, x) {
			return e.val
		}
	}
	return f.apply(x)
}
