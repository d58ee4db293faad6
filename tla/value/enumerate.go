package value

// Enumerate calls yield with the elements of a set in the order in which TLC enumerates it, until yield returns false; it then returns false too. A lazy
// union of sets that overlap yields the elements that they share more than once, as TLC does, which counts such a successor state as
// often. Infinite sets raise CodeNotEnumerable, other values CodeType.
func (w *Work) Enumerate(s Value, yield func(Value) bool) bool {
	switch s := s.(type) {
	case *Set:
		for _, e := range s.elems {
			w.Spend(1)
			if !yield(e) {
				return false
			}
		}
		return true
	case lazySet:
		return s.enumerate(w, yield)
	case Infinite:
		Raise(CodeNotEnumerable, "the elements of the infinite set %s cannot be enumerated", s)
	}
	Raise(CodeType, "%s was used as a set: %s", s.Kind(), brief(s))
	return false
}

// EnumerateSorted is Enumerate in the sorted order and without repetitions, as CHOOSE needs it. A powerset is not written out for it, nor are sets of
// functions, records and tuples of enumerated sets.
func (w *Work) EnumerateSorted(s Value, yield func(Value) bool) bool {
	if sortedAsEnumerated(s) {
		return w.Enumerate(s, yield)
	}
	for _, e := range w.Elements(s) {
		if !yield(e) {
			return false
		}
	}
	return true
}

func sortedAsEnumerated(s Value) bool {
	switch s := s.(type) {
	case *Set, *Range, *Subsets:
		return true
	case *Functions:
		return sortedAsEnumerated(s.codomain)
	case *Records:
		return allSorted(s.sets)
	case *Tuples:
		return allSorted(s.sets)
	case *Filtered:
		return sortedAsEnumerated(s.of)
	case *SequenceSet:
		return sortedAsEnumerated(s.of)
	}
	return false
}

func allSorted(sets []Value) bool {
	for _, s := range sets {
		if !sortedAsEnumerated(s) {
			return false
		}
	}
	return true
}

// Elements are the elements of a set, sorted and without doubles. Do not change them. It raises as Enumerate does, and CodeTooLarge above MaxElements.
func (w *Work) Elements(s Value) []Value {
	return w.enumerated(s).elems
}

// enumerated is the set with its elements written down.
func (w *Work) enumerated(s Value) *Set {
	switch s := s.(type) {
	case *Set:
		return s
	case lazySet:
		return s.normal(w)
	}
	w.Enumerate(s, nil) // raises: what is left is no set, or an infinite one
	return nil
}

// product calls yield with every choice of one element of each set, the last set's changing fastest. The slice that yield gets is its own.
func (w *Work) product(sets []Value, yield func([]Value) bool) bool {
	lists := make([][]Value, len(sets))
	for i, s := range sets {
		lists[i] = w.list(s)
		if len(lists[i]) == 0 {
			return true // the sets to the right need not be enumerable then
		}
	}
	at := make([]int, len(sets))
	for {
		w.Spend(len(sets))
		tuple := make([]Value, len(sets))
		for i, l := range lists {
			tuple[i] = l[at[i]]
		}
		if !yield(tuple) {
			return false
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(lists[i]) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return true
		}
	}
}

// list is all that Enumerate yields.
func (w *Work) list(s Value) []Value {
	if s, ok := s.(*Set); ok {
		return s.elems
	}
	if sortedAsEnumerated(s) {
		return w.Elements(s)
	}
	var l []Value
	w.Enumerate(s, func(v Value) bool {
		l = append(l, v)
		tooMany(len(l))
		return true
	})
	return l
}

func (t *Tuples) enumerate(w *Work, yield func(Value) bool) bool {
	return w.product(t.sets, func(elems []Value) bool { return yield(NewTuple(elems)) })
}

func (r *Records) enumerate(w *Work, yield func(Value) bool) bool {
	return w.product(r.sets, func(vals []Value) bool { return yield(&Record{shape: r.shape, vals: vals}) })
}

