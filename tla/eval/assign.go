package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// target is the state that actions build, and the number of its content.
func (c *compiler) assignedState() func(m *machine) (state []value.Value, id *uint64) {
	if c.initial {
		return func(m *machine) ([]value.Value, *uint64) { return m.cur, &m.curID }
	}
	return func(m *machine) ([]value.Value, *uint64) { return m.next, &m.nextID }
}

// assigned tells which variable the left side of an equation assigns, or -1. dynamic is the parameter that may stand for one.
func (c *compiler) assigned(x module.Expr, e *env) (variable int, dynamic *binding) {
	y, env, b := c.resolve(x, e)
	if c.initial {
		if v, ok := y.(*module.VariableRef); ok {
			return c.p.indexOf(v.Variable), nil
		}
		return -1, b
	}
	if p, ok := y.(*module.Apply); ok && p.Op == module.Prime {
		z, _, b := c.resolve(p.Args[0], env)
		if v, ok := z.(*module.VariableRef); ok {
			return c.p.indexOf(v.Variable), nil
		}
		return -1, b
	}
	return -1, b
}

// dynamicTarget compiles a look at what a parameter stands for: the variable that is assigned through it, or -1.
func (c *compiler) dynamicTarget(x module.Expr, e *env, b *binding) func(f *frame) int {
	y, _, _ := c.resolve(x, e)
	_, primed := y.(*module.Apply) // p' of a parameter p
	hops, i := c.hops(b.unit), b.slot
	want := primed || c.initial
	return func(f *frame) int {
		t := ancestor(f, hops).thunks[i]
		switch {
		case t == nil:
			return -1
		case want:
			return t.arg.variable
		}
		return t.arg.primed
	}
}

// equation compiles a = b in an action.
func (c *compiler) equation(x *module.Apply, e *env, k *cont) act {
	variable, dynamic := c.assigned(x.Args[0], e)
	equal := test(c.equal(x, e), k)
	if variable < 0 && dynamic == nil {
		return equal
	}
	right, s := c.value(x.Args[1], e), c.site(x)
	if variable >= 0 {
		return c.assignment(variable, right, s, k)
	}
	target := c.dynamicTarget(x.Args[0], e, dynamic)
	ways := make([]act, len(c.p.variables))
	for i := range ways {
		ways[i] = c.assignment(i, right, s, k)
	}
	return func(m *machine, f *frame) bool {
		switch i := target(f); {
		case i < 0:
			return equal(m, f)
		case i < len(ways):
			return ways[i](m, f)
		default:
			return c.assignment(i, right, s, k)(m, f)
		}
	}
}

// assignment gives a variable its value, or compares it with the one that it has.
func (c *compiler) assignment(i int, right code, s *site, k *cont) act {
	if c.initial {
		return func(m *machine, f *frame) bool {
			v := right(m, f)
			if old := m.cur[i]; old != nil {
				m.at = s
				if !m.work.Equal(old, v) {
					return true
				}
				return k.run(m, f)
			}
			id := m.curID
			m.cur[i], m.curID = v, m.fresh()
			m.unassigned--
			more := k.run(m, f)
			m.unassigned++
			m.cur[i], m.curID = nil, id
			return more
		}
	}
	return func(m *machine, f *frame) bool {
		v := right(m, f)
		if i >= len(m.next) {
			m.unbound(s, nil, m.p.variableName(i), "'")
		}
		if old := m.next[i]; old != nil {
			m.at = s
			if old != v && !m.work.Equal(old, v) {
				return true
			}
			return k.run(m, f)
		}
		id := m.nextID
		m.next[i], m.nextID = v, m.fresh()
		m.unassigned--
		more := k.run(m, f)
		m.unassigned++
		m.next[i], m.nextID = nil, id
		return more
	}
}

