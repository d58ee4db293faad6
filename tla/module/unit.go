package module

import (
	"podlife/tla/diag"
	"podlife/tla/syntax"
)

// A resolver goes through one module from top to bottom. A name means what was declared or defined before its use.
type resolver struct {
	l      *loader
	m      *Module
	scope  scope
	depth  int  // of the expression that is being resolved
	gapped bool // a needed module could not be read: names that are not found may come from it

	later     map[string]diag.Span // where the module itself defines names, for those that are used too early
	comments  *commentIndex
	excepts   []*exceptFrame
	lets      []*letFrame
	labels    []*labelSet
	recursion *recursion
	instances []*instance // of this module, for the check of levels
}

// exceptFrame is one update of an EXCEPT, whose value may mention "@".
type exceptFrame struct {
	at   *Param
	used bool
}

// letFrame collects the definitions of one LET, those that come from instances in it too.
type letFrame struct{ defs []*Definition }

// resolve gives the meaning of a module, which stands inside outer's module unless outer is nil. Whether it is right shows in l.errs.
func (l *loader) resolve(tree *syntax.Module, outer *resolver) *Module {
	m := &Module{Name: tree.Name.Text, Span: tree.Span, Vacuous: map[*Definition]string{}, inner: newContext(), loader: l}
	r := &resolver{l: l, m: m, recursion: &recursion{}, later: laterNames(tree)}
	if outer != nil {
		m.outer = append(scope(nil), outer.scope...)
		r.comments, r.recursion, r.gapped = outer.comments, outer.recursion, outer.gapped
	} else {
		r.comments = newCommentIndex(tree)
	}
	r.scope = append(append(scope(nil), m.outer...), m.inner)

	r.extend(tree.Extends)
	start := len(r.recursion.declared)
	for _, u := range tree.Units {
		if l.full {
			return m
		}
		r.unit(u)
	}
	r.closeRecursion(start)
	r.collect()
	r.checkLevels()
	return m
}

// laterNames are the names that the module's units define, with their places.
func laterNames(tree *syntax.Module) map[string]diag.Span {
	names := map[string]diag.Span{}
	add := func(n syntax.Name) {
		if _, there := names[n.Text]; !there {
			names[n.Text] = n.Span
		}
	}
	for _, u := range tree.Units {
		switch u := u.(type) {
		case *syntax.Constants:
			for _, d := range u.Decls {
				add(d.Name)
			}
		case *syntax.Variables:
			for _, n := range u.Names {
				add(n)
			}
		case *syntax.Definition:
			add(u.Name)
		case *syntax.FunctionDefinition:
			add(u.Name)
		case *syntax.Instance:
			if u.Name != nil {
				add(*u.Name)
			}
		case *syntax.Theorem:
			if u.Name != nil {
				add(*u.Name)
			}
		case *syntax.Assume:
			if u.Name != nil {
				add(*u.Name)
			}
		}
	}
	return names
}

func (r *resolver) unit(u syntax.Unit) {
	switch u := u.(type) {
	case *syntax.Constants:
		r.outsideRecursion(u.Span, "a CONSTANT declaration")
		for _, d := range u.Decls {
			c := &Constant{Name: d.Name.Text, Arity: d.Arity, Module: r.m.Name, Span: d.Name.Span}
			r.declare(&entry{name: c.Name, means: c, span: c.Span})
		}
	case *syntax.Variables:
		r.outsideRecursion(u.Span, "a VARIABLE declaration")
		for _, n := range u.Names {
			v := &Variable{Name: n.Text, Module: r.m.Name, Span: n.Span}
			r.declare(&entry{name: v.Name, means: v, span: v.Span})
		}
	case *syntax.Recursive:
		r.declareRecursive(u)
	case *syntax.Definition:
		if d := r.operator(u); d != nil {
			r.m.own = append(r.m.own, d)
			r.noteVacuous(d)
		}
	case *syntax.FunctionDefinition:
		if d := r.function(u); d != nil {
			r.m.own = append(r.m.own, d)
			r.noteVacuous(d)
		}
	case *syntax.Instance:
		r.instance(u)
	case *syntax.Assume:
		r.outsideRecursion(u.Span, "an ASSUME")
		r.assume(u)
	case *syntax.Theorem:
		r.outsideRecursion(u.Span, "a THEOREM")
		r.theorem(u)
	case *syntax.Nested:
		r.outsideRecursion(u.Module.Name.Span, "a module")
		r.nested(u.Module)
	}
}

func (r *resolver) nested(tree *syntax.Module) {
	if other := r.findModule(tree.Name.Text); other != nil {
		e := diag.Errorf(CodeModuleRedefined, tree.Name.Span, "there is already a module %s here", tree.Name.Text)
		e.Notes = append(e.Notes, diag.Note{Span: other.Span, Message: "this one"})
		r.l.report(e)
		return
	}
	before := len(r.l.errs)
	m := r.l.resolve(tree, r)
	if len(r.l.errs) > before {
		r.gapped = true
	}
	r.top().putModule(m.Name, m)
}

