package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// foundCont ends an action of which one way is enough.
var foundCont = func() *cont {
	stop := func(m *machine, _ *frame) bool {
		m.found = true
		return false
	}
	return &cont{run: stop, all: stop}
}()

// neverComplete is the number of variables without a value in a next state that need not become complete.
const neverComplete = 1 << 30

// enabledPred compiles ENABLED A: whether A has a way, from the current state to some next state, which need not be complete.
func (c *compiler) enabledPred(x *module.Apply, e *env) pred {
	in := *c
	in.initial = false
	a := in.action(x.Args[0], e, foundCont)
	c.size = in.size
	return func(m *machine, f *frame) bool {
		next, nextID, unassigned, found := m.next, m.nextID, m.unassigned, m.found
		m.next, m.nextID, m.unassigned, m.found = m.wide(), m.fresh(), neverComplete, false
		a(m, f)
		result := m.found
		m.discard(m.next)
		m.next, m.nextID, m.unassigned, m.found = next, nextID, unassigned, found
		return result
	}
}

// blank gives a state without values, discard takes it back.
func (m *machine) blank() []value.Value {
	if n := len(m.blanks); n > 0 {
		s := m.blanks[n-1]
		m.blanks = m.blanks[:n-1]
		return s
	}
	return make([]value.Value, len(m.p.variables))
}

// wide is a blank that has room for the variables that only ENABLED has (see module, enabledcopy.go).
func (m *machine) wide() []value.Value {
	if n := int(m.p.width.Load()); n > len(m.p.variables) {
		return make([]value.Value, n)
	}
	return m.blank()
}

func (m *machine) discard(s []value.Value) {
	if len(s) != len(m.p.variables) {
		return
	}
	clear(s)
	m.blanks = append(m.blanks, s)
}
