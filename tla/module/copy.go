package module

import (
	"podlife/tla/diag"
)

// A copier makes copies of expressions in which each bound name and each definition of a LET is a new one. With an instance it carries out the
// instance's substitutions.
type copier struct {
	l      *loader
	in     *instance // nil: nothing is substituted
	own    []*Param  // what stands for the instance's parameters in the definition that is being made
	params map[*Param]*Param
	defs   map[*Definition]*Definition // of LETs inside what is copied
	mode   copyMode
	modes  map[*Definition]copyMode // of the copies in defs
	args   map[*Param]copiedArg     // of definitions that are written into their users; see inline
}

// definition gives what d of the instance's module is, as seen from the module that instantiates: d itself when nothing in it is substituted and
// the instance has no parameters, else a copy.
func (in *instance) definition(d *Definition) *Definition {
	if len(in.params) == 0 && !in.affects(d) {
		return d
	}
	return in.copy(d, copyPlain)
}

// affects tells whether d mentions, directly or through others, what the instance substitutes.
func (in *instance) affects(d *Definition) bool {
	if len(in.subst) == 0 {
		return false
	}
	for s := range in.l.levelsOf(d).mentions {
		if in.subst[s] != nil {
			return true
		}
	}
	return false
}

func (in *instance) copy(d *Definition, mode copyMode) *Definition {
	key := copyKey{d, mode}
	if c := in.copies[key]; c != nil {
		return c
	}
	c := &Definition{Name: d.Name, Module: d.Module, Local: d.Local, Let: in.let != nil, Recursive: d.Recursive, Function: d.Function, Theorem: d.Theorem,
		Origin: d, Span: d.Span, NameSpan: d.NameSpan, via: in}
	if in.name != "" {
		c.Name = in.name + "!" + d.Name
	}
	in.copies[key] = c
	k := &copier{l: in.l, in: in, params: map[*Param]*Param{}, mode: mode}
	k.own = k.bind(in.params)
	own := k.bind(d.Params)
	c.Params = append(append([]*Param(nil), k.own...), own...)
	if in.affects(d) {
		c.Body = k.expr(d.Body)
	} else {
		// Nothing changes but the number of parameters. A call keeps what is special about d, such as a native.
		c.Origin, c.Function, c.Recursive = nil, false, false
		call := &Call{Node: Node{Span: d.Span}, Definition: d}
		for _, p := range own {
			call.Args = append(call.Args, paramArg(p, call.Node))
		}
		c.Body = call
	}
	if in.let != nil {
		in.let.defs = append(in.let.defs, c)
	}
	return c
}

// assumption carries the instance's substitutions out in an assumption. The instance has no parameters.
func (in *instance) assumption(a *Assumption) *Assumption {
	k := &copier{l: in.l, in: in, params: map[*Param]*Param{}}
	return &Assumption{Name: a.Name, Axiom: a.Axiom, Body: k.expr(a.Body), Span: a.Span}
}

// bind makes new names for those that the original binds.
func (k *copier) bind(params []*Param) []*Param {
	var out []*Param
	for _, p := range params {
		fresh := &Param{Name: p.Name, Arity: p.Arity, Span: p.Span}
		k.params[p] = fresh
		out = append(out, fresh)
	}
	return out
}

func (k *copier) param(p *Param) *Param {
	if fresh := k.params[p]; fresh != nil {
		return fresh
	}
	return p
}

// bounds copies bounds: first the sets, in which the names are not bound yet.
func (k *copier) bounds(bounds []*Bound) []*Bound {
	sets := make([]Expr, len(bounds))
	for i, b := range bounds {
		if b.Set != nil {
			sets[i] = k.expr(b.Set)
		}
	}
	out := make([]*Bound, len(bounds))
	for i, b := range bounds {
		out[i] = &Bound{Params: k.bind(b.Params), Tuple: b.Tuple, Set: sets[i], Span: b.Span}
	}
	return out
}

func (k *copier) exprs(list []Expr) []Expr {
	if list == nil {
		return nil
	}
	out := make([]Expr, len(list))
	for i, e := range list {
		out[i] = k.expr(e)
	}
	return out
}

