package eval

import (
	"podlife/tla/value"
)

// A thunk is an argument that is evaluated when it is needed, and then remembered.
type thunk struct {
	slot
	arg *lazyArgument
	f   *frame
	fn  *lazyFunction // how far it was applied, if it is a function that is written out
}

// A lazyArgument is what is known of a thunk when compiling.
type lazyArgument struct {
	code     code
	act      act // as an action; nil where it can only be evaluated
	depends  uses
	nesting  int
	variable int       // the variable that it is, unprimed, or -1
	primed   int       // the variable that it is, primed, or -1
	shared   bool      // by several goroutines: it must not remember
	fn       *function // the function that it is, where that is written out; it is evaluated for one argument after the other
	hops     int       // from the thunk's frame to that around fn
}

func (t *thunk) force(m *machine) value.Value {
	a := t.arg
	if t.v != nil && (a.depends&usesCur == 0 || t.cur == m.curID) && (a.depends&usesNext == 0 || t.next == m.nextID) {
		return t.v
	}
	if a.shared {
		return a.code(m, t.f)
	}
	m.descend(a.nesting)
	v := a.code(m, t.f)
	m.depth -= a.nesting
	t.v, t.cur, t.next = v, m.curID, m.nextID
	return v
}

// apply gives f[x] of a thunk with arg.fn.
func (t *thunk) apply(m *machine, x value.Value, s *site) value.Value {
	if t.v != nil {
		m.at = s
		return m.work.Apply(t.force(m), x)
	}
	l := t.fn
	if l == nil || l.cur != m.curID || l.next != m.nextID {
		l = &lazyFunction{cur: m.curID, next: m.nextID, sets: t.arg.fn.sets(m, t.up())}
		l.room()
		t.fn = l
	}
	i := l.place(x)
	if i >= 0 && l.vals[i] != nil {
		return l.vals[i]
	}
	v := t.arg.fn.body(m, t.up(), l.sets, x, s)
	if i >= 0 {
		l.vals[i] = v
	}
	return v
}

func (t *thunk) up() *frame {
	if t.arg.hops < 0 {
		return nil
	}
	return ancestor(t.f, t.arg.hops)
}

// A lazyFunction is a function whose values are remembered as they are asked for.
type lazyFunction struct {
	cur, next uint64
	sets      []value.Value
	vals      []value.Value // by the place of the argument; nil where nothing is remembered
}

// maxRemembered bounds the domain of a function whose values are remembered.
const maxRemembered = 1 << 8

func (l *lazyFunction) room() {
	if len(l.sets) != 1 {
		return
	}
	switch s := l.sets[0].(type) {
	case *value.Range:
		if lo, hi := s.Bounds(); lo <= hi && hi-lo < maxRemembered {
			l.vals = make([]value.Value, hi-lo+1)
		}
	case *value.Set:
		if s.Len() <= maxRemembered {
			l.vals = make([]value.Value, s.Len())
		}
	}
}

// place is where the value for an argument is remembered, or -1.
func (l *lazyFunction) place(x value.Value) int {
	if l.vals == nil {
		return -1
	}
	switch s := l.sets[0].(type) {
	case *value.Range:
		lo, hi := s.Bounds()
		if n, ok := x.(value.Int); ok && lo <= int64(n) && int64(n) <= hi {
			return int(int64(n) - lo)
		}
	case *value.Set:
		if k := x.Kind(); k == value.KindInt || k == value.KindModel || k == value.KindString {
			for i, e := range s.Elems() {
				if i >= 16 {
					break
				}
				if e == x {
					return i
				}
			}
		}
	}
	return -1
}
