package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// Actions are compiled to code that enumerates the ways in which they can be true, as TLC does, since what a specification generates is counted: each
// disjunct, each element of a \E and of x' \in S is a way of its own. An equation whose left side is a variable without a value gives it one, for as long as
// the rest is enumerated.

// A cont is what follows an action: run enumerates it. all is the same once every variable has a value; what follows is then only looked at for
// its truth, so that a disjunction counts once, however many of its disjuncts hold.
type cont struct{ run, all act }

// emitCont is the end of an action.
var emitCont = &cont{
	run: func(m *machine, _ *frame) bool { return m.emit() },
	all: func(m *machine, _ *frame) bool { return m.emit() },
}

// A resume is what follows an action that was called, and the caller's frame.
type resume struct {
	k *cont
	f *frame
}

// returnCont is the end of an action that is called: it goes on with what follows the call.
var returnCont = &cont{
	run: func(m *machine, _ *frame) bool {
		return m.proceed(func(r resume) bool { return r.k.run(m, r.f) })
	},
	all: func(m *machine, _ *frame) bool {
		return m.proceed(func(r resume) bool { return r.k.all(m, r.f) })
	},
}

func (m *machine) proceed(run func(resume) bool) bool {
	n := len(m.continuations) - 1
	r := m.continuations[n]
	m.continuations = m.continuations[:n]
	more := run(r)
	m.continuations = append(m.continuations, r)
	return more
}

// invoke runs an action whose end is returnCont.
func (m *machine) invoke(a act, af *frame, k *cont, f *frame) bool {
	m.continuations = append(m.continuations, resume{k, f})
	more := a(m, af)
	m.continuations = m.continuations[:len(m.continuations)-1]
	return more
}

// follow puts an item before a continuation. branch enumerates the item, with k after it; holds is its truth.
func follow(branch act, holds pred, k *cont) *cont {
	all := func(m *machine, f *frame) bool {
		if !holds(m, f) {
			return true
		}
		return k.all(m, f)
	}
	return &cont{
		run: func(m *machine, f *frame) bool {
			if m.unassigned == 0 {
				return all(m, f)
			}
			return branch(m, f)
		},
		all: all,
	}
}

// test makes an action of a predicate, which has one way to be true.
func test(p pred, k *cont) act {
	return func(m *machine, f *frame) bool {
		if !p(m, f) {
			return true
		}
		return k.run(m, f)
	}
}

// action compiles a formula to code that enumerates its ways, each followed by k.
func (c *compiler) action(x module.Expr, e *env, k *cont) act {
	defer c.enter(x)()
	switch x := x.(type) {
	case *module.Label:
		return c.action(x.Body, e, k)
	case *module.Let:
		inner, reset := c.let(x, e)
		return keeping(reset, c.action(x.Body, inner, k))
	case *module.Junction:
		if x.Or {
			return c.disjunction(x.Items, e, k)
		}
		return c.conjunction(x, e, k)
	case *module.Quantifier:
		if !x.Temporal && bounded(x.Bounds) {
			if x.Exists {
				return c.existential(x, e, k)
			}
			return c.universal(x, e, k)
		}
	case *module.If:
		cond, then, other := c.pred(x.Cond, e), c.action(x.Then, e, k), c.action(x.Else, e, k)
		return func(m *machine, f *frame) bool {
			if cond(m, f) {
				return then(m, f)
			}
			return other(m, f)
		}
	case *module.Case:
		return c.caseAction(x, e, k)
	case *module.Subscripted:
		return c.subscriptedAction(x, e, k)
	case *module.Apply:
		if a := c.applyAction(x, e, k); a != nil {
			return a
		}
	case *module.Call:
		if a := c.callAction(x, e, k); a != nil {
			return a
		}
	case *module.ParamRef:
		if a := c.paramAction(x, e, k); a != nil {
			return a
		}
	case *module.ConstantRef:
		if d := c.p.constantDefs[x.Constant]; d != nil && len(x.Args) > 0 {
			return c.action(&module.Call{Node: x.Node, Definition: d, Args: x.Args}, e, k)
		}
	}
	return test(c.pred(x, e), k)
}

// applyAction compiles the builtins that give values to variables or branch, and gives nil for the others.
func (c *compiler) applyAction(x *module.Apply, e *env, k *cont) act {
	switch x.Op {
	case module.Equal:
		return c.equation(x, e, k)
	case module.In:
		return c.choice(x, e, k, func(s value.Value) value.Value { return s })
	case module.SubsetEq:
		return c.choice(x, e, k, func(s value.Value) value.Value { return value.Powerset(s) })
	case module.Implies:
		p, then := c.pred(x.Args[0], e), c.action(x.Args[1], e, k)
		return func(m *machine, f *frame) bool {
			if p(m, f) {
				return then(m, f)
			}
			return k.run(m, f)
		}
	case module.And:
		return c.conjunction(&module.Junction{Node: x.Node, Items: x.Args, Names: make([]string, 2)}, e, k)
	case module.Or:
		return c.disjunction(x.Args, e, k)
	case module.Unchanged:
		if !c.initial {
			return c.unchanged(x, x.Args[0], e, k)
		}
	case module.FunctionApply:
		if a := c.functionAction(x, e, k); a != nil {
			return a
		}
	case module.Compose:
		return c.compose(x, e, k)
	}
	return nil
}

