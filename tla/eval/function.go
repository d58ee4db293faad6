package eval

import (
	"sync/atomic"

	"podlife/tla/module"
	"podlife/tla/value"
)

// A shapeCache remembers where a field was found last.
type shapeCache struct{ at atomic.Pointer[shapeIndex] }

type shapeIndex struct {
	shape *value.Shape
	index int
}

func (c *shapeCache) load() *shapeIndex { return c.at.Load() }

func (c *shapeCache) store(shape *value.Shape, i int) { c.at.Store(&shapeIndex{shape, i}) }

// functionApply compiles f[x]. The body of a function that is written out, or defined, is evaluated for the argument alone, as TLC does: elsewhere in
// its domain it may be impossible to evaluate.
func (c *compiler) functionApply(x *module.Apply, e *env) code {
	g, env, dynamic := c.follow(x.Args[0], e, false) // what a constant definition stands for is written out once
	switch g := g.(type) {
	case *module.Function:
		if len(c.inlined) < maxInlined && c.size+c.p.sizeOfExpr(g.Body) < largeUnit {
			return c.applyLiteral(x, g, env, e)
		}
	case *module.Call:
		if fn := c.functionOf(g, env); fn != nil {
			return c.applyRecursive(x, fn, e)
		}
	}
	a, b, s := c.value(x.Args[0], e), c.value(x.Args[1], e), c.site(x)
	if dynamic != nil {
		hops, i := c.hops(dynamic.unit), dynamic.slot
		return func(m *machine, f *frame) value.Value {
			if t := ancestor(f, hops).thunks[i]; t != nil && t.arg.fn != nil {
				return t.apply(m, b(m, f), s)
			}
			g := a(m, f)
			v := b(m, f)
			m.at = s
			return m.work.Apply(g, v)
		}
	}
	return func(m *machine, f *frame) value.Value {
		g := a(m, f)
		v := b(m, f)
		m.at = s
		return m.work.Apply(g, v)
	}
}

// functionOf gives the recursive function that a name stands for, or nil.
func (c *compiler) functionOf(x *module.Call, e *env) *function {
	d := x.Definition
	if d.Let {
		if b := e.find(d); b != nil && b.kind == bindFunction {
			return b.fn
		}
		return nil
	}
	if _, ok := c.p.definitionValue(d); ok {
		return nil
	}
	d = c.overridden(d)
	if _, ok := c.p.native(d); ok || !d.Function || !d.Recursive {
		return nil
	}
	return c.topFunction(d)
}

// applyLiteral compiles [x \in S |-> e][a].
func (c *compiler) applyLiteral(x *module.Apply, g *module.Function, env, e *env) code {
	domain, s := c.domain(g, env), c.site(x)
	lo, hi, at := c.intervalOf(g.Bounds, env)
	arg := c.value(x.Args[1], e)
	inner, bind := c.bindArgument(g.Bounds, env)
	body := c.value(g.Body, inner)
	if lo != nil {
		i := inner.b.slot
		return func(m *machine, f *frame) value.Value {
			l, h := lo(m, f), hi(m, f)
			v := arg(m, f)
			if !between(l, v, h) { // it may be a number of more than 64 bits, or no number at all
				m.at = at
				set := value.Interval(l, h)
				m.at = s
				bind(m, f, []value.Value{set}, v, s)
			}
			f.slots[i].v = v
			return body(m, f)
		}
	}
	return func(m *machine, f *frame) value.Value {
		sets := domain(m, f)
		v := arg(m, f)
		m.at = s
		bind(m, f, sets, v, s)
		return body(m, f)
	}
}

// intervalOf compiles the bounds of a..b, if that is the domain of a function of one name and depends on anything; otherwise it gives nil. The set need not
// be made to see whether an argument is in it.
func (c *compiler) intervalOf(bounds []*module.Bound, e *env) (lo, hi code, s *site) {
	if len(bounds) != 1 || bounds[0].Tuple || len(bounds[0].Params) != 1 || c.p.counts != nil {
		return nil, nil, nil
	}
	set, env, _ := c.resolve(bounds[0].Set, e)
	if lo, hi = c.interval(set, env); lo == nil || c.uses(set, env) == 0 {
		return nil, nil, nil
	}
	return lo, hi, c.site(set)
}

// between tells whether three small integers are in order.
func between(l, v, h value.Value) bool {
	n, ok := v.(value.Int)
	from, ok2 := l.(value.Int)
	to, ok3 := h.(value.Int)
	return ok && ok2 && ok3 && from <= n && n <= to
}

