package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// A binder is one name, or one tuple of names, that goes through a set.
type binder struct {
	set   int // index of the bound
	slots []int
	tuple bool
	site  *site
}

// bound gives the names of bounds slots, and compiles the sets, in which none of the names is bound yet.
func (c *compiler) bounds(x module.Expr, bounds []*module.Bound, e *env) (inner *env, sets []code, binders []binder) {
	for _, b := range bounds {
		if b.Set == nil {
			sets = append(sets, c.cannot(x, CodeNotEnumerable, "%s has no set that it goes through", b.Params[0].Name))
		} else {
			sets = append(sets, c.value(b.Set, e))
		}
	}
	inner, binders = c.binders(x, bounds, e)
	return inner, sets, binders
}

// binders gives the names of bounds slots.
func (c *compiler) binders(x module.Expr, bounds []*module.Bound, e *env) (inner *env, binders []binder) {
	inner = e
	for i, b := range bounds {
		var slots []int
		for _, p := range b.Params {
			j := c.slot()
			slots = append(slots, j)
			inner = inner.bind(p, &binding{kind: bindSlot, unit: c.unit, slot: j})
		}
		s := c.site(x)
		if b.Span.Known() {
			s.span = b.Span
		}
		if b.Tuple {
			binders = append(binders, binder{set: i, slots: slots, tuple: true, site: s})
			continue
		}
		for _, j := range slots {
			binders = append(binders, binder{set: i, slots: []int{j}, site: s})
		}
	}
	return inner, binders
}

// put gives the names of a binder the element v.
func (b *binder) put(f *frame, v value.Value) {
	if b.tuple {
		spread(b.site, f, b.slots, v)
		return
	}
	f.slots[b.slots[0]].v = v
}

// each calls yield with the elements of a set, sorted, without doubles.
func each(m *machine, s *site, set value.Value, yield func(value.Value) bool) bool {
	m.at = s
	return m.work.EnumerateSorted(set, func(v value.Value) bool {
		m.tick()
		return yield(v)
	})
}

// A search is a quantified formula with several names; the first of them changes fastest, as with TLC.
type search struct {
	binders []binder
	body    pred
	exists  bool
}

// run goes through binders[:n]; the others have their elements. It tells whether the search is over: a witness, or a counterexample, was found.
func (q *search) run(m *machine, f *frame, sets []value.Value, n int) bool {
	if n == 0 {
		m.tick()
		return q.body(m, f) == q.exists
	}
	b := &q.binders[n-1]
	if set, ok := sets[b.set].(*value.Set); ok {
		for _, v := range set.Elems() {
			b.put(f, v)
			if q.run(m, f, sets, n-1) {
				return true
			}
		}
		return false
	}
	return !each(m, b.site, sets[b.set], func(v value.Value) bool {
		b.put(f, v)
		return !q.run(m, f, sets, n-1)
	})
}

// quantifier compiles \A and \E as a predicate.
func (c *compiler) quantifier(x *module.Quantifier, e *env) pred {
	s := c.site(x)
	if x.Temporal {
		return c.truth(x, c.cannot(x, CodeUnsupported, "a temporal quantifier cannot be evaluated"))
	}
	for _, b := range x.Bounds {
		if b.Set == nil {
			return c.truth(x, c.cannot(x, CodeNotEnumerable, "the quantified %s has no set that it goes through", b.Params[0].Name))
		}
	}
	if p := c.intervalQuantifier(x, e); p != nil {
		return p
	}
	inner, sets, binders := c.bounds(x, x.Bounds, e)
	body := c.pred(x.Body, inner)
	count := c.countQuantifier(x)
	q := &search{binders: binders, body: body, exists: x.Exists}
	if len(binders) == 1 && !binders[0].tuple {
		return simpleQuantifier(q, sets[0], s, count)
	}
	return func(m *machine, f *frame) bool {
		vals := evaluated(sets, m, f)
		if count != nil {
			for _, v := range vals {
				count(m, v)
			}
		}
		return q.run(m, f, vals, len(binders)) == q.exists
	}
}

