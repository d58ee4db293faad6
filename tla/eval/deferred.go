package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// A function is one whose values are computed when they are asked for: one whose definition mentions itself, or that is written out as an argument.
type function struct {
	name       string
	up         *unit // around it; its domain is evaluated in a frame of that, or of domainUnit where there is none
	domainUnit *unit
	unit       *unit // of the body
	domain     func(m *machine, f *frame) []value.Value
	whole      code // the domain as one set
	bind       bindFunc
	run        code

	actions map[want]*functionAct
	g       *module.Function
	env     *env // of g
	text    *module.Definition
}

// A functionAct is the body of a function as an action.
type functionAct struct {
	unit *unit
	bind bindFunc
	act  act
}

// topFunction compiles a recursive function of a module.
func (c *compiler) topFunction(d *module.Definition) *function {
	if fn := c.p.functions[d]; fn != nil {
		return fn
	}
	fn := &function{name: d.Name}
	c.p.functions[d] = fn
	g := d.Body.(*module.Function)
	in := c.p.compiler()
	in.definition, in.text, in.inlined = d.Name, d, []*module.Definition{d}
	fn.domainUnit = in.unit
	fn.fill(in, g, nil, nil)
	return fn
}

// recursiveFunction compiles a recursive function of a LET.
func (c *compiler) recursiveFunction(d *module.Definition, b *binding, reset *[]int) *function {
	fn := &function{name: d.Name, up: c.unit}
	b.fn = fn
	g := d.Body.(*module.Function)
	// The domain is remembered for as long as the LET is evaluated.
	e := b.env
	bounds := make([]*module.Bound, len(g.Bounds))
	for i, old := range g.Bounds {
		set := &module.Param{Name: "_", Span: old.Span}
		remembered := &binding{expr: old.Set, env: b.env, where: b.where}
		c.remember(remembered, 2, reset)
		e = e.bind(set, remembered)
		fresh := *old
		fresh.Set = &module.ParamRef{Node: module.Node{Span: old.Set.Place(), Level: old.Set.ExprLevel()}, Param: set}
		bounds[i] = &fresh
	}
	inner := *c
	inner.definition, inner.caller, inner.text = b.where.definition, b.where.caller, b.where.text
	fn.fill(&inner, &module.Function{Node: g.Node, Bounds: bounds, Body: g.Body}, e, c.unit)
	c.size = inner.size
	return fn
}

// fill compiles the domain with c, and the body in a unit of its own.
func (fn *function) fill(c *compiler, g *module.Function, e *env, up *unit) {
	fn.g, fn.env, fn.text = g, e, c.text
	fn.domain = c.domain(g, e)
	fn.whole = c.wholeDomain(g, e)
	body := &compiler{p: c.p, unit: c.p.newUnit(up), definition: c.definition, caller: c.caller, text: c.text, inlined: c.inlined, folding: c.folding && up != nil}
	fn.unit = body.unit
	inner, bind := body.bindArgument(g.Bounds, e)
	fn.bind = bind
	fn.run = body.value(g.Body, inner)
}

// sets evaluates the domain.
func (fn *function) sets(m *machine, up *frame) []value.Value {
	if fn.up != nil {
		return fn.domain(m, up)
	}
	f := m.frame(fn.domainUnit)
	sets := fn.domain(m, f)
	m.release(fn.domainUnit, f)
	return sets
}

// call gives fn[v]. up is the frame around the definition.
func (fn *function) call(m *machine, up *frame, v value.Value, s *site) value.Value {
	return fn.body(m, up, fn.sets(m, up), v, s)
}

// body gives fn[v] where the domain has been evaluated to sets; nil for a v that is known to be in it.
func (fn *function) body(m *machine, up *frame, sets []value.Value, v value.Value, s *site) value.Value {
	m.tick()
	m.descend(fn.unit.deepest + 4)
	nf := m.frame(fn.unit)
	nf.up = up
	m.at = s
	fn.bind(m, nf, sets, v, s)
	m.calls = append(m.calls, s)
	result := fn.run(m, nf)
	m.calls = m.calls[:len(m.calls)-1]
	m.depth -= fn.unit.deepest + 4
	m.release(fn.unit, nf)
	return result
}