// domain compiles the sets of a function's bounds.
func (c *compiler) domain(g *module.Function, e *env) func(m *machine, f *frame) []value.Value {
	run := make([]code, len(g.Bounds))
	for i, b := range g.Bounds {
		run[i] = c.value(b.Set, e)
	}
	if len(run) == 1 {
		r := run[0]
		return func(m *machine, f *frame) []value.Value { return []value.Value{r(m, f)} }
	}
	return func(m *machine, f *frame) []value.Value { return evaluated(run, m, f) }
}

// bindFunc fills the slots of a function's names from an argument, which has to be in the domain. s is where it is applied.
type bindFunc func(m *machine, f *frame, sets []value.Value, v value.Value, s *site)

// bindArgument gives the names of a function's bounds slots, and code that fills them from an argument, which has to be in the domain.
func (c *compiler) bindArgument(bounds []*module.Bound, e *env) (*env, bindFunc) {
	var slots [][]int
	inner := e
	single := len(bounds) == 1 && (bounds[0].Tuple || len(bounds[0].Params) == 1)
	for _, b := range bounds {
		var of []int
		for _, p := range b.Params {
			i := c.slot()
			of = append(of, i)
			inner = inner.bind(p, &binding{kind: bindSlot, unit: c.unit, slot: i})
		}
		slots = append(slots, of)
	}
	if single && !bounds[0].Tuple {
		i := slots[0][0]
		return inner, func(m *machine, f *frame, sets []value.Value, v value.Value, s *site) {
			if sets != nil && !m.work.Member(v, sets[0]) {
				outside(s, v, sets)
			}
			f.slots[i].v = v
		}
	}
	if single {
		of := slots[0]
		return inner, func(m *machine, f *frame, sets []value.Value, v value.Value, s *site) {
			if sets != nil && !m.work.Member(v, sets[0]) {
				outside(s, v, sets)
			}
			spread(s, f, of, v)
		}
	}
	total := 0
	for i, b := range bounds {
		total += len(slots[i])
		if b.Tuple {
			total += 1 - len(slots[i])
		}
	}
	return inner, func(m *machine, f *frame, sets []value.Value, v value.Value, s *site) {
		t, ok := m.work.Normalize(v).(*value.Tuple)
		if !ok || t.Len() != total {
			fail(s, CodeEvaluation, "the function has %s, and is applied to %s", plural(total, "argument"), brief(v))
		}
		n := 0
		for i, b := range bounds {
			if b.Tuple {
				if sets != nil && !m.work.Member(t.At(n), sets[i]) {
					outside(s, v, sets)
				}
				spread(s, f, slots[i], t.At(n))
				n++
				continue
			}
			for _, j := range slots[i] {
				if sets != nil && !m.work.Member(t.At(n), sets[i]) {
					outside(s, v, sets)
				}
				f.slots[j].v = t.At(n)
				n++
			}
		}
	}
}

func outside(s *site, v value.Value, sets []value.Value) {
	if len(sets) == 1 {
		fail(s, CodeEvaluation, "%s is not in the function's domain %s", brief(v), brief(sets[0]))
	}
	fail(s, CodeEvaluation, "%s is not in the function's domain", brief(v))
}

// spread gives the names of <<x, y>> \in S their values.
func spread(s *site, f *frame, slots []int, v value.Value) {
	t, ok := v.(*value.Tuple)
	if !ok {
		t, ok = value.Normalize(v).(*value.Tuple)
	}
	if !ok || t.Len() != len(slots) {
		fail(s, CodeEvaluation, "a tuple of %d elements was expected, and this is %s", len(slots), brief(v))
	}
	for i, j := range slots {
		f.slots[j].v = t.At(i)
	}
}

// function compiles [x \in S |-> e].
func (c *compiler) function(x *module.Function, e *env) code {
	if c.mayBeLazy(x.Bounds, e) {
		return c.perhapsLazy(x, e)
	}
	s, whole := c.site(x), c.wholeDomain(x, e)
	inner, bind := c.bindArgument(x.Bounds, e)
	body := c.value(x.Body, inner)
	if len(x.Bounds) == 1 && len(x.Bounds[0].Params) == 1 && !x.Bounds[0].Tuple {
		i := inner.b.slot
		bind = func(_ *machine, f *frame, _ []value.Value, v value.Value, _ *site) { f.slots[i].v = v }
	}
	return func(m *machine, f *frame) value.Value {
		return m.writeOut(whole(m, f), f, bind, body, s)
	}
}

