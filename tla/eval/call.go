package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// A callUnit is a definition, lambda or the like that is called, with a frame of its own. Its parameters are the first slots.
type callUnit struct {
	unit   *unit
	name   string
	params []*module.Param
	strict []bool // by parameter: its argument is evaluated before the call
	value  code
	pred   pred
	act    act
}

// call is the use of a definition.
func (c *compiler) call(x *module.Call, e *env) code {
	d := x.Definition
	if d.Let {
		return c.letCall(x, e)
	}
	if v, ok := c.p.definitionValue(d); ok {
		return literal(v)
	}
	if t := c.p.defTables[d]; t != nil {
		return c.tableCall(x, d.Name, t, x.Args, e)
	}
	d = c.overridden(d)
	if run := c.nativeCall(x, d, x.Args, e); run != nil {
		return run
	}
	if k := c.definitionConstant(d); k != nil {
		return k.get
	}
	if d.Body == nil {
		return c.cannot(x, CodeUnsupported, "%s has no definition that could be evaluated", d.Name)
	}
	if d.Function && d.Recursive {
		return c.functionValue(x, c.topFunction(d))
	}
	if c.mustCall(d) {
		return c.realCall(x, c.calledUnit(d, wantValue), nil, x.Args, e)
	}
	var run code
	c.inline(x, d, x.Args, e, nil, func(inner *env, reset []int) {
		run = withReset(reset, c.value(d.Body, inner))
	})
	return run
}

