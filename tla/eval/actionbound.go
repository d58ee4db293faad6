package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// existential compiles \E in an action: each element is a way of its own.
func (c *compiler) existential(x *module.Quantifier, e *env, k *cont) act {
	inner, sets, binders := c.bounds(x, x.Bounds, e)
	body, count := c.action(x.Body, inner, k), c.countQuantifier(x)
	slots := slotsOf(binders)
	if len(binders) == 1 && !binders[0].tuple {
		i, set, s := slots[0], sets[0], binders[0].site
		return func(m *machine, f *frame) bool {
			v := set(m, f)
			if count != nil {
				count(m, v)
			}
			old := f.slots[i].v
			more := true
			if elems, ok := v.(*value.Set); ok {
				for _, elem := range elems.Elems() {
					m.tick()
					f.slots[i].v = elem
					if more = body(m, f); !more {
						break
					}
				}
			} else {
				more = each(m, s, v, func(elem value.Value) bool {
					f.slots[i].v = elem
					return body(m, f)
				})
			}
			f.slots[i].v = old
			return more
		}
	}
	w := &ways{binders: binders, body: body}
	return keeping(slots, func(m *machine, f *frame) bool {
		vals := evaluated(sets, m, f)
		if count != nil {
			for _, v := range vals {
				count(m, v)
			}
		}
		return w.run(m, f, vals, len(binders))
	})
}

func slotsOf(binders []binder) []int {
	var slots []int
	for _, b := range binders {
		slots = append(slots, b.slots...)
	}
	return slots
}

// ways is a \E with several names; the first of them changes fastest, as with TLC.
type ways struct {
	binders []binder
	body    act
}

func (w *ways) run(m *machine, f *frame, sets []value.Value, n int) bool {
	if n == 0 {
		m.tick()
		return w.body(m, f)
	}
	b := &w.binders[n-1]
	return each(m, b.site, sets[b.set], func(v value.Value) bool {
		b.put(f, v)
		return w.run(m, f, sets, n-1)
	})
}

// A conjunctionOver is a \A in an action: a conjunction with an item for each choice of elements. TLC takes the first choice first, and then the others from the
// last to the second.
type conjunctionOver struct {
	slots  []int
	rows   [][]value.Value // the elements for the slots, in TLC's order
	next   int             // the row that follows
	before *conjunctionOver
}

// A conjunctionCode is the code of a \A in an action. What follows an item is the next item, or, after the last, what follows the \A.
type conjunctionCode struct {
	index int // of its loops in the frame
	slots []int
	holds pred
	body  act // an item, with after behind it
	after *cont
	k     *cont
}

// universal compiles \A in an action.
func (c *compiler) universal(x *module.Quantifier, e *env, k *cont) act {
	inner, sets, binders := c.bounds(x, x.Bounds, e)
	q := &conjunctionCode{index: c.unit.loops, slots: slotsOf(binders), k: k, after: &cont{}}
	c.unit.loops++
	q.holds = c.pred(x.Body, inner)
	q.after.run, q.after.all = q.next, q.nextHolds
	q.body = c.action(x.Body, inner, q.after)
	count := c.countQuantifier(x)
	return keeping(q.slots, func(m *machine, f *frame) bool {
		vals := evaluated(sets, m, f)
		if count != nil {
			for _, v := range vals {
				count(m, v)
			}
		}
		return q.run(m, f, q.rows(m, f, vals, binders))
	})
}

// rows are the elements for the slots, in the order of the items.
func (q *conjunctionCode) rows(m *machine, f *frame, sets []value.Value, binders []binder) [][]value.Value {
	var rows [][]value.Value
	rowsOf(m, f, sets, binders, len(binders), func() {
		row := make([]value.Value, len(q.slots))
		for j, i := range q.slots {
			row[j] = f.slots[i].v
		}
		rows = append(rows, row)
	})
	if len(rows) > 2 {
		reverse(rows[1:])
	}
	return rows
}

func (q *conjunctionCode) run(m *machine, f *frame, rows [][]value.Value) bool {
	l := &conjunctionOver{slots: q.slots, rows: rows, before: f.loop(q.index)}
	m.descend(4 * len(rows))
	f.setLoop(q.index, l)
	// The first item is entered without looking whether every variable has a value, as what the \A stands in has done that.
	more := q.step(m, f, q.k.run, q.body)
	f.loops[q.index] = l.before
	m.depth -= 4 * len(rows)
	return more
}

// step enters the next item, or last after the last one.
func (q *conjunctionCode) step(m *machine, f *frame, last, item act) bool {
	l := f.loop(q.index)
	if l.next == len(l.rows) {
		// What follows must not see the loop: it may run it again.
		f.loops[q.index] = l.before
		more := last(m, f)
		f.loops[q.index] = l
		return more
	}
	row := l.rows[l.next]
	var room [8]value.Value
	old := room[:0]
	for j, i := range l.slots {
		old = append(old, f.slots[i].v)
		f.slots[i].v = row[j]
	}
	l.next++
	more := item(m, f)
	l.next--
	for j, i := range l.slots {
		f.slots[i].v = old[j]
	}
	return more
}

func (q *conjunctionCode) next(m *machine, f *frame) bool { return q.step(m, f, q.k.run, q.item) }

func (q *conjunctionCode) nextHolds(m *machine, f *frame) bool {
	return q.step(m, f, q.k.all, q.itemHolds)
}

func (q *conjunctionCode) item(m *machine, f *frame) bool {
	if m.unassigned == 0 {
		return q.itemHolds(m, f)
	}
	return q.body(m, f)
}

// itemHolds is an item where every variable has a value.
func (q *conjunctionCode) itemHolds(m *machine, f *frame) bool {
	return !q.holds(m, f) || q.after.all(m, f)
}

func reverse(rows [][]value.Value) {
	for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
		rows[i], rows[j] = rows[j], rows[i]
	}
}

func rowsOf(m *machine, f *frame, sets []value.Value, binders []binder, n int, yield func()) {
	if n == 0 {
		yield()
		return
	}
	b := &binders[n-1]
	each(m, b.site, sets[b.set], func(v value.Value) bool {
		b.put(f, v)
		rowsOf(m, f, sets, binders, n-1, yield)
		return true
	})
}

func (f *frame) loop(i int) *conjunctionOver {
	if i < len(f.loops) {
		return f.loops[i]
	}
	return nil
}

func (f *frame) setLoop(i int, l *conjunctionOver) {
	for i >= len(f.loops) {
		f.loops = append(f.loops, nil)
	}
	f.loops[i] = l
}
