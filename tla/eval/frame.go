package eval

import (
	"podlife/tla/value"
)

// A frame holds what the names of a unit stand for while it is evaluated.
type frame struct {
	slots  []slot
	thunks []*thunk    // by parameter: how to get its value, or nil where the slot has it
	own    []thunk     // room for the thunks that are made for this frame
	ops    []*operator // by operator parameter
	loops  []*conjunctionOver
	up     *frame // of the unit around it

	captured bool // it is a copy: what it holds stays as it is
}

// A slot is the value of a bound name, or a value that is remembered together with the states it was computed for.
type slot struct {
	v         value.Value
	cur, next uint64
}

// A unit is a piece of code with a frame of its own: a definition that is called, an action, an operator as argument.
type unit struct {
	id     int
	slots  int
	params int // the first slots, for which thunks may stand
	ops    int
	loops  int // of \A in actions
	up     *unit
	nesting,
	deepest int // of closures, at the present point of compilation and at most
}

func (m *machine) frame(u *unit) *frame {
	if u.id < len(m.pool) {
		if free := m.pool[u.id]; len(free) > 0 {
			f := free[len(free)-1]
			m.pool[u.id] = free[:len(free)-1]
			return f
		}
	}
	f := &frame{slots: make([]slot, u.slots)}
	if u.params > 0 {
		f.thunks = make([]*thunk, u.params)
		f.own = make([]thunk, u.params)
	}
	if u.ops > 0 {
		f.ops = make([]*operator, u.ops)
	}
	return f
}

// release gives a frame back. Nothing may refer to it any more; what outlives a call has a copy (see capture).
func (m *machine) release(u *unit, f *frame) {
	for u.id >= len(m.pool) {
		m.pool = append(m.pool, nil)
	}
	f.up = nil
	m.pool[u.id] = append(m.pool[u.id], f)
}

// capture copies a frame, and those that it refers to, for a value that may live longer than the evaluation under way.
func (m *machine) capture(f *frame) *frame {
	m.escaped++
	return copyFrame(f, map[*frame]*frame{})
}

func copyFrame(f *frame, done map[*frame]*frame) *frame {
	if f == nil || f.captured {
		return f
	}
	if c := done[f]; c != nil {
		return c
	}
	c := &frame{slots: append([]slot(nil), f.slots...), captured: true}
	done[f] = c
	c.up = copyFrame(f.up, done)
	if f.thunks != nil {
		c.thunks = make([]*thunk, len(f.thunks))
		for i, t := range f.thunks {
			if t != nil {
				u := *t
				u.f, u.fn = copyFrame(t.f, done), nil
				c.thunks[i] = &u
			}
		}
	}
	if f.ops != nil {
		c.ops = make([]*operator, len(f.ops))
		for i, o := range f.ops {
			if o != nil {
				p := *o
				p.up = copyFrame(o.up, done)
				c.ops[i] = &p
			}
		}
	}
	return c
}
