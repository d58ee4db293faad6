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
	work  value.Work // operations on values, which it interrupts
	lib   *library.Env
	cover *counters // nil: nobody counts
}

// saved is what an evaluation under way must find again after another one.
type saved struct {
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

func (m *machine) save() saved {
	return saved{m.cur, m.next, m.curID, m.nextID, m.unassigned, m.emit, m.found, m.action, m.actionFrame, m.actionArgs, m.at, len(m.calls), m.depth, len(m.continuations), len(m.compositions)}
}

func (m *machine) restore(s saved) {
	m.cur, m.next, m.curID, m.nextID, m.unassigned, m.emit, m.found = s.cur, s.next, s.curID, s.nextID, s.unassigned, s.emit, s.found
	m.action, m.actionFrame, m.actionArgs = s.action, s.actionFrame, s.actionArgs
	m.at, m.calls, m.depth, m.continuations = s.at, m.calls[:s.calls], s.depth, m.continuations[:s.continuations]
	m.compositions = m.compositions[:s.compositions]
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