// choice compiles x' \in S, and x' \subseteq S, where of makes the set.
func (c *compiler) choice(x *module.Apply, e *env, k *cont, of func(value.Value) value.Value) act {
	variable, dynamic := c.assigned(x.Args[0], e)
	holds := test(c.pred(x, e), k)
	if variable < 0 && dynamic == nil {
		return holds
	}
	right, s, state := c.value(x.Args[1], e), c.site(x), c.assignedState()
	choose := func(m *machine, f *frame, i int) bool {
		set := right(m, f)
		m.at = s
		set = of(set)
		target, id := state(m)
		if i >= len(target) {
			m.unbound(s, nil, m.p.variableName(i), "'")
		}
		if old := target[i]; old != nil {
			if !m.work.Member(old, set) {
				return true
			}
			return k.run(m, f)
		}
		old := *id
		m.unassigned--
		more := m.work.Enumerate(set, func(v value.Value) bool {
			m.tick()
			target[i], *id = v, m.fresh()
			return k.run(m, f)
		})
		m.unassigned++
		target[i], *id = nil, old
		return more
	}
	if variable >= 0 {
		return func(m *machine, f *frame) bool { return choose(m, f, variable) }
	}
	target := c.dynamicTarget(x.Args[0], e, dynamic)
	return func(m *machine, f *frame) bool {
		if i := target(f); i >= 0 {
			return choose(m, f, i)
		}
		return holds(m, f)
	}
}

// unchanged compiles UNCHANGED e in an action: it assigns the variables of e that have no value yet.
func (c *compiler) unchanged(x, vars module.Expr, e *env, k *cont) act {
	if list := c.variablesOf(vars, e); list != nil {
		return c.keep(c.site(x), list, k)
	}
	y, env, dynamic := c.resolve(vars, e)
	if t, ok := y.(*module.Apply); ok && t.Op == module.Tuple {
		for i := len(t.Args) - 1; i > 0; i-- {
			part := t.Args[i]
			k = follow(c.unchanged(x, part, env, k), c.unchangedPred(x, part, env), k)
		}
		if len(t.Args) == 0 {
			return k.run
		}
		return c.unchanged(x, t.Args[0], env, k)
	}
	same := test(c.unchangedPred(x, vars, e), k)
	if dynamic == nil {
		return same
	}
	hops, slot, s := c.hops(dynamic.unit), dynamic.slot, c.site(x)
	ways := make([]act, len(c.p.variables))
	for i := range ways {
		ways[i] = c.keep(s, []int{i}, k)
	}
	return func(m *machine, f *frame) bool {
		if t := ancestor(f, hops).thunks[slot]; t != nil && t.arg.variable >= 0 && t.arg.variable < len(ways) {
			return ways[t.arg.variable](m, f)
		}
		return same(m, f)
	}
}

// keep is UNCHANGED of variables.
func (c *compiler) keep(s *site, list []int, k *cont) act {
	if len(list) == 1 {
		i := list[0]
		return func(m *machine, f *frame) bool {
			old := m.unprimed(s, i)
			if m.next == nil {
				m.unbound(s, nil, m.p.variableName(i), "'")
			}
			if now := m.next[i]; now != nil {
				m.at = s
				if now != old && !m.work.Equal(old, now) {
					return true
				}
				return k.run(m, f)
			}
			id := m.nextID
			m.next[i], m.nextID = old, m.fresh()
			m.unassigned--
			more := k.run(m, f)
			m.unassigned++
			m.next[i], m.nextID = nil, id
			return more
		}
	}
	return func(m *machine, f *frame) bool {
		var room [16]int
		done := room[:0]
		id := m.nextID
		same := true
		for _, i := range list {
			old := m.unprimed(s, i)
			if m.next == nil {
				m.unbound(s, nil, m.p.variableName(i), "'")
			}
			if now := m.next[i]; now != nil {
				m.at = s
				if now != old && !m.work.Equal(old, now) {
					same = false
					break
				}
				continue
			}
			m.next[i] = old
			done = append(done, i)
		}
		more := true
		if same {
			if len(done) > 0 {
				m.nextID = m.fresh()
			}
			m.unassigned -= len(done)
			more = k.run(m, f)
			m.unassigned += len(done)
		}
		for _, i := range done {
			m.next[i] = nil
		}
		m.nextID = id
		return more
	}
}

func (m *machine) unprimed(s *site, i int) value.Value {
	if i < len(m.cur) {
		if v := m.cur[i]; v != nil {
			return v
		}
	}
	m.unbound(s, m.cur, m.p.variableName(i), "")
	return nil
}