// predCall compiles the use of a definition as a boolean without going through its value, or gives nil.
func (c *compiler) predCall(x *module.Call, e *env) pred {
	d := x.Definition
	var around *env
	if d.Let {
		b := e.find(d)
		if b == nil {
			return nil
		}
		switch b.kind {
		case bindInline:
			var p pred
			c.at(b.where, func() { p = c.pred(b.expr, b.env) })
			return p
		case bindMacro:
			if c.mustCall(d) {
				return nil
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
		if p := c.nativePred(x, d, e); p != nil {
			return p
		}
		if _, ok := c.p.native(d); ok || d.Body == nil || d.Function || c.definitionConstant(d) != nil {
			return nil
		}
		if c.mustCall(d) {
			return c.realPredCall(x, c.calledUnit(d, wantPred), nil, x.Args, e)
		}
		if len(x.Args) > 0 {
			if k := c.fold(x, e); k != nil {
				return k.isTrue(c.site(x))
			}
		}
	}
	var p pred
	c.inline(x, d, x.Args, e, around, func(inner *env, reset []int) {
		p = predWithReset(reset, c.pred(d.Body, inner))
	})
	return p
}

func predWithReset(reset []int, body pred) pred {
	if len(reset) == 0 {
		return body
	}
	return func(m *machine, f *frame) bool {
		for _, i := range reset {
			f.slots[i].v = nil
		}
		return body(m, f)
	}
}

// mustCall tells whether a definition is called rather than written into its caller.
func (c *compiler) mustCall(d *module.Definition) bool {
	if d.Recursive {
		return true
	}
	for _, i := range c.inlined {
		if i == d {
			return true // an override made it recursive
		}
	}
	n := c.p.sizeOf(d)
	return len(c.inlined) >= maxInlined || n > smallDefinition && c.size+n > largeUnit
}

// textOf is the definition of a module in whose text the body of d stands.
func (c *compiler) textOf(d *module.Definition) *module.Definition {
	if d.Let || d.Name == lambdaName {
		return c.text
	}
	return d
}

// overridden is the definition that takes the place of d, or d. An override that mentions the definition whose place it takes means the original.
func (c *compiler) overridden(d *module.Definition) *module.Definition {
	if by := c.p.overridden(d); by != c.text {
		return by
	}
	return d
}

// sizeOf is how many nodes a definition has when everything that it uses is written into it.
func (p *Program) sizeOf(d *module.Definition) int {
	if n, ok := p.sizes[d]; ok {
		return n
	}
	p.sizes[d] = 1 // a recursion is not followed
	n := p.sizeOfExpr(p.overridden(d).Body)
	p.sizes[d] = n
	return n
}

const maxCounted = 1 << 40

func (p *Program) sizeOfExpr(x module.Expr) int {
	n := 1
	if call, ok := x.(*module.Call); ok {
		n += p.sizeOf(call.Definition)
	}
	if x != nil {
		children(x, func(y module.Expr) { n += p.sizeOfExpr(y) })
	}
	return min(n, maxCounted)
}

// inline compiles a definition's body in the place of its use. around is the env of a definition of a LET.
func (c *compiler) inline(x module.Expr, d *module.Definition, args []module.Expr, e, around *env, compile func(inner *env, reset []int)) {
	inner, reset := around, []int(nil)
	for i, p := range d.Params {
		inner = inner.bind(p, c.argumentBinding(p, args[i], e, d.Body, &reset))
	}
	c.inlined = append(c.inlined, d)
	c.at(where{d.Name, c.site(x), c.textOf(d)}, func() { compile(inner, reset) })
	c.inlined = c.inlined[:len(c.inlined)-1]
}

// argumentBinding says what a parameter stands for where the definition is written into its caller.
func (c *compiler) argumentBinding(p *module.Param, arg module.Expr, e *env, body module.Expr, reset *[]int) *binding {
	if p.Arity > 0 {
		if ref, ok := arg.(*module.OperatorRef); ok && ref.Param != nil {
			if b := e.find(ref.Param); b != nil {
				return b
			}
		}
		return &binding{kind: bindOperator, expr: arg, env: e, unit: c.unit, where: c.where()}
	}
	if ref, ok := arg.(*module.ParamRef); ok && len(ref.Args) == 0 {
		if b := e.find(ref.Param); b != nil {
			return b
		}
	}
	b := &binding{expr: arg, env: e, where: c.where()}
	c.remember(b, occurrences(body, p), reset)
	return b
}

// letCall is the use of a definition of a LET.
func (c *compiler) letCall(x *module.Call, e *env) code {
	d := x.Definition
	b := e.find(d)
	if b == nil {
		return c.cannot(x, CodeInternal, "%s has no meaning here", d.Name)
	}
	if b.kind != bindMacro {
		return c.bound(x, b)
	}
	if c.mustCall(d) {
		return c.realCall(x, c.calledMacro(b, wantValue), b.unit, x.Args, e)
	}
	var run code
	c.inline(x, d, x.Args, e, b.env, func(inner *env, reset []int) {
		run = withReset(reset, c.value(d.Body, inner))
	})
	return run
}

// want is in what way a definition is called.
type want int

const (
	wantValue want = iota
	wantPred
	wantAction
	wantInitial // an action that builds an initial state
)

type callKey struct {
	d    *module.Definition
	want want
}

// calledUnit compiles a definition of a module for being called.
func (c *compiler) calledUnit(d *module.Definition, w want) *callUnit {
	key := callKey{d, w}
	if u := c.p.calls[key]; u != nil {
		return u
	}
	u := &callUnit{name: d.Name, params: d.Params}
	if w == wantValue || w == wantPred {
		u.strict = c.p.strict(d)
	}
	c.p.calls[key] = u
	c.fill(u, nil, nil, d.Body, d, w)
	return u
}

// calledMacro is calledUnit for a definition of a LET.
func (c *compiler) calledMacro(b *binding, w want) *callUnit {
	if u := b.calls[w]; u != nil {
		return u
	}
	u := &callUnit{name: b.def.Name, params: b.def.Params}
	if b.calls == nil {
		b.calls = map[want]*callUnit{}
	}
	b.calls[w] = u
	c.fill(u, b.unit, b.env, b.def.Body, b.def, w)
	return u
}

// fill compiles the body of a callUnit.
func (c *compiler) fill(u *callUnit, up *unit, around *env, body module.Expr, d *module.Definition, w want) {
	in := &compiler{p: c.p, folding: c.folding && up != nil, definition: u.name, text: c.text}
	in.unit = c.p.newUnit(up)
	if d != nil {
		in.text = c.textOf(d)
		in.inlined = []*module.Definition{d}
	}
	u.unit = in.unit
	e := around
	for _, p := range u.params {
		b := &binding{unit: in.unit}
		if p.Arity > 0 {
			b.kind, b.slot = bindOpSlot, in.unit.ops
			in.unit.ops++
		} else {
			b.kind, b.slot = bindParam, in.unit.params
			in.unit.params++
		}
		e = e.bind(p, b)
	}
	in.unit.slots = in.unit.params
	switch w {
	case wantValue:
		u.value = in.value(body, e)
	case wantPred:
		u.pred = in.pred(body, e)
	case wantAction, wantInitial:
		in.initial = w == wantInitial
		u.act = in.action(body, e, returnCont)
	}
}

// realCall calls. up is the unit that the called one is in, or nil.
func (c *compiler) realCall(x module.Expr, u *callUnit, up *unit, args []module.Expr, e *env) code {
	pass, s, hops := c.arguments(u, args, e), c.site(x), c.hopsTo(up)
	return func(m *machine, f *frame) value.Value {
		nf := m.enter(u, f, hops, s, pass)
		v := u.value(m, nf)
		m.leave(u, nf)
		return v
	}
}

func (c *compiler) realPredCall(x module.Expr, u *callUnit, up *unit, args []module.Expr, e *env) pred {
	pass, s, hops := c.arguments(u, args, e), c.site(x), c.hopsTo(up)
	return func(m *machine, f *frame) bool {
		nf := m.enter(u, f, hops, s, pass)
		v := u.pred(m, nf)
		m.leave(u, nf)
		return v
	}
}

func (c *compiler) hopsTo(up *unit) int {
	if up == nil {
		return -1
	}
	return c.hops(up)
}

// enter makes the frame of a call.
func (m *machine) enter(u *callUnit, f *frame, hops int, s *site, pass []argument) *frame {
	m.tick()
	m.descend(u.unit.deepest + 2)
	nf := m.frame(u.unit)
	if hops >= 0 {
		nf.up = ancestor(f, hops)
	}
	for _, p := range pass {
		p(m, f, nf)
	}
	m.calls = append(m.calls, s)
	return nf
}

func (m *machine) leave(u *callUnit, nf *frame) {
	m.calls = m.calls[:len(m.calls)-1]
	m.depth -= u.unit.deepest + 2
	m.release(u.unit, nf)
}

// An argument puts what a parameter stands for into the frame of the called unit.
type argument func(m *machine, f, nf *frame)

func (c *compiler) arguments(u *callUnit, args []module.Expr, e *env) []argument {
	var out []argument
	slot, op := 0, 0
	for i, p := range u.params {
		if p.Arity > 0 {
			out = append(out, c.operatorArgument(op, args[i], e))
			op++
			continue
		}
		if i < len(u.strict) && u.strict[i] {
			out = append(out, c.valueArgument(slot, args[i], e))
			slot++
			continue
		}
		out = append(out, c.argument(slot, args[i], e))
		slot++
	}
	return out
}

// valueArgument compiles an argument that is evaluated before the call.
func (c *compiler) valueArgument(i int, x module.Expr, e *env) argument {
	if g, _, dynamic := c.follow(x, e, false); dynamic != nil {
		return c.argument(i, x, e) // it may have been evaluated already
	} else if _, ok := g.(*module.Function); ok {
		return c.argument(i, x, e) // evaluated for one argument after the other
	} else if call, ok := g.(*module.Call); ok && c.functionOf(call, e) != nil {
		return c.argument(i, x, e)
	}
	run := c.value(x, e)
	return func(m *machine, f, nf *frame) { nf.thunks[i], nf.slots[i].v = nil, run(m, f) }
}

// argument compiles an argument for parameter i: as a value, if it has one already, or else as a thunk.
func (c *compiler) argument(i int, x module.Expr, e *env) argument {
	if ref, ok := x.(*module.ParamRef); ok && len(ref.Args) == 0 {
		if b := e.find(ref.Param); b != nil {
			switch b.kind {
			case bindSlot:
				hops, from := c.hops(b.unit), b.slot
				return func(m *machine, f, nf *frame) {
					nf.thunks[i], nf.slots[i].v = nil, ancestor(f, hops).slots[from].v
				}
			case bindParam:
				hops, from := c.hops(b.unit), b.slot
				return func(m *machine, f, nf *frame) {
					of := ancestor(f, hops)
					nf.thunks[i], nf.slots[i].v = of.thunks[from], of.slots[from].v
				}
			case bindInline, bindConstant:
				if b.expr == nil {
					v := *b.k.v.Load()
					return func(m *machine, f, nf *frame) { nf.thunks[i], nf.slots[i].v = nil, v }
				}
				var a argument
				c.at(b.where, func() { a = c.argument(i, b.expr, b.env) })
				return a
			}
		}
	}
	if lit, ok := c.literalValue(x); ok {
		return func(m *machine, f, nf *frame) { nf.thunks[i], nf.slots[i].v = nil, lit }
	}
	a := c.lazyArgument(x, e)
	if a.shared {
		t := &thunk{arg: a}
		return func(m *machine, f, nf *frame) { nf.thunks[i] = t }
	}
	return func(m *machine, f, nf *frame) {
		t := &nf.own[i]
		t.v, t.arg, t.f, t.fn = nil, a, f, nil
		nf.thunks[i] = t
	}
}

func (c *compiler) lazyArgument(x module.Expr, e *env) *lazyArgument {
	if k := c.fold(x, e); k != nil {
		return &lazyArgument{code: k.get, variable: -1, primed: -1, shared: true}
	}
	a := &lazyArgument{code: c.value(x, e), depends: c.uses(x, e)}
	a.variable, a.primed = c.target(x, e)
	a.shared = cheap(x) && a.depends&usesLocal == 0
	if a.depends&usesNext != 0 || x.ExprLevel() >= module.LevelAction {
		a.act = c.action(x, e, returnCont)
	}
	switch g, env, _ := c.follow(x, e, false); g := g.(type) {
	case *module.Function:
		a.fn, a.hops = c.writtenFunction(g, env), 0
	case *module.Call:
		if a.fn = c.functionOf(g, env); a.fn != nil {
			a.hops = c.hopsTo(a.fn.up)
		}
	}
	if a.shared {
		a.fn = nil // what was computed could not be remembered
	}
	a.nesting = c.unit.deepest - c.unit.nesting + 1
	return a
}

// literalValue is the value of a literal or constant.
func (c *compiler) literalValue(x module.Expr) (value.Value, bool) {
	switch x := x.(type) {
	case *module.Number, *module.String:
		return c.value(x, nil)(nil, nil), true
	case *module.ConstantRef:
		v, ok := c.p.constantValues[x.Constant]
		return v, ok && x.Constant.Arity == 0 && c.p.constantDefs[x.Constant] == nil
	}
	return nil, false
}

// target tells which variable an expression is, unprimed or primed; -1 where it is none.
func (c *compiler) target(x module.Expr, e *env) (variable, primed int) {
	r, env, _ := c.resolve(x, e)
	switch r := r.(type) {
	case *module.VariableRef:
		return c.p.indexOf(r.Variable), -1
	case *module.Apply:
		if r.Op == module.Prime {
			v, _ := c.target(r.Args[0], env)
			return -1, v
		}
	}
	return -1, -1
}