// writeOut evaluates a function for each argument.
func (m *machine) writeOut(domain value.Value, f *frame, bind bindFunc, body code, s *site) value.Value {
	m.at = s
	if r, ok := domain.(*value.Range); ok {
		if lo, hi := r.Bounds(); lo == 1 && hi <= shortSequence {
			return m.writeSequence(max(0, int(hi)), f, bind, body, s)
		}
	}
	args := m.work.Elements(domain)
	vals := make([]value.Value, len(args))
	for i, a := range args {
		m.tick()
		bind(m, f, nil, a, s)
		vals[i] = body(m, f)
	}
	m.at = s
	return value.FunctionOn(domain, vals)
}

// shortSequence is the length up to which a sequence's elements are evaluated without making its domain, which remembers its elements, first.
const shortSequence = 16

// writeSequence evaluates a function on 1..n.
func (m *machine) writeSequence(n int, f *frame, bind bindFunc, body code, s *site) value.Value {
	var room [shortSequence]value.Value
	for i := range n {
		m.tick()
		bind(m, f, nil, value.NewInt(int64(i+1)), s)
		room[i] = body(m, f)
	}
	return value.TupleOf(room[:n]...)
}

// perhapsLazy is a function on a set that may be one that is not written out; then the function is not either.
func (c *compiler) perhapsLazy(x *module.Function, e *env) code {
	fn, s := c.writtenFunction(x, e), c.site(x)
	return func(m *machine, f *frame) value.Value {
		sets := fn.domain(m, f)
		domain := sets[0]
		if len(sets) > 1 || len(x.Bounds[0].Params) > 1 {
			domain = fn.whole(m, f)
		}
		for _, set := range sets {
			if set.Kind() != value.KindSet {
				fail(s, CodeEvaluation, "the domain of a function has to be a set, and this is %s: %s", set.Kind(), brief(set))
			}
			if !reducible(set) {
				return fn.lazily(m, f, domain, s)
			}
		}
		m.descend(fn.unit.deepest + 4)
		nf := m.frame(fn.unit)
		nf.up = f
		v := m.writeOut(domain, nf, fn.bind, fn.run, s)
		m.release(fn.unit, nf)
		m.depth -= fn.unit.deepest + 4
		return v
	}
}

// reducible tells whether TLC would write out a function on this set, or a subset of it, at once.
func reducible(v value.Value) bool {
	switch v.(type) {
	case *value.Set, *value.Range:
		return true
	}
	return false
}

// mayBeLazy tells whether a set of bounds may be one that is not written out: it is not one whose form says that it is.
func (c *compiler) mayBeLazy(bounds []*module.Bound, e *env) bool {
	for _, b := range bounds {
		if !c.writtenOut(b.Set, e) {
			return true
		}
	}
	return false
}

func (c *compiler) writtenOut(x module.Expr, e *env) bool {
	y, env, _ := c.resolve(x, e)
	switch y := y.(type) {
	case *module.VariableRef, *module.SetMap:
		return true
	case *module.SetFilter:
		return c.writtenOut(y.Bound.Set, env)
	case *module.ConstantRef:
		v, ok := c.p.constantValues[y.Constant]
		return ok && reducible(v)
	case *module.Apply:
		switch y.Op {
		case module.SetEnum, module.Boolean:
			return true
		case module.Union:
			return c.writtenOut(y.Args[0], env) && c.writtenOut(y.Args[1], env)
		case module.Intersect, module.Difference:
			return c.writtenOut(y.Args[0], env)
		case module.Domain:
			z, _, _ := c.resolve(y.Args[0], env)
			_, ok := z.(*module.VariableRef)
			return ok
		}
	case *module.Call:
		lo, _ := c.interval(y, env)
		return lo != nil
	}
	return false
}

// wholeDomain is the domain of a function as one set.
func (c *compiler) wholeDomain(g *module.Function, e *env) code {
	var run []code
	for _, b := range g.Bounds {
		set := c.value(b.Set, e)
		run = append(run, set)
		if !b.Tuple {
			for range len(b.Params) - 1 {
				run = append(run, set)
			}
		}
	}
	if len(run) == 1 {
		return run[0]
	}
	s := c.site(g)
	return func(m *machine, f *frame) value.Value {
		sets := evaluated(run, m, f)
		m.at = s
		return value.Product(sets...)
	}
}
