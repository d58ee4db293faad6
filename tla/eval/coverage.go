package eval

import (
	"podlife/tla/diag"
	"podlife/tla/module"
	"podlife/tla/value"
)

// Coverage is how often what was evaluated. Those of several evaluators add up with Add.
type Coverage struct {
	Actions      []ActionCount // by Action.Index
	Conjuncts    map[*Conjunct]TruthCount
	Quantifiers  []QuantifierCount  // in the order of compilation, which is the same for each evaluator of a Program
	Implications []ImplicationCount // likewise
}

// An ActionCount is how often an action was tried and how many successors it generated.
type ActionCount struct {
	Tried, Generated int64
}

// A TruthCount is how often a formula was evaluated to each value. An item of an action's conjunction counts as TRUE when it can be true in any way.
type TruthCount struct {
	True, False int64
}

// A QuantifierCount is how often a bounded \A or \E was evaluated, and how often over an empty set.
type QuantifierCount struct {
	Span             diag.Span
	Definition       string // in which it stands
	Exists           bool
	Evaluated, Empty int64
}

// An ImplicationCount is how often an implication was evaluated, and how often its antecedent was TRUE.
type ImplicationCount struct {
	Span              diag.Span
	Definition        string // in which it stands
	Evaluated, Active int64
}

// Add adds the counts of another evaluator of the same Program.
func (c *Coverage) Add(o *Coverage) {
	if o == nil {
		return
	}
	for i, n := range o.Actions {
		if i >= len(c.Actions) {
			c.Actions = append(c.Actions, n)
			continue
		}
		c.Actions[i].Tried += n.Tried
		c.Actions[i].Generated += n.Generated
	}
	if c.Conjuncts == nil {
		c.Conjuncts = map[*Conjunct]TruthCount{}
	}
	for k, n := range o.Conjuncts {
		was := c.Conjuncts[k]
		c.Conjuncts[k] = TruthCount{was.True + n.True, was.False + n.False}
	}
	for i, n := range o.Quantifiers {
		if i >= len(c.Quantifiers) {
			c.Quantifiers = append(c.Quantifiers, n)
			continue
		}
		c.Quantifiers[i].Evaluated += n.Evaluated
		c.Quantifiers[i].Empty += n.Empty
	}
	for i, n := range o.Implications {
		if i >= len(c.Implications) {
			c.Implications = append(c.Implications, n)
			continue
		}
		c.Implications[i].Evaluated += n.Evaluated
		c.Implications[i].Active += n.Active
	}
}

// A counterPlan says what is counted where. An expression has one counter however often it was compiled.
type counterPlan struct {
	items        map[module.Expr]int
	quantifiers  []QuantifierCount // without numbers
	implications []ImplicationCount
	quantifier   map[module.Expr]int
	implication  map[module.Expr]int
}

func newCounterPlan() *counterPlan {
	return &counterPlan{items: map[module.Expr]int{}, quantifier: map[module.Expr]int{}, implication: map[module.Expr]int{}}
}

// counters are the numbers of one evaluator.
type counters struct {
	actions      []ActionCount
	items        []TruthCount
	quantifiers  [][2]int64
	implications [][2]int64
}

func at[T any](list *[]T, i int) *T {
	for i >= len(*list) {
		var zero T
		*list = append(*list, zero)
	}
	return &(*list)[i]
}

func (c *counters) item(i int, holds bool) {
	n := at(&c.items, i)
	if holds {
		n.True++
	} else {
		n.False++
	}
}

// dropped tells whether an item is to be left out.
func (c *compiler) dropped(x module.Expr) bool {
	return c.p.opt.Drop != nil && c.p.opt.Drop.expr == x
}

func (p *counterPlan) item(x module.Expr) int {
	i, ok := p.items[x]
	if !ok {
		i = len(p.items)
		p.items[x] = i
	}
	return i
}

// counted counts how often item i of a conjunction is true, when counting.
func (c *compiler) counted(x *module.Junction, i int, p pred) pred {
	if c.p.counts == nil || x.Or {
		return p
	}
	n := c.p.counts.item(x.Items[i])
	return func(m *machine, f *frame) bool {
		holds := p(m, f)
		if m.cover != nil {
			m.cover.item(n, holds)
		}
		return holds
	}
}

