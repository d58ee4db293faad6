package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// An update is one ![a].b = e, compiled.
type update struct {
	path []code
	at   int // the slot of "@", or -1
	new  code
	site *site
}

// except compiles [f EXCEPT ...].
func (c *compiler) except(x *module.Except, e *env) code {
	base := c.value(x.Function, e)
	updates := make([]update, len(x.Updates))
	for i, u := range x.Updates {
		s := c.site(x)
		if u.Span.Known() {
			s.span = u.Span
		}
		updates[i] = update{path: c.values(u.Path, e), at: -1, site: s}
		inner := e
		if u.At != nil {
			updates[i].at = c.slot()
			inner = e.bind(u.At, &binding{kind: bindSlot, unit: c.unit, slot: updates[i].at})
		}
		updates[i].new = c.value(u.Value, inner)
	}
	return func(m *machine, f *frame) value.Value {
		v := base(m, f)
		for i := range updates {
			v = updates[i].apply(m, f, v)
		}
		return v
	}
}

func (u *update) apply(m *machine, f *frame, v value.Value) value.Value {
	var room [4]value.Value
	path := room[:0]
	for _, p := range u.path {
		path = append(path, p(m, f))
	}
	m.at = u.site
	changed, ok := m.work.TryExcept(v, path, func(old value.Value) value.Value {
		if u.at >= 0 {
			f.slots[u.at].v = old
		}
		n := u.new(m, f)
		m.at = u.site
		return n
	})
	if !ok {
		m.warn(u.site, "EXCEPT names an argument outside of the function's domain, or a field that the record does not have, and changes nothing")
	}
	return changed
}