func bounded(bounds []*module.Bound) bool {
	for _, b := range bounds {
		if b.Set == nil {
			return false
		}
	}
	return true
}

// keeping clears slots for an action and puts back what was in them: the same code may be under way further out, if it is an argument that is used
// twice.
func keeping(slots []int, a act) act {
	if len(slots) == 0 {
		return a
	}
	return func(m *machine, f *frame) bool {
		var room [8]slot
		old := room[:0]
		for _, i := range slots {
			old = append(old, f.slots[i])
			f.slots[i].v = nil
		}
		more := a(m, f)
		for j, i := range slots {
			f.slots[i] = old[j]
		}
		return more
	}
}

func (c *compiler) conjunction(x *module.Junction, e *env, k *cont) act {
	first := -1
	for i := len(x.Items) - 1; i >= 0; i-- {
		if c.dropped(x.Items[i]) {
			continue
		}
		first = i
	}
	if first < 0 {
		return k.run
	}
	for i := len(x.Items) - 1; i > first; i-- {
		if y := x.Items[i]; !c.dropped(y) {
			holds := c.counted(x, i, c.pred(y, e))
			if c.hasOneWay(y, e) {
				k = &cont{run: test(holds, k), all: testAll(holds, k)}
				continue
			}
			k = follow(c.countedAction(x, i, e, k), holds, k)
		}
	}
	if c.hasOneWay(x.Items[first], e) {
		return test(c.counted(x, first, c.pred(x.Items[first], e)), k)
	}
	return c.countedAction(x, first, e, k)
}

func testAll(p pred, k *cont) act {
	return func(m *machine, f *frame) bool {
		if !p(m, f) {
			return true
		}
		return k.all(m, f)
	}
}

// hasOneWay tells of simple formulas that they assign nothing and do not branch.
func (c *compiler) hasOneWay(x module.Expr, e *env) bool {
	y, ok := x.(*module.Apply)
	if !ok {
		return false
	}
	switch y.Op {
	case module.True, module.False, module.Not, module.Equivalent, module.NotEqual, module.NotIn, module.Enabled:
		return true
	case module.Equal, module.In, module.SubsetEq:
		i, dynamic := c.assigned(y.Args[0], e)
		return i < 0 && dynamic == nil
	}
	return false
}

func (c *compiler) disjunction(items []module.Expr, e *env, k *cont) act {
	var ways []act
	for _, y := range items {
		if c.dropped(y) {
			continue
		}
		ways = append(ways, c.action(y, e, k))
	}
	return func(m *machine, f *frame) bool {
		for _, w := range ways {
			if !w(m, f) {
				return false
			}
		}
		return true
	}
}

func (c *compiler) caseAction(x *module.Case, e *env, k *cont) act {
	s := c.site(x)
	conds := make([]pred, len(x.Conds))
	arms := make([]act, len(x.Conds))
	for i := range x.Conds {
		conds[i], arms[i] = c.pred(x.Conds[i], e), c.action(x.Values[i], e, k)
	}
	var other act
	if x.Other != nil {
		other = c.action(x.Other, e, k)
	}
	return func(m *machine, f *frame) bool {
		for i, p := range conds {
			if p(m, f) {
				return arms[i](m, f)
			}
		}
		if other == nil {
			fail(s, CodeEvaluation, "no condition of the CASE is TRUE, and it has no OTHER")
		}
		return other(m, f)
	}
}

// subscriptedAction compiles [A]_v and <<A>>_v.
func (c *compiler) subscriptedAction(x *module.Subscripted, e *env, k *cont) act {
	if x.Angle {
		same := c.unchangedPred(x, x.Vars, e)
		changed := func(m *machine, f *frame) bool { return !same(m, f) }
		return c.action(x.Action, e, &cont{run: test(changed, k), all: testAll(changed, k)})
	}
	a, same := c.action(x.Action, e, k), c.unchanged(x, x.Vars, e, k)
	return func(m *machine, f *frame) bool { return a(m, f) && same(m, f) }
}