// expr copies an expression.
func (k *copier) expr(e Expr) Expr {
	k.l.copies++
	k.l.copying++
	defer func() { k.l.copying-- }()
	switch {
	case k.l.full:
		return &invalid{Node{Span: e.Place()}}
	case k.l.copies > k.l.opts.maxCopies:
		k.l.report(diag.Errorf(CodeLimit, k.place(e), "carrying out the instances gives more than %d expressions", k.l.opts.maxCopies))
		k.l.full = true
		return &invalid{Node{Span: e.Place()}}
	case k.l.copying > maxCopyDepth:
		k.l.report(diag.Errorf(CodeLimit, k.place(e), "carrying out the instances nests expressions too deep"))
		k.l.full = true
		return &invalid{Node{Span: e.Place()}}
	}
	switch e := e.(type) {
	case *ConstantRef:
		return k.constant(e)
	case *VariableRef:
		if k.in != nil {
			if s := k.in.subst[e.Variable]; s != nil {
				if k.mode == copyPrimed {
					return e
				}
				return k.insert(s)
			}
		}
		return e
	case *ParamRef:
		if a, ok := k.args[e.Param]; ok {
			return a.in(k.mode).expr(a.x)
		}
		return &ParamRef{Node: e.Node, Param: k.param(e.Param), Args: k.exprs(e.Args)}
	case *Call:
		if k.written(e) {
			return k.inline(e)
		}
		return k.call(e)
	case *Apply:
		if c := k.enabledApply(e); c != nil {
			return c
		}
	case *Subscripted:
		if k.mode == copyEnabled {
			return k.enabledSubscripted(e)
		}
	case *OperatorRef:
		return k.operatorRef(e)
	case *Let:
		return k.let(e)
	}
	return k.plain(e)
}

// place is where to report what is wrong with a copy: the INSTANCE, if there is one.
func (k *copier) place(e Expr) diag.Span {
	if k.in != nil {
		return k.in.span
	}
	return e.Place()
}

// plain copies what stands for nothing else.
func (k *copier) plain(e Expr) Expr {
	switch e := e.(type) {
	case *Lambda:
		params := k.bind(e.Params)
		return &Lambda{Node: e.Node, Params: params, Body: k.expr(e.Body)}
	case *Apply:
		return &Apply{Node: e.Node, Op: e.Op, Args: k.exprs(e.Args)}
	case *Junction:
		c := *e
		c.Items = k.exprs(e.Items)
		return &c
	case *Quantifier:
		bounds := k.bounds(e.Bounds)
		return &Quantifier{Node: e.Node, Exists: e.Exists, Temporal: e.Temporal, Bounds: bounds, Body: k.expr(e.Body)}
	case *Choose:
		bounds := k.bounds([]*Bound{e.Bound})
		return &Choose{Node: e.Node, Bound: bounds[0], Body: k.expr(e.Body)}
	case *SetFilter:
		bounds := k.bounds([]*Bound{e.Bound})
		return &SetFilter{Node: e.Node, Bound: bounds[0], Where: k.expr(e.Where)}
	case *SetMap:
		bounds := k.bounds(e.Bounds)
		return &SetMap{Node: e.Node, Value: k.expr(e.Value), Bounds: bounds}
	case *Function:
		bounds := k.bounds(e.Bounds)
		return &Function{Node: e.Node, Bounds: bounds, Body: k.expr(e.Body)}
	case *Record:
		return &Record{Node: e.Node, Names: e.Names, Values: k.exprs(e.Values)}
	case *RecordSet:
		return &RecordSet{Node: e.Node, Names: e.Names, Values: k.exprs(e.Values)}
	case *Field:
		return &Field{Node: e.Node, Record: k.expr(e.Record), Name: e.Name}
	case *Except:
		return k.except(e)
	case *If:
		return &If{Node: e.Node, Cond: k.expr(e.Cond), Then: k.expr(e.Then), Else: k.expr(e.Else)}
	case *Case:
		c := &Case{Node: e.Node, Conds: k.exprs(e.Conds), Values: k.exprs(e.Values)}
		if e.Other != nil {
			c.Other = k.expr(e.Other)
		}
		return c
	case *Subscripted:
		return &Subscripted{Node: e.Node, Angle: e.Angle, Action: k.expr(e.Action), Vars: k.expr(e.Vars)}
	case *Fairness:
		return &Fairness{Node: e.Node, Strong: e.Strong, Vars: k.expr(e.Vars), Action: k.expr(e.Action)}
	case *Label:
		return &Label{Node: e.Node, Name: e.Name, Body: k.expr(e.Body)}
	}
	return e // numbers and strings
}

func (k *copier) except(e *Except) Expr {
	c := &Except{Node: e.Node, Function: k.expr(e.Function)}
	for _, u := range e.Updates {
		update := &Update{Path: k.exprs(u.Path), Span: u.Span}
		if u.At != nil {
			update.At = k.bind([]*Param{u.At})[0]
		}
		update.Value = k.expr(u.Value)
		c.Updates = append(c.Updates, update)
	}
	return c
}

func (k *copier) let(e *Let) Expr {
	c := &Let{Node: e.Node, Defs: k.announce(e.Defs)}
	for i, d := range e.Defs {
		c.Defs[i].Params = k.bind(d.Params)
		c.Defs[i].Body = k.expr(d.Body)
	}
	c.Body = k.expr(e.Body)
	return c
}