func (f *Functions) enumerate(w *Work, yield func(Value) bool) bool {
	args := w.Elements(f.domain)
	if len(args) == 0 {
		return yield(emptyTuple)
	}
	sets := make([]Value, len(args))
	for i := range sets {
		sets[i] = f.codomain
	}
	if first, ok := consecutive(args); ok && first == 1 {
		return w.product(sets, func(vals []Value) bool { return yield(NewTuple(vals)) })
	}
	shape := shapeOf(args)
	return w.product(sets, func(vals []Value) bool { return yield(ofShape(shape, vals)) })
}

// enumerate goes by size, and among the subsets of one size in the order of their elements: which is the order of sets.
func (p *Subsets) enumerate(w *Work, yield func(Value) bool) bool {
	elems := w.Elements(p.of)
	for k := range len(elems) + 1 {
		if !w.subsetsOfSize(elems, k, yield) {
			return false
		}
	}
	return true
}

// subsetsOfSize calls yield with the subsets that have k of the elements, sorted, until it returns false; it then returns false too.
func (w *Work) subsetsOfSize(elems []Value, k int, yield func(Value) bool) bool {
	n := len(elems)
	if k < 0 || k > n {
		return true
	}
	at := make([]int, k)
	for i := range at {
		at[i] = i
	}
	for {
		w.Spend(k + 1)
		s := makeSet(k)
		for i := range s.elems {
			s.elems[i] = elems[at[i]]
		}
		if !yield(s) {
			return false
		}
		i := k - 1
		for i >= 0 && at[i] == n-k+i {
			i--
		}
		if i < 0 {
			return true
		}
		at[i]++
		for i++; i < k; i++ {
			at[i] = at[i-1] + 1
		}
	}
}

func (u *UnionSet) enumerate(w *Work, yield func(Value) bool) bool {
	return w.Enumerate(u.of, func(s Value) bool { return w.Enumerate(s, yield) })
}

func (f *Filtered) enumerate(w *Work, yield func(Value) bool) bool {
	return w.Enumerate(f.of, func(v Value) bool { return !f.holds(v) || yield(v) })
}

func (c *Combined) enumerate(w *Work, yield func(Value) bool) bool {
	switch c.op {
	case opCup:
		if !enumerable(c.a) || !enumerable(c.b) {
			Raise(CodeNotEnumerable, "the elements of S \\cup T cannot be enumerated, since those of one of them cannot: %s", brief(c))
		}
		return w.Enumerate(c.a, yield) && w.Enumerate(c.b, yield)
	case opCap:
		a, b := c.a, c.b
		if !enumerable(a) {
			a, b = b, a
		}
		return w.Enumerate(a, func(v Value) bool { return !w.Member(v, b) || yield(v) })
	default:
		return w.Enumerate(c.a, func(v Value) bool { return w.Member(v, c.b) || yield(v) })
	}
}

func (s *SequenceSet) enumerate(w *Work, yield func(Value) bool) bool {
	if s.most < 0 {
		if !w.IsFinite(s.of) || len(w.Elements(s.of)) > 0 {
			Raise(CodeNotEnumerable, "the elements of the infinite set %s cannot be enumerated", brief(s))
		}
		return yield(emptyTuple)
	}
	var sets []Value
	for n := 0; n <= s.most; n++ {
		if n == 0 {
			if !yield(emptyTuple) {
				return false
			}
			continue
		}
		sets = append(sets, s.of)
		if !w.product(sets, func(elems []Value) bool { return yield(NewTuple(elems)) }) {
			return false
		}
	}
	return true
}

// enumerable tells whether Enumerate of a value can start at all, as TLC sees it: whether there is a list of its elements, not whether it ends.
func enumerable(v Value) bool {
	switch v := v.(type) {
	case *Set:
		return true
	case *SequenceSet:
		return v.most >= 0
	case lazySet:
		return true
	}
	return false
}