// applyRecursive compiles f[x] for a recursive function.
func (c *compiler) applyRecursive(x *module.Apply, fn *function, e *env) code {
	arg, s, hops := c.value(x.Args[1], e), c.site(x), c.hopsTo(fn.up)
	return func(m *machine, f *frame) value.Value {
		v := arg(m, f)
		var up *frame
		if hops >= 0 {
			up = ancestor(f, hops)
		}
		return fn.call(m, up, v, s)
	}
}

// recursiveAction compiles f[x] as an action. TLC never writes out a recursive function, so that its body has all its ways.
func (c *compiler) recursiveAction(x *module.Apply, fn *function, e *env, k *cont) act {
	w := c.actionWant()
	a := fn.actions[w]
	if a == nil {
		a = &functionAct{}
		if fn.actions == nil {
			fn.actions = map[want]*functionAct{}
		}
		fn.actions[w] = a
		in := &compiler{p: c.p, unit: c.p.newUnit(fn.up), definition: fn.name, text: fn.text, inlined: c.inlined, initial: c.initial}
		a.unit = in.unit
		inner, bind := in.bindArgument(fn.g.Bounds, fn.env)
		a.bind = bind
		a.act = in.action(fn.g.Body, inner, returnCont)
	}
	arg, s, hops := c.value(x.Args[1], e), c.site(x), c.hopsTo(fn.up)
	return func(m *machine, f *frame) bool {
		v := arg(m, f)
		var up *frame
		if hops >= 0 {
			up = ancestor(f, hops)
		}
		m.tick()
		m.descend(a.unit.deepest + 4)
		sets := fn.sets(m, up)
		nf := m.frame(a.unit)
		nf.up = up
		m.at = s
		a.bind(m, nf, sets, v, s)
		m.calls = append(m.calls, s)
		more := m.invoke(a.act, nf, k, f)
		m.calls = m.calls[:len(m.calls)-1]
		m.depth -= a.unit.deepest + 4
		m.release(a.unit, nf)
		return more
	}
}

// functionValue is a recursive function as a value.
func (c *compiler) functionValue(x module.Expr, fn *function) code {
	hops, s := c.hopsTo(fn.up), c.site(x)
	return func(m *machine, f *frame) value.Value {
		var up *frame
		if hops >= 0 {
			up = ancestor(f, hops)
		}
		var domain value.Value
		if fn.up == nil {
			df := m.frame(fn.domainUnit)
			domain = fn.whole(m, df)
			m.release(fn.domainUnit, df)
		} else {
			domain = fn.whole(m, up)
		}
		return fn.lazily(m, up, domain, s)
	}
}

// lazily makes a value of a function that is evaluated when it is applied.
func (fn *function) lazily(m *machine, up *frame, domain value.Value, s *site) value.Value {
	then := m.later(up)
	return value.LazyFunction(domain, func(v value.Value) value.Value {
		now := then.enter(m)
		result := fn.body(m, then.f, nil, v, s)
		now.leave(m)
		return result
	})
}

// writtenFunction compiles [x \in S |-> e] for being applied to one argument after the other.
func (c *compiler) writtenFunction(g *module.Function, e *env) *function {
	fn := &function{name: c.definition, up: c.unit}
	fn.fill(c, g, e, c.unit)
	return fn
}

// moment is the frame and the states of a time at which something was not evaluated yet.
type moment struct {
	f             *frame
	cur, next     []value.Value
	curID, nextID uint64
	unassigned    int
}

// later keeps a frame and the states of now for an evaluation at any later time.
func (m *machine) later(f *frame) *moment {
	then := &moment{f: m.capture(f), cur: m.cur, next: m.next, curID: m.curID, nextID: m.nextID, unassigned: m.unassigned}
	if m.unassigned != 0 {
		// A state that is being built changes.
		then.cur = append([]value.Value(nil), m.cur...)
		then.next = append([]value.Value(nil), m.next...)
	}
	return then
}

// enter goes back to a moment; leave of its result returns from there.
func (then *moment) enter(m *machine) moment {
	now := moment{cur: m.cur, next: m.next, curID: m.curID, nextID: m.nextID, unassigned: m.unassigned}
	m.cur, m.next, m.curID, m.nextID, m.unassigned = then.cur, then.next, then.curID, then.nextID, then.unassigned
	return now
}

func (now *moment) leave(m *machine) {
	m.cur, m.next, m.curID, m.nextID, m.unassigned = now.cur, now.next, now.curID, now.nextID, now.unassigned
}