// simpleQuantifier is the usual case of one name in one set.
func simpleQuantifier(q *search, set code, s *site, count func(*machine, value.Value)) pred {
	i, body, exists := q.binders[0].slots[0], q.body, q.exists
	return func(m *machine, f *frame) bool {
		v := set(m, f)
		if count != nil {
			count(m, v)
		}
		if v, ok := v.(*value.Set); ok {
			for _, elem := range v.Elems() {
				m.tick()
				f.slots[i].v = elem
				if body(m, f) == exists {
					return exists
				}
			}
			return !exists
		}
		return q.run(m, f, []value.Value{v}, 1) == exists
	}
}

// intervalQuantifier is the case of one name in a..b: the set is not made.
func (c *compiler) intervalQuantifier(x *module.Quantifier, e *env) pred {
	if len(x.Bounds) != 1 || len(x.Bounds[0].Params) != 1 || x.Bounds[0].Tuple || c.p.counts != nil {
		return nil
	}
	set, setEnv, _ := c.resolve(x.Bounds[0].Set, e)
	lo, hi := c.interval(set, setEnv)
	if lo == nil {
		return nil
	}
	i, s, exists := c.slot(), c.site(x), x.Exists
	body := c.pred(x.Body, e.bind(x.Bounds[0].Params[0], &binding{kind: bindSlot, unit: c.unit, slot: i}))
	return func(m *machine, f *frame) bool {
		l, h := lo(m, f), hi(m, f)
		from, ok := l.(value.Int)
		to, ok2 := h.(value.Int)
		if !ok || !ok2 {
			m.at = s
			value.Interval(l, h) // raises
		}
		for n := from; n <= to; n++ {
			m.tick()
			f.slots[i].v = value.NewInt(int64(n))
			if body(m, f) == exists {
				return exists
			}
			if n == to {
				break // to may be the largest integer
			}
		}
		return !exists
	}
}

// choose compiles CHOOSE x \in S : P.
func (c *compiler) choose(x *module.Choose, e *env) code {
	s := c.site(x)
	if x.Bound.Set == nil {
		return c.cannot(x, CodeNotEnumerable, "CHOOSE has no set that %s is chosen from", x.Bound.Params[0].Name)
	}
	inner, sets, binders := c.bounds(x, []*module.Bound{x.Bound}, e)
	body := c.pred(x.Body, inner)
	set, b := sets[0], binders[0]
	if !b.tuple && len(binders) > 1 {
		return c.cannot(x, CodeUnsupported, "CHOOSE of several names")
	}
	return func(m *machine, f *frame) value.Value {
		v := set(m, f)
		var chosen value.Value
		if elems, ok := v.(*value.Set); ok {
			for _, elem := range elems.Elems() {
				m.tick()
				b.put(f, elem)
				if body(m, f) {
					return elem
				}
			}
		} else {
			each(m, s, v, func(elem value.Value) bool {
				b.put(f, elem)
				if body(m, f) {
					chosen = elem
					return false
				}
				return true
			})
		}
		if chosen == nil {
			fail(s, CodeEvaluation, "no element of the set satisfies the CHOOSE: %s", brief(v))
		}
		return chosen
	}
}

// setFilter compiles {x \in S : P}. Of a set that is not written out it is not either.
func (c *compiler) setFilter(x *module.SetFilter, e *env) code {
	if !x.Bound.Tuple && len(x.Bound.Params) > 1 {
		return c.cannot(x, CodeUnsupported, "a subset by several names")
	}
	if !c.writtenOut(x.Bound.Set, e) {
		set, lazy, s := c.value(x.Bound.Set, e), c.lazyFilter(x, e), c.site(x)
		return func(m *machine, f *frame) value.Value {
			v := set(m, f)
			if v.Kind() != value.KindSet {
				fail(s, CodeEvaluation, "a set was expected, and this is %s: %s", v.Kind(), brief(v))
			}
			if !reducible(v) {
				return lazy.filter(m, f, v)
			}
			m.descend(lazy.unit.deepest + 4)
			nf := m.frame(lazy.unit)
			nf.up = f
			kept := filtered(m, nf, v, &lazy.binder, lazy.where, s)
			m.release(lazy.unit, nf)
			m.depth -= lazy.unit.deepest + 4
			return kept
		}
	}
	inner, sets, binders := c.bounds(x, []*module.Bound{x.Bound}, e)
	where, s := c.pred(x.Where, inner), c.site(x)
	set, b := sets[0], binders[0]
	return func(m *machine, f *frame) value.Value {
		return filtered(m, f, set(m, f), &b, where, s)
	}
}