// findModule gives a module that is in scope here without reading a file, or nil.
func (r *resolver) findModule(name string) *Module {
	if m := r.scope.findModule(name); m != nil {
		return m
	}
	if known := r.l.modules[name]; known != nil && known.done {
		return known.module
	}
	return nil
}

// module gives the module that EXTENDS or INSTANCE names, or nil when there is none, which is then reported.
func (r *resolver) module(name syntax.Name) *Module {
	if m := r.scope.findModule(name.Text); m != nil {
		return m
	}
	m := r.l.load(name.Text, name.Span)
	if m == nil {
		r.gapped = true
	}
	return m
}

func (r *resolver) top() *context { return r.scope[len(r.scope)-1] }

func (r *resolver) push() { r.scope = append(r.scope, newContext()) }

func (r *resolver) pop() { r.scope = r.scope[:len(r.scope)-1] }

// declare gives a name its meaning in the innermost context. A name that already has one is an error, with an exception that SANY makes: a
// second declaration or definition of the same kind and arity is dropped, with a warning.
func (r *resolver) declare(e *entry) bool {
	if _, _, is := builtin(e.name); is {
		r.l.report(diag.Errorf(CodeRedefined, e.span, "%s is part of the language and cannot be defined again", e.name))
		return false
	}
	old := r.scope.find(e.name)
	switch {
	case old == nil:
		r.top().put(e)
		return true
	case old.means == e.means:
		return true
	case e.class() == "bound name" || e.class() != old.class() || e.arity() != old.arity():
		r.reportRedefined(e, old)
		return false
	}
	r.warnTwice(e, old)
	return true
}

func (r *resolver) reportRedefined(e, old *entry) {
	verb := "is already"
	if e.class() == "bound name" {
		verb = "cannot be bound here: it is already"
	}
	err := diag.Errorf(CodeRedefined, e.span, "%s %s %s", e.name, verb, old.what())
	if old.span.Known() {
		err.Notes = append(err.Notes, diag.Note{Span: old.span, Message: "first defined here"})
	}
	if e.class() == "bound name" {
		err.Help = "TLA+ has no shadowing: choose another name"
	}
	r.l.report(err)
}

// warnTwice notes that a second meaning of a name was dropped, unless both come from one module, which happens when the module comes both by
// EXTENDS and by INSTANCE.
func (r *resolver) warnTwice(e, old *entry) {
	if home(e) != "" && home(e) == home(old) && e.class() != "constant" && e.class() != "variable" {
		return
	}
	w := diag.Errorf(CodeRedefined, e.span, "%s is %s already; the first one counts", e.name, old.what())
	w.Notes = append(w.Notes, diag.Note{Span: old.span, Message: "first defined here"})
	r.m.Warnings = append(r.m.Warnings, w)
}

// home is the module in whose text a symbol stands, or "".
func home(e *entry) string {
	switch m := e.means.(type) {
	case *Constant:
		return m.Module
	case *Variable:
		return m.Module
	case *Definition:
		return m.Module
	}
	return ""
}

func (r *resolver) assume(u *syntax.Assume) {
	a := &Assumption{Axiom: u.Axiom, Span: u.Span}
	if u.Name == nil {
		a.Body = r.expr(u.Body)
	} else {
		a.Name = u.Name.Text
		d := r.formula(u.Name, u.Body, u.Span)
		a.Body = d.Body
	}
	r.m.Assumes = append(r.m.Assumes, a)
}

func (r *resolver) theorem(u *syntax.Theorem) {
	switch {
	case u.Body == nil && u.Name == nil:
	case u.Body == nil:
		r.declare(&entry{name: u.Name.Text, means: &unusable{"it is an ASSUME ... PROVE"}, span: u.Name.Span})
	case u.Name == nil:
		r.m.Theorems = append(r.m.Theorems, &Assumption{Body: r.expr(u.Body), Span: u.Span})
	default:
		d := r.formula(u.Name, u.Body, u.Span)
		r.m.Theorems = append(r.m.Theorems, &Assumption{Name: u.Name.Text, Body: d.Body, Span: u.Span})
	}
}

// formula defines the name of a theorem or assumption, which may be used as an expression.
func (r *resolver) formula(name *syntax.Name, body syntax.Expr, span diag.Span) *Definition {
	d := &Definition{Name: name.Text, Module: r.m.Name, Theorem: true, Span: span, NameSpan: name.Span}
	set := r.pushLabels()
	d.Body = r.expr(body)
	r.popLabels()
	d.labels = set.labels
	r.declare(&entry{name: d.Name, means: d, span: d.NameSpan})
	return d
}

// collect lists what is visible in the module at its end.
func (r *resolver) collect() {
	for _, e := range r.m.inner.order {
		switch s := e.means.(type) {
		case *Constant:
			r.m.Constants = append(r.m.Constants, s)
		case *Variable:
			r.m.Variables = append(r.m.Variables, s)
		case *Definition:
			if !s.Theorem {
				r.m.Defs = append(r.m.Defs, s)
			}
		}
	}
}