// countedAction compiles item i of a conjunction as an action, and counts.
func (c *compiler) countedAction(x *module.Junction, i int, e *env, k *cont) act {
	if c.p.counts == nil || x.Or {
		return c.action(x.Items[i], e, k)
	}
	n, slot := c.p.counts.item(x.Items[i]), c.slot()
	// The slot tells whether the item could be true since it was entered.
	mark := func(after act) act {
		return func(m *machine, f *frame) bool {
			f.slots[slot].cur = 1
			return after(m, f)
		}
	}
	a := c.action(x.Items[i], e, &cont{run: mark(k.run), all: mark(k.all)})
	return func(m *machine, f *frame) bool {
		old := f.slots[slot].cur
		f.slots[slot].cur = 0
		more := a(m, f)
		if m.cover != nil {
			m.cover.item(n, f.slots[slot].cur == 1)
		}
		f.slots[slot].cur = old
		return more
	}
}

func (c *compiler) countedImplication(x *module.Apply, a, b pred) pred {
	if c.p.counts == nil {
		return func(m *machine, f *frame) bool { return !a(m, f) || b(m, f) }
	}
	plan := c.p.counts
	n, ok := plan.implication[x]
	if !ok {
		n = len(plan.implications)
		plan.implication[x] = n
		plan.implications = append(plan.implications, ImplicationCount{Span: x.Span, Definition: c.definition})
	}
	return func(m *machine, f *frame) bool {
		if m.cover == nil {
			return !a(m, f) || b(m, f)
		}
		at(&m.cover.implications, n)[0]++
		if !a(m, f) {
			return true
		}
		at(&m.cover.implications, n)[1]++
		return b(m, f)
	}
}

// countQuantifier gives what counts an evaluation over a set, or nil.
func (c *compiler) countQuantifier(x *module.Quantifier) func(m *machine, set value.Value) {
	if c.p.counts == nil {
		return nil
	}
	plan := c.p.counts
	n, ok := plan.quantifier[x]
	if !ok {
		n = len(plan.quantifiers)
		plan.quantifier[x] = n
		plan.quantifiers = append(plan.quantifiers, QuantifierCount{Span: x.Span, Definition: c.definition, Exists: x.Exists})
	}
	return func(m *machine, set value.Value) {
		if m.cover == nil {
			return
		}
		q := at(&m.cover.quantifiers, n)
		q[0]++
		if isEmpty(set) {
			q[1]++
		}
	}
}

func isEmpty(set value.Value) bool {
	switch s := set.(type) {
	case *value.Set:
		return s.Len() == 0
	case *value.Range:
		lo, hi := s.Bounds()
		return hi < lo
	case *value.Subsets, value.Infinite:
		return false
	}
	if set.Kind() != value.KindSet {
		return false // what comes next fails
	}
	return value.Enumerate(set, func(value.Value) bool { return false })
}

func (e *Evaluator) coverage() *Coverage {
	c := e.m.cover
	if c == nil {
		return nil
	}
	e.p.mu.Lock()
	defer e.p.mu.Unlock()
	plan := e.p.counts
	out := &Coverage{Conjuncts: map[*Conjunct]TruthCount{}}
	for i := range e.p.actions {
		out.Actions = append(out.Actions, *at(&c.actions, i))
	}
	add := func(ks []*Conjunct) {
		for _, k := range ks {
			if n, ok := plan.items[k.expr]; ok {
				out.Conjuncts[k] = *at(&c.items, n)
			}
		}
	}
	for _, a := range e.p.actions {
		add(a.Conjuncts)
	}
	for _, i := range e.p.invariants {
		add(i.Conjuncts)
	}
	for i, q := range plan.quantifiers {
		n := at(&c.quantifiers, i)
		q.Evaluated, q.Empty = n[0], n[1]
		out.Quantifiers = append(out.Quantifiers, q)
	}
	for i, q := range plan.implications {
		n := at(&c.implications, i)
		q.Evaluated, q.Active = n[0], n[1]
		out.Implications = append(out.Implications, q)
	}
	return out
}