// A lazyFilter is the condition of {x \in S : P} in a unit of its own, for an S that is not written out.
type lazyFilter struct {
	unit   *unit
	binder binder
	where  pred
}

func (c *compiler) lazyFilter(x *module.SetFilter, e *env) *lazyFilter {
	in := c.inner(c.unit)
	l := &lazyFilter{unit: in.unit}
	inner, binders := in.binders(x, []*module.Bound{x.Bound}, e)
	l.binder = binders[0]
	l.where = in.pred(x.Where, inner)
	return l
}

func (l *lazyFilter) filter(m *machine, f *frame, set value.Value) value.Value {
	then := m.later(f)
	made := value.Filter(set, func(elem value.Value) bool {
		m.tick()
		m.descend(l.unit.deepest + 4)
		now := then.enter(m)
		nf := m.frame(l.unit)
		nf.up = then.f
		l.binder.put(nf, elem)
		holds := l.where(m, nf)
		m.release(l.unit, nf)
		now.leave(m)
		m.depth -= l.unit.deepest + 4
		return holds
	})
	m.filtered, m.filteredSet = made, set
	return made
}

// filtered is the part of a set that satisfies a condition.
func filtered(m *machine, f *frame, v value.Value, b *binder, where pred, s *site) value.Value {
	m.at = s
	if r, ok := v.(*value.Range); ok {
		lo, hi := r.Bounds()
		var kept []value.Value
		for n := lo; n <= hi; n++ {
			m.tick()
			elem := value.NewInt(n)
			b.put(f, elem)
			if where(m, f) {
				kept = append(kept, elem)
			}
			if n == hi {
				break
			}
		}
		return value.SetOfSorted(kept)
	}
	elems := m.work.Elements(v)
	for i, elem := range elems {
		m.tick()
		b.put(f, elem)
		if where(m, f) {
			continue
		}
		kept := append(make([]value.Value, 0, len(elems)-1), elems[:i]...)
		for _, elem := range elems[i+1:] {
			m.tick()
			b.put(f, elem)
			if where(m, f) {
				kept = append(kept, elem)
			}
		}
		return value.SetOfSorted(kept)
	}
	return v
}

// setMap compiles {e : x \in S, ...}.
func (c *compiler) setMap(x *module.SetMap, e *env) code {
	inner, sets, binders := c.bounds(x, x.Bounds, e)
	body, s := c.value(x.Value, inner), c.site(x)
	if len(binders) == 1 && !binders[0].tuple {
		set, i := sets[0], binders[0].slots[0]
		return func(m *machine, f *frame) value.Value {
			v := set(m, f)
			m.at = s
			elems := m.work.Elements(v)
			out := make([]value.Value, len(elems))
			for j, elem := range elems {
				m.tick()
				f.slots[i].v = elem
				out[j] = body(m, f)
			}
			m.at = s
			return m.work.NewSet(out)
		}
	}
	return func(m *machine, f *frame) value.Value {
		vals := evaluated(sets, m, f)
		var out []value.Value
		q := search{binders: binders, exists: true, body: func(m *machine, f *frame) bool {
			out = append(out, body(m, f))
			return false
		}}
		q.run(m, f, vals, len(binders))
		m.at = s
		return m.work.NewSet(out)
	}
}