// announce makes the definitions that take the place of a LET's, still without parameters and bodies.
func (k *copier) announce(defs []*Definition) []*Definition {
	if k.defs == nil {
		k.defs = map[*Definition]*Definition{}
	}
	if k.modes == nil {
		k.modes = map[*Definition]copyMode{}
	}
	var out []*Definition
	for _, d := range defs {
		fresh := &Definition{Name: d.Name, Module: d.Module, Level: d.Level, Local: d.Local, Let: true, Recursive: d.Recursive, Function: d.Function,
			Theorem: d.Theorem, Origin: d, Span: d.Span, NameSpan: d.NameSpan}
		k.defs[d], k.modes[d] = fresh, k.mode
		out = append(out, fresh)
	}
	return out
}

// callee gives what takes the place of a definition that is mentioned in the copied text, and the arguments that go before its own.
func (k *copier) callee(d *Definition) (to *Definition, before []*Param) {
	if fresh := k.defs[d]; fresh != nil {
		return fresh, nil
	}
	if k.in == nil || !k.in.affects(d) {
		return d, nil
	}
	return k.in.copy(d, k.mode), k.own
}

func (k *copier) call(e *Call) Expr {
	to, before := k.callee(e.Definition)
	c := &Call{Node: e.Node, Definition: to}
	for _, p := range before {
		c.Args = append(c.Args, paramArg(p, e.Node))
	}
	c.Args = append(c.Args, k.exprs(e.Args)...)
	return c
}

// paramArg is a parameter as an argument.
func paramArg(p *Param, at Node) Expr {
	if p.Arity > 0 {
		return &OperatorRef{Node: at, Arity: p.Arity, Param: p}
	}
	return &ParamRef{Node: at, Param: p}
}

func (k *copier) operatorRef(e *OperatorRef) Expr {
	switch {
	case e.Param != nil:
		return &OperatorRef{Node: e.Node, Arity: e.Arity, Param: k.param(e.Param)}
	case e.Constant != nil && k.in != nil && k.in.subst[e.Constant] != nil:
		return k.insert(k.in.subst[e.Constant])
	case e.Definition == nil:
		return e
	}
	to, before := k.callee(e.Definition)
	if len(before) == 0 {
		return &OperatorRef{Node: e.Node, Arity: e.Arity, Definition: to}
	}
	// The copy has the instance's parameters before its own.
	l := &Lambda{Node: e.Node}
	c := &Call{Node: e.Node, Definition: to}
	for _, p := range before {
		c.Args = append(c.Args, paramArg(p, e.Node))
	}
	for _, p := range e.Definition.Params {
		fresh := &Param{Name: p.Name, Arity: p.Arity, Span: p.Span}
		l.Params = append(l.Params, fresh)
		c.Args = append(c.Args, paramArg(fresh, e.Node))
	}
	l.Body = c
	return l
}

// constant copies the use of a constant, which may be substituted by an expression or an operator.
func (k *copier) constant(e *ConstantRef) Expr {
	var s Expr
	if k.in != nil {
		s = k.in.subst[e.Constant]
	}
	switch {
	case s == nil:
		return &ConstantRef{Node: e.Node, Constant: e.Constant, Args: k.exprs(e.Args)}
	case e.Constant.Arity == 0:
		return k.insert(s)
	}
	args := k.exprs(e.Args)
	switch op := k.insert(s).(type) {
	case *OperatorRef:
		return applyOperator(op, args, e.Node)
	case *Lambda:
		// A definition, so that arguments are not copied and names not caught.
		d := &Definition{Name: e.Constant.Name, Module: e.Constant.Module, Params: op.Params, Body: op.Body, Let: true, Span: op.Span, NameSpan: op.Span}
		return &Let{Node: e.Node, Defs: []*Definition{d}, Body: &Call{Node: e.Node, Definition: d, Args: args}}
	}
	return &invalid{e.Node}
}

// applyOperator is the use of an operator that was handed over.
func applyOperator(op *OperatorRef, args []Expr, at Node) Expr {
	switch {
	case op.Definition != nil:
		return &Call{Node: at, Definition: op.Definition, Args: args}
	case op.Constant != nil:
		return &ConstantRef{Node: at, Constant: op.Constant, Args: args}
	case op.Param != nil:
		return &ParamRef{Node: at, Param: op.Param, Args: args}
	case op.Builtin == And || op.Builtin == Or:
		return &Junction{Node: at, Or: op.Builtin == Or, Items: args, Names: make([]string, len(args)), infix: true}
	}
	return &Apply{Node: at, Op: op.Builtin, Args: args}
}

// insert copies what is substituted, in which only the instance's parameters stand for something else.
func (k *copier) insert(s Expr) Expr {
	inner := &copier{l: k.l, params: map[*Param]*Param{}}
	for i, p := range k.in.params {
		inner.params[p] = k.own[i]
	}
	return inner.expr(s)
}