// callAction compiles the use of a definition as an action, or gives nil where it can only be evaluated.
func (c *compiler) callAction(x *module.Call, e *env, k *cont) act {
	d := x.Definition
	var around *env
	if d.Let {
		b := e.find(d)
		if b == nil {
			return nil
		}
		switch b.kind {
		case bindInline, bindCell, bindConstant:
			var a act
			c.at(b.where, func() { a = c.action(b.expr, b.env, k) })
			return a
		case bindMacro:
			if c.mustCall(d) {
				return c.realAction(x, c.calledMacro(b, c.actionWant()), b.unit, x.Args, e, k)
			}
			around = b.env
		default:
			return nil
		}
	} else {
		if _, ok := c.p.definitionValue(d); ok || c.p.defTables[d] != nil {
			return nil
		}
		d = c.overridden(d)
		if _, ok := c.p.native(d); ok || d.Body == nil || d.Function {
			return nil
		}
		// TLC evaluates constant definitions beforehand, so that they do not branch.
		if c.definitionConstant(d) != nil {
			return nil
		}
		if c.mustCall(d) {
			return c.realAction(x, c.calledUnit(d, c.actionWant()), nil, x.Args, e, k)
		}
	}
	var a act
	c.inline(x, d, x.Args, e, around, func(inner *env, reset []int) {
		a = keeping(reset, c.action(d.Body, inner, k))
	})
	return a
}

// realAction calls an action.
func (c *compiler) realAction(x module.Expr, u *callUnit, up *unit, args []module.Expr, e *env, k *cont) act {
	pass, s, hops := c.arguments(u, args, e), c.site(x), c.hopsTo(up)
	return func(m *machine, f *frame) bool {
		nf := m.enter(u, f, hops, s, pass)
		more := m.invoke(u.act, nf, k, f)
		m.leave(u, nf)
		return more
	}
}

// paramAction compiles a parameter as an action, or gives nil where it is a value.
func (c *compiler) paramAction(x *module.ParamRef, e *env, k *cont) act {
	b := e.find(x.Param)
	if b == nil {
		return nil
	}
	switch b.kind {
	case bindInline, bindCell, bindConstant:
		if b.expr == nil {
			return nil
		}
		var a act
		c.at(b.where, func() { a = c.action(b.expr, b.env, k) })
		return a
	case bindParam:
		hops, i := c.hops(b.unit), b.slot
		value := test(c.truth(x, c.bound(x, b)), k)
		return func(m *machine, f *frame) bool {
			of := ancestor(f, hops)
			if t := of.thunks[i]; t != nil && t.arg.act != nil {
				m.descend(t.arg.nesting)
				more := m.invoke(t.arg.act, t.f, k, f)
				m.depth -= t.arg.nesting
				return more
			}
			return value(m, f)
		}
	case bindOperator:
		if y, inner := c.applyIn(x, b, x.Args, e); y != nil {
			return c.action(y, inner, k)
		}
		lambda := b.expr.(*module.Lambda)
		if len(c.inlined) >= maxInlined {
			return nil
		}
		d := &module.Definition{Name: lambdaName, Params: lambda.Params, Body: lambda.Body}
		var a act
		c.inline(x, d, x.Args, e, b.env, func(inner *env, reset []int) {
			a = keeping(reset, c.action(d.Body, inner, k))
		})
		return a
	case bindOpSlot:
		return c.dynamicAction(x, b, e, k)
	}
	return nil
}

func (c *compiler) dynamicAction(x *module.ParamRef, b *binding, e *env, k *cont) act {
	hops, slot, s := c.hops(b.unit), b.slot, c.site(x)
	pass := make([]argument, len(x.Args))
	for i, a := range x.Args {
		pass[i] = c.argument(i, a, e)
	}
	value := test(c.truth(x, c.dynamicCall(x, b, x.Args, e)), k)
	return func(m *machine, f *frame) bool {
		op := ancestor(f, hops).ops[slot]
		if op.action == nil {
			return value(m, f)
		}
		nf := m.enterOperator(op.action, op.up, f, s, pass)
		more := m.invoke(op.action.act, nf, k, f)
		m.leave(op.action, nf)
		return more
	}
}

// functionAction compiles f[x] as an action where f is written out or recursive; elsewhere f is a value, and gives nil.
func (c *compiler) functionAction(x *module.Apply, e *env, k *cont) act {
	g, env, _ := c.follow(x.Args[0], e, false)
	if call, ok := g.(*module.Call); ok {
		if fn := c.functionOf(call, env); fn != nil {
			return c.recursiveAction(x, fn, e, k)
		}
		return nil
	}
	fn, ok := g.(*module.Function)
	if !ok {
		return nil
	}
	domain, s := c.domain(fn, env), c.site(x)
	arg := c.value(x.Args[1], e)
	inner, bind := c.bindArgument(fn.Bounds, env)
	var slots []int
	for i := inner; i != env; i = i.up {
		slots = append(slots, i.b.slot)
	}
	body := c.action(fn.Body, inner, k)
	return keeping(slots, func(m *machine, f *frame) bool {
		sets := domain(m, f)
		v := arg(m, f)
		m.at = s
		bind(m, f, sets, v, s)
		return body(m, f)
	})
}
