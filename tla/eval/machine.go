package eval

import (
	"context"

	"podlife/tla/library"
	"podlife/tla/value"
)

// code evaluates an expression; pred one that has to be a boolean. act enumerates the ways in which an action can be true, calling its continuation
// for each; false means that nobody wants more.
type (
	code func(m *machine, f *frame) value.Value
	pred func(m *machine, f *frame) bool
	act  func(m *machine, f *frame) bool
)

// machine is what an evaluation depends on beside the frame. It belongs to one evaluator.
//
// cur and next are the states that unprimed and primed variables are read from. curID and nextID name their contents: whatever was computed
// under the same numbers holds still. Each change of content takes a new number from clock, and going back takes back the old one.
type machine struct {
	p *Program

	cur, next     []value.Value // an element is nil as long as the variable has no value; the slices may be nil
	curID, nextID uint64
	clock         uint64
	unassigned    int         // variables without a value in the state that an action builds
	emit          func() bool // what to do with a complete way of an action
	found         bool        // ENABLED found a way

	// The action under way, its frame, and the values of its parameters once somebody asked.
	action      *Action
	actionFrame *frame
	actionArgs  []value.Value
	only        *Action // nil, or the only one that is to be tried

	at    *site   // the expression that is about to do something that can fail
	calls []*site // where the definitions under way were called, as far as they were called and not written into their callers
	depth int     // of the Go stack, in nested closures
	limit int

	compositions  []composition
	intermediate  int64    // states between the two parts of an A \cdot B
	continuations []resume // of the actions that were called; see returnCont
	pool          [][]*frame
	blanks        [][]value.Value // states without values, for use
	escaped       int             // how many values were made that refer to this machine

	// The {x \in S : P} that was made last without being written out, and its S.
	filtered    *value.Filtered
	filteredSet value.Value

	constants map[*constant]value.Value // those that refer to this machine

	ctx   context.Context
	ticks int
	lib   *library.Env
	cover *counters // nil: nobody counts
}

// registers are what an evaluation under way must find again after another one.
type registers struct {
	cur, next     []value.Value
	curID, nextID uint64
	unassigned    int
	emit          func() bool
	found         bool
	action        *Action
	actionFrame   *frame
	actionArgs    []value.Value
	at            *site
	calls         int
	depth         int
	continuations int
	compositions  int
}

func (m *machine) save() registers {
	return registers{m.cur, m.next, m.curID, m.nextID, m.unassigned, m.emit, m.found, m.action, m.actionFrame, m.actionArgs, m.at, len(m.calls), m.depth, len(m.continuations), len(m.compositions)}
}

func (m *machine) restore(r registers) {
	m.cur, m.next, m.curID, m.nextID, m.unassigned, m.emit, m.found = r.cur, r.next, r.curID, r.nextID, r.unassigned, r.emit, r.found
	m.action, m.actionFrame, m.actionArgs = r.action, r.actionFrame, r.actionArgs
	m.at, m.calls, m.depth, m.continuations = r.at, m.calls[:r.calls], r.depth, m.continuations[:r.continuations]
	m.compositions = m.compositions[:r.compositions]
}

// fresh gives a number that names no content yet.
func (m *machine) fresh() uint64 {
	m.clock++
	return m.clock
}

// states makes s and t the states that are looked at. t may be nil.
func (m *machine) states(s, t []value.Value) {
	m.cur, m.curID = s, m.fresh()
	m.next, m.nextID = t, 0
	if t != nil {
		m.nextID = m.fresh()
	}
}

// tick is called in every loop that a specification can make long.
func (m *machine) tick() {
	m.ticks++
	if m.ticks&0xfff == 0 {
		m.interrupt()
	}
}

func (m *machine) interrupt() {
	if err := m.ctx.Err(); err != nil {
		panic(&failure{code: CodeInterrupted, message: "the evaluation was interrupted", cause: err})
	}
}

// descend is called where evaluation can recurse without end. n is how many Go frames may follow before it is called again.
func (m *machine) descend(n int) {
	m.depth += n
	if m.depth > m.limit {
		panic(&failure{code: CodeDepth, message: "the evaluation is nested too deeply; a recursion may be without end"})
	}
}

// primed evaluates under the next state: what is unprimed there is read from it.
func (m *machine) primed(f *frame, run code) value.Value {
	cur, next, curID, nextID := m.cur, m.next, m.curID, m.nextID
	m.cur, m.curID, m.next, m.nextID = next, nextID, nil, 0
	v := run(m, f)
	m.cur, m.next, m.curID, m.nextID = cur, next, curID, nextID
	return v
}

// A frame holds what the names of a unit stand for while it is evaluated.
type frame struct {
	slots  []slot
	thunks []*thunk    // by parameter: how to get its value, or nil where the slot has it
	own    []thunk     // room for the thunks that are made for this frame
	ops    []*operator // by operator parameter
	loops  []*conjunctionOver
	up     *frame // of the unit around it
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
		return value.Apply(t.force(m), x)
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

// capture copies a frame, and those that it refers to, for a value that may live longer than the evaluation under way.
func (m *machine) capture(f *frame) *frame {
	m.escaped++
	return copyFrame(f, map[*frame]*frame{})
}

func copyFrame(f *frame, done map[*frame]*frame) *frame {
	if f == nil {
		return nil
	}
	if c := done[f]; c != nil {
		return c
	}
	c := &frame{slots: append([]slot(nil), f.slots...)}
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
