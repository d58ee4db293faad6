package module

import (
	"podlife/tla/diag"
	"podlife/tla/syntax"
)

// param binds a name in the innermost context.
func (r *resolver) param(name syntax.Name, arity int) *Param {
	p := &Param{Name: name.Text, Arity: arity, Span: name.Span}
	r.declare(&entry{name: p.Name, means: p, span: p.Span})
	return p
}

func (r *resolver) params(decls []syntax.Decl) []*Param {
	var out []*Param
	for _, d := range decls {
		out = append(out, r.param(d.Name, d.Arity))
	}
	return out
}

// operator resolves Op(a, b) == e. It gives nil when the definition is wrong in itself.
func (r *resolver) operator(u *syntax.Definition) *Definition {
	r.push()
	params := r.params(u.Params)
	d, fresh := r.defined(u.Name, u.Span)
	if d != nil && !fresh {
		r.matchRecursive(d, params, u)
	}
	if d != nil {
		d.Params, d.Local, d.Span, d.NameSpan = params, u.Local, u.Span, u.Name.Span
	}
	set := r.pushLabels()
	body := r.expr(u.Body)
	r.popLabels()
	r.pop()
	if d == nil {
		return nil
	}
	d.Body, d.labels = body, set.labels
	if fresh {
		r.declare(&entry{name: d.Name, means: d, local: u.Local, span: d.NameSpan})
	} else {
		d.declared.close(r.recursion)
	}
	r.addLet(d)
	return d
}

// defined gives the Definition for a name that is about to be defined: a fresh one, or the one that RECURSIVE declared. It is nil when the name
// cannot be defined, which is then reported.
func (r *resolver) defined(name syntax.Name, span diag.Span) (d *Definition, fresh bool) {
	if _, _, is := builtin(name.Text); is {
		r.l.report(diag.Errorf(CodeRedefined, name.Span, "%s is part of the language and cannot be defined again", name.Text))
		return nil, false
	}
	old := r.scope.find(name.Text)
	if old == nil {
		return &Definition{Name: name.Text, Module: r.m.Name, Let: len(r.lets) > 0}, true
	}
	if d, is := old.means.(*Definition); is && d.declared.pending() {
		if d.declared.letDepth == len(r.lets) {
			return d, false
		}
		e := diag.Errorf(CodeRecursive, name.Span, "%s is declared RECURSIVE at another level of LET than it is defined at", name.Text)
		e.Notes = append(e.Notes, diag.Note{Span: d.declared.span, Message: "declared here"})
		r.l.report(e)
		return nil, false
	}
	if _, instance := old.means.(*instancePath); instance && old.imported {
		// The instance's own name came with an INSTANCE that has none. SANY takes over only what is in it, and leaves the name free.
		return &Definition{Name: name.Text, Module: r.m.Name, Let: len(r.lets) > 0}, true
	}
	r.reportRedefined(&entry{name: name.Text, means: &Definition{}, span: name.Span}, old)
	return nil, false
}

// function resolves f[x \in S] == e, where e may mention f.
func (r *resolver) function(u *syntax.FunctionDefinition) *Definition {
	sets := r.sets(u.Bounds)
	r.push()
	bounds := r.bind(u.Bounds, sets)
	d, fresh := r.defined(u.Name, u.Span)
	inner := r.top()
	r.pop()
	if d != nil {
		if !fresh && d.declared.arity > 0 {
			e := diag.Errorf(CodeRecursive, u.Name.Span, "%s is declared RECURSIVE as an operator with arguments, and defined as a function", u.Name.Text)
			e.Notes = append(e.Notes, diag.Note{Span: d.declared.span, Message: "declared here"})
			r.l.report(e)
		}
		d.Params, d.Function, d.Local, d.Span, d.NameSpan = nil, true, u.Local, u.Span, u.Name.Span
		// Calls in the body, and the check of their number of arguments, look at the bounds.
		d.Body = &Function{Node: Node{Span: u.Span}, Bounds: bounds}
		if fresh {
			r.declare(&entry{name: d.Name, means: d, local: u.Local, span: d.NameSpan})
		}
	}
	r.scope = append(r.scope, inner)
	set := r.pushLabels()
	r.pushBounds(bounds)
	body := r.expr(u.Body)
	r.popLabels()
	r.pop()
	if d == nil {
		return nil
	}
	d.Body.(*Function).Body, d.labels = body, set.labels
	if !fresh {
		d.declared.close(r.recursion)
	}
	r.addLet(d)
	return d
}

// addLet puts a definition into the innermost LET, if there is one.
func (r *resolver) addLet(d *Definition) {
	if n := len(r.lets); n > 0 {
		r.lets[n-1].defs = append(r.lets[n-1].defs, d)
	}
}

// sets resolves the sets of bounds, in which none of the names is bound yet.
func (r *resolver) sets(bounds []syntax.Bound) []Expr {
	out := make([]Expr, len(bounds))
	for i, b := range bounds {
		if b.Set != nil {
			out[i] = r.expr(b.Set)
		}
	}
	return out
}

// bind binds the names of bounds in the innermost context.
func (r *resolver) bind(bounds []syntax.Bound, sets []Expr) []*Bound {
	var out []*Bound
	for i, b := range bounds {
		bound := &Bound{Tuple: b.Tuple, Set: sets[i], Span: b.Span}
		for _, n := range b.Names {
			bound.Params = append(bound.Params, r.param(n, 0))
		}
		out = append(out, bound)
	}
	return out
}

// let resolves LET ... IN e.
func (r *resolver) let(e *syntax.Let) Expr {
	frame := &letFrame{}
	r.push()
	r.lets = append(r.lets, frame)
	start := len(r.recursion.declared)
	for _, u := range e.Units {
		switch u := u.(type) {
		case *syntax.Definition:
			if d := r.operator(u); d != nil {
				r.noteVacuous(d)
			}
		case *syntax.FunctionDefinition:
			if d := r.function(u); d != nil {
				r.noteVacuous(d)
			}
		case *syntax.Recursive:
			r.declareRecursive(u)
		case *syntax.Instance:
			r.instance(u)
		default:
			r.l.report(diag.Errorf(CodeUnsupported, u.Place(), "this cannot stand in a LET"))
		}
	}
	r.closeRecursion(start)
	body := r.expr(e.Body)
	r.lets = r.lets[:len(r.lets)-1]
	r.pop()
	if len(frame.defs) == 0 {
		return body
	}
	return &Let{Node: Node{Span: e.Span}, Defs: frame.defs, Body: body}
}
