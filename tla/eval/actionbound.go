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

// universal compiles \A in an action.
func (c *compiler) universal(x *module.Quantifier, e *env, k *cont) act {
	inner, sets, binders := c.bounds(x, x.Bounds, e)
	slots := slotsOf(binders)
	index := c.unit.loops
	c.unit.loops++
	holds := c.pred(x.Body, inner)

	// What follows an item is the next item, or, after the last, k.
	after := &cont{}
	body := c.action(x.Body, inner, after)
	step := func(m *machine, f *frame, last func(*machine, *frame) bool, item func(*machine, *frame) bool) bool {
		l := f.loop(index)
		if l.next == len(l.rows) {
			// k must not see the loop: what it contains may run it again.
			f.loops[index] = l.before
			more := last(m, f)
			f.loops[index] = l
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
	after.all = func(m *machine, f *frame) bool {
		return step(m, f, k.all, func(m *machine, f *frame) bool {
			if !holds(m, f) {
				return true
			}
			return after.all(m, f)
		})
	}
	after.run = func(m *machine, f *frame) bool {
		return step(m, f, k.run, func(m *machine, f *frame) bool {
			if m.unassigned == 0 {
				if !holds(m, f) {
					return true
				}
				return after.all(m, f)
			}
			return body(m, f)
		})
	}
	count := c.countQuantifier(x)
	return keeping(slots, func(m *machine, f *frame) bool {
		vals := evaluated(sets, m, f)
		if count != nil {
			for _, v := range vals {
				count(m, v)
			}
		}
		l := &conjunctionOver{slots: slots, before: f.loop(index)}
		rowsOf(m, f, vals, binders, len(binders), func() {
			row := make([]value.Value, len(slots))
			for j, i := range slots {
				row[j] = f.slots[i].v
			}
			l.rows = append(l.rows, row)
		})
		if len(l.rows) > 2 {
			reverse(l.rows[1:])
		}
		m.descend(4 * len(l.rows))
		f.setLoop(index, l)
		// The first item is entered without looking whether every variable has a value, as what the \A stands in has done that.
		more := step(m, f, k.run, body)
		f.loops[index] = l.before
		m.depth -= 4 * len(l.rows)
		return more
	})
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
