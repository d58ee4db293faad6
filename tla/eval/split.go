package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// The next-state relation is split into actions at its disjunctions and \E, through definitions. The order in which the parts are run is the order in which the relation as a
// whole would be enumerated, and so is what they generate.

// A split is the relation.
type split struct {
	unit *unit
	root act
}

// An actionCode is an action in a unit of its own. Its parameters are those of the definition, and the names of the \E inside that were split.
type actionCode struct{ call *callUnit }

// An owner is where a part of the relation stands.
type owner struct {
	name   string
	def    *module.Definition // nil: in the configuration's formula
	params []*module.Param
	lets   []*module.Let // around the part, inside of the definition
}

func (o owner) with(params []*module.Param, let *module.Let) owner {
	o.params = append(o.params[:len(o.params):len(o.params)], params...)
	if let != nil {
		o.lets = append(o.lets[:len(o.lets):len(o.lets)], let)
	}
	return o
}

// maxParts bounds the actions into which a relation is split. The rest is not split further.
const maxParts = 2000

type splitter struct {
	c     *compiler
	known map[splitKey]*Action
	parts int
	path  []*module.Definition
}

type splitKey struct {
	x   module.Expr
	def *module.Definition
}

func (p *Program) splitNext(x module.Expr, e *env, o owner) {
	c := p.compiler()
	s := &splitter{c: c, known: map[splitKey]*Action{}}
	root := s.part(x, e, o)
	p.next = &split{unit: c.unit, root: root}
}

// part compiles a part of the relation.
func (s *splitter) part(x module.Expr, e *env, o owner) act {
	if s.parts > maxParts {
		return s.leaf(x, e, o, o.name)
	}
	switch x := x.(type) {
	case *module.Label:
		return s.part(x.Body, e, o)
	case *module.Let:
		inner, reset := s.c.let(x, e)
		return keeping(reset, s.part(x.Body, inner, o.with(nil, x)))
	case *module.Junction:
		if x.Or {
			return s.alternatives(x.Items, e, o)
		}
	case *module.Apply:
		if x.Op == module.Or {
			return s.alternatives(x.Args, e, o)
		}
	case *module.Quantifier:
		if x.Exists && !x.Temporal && bounded(x.Bounds) {
			return s.existential(x, e, o)
		}
	case *module.ParamRef:
		if b := e.find(x.Param); b != nil && len(x.Args) == 0 && b.kind == bindInline && b.expr != nil && o.def == nil {
			return s.part(b.expr, b.env, o) // of the configuration's formula
		}
	case *module.Call:
		return s.call(x, e, o)
	}
	return s.leaf(x, e, o, o.name)
}

