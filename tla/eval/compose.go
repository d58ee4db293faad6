package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// A composition is an A \cdot B under way: what was there before it.
type composition struct {
	cur, next     []value.Value
	curID, nextID uint64
	unassigned    int
}

// compose compiles A \cdot B in an action, a step that is an A step and then a B step, as TLC does with its option for it: each way of A gives a state
// in between, which counts as generated, and from which each way of B is one of the whole.
func (c *compiler) compose(x *module.Apply, e *env, k *cont) act {
	// After B, what follows is about the states before and after the whole.
	after := &cont{
		run: func(m *machine, f *frame) bool { return m.outside(func() bool { return k.run(m, f) }) },
		all: func(m *machine, f *frame) bool { return m.outside(func() bool { return k.all(m, f) }) },
	}
	second := c.action(x.Args[1], e, after)
	between := func(m *machine, f *frame) bool {
		m.intermediate++
		return m.fromHere(func() bool { return second(m, f) })
	}
	return c.composeFirst(x, e, between)
}

// composePred compiles A \cdot B as a predicate of two states.
func (c *compiler) composePred(x *module.Apply, e *env) pred {
	second := c.pred(x.Args[1], e)
	first := c.composeFirst(x, e, func(m *machine, f *frame) bool {
		holds := false
		m.fromHere(func() bool {
			holds = second(m, f)
			return true
		})
		m.found = m.found || holds
		return !m.found
	})
	return func(m *machine, f *frame) bool {
		found := m.found
		m.found = false
		first(m, f)
		holds := m.found
		m.found = found
		return holds
	}
}

// composeFirst compiles the first part; between is what to do with each state in between.
func (c *compiler) composeFirst(x *module.Apply, e *env, between act) act {
	first := c.action(x.Args[0], e, &cont{run: between, all: between})
	return func(m *machine, f *frame) bool {
		w := composition{m.cur, m.next, m.curID, m.nextID, m.unassigned}
		m.compositions = append(m.compositions, w)
		m.next, m.nextID, m.unassigned = m.blank(), m.fresh(), len(m.p.variables)
		more := first(m, f)
		m.discard(m.next)
		m.next, m.nextID, m.unassigned = w.next, w.nextID, w.unassigned
		m.compositions = m.compositions[:len(m.compositions)-1]
		return more
	}
}

// fromHere goes on from the state in between: it becomes the current one, and the next one is again that of the whole.
func (m *machine) fromHere(run func() bool) bool {
	n := len(m.compositions) - 1
	w := m.compositions[n]
	middle := composition{m.cur, m.next, m.curID, m.nextID, m.unassigned}
	m.cur, m.curID = m.next, m.nextID
	m.next, m.nextID, m.unassigned = w.next, w.nextID, w.unassigned
	more := run()
	m.compositions = append(m.compositions[:n], w)
	m.cur, m.next, m.curID, m.nextID, m.unassigned = middle.cur, middle.next, middle.curID, middle.nextID, middle.unassigned
	return more
}

// outside goes on after the whole: the current state is again the one before it.
func (m *machine) outside(run func() bool) bool {
	n := len(m.compositions) - 1
	w := m.compositions[n]
	cur, curID := m.cur, m.curID
	m.cur, m.curID = w.cur, w.curID
	m.compositions = m.compositions[:n]
	more := run()
	m.compositions = append(m.compositions, w)
	m.cur, m.curID = cur, curID
	return more
}