func (s *splitter) alternatives(items []module.Expr, e *env, o owner) act {
	var ways []act
	for _, y := range items {
		ways = append(ways, s.part(y, e, o))
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

func (s *splitter) existential(x *module.Quantifier, e *env, o owner) act {
	inner, sets, binders := s.c.bounds(x, x.Bounds, e)
	var names []*module.Param
	for _, b := range x.Bounds {
		names = append(names, b.Params...)
	}
	count := s.c.countQuantifier(x)
	w := &ways{binders: binders, body: s.part(x.Body, inner, o.with(names, nil))}
	if len(binders) == 1 && !binders[0].tuple {
		i, set, body, at := binders[0].slots[0], sets[0], w.body, binders[0].site
		return func(m *machine, f *frame) bool {
			v := set(m, f)
			if count != nil {
				count(m, v)
			}
			if elems, ok := v.(*value.Set); ok {
				for _, elem := range elems.Elems() {
					f.slots[i].v = elem
					if !body(m, f) {
						return false
					}
				}
				return true
			}
			return each(m, at, v, func(elem value.Value) bool {
				f.slots[i].v = elem
				return body(m, f)
			})
		}
	}
	return func(m *machine, f *frame) bool {
		vals := evaluated(sets, m, f)
		if count != nil {
			for _, v := range vals {
				count(m, v)
			}
		}
		return w.run(m, f, vals, len(binders))
	}
}

// call goes into the definition of an action, if it is one whose parts are actions of their own.
func (s *splitter) call(x *module.Call, e *env, o owner) act {
	c, d := s.c, x.Definition
	if d.Let {
		if b := e.find(d); b != nil && b.kind == bindInline && len(d.Params) == 0 {
			return s.leaf(x, e, o, d.Name)
		}
		return s.leaf(x, e, o, d.Name)
	}
	if _, ok := c.p.definitionValue(d); ok || c.p.defTables[d] != nil {
		return s.leaf(x, e, o, o.name)
	}
	d = c.overridden(d)
	if _, ok := c.p.native(d); ok || d.Body == nil || d.Function {
		return s.leaf(x, e, o, o.name)
	}
	for _, p := range d.Params {
		if p.Arity > 0 {
			return s.leaf(x, e, o, d.Name)
		}
	}
	for _, a := range x.Args {
		if c.uses(a, e)&usesNext != 0 {
			return s.leaf(x, e, o, d.Name)
		}
	}
	for _, under := range s.path {
		if under == d {
			return s.leaf(x, e, o, d.Name)
		}
	}
	if d.Recursive || c.definitionConstant(d) != nil {
		return s.leaf(x, e, o, d.Name)
	}
	inner, reset := (*env)(nil), []int(nil)
	for i, p := range d.Params {
		inner = inner.bind(p, c.argumentBinding(p, x.Args[i], e, d.Body, &reset))
	}
	s.path = append(s.path, d)
	var part act
	c.at(where{d.Name, c.site(x), d}, func() {
		part = s.part(d.Body, inner, owner{name: d.Name, def: d, params: d.Params})
	})
	s.path = s.path[:len(s.path)-1]
	return keeping(reset, part)
}

// leaf makes an action.
func (s *splitter) leaf(x module.Expr, e *env, o owner, name string) act {
	s.parts++
	c := s.c
	a := s.known[splitKey{x, o.def}]
	if a == nil {
		a = c.p.newAction(x, e, o, name)
		s.known[splitKey{x, o.def}] = a
	}
	var pass []argument
	for i, p := range o.params {
		pass = append(pass, c.argument(i, &module.ParamRef{Node: module.Node{Span: p.Span}, Param: p}, e))
	}
	at, u := c.caller, a.run.call
	return func(m *machine, f *frame) bool {
		if m.only != nil && m.only != a {
			return true
		}
		m.tick()
		m.descend(u.unit.deepest + 2)
		nf := m.frame(u.unit)
		for _, p := range pass {
			p(m, f, nf)
		}
		m.calls = append(m.calls, at)
		action, frame, args := m.action, m.actionFrame, m.actionArgs
		m.action, m.actionFrame, m.actionArgs = a, nf, nil
		if m.cover != nil {
			atCount(m, a).Tried++
		}
		more := u.act(m, nf)
		m.action, m.actionFrame, m.actionArgs = action, frame, args
		m.leave(u, nf)
		return more
	}
}

func atCount(m *machine, a *Action) *ActionCount { return at(&m.cover.actions, a.Index) }

// newAction compiles an action in a unit of its own.
func (p *Program) newAction(x module.Expr, e *env, o owner, name string) *Action {
	a := &Action{Index: len(p.actions), Name: name, Span: x.Place(), Definition: o.def, Conjuncts: conjunctsOf(o.name, x)}
	if o.def != nil && name == o.name {
		a.Span = o.def.Span
	}
	p.actions = append(p.actions, a)
	body := x
	if p.opt.Drop != nil && p.opt.Drop.expr == x {
		body = &module.Apply{Node: module.Node{Span: x.Place()}, Op: module.True}
	}
	for i := len(o.lets) - 1; i >= 0; i-- {
		body = &module.Let{Node: module.Node{Span: x.Place(), Level: x.ExprLevel()}, Defs: o.lets[i].Defs, Body: body}
	}
	for _, param := range o.params {
		a.Params = append(a.Params, param.Name)
	}
	u := &callUnit{name: o.name, params: o.params}
	around := (*env)(nil)
	if o.def == nil {
		around = e.without() // what the configuration's formula binds
	}
	in := &compiler{p: p, definition: o.name, text: o.def, unit: p.newUnit(nil)}
	if o.def != nil {
		in.inlined = []*module.Definition{o.def}
	}
	u.unit = in.unit
	for _, param := range o.params {
		around = around.bind(param, &binding{kind: bindParam, unit: in.unit, slot: in.unit.params})
		in.unit.params++
	}
	in.unit.slots = in.unit.params
	u.act = in.action(body, around, emitCont)
	a.run = &actionCode{call: u}
	return a
}

// without leaves out what is bound in a frame.
func (e *env) without() *env {
	if e == nil {
		return nil
	}
	up := e.up.without()
	if e.b.unit != nil {
		return up
	}
	return &env{up: up, key: e.key, b: e.b}
}

// conjunctsOf lists the items of the conjunction that a formula is, through LET and labels. One that is none has itself as its only item.
func conjunctsOf(definition string, x module.Expr) []*Conjunct {
	y := x
	for {
		switch z := y.(type) {
		case *module.Let:
			y = z.Body
			continue
		case *module.Label:
			y = z.Body
			continue
		case *module.Junction:
			if z.Or {
				break
			}
			var out []*Conjunct
			for i, item := range z.Items {
				k := &Conjunct{Definition: definition, Index: i, Span: item.Place(), Primed: mentionsNext(item), expr: item}
				if i < len(z.Names) {
					k.Name = z.Names[i]
				}
				if i < len(z.VacuousOK) {
					k.VacuousOK = z.VacuousOK[i]
				}
				out = append(out, k)
			}
			return out
		}
		return []*Conjunct{{Definition: definition, Span: x.Place(), Primed: mentionsNext(x), expr: x}}
	}
}

// mentionsNext tells whether a formula is about the next state.
func mentionsNext(x module.Expr) bool {
	return x.ExprLevel() >= module.LevelAction
}
