package module

import (
	"fmt"

	"podlife/tla/diag"
	"podlife/tla/syntax"
)

// An instance is one INSTANCE: a module, and what takes the place of its constants and variables.
type instance struct {
	l      *loader
	name   string // "" for an INSTANCE without a name
	module *Module
	params []*Param // of I(p) == INSTANCE M
	// subst has an expression, or for an operator an OperatorRef or Lambda, for each *Constant and *Variable of the module, except for those
	// that stay what they are because the instantiating module has the very same ones.
	subst   map[symbol]Expr
	written map[symbol]Expr // subst with those that stay
	let     *letFrame       // the LET in which it stands, which takes the copies; nil: none
	span    diag.Span
	copies  map[copyKey]*Definition
}

// An instancePath is what the name of an instance means: usually one instance, but I!J, or a J that came by an INSTANCE without a name, is J's copies
// copied once more.
type instancePath struct{ chain []*instance } // outermost first

func (p *instancePath) arity() int {
	n := 0
	for _, in := range p.chain {
		n += len(in.params)
	}
	return n
}

// module is the module whose names may follow the instance's.
func (p *instancePath) module() *Module { return p.chain[len(p.chain)-1].module }

// definition gives what a definition of the innermost instance's module becomes.
func (p *instancePath) definition(d *Definition) *Definition {
	for i := len(p.chain) - 1; i >= 0; i-- {
		d = p.chain[i].definition(d)
	}
	return d
}

// through gives the path for one that was found in in's module.
func (in *instance) through(p *instancePath) *instancePath {
	return &instancePath{chain: append([]*instance{in}, p.chain...)}
}

// instance resolves a unit [I(p) ==] INSTANCE M WITH ...
func (r *resolver) instance(u *syntax.Instance) {
	r.push()
	in := &instance{l: r.l, params: r.params(u.Params), subst: map[symbol]Expr{}, written: map[symbol]Expr{}, span: u.Span,
		copies: map[copyKey]*Definition{}}
	if u.Name != nil {
		in.name = u.Name.Text
	}
	if n := len(r.lets); n > 0 {
		in.let = r.lets[n-1]
	}
	in.module = r.module(u.Module)
	if in.module != nil {
		r.substitute(in, u)
	}
	r.pop()
	if in.module == nil {
		if u.Name != nil {
			r.declare(&entry{name: in.name, means: &broken{}, local: u.Local, span: u.Name.Span})
		}
		return
	}
	r.instances = append(r.instances, in)
	if in.let == nil && len(in.params) == 0 {
		r.instanceAssumptions(in)
	}
	if u.Name == nil {
		r.importAll(in, u.Local)
		return
	}
	means := &instancePath{chain: []*instance{in}}
	if old := r.scope.find(in.name); old != nil && old.imported && old.class() == "instance" {
		old.means, old.imported, old.local, old.span = means, false, u.Local, u.Name.Span
		return
	}
	r.declare(&entry{name: in.name, means: means, local: u.Local, span: u.Name.Span})
}

// substitute fills in the instance's substitutions: those of WITH, and for the rest what has the same name here.
func (r *resolver) substitute(in *instance, u *syntax.Instance) {
	places := map[symbol]diag.Span{}
	for _, s := range u.With {
		r.substituteExplicit(in, s, places)
	}
	for _, e := range in.module.inner.order {
		switch e.means.(type) {
		case *Constant, *Variable:
		default:
			continue
		}
		if _, given := places[e.means]; given {
			continue
		}
		if value := r.substituteImplicit(in, e, u); value != nil {
			in.written[e.means] = value
		}
	}
	for s, value := range in.written {
		if !isItself(s, value) {
			in.subst[s] = value
		}
	}
}

func (r *resolver) substituteExplicit(in *instance, s syntax.Substitution, places map[symbol]diag.Span) {
	target := in.module.inner.find(s.Name.Text)
	if target == nil || target.family() != "declaration" {
		e := diag.Errorf(CodeSubstitution, s.Name.Span, "%s is not a constant or variable of module %s", s.Name.Text, in.module.Name)
		if target != nil {
			e.Notes = append(e.Notes, diag.Note{Span: target.span, Message: "it is " + target.what()})
		} else if close := nearest(s.Name.Text, in.module.parameters()); close != "" {
			e.Help = fmt.Sprintf("did you mean %s?", close)
		}
		r.l.report(e)
		return
	}
	if at, twice := places[target.means]; twice {
		e := diag.Errorf(CodeSubstitution, s.Name.Span, "%s is substituted twice", s.Name.Text)
		e.Notes = append(e.Notes, diag.Note{Span: at, Message: "first here"})
		r.l.report(e)
		return
	}
	places[target.means] = s.Name.Span
	if n := target.arity(); n > 0 {
		in.written[target.means] = r.operatorArg(s.Value, n, fmt.Sprintf("what is substituted for %s of module %s", s.Name.Text, in.module.Name))
	} else {
		in.written[target.means] = r.expr(s.Value)
	}
}

// substituteImplicit gives what has the same name here, or nil when nothing has, which is reported.
func (r *resolver) substituteImplicit(in *instance, target *entry, u *syntax.Instance) Expr {
	node := Node{Span: u.Span}
	have := r.scope.find(target.name)
	if have == nil {
		if r.gapped {
			return nil
		}
		e := diag.Errorf(CodeSubstitution, u.Span, "this instance of %s must say what takes the place of its %s %s", in.module.Name, target.class(), target.name)
		e.Help = fmt.Sprintf("add WITH %s <- ..., or define %s here", target.name, target.name)
		e.Notes = append(e.Notes, diag.Note{Span: target.span, Message: "it is declared here"})
		r.l.report(e)
		return nil
	}
	switch have.means.(type) {
	case *broken:
		return r.bad(u.Span)
	case *instancePath, *unusable:
		return r.fail(CodeSubstitution, u.Span, "%s, which would take the place of the %s %s of module %s, is %s", target.name, target.class(), target.name, in.module.Name, have.what())
	}
	n := target.arity()
	if have.arity() != n {
		e := diag.Errorf(CodeSubstitution, u.Span, "%s takes the place of the %s of that name of module %s and must have %s; it has %d",
			target.name, target.class(), in.module.Name, count(n, "argument"), have.arity())
		e.Notes = append(e.Notes, diag.Note{Span: have.span, Message: "this one"}, diag.Note{Span: target.span, Message: "what it takes the place of"})
		r.l.report(e)
		return r.bad(u.Span)
	}
	switch s := have.means.(type) {
	case *Variable:
		return &VariableRef{Node: node, Variable: s}
	case *Constant:
		if n > 0 {
			return &OperatorRef{Node: node, Arity: n, Constant: s}
		}
		return &ConstantRef{Node: node, Constant: s}
	case *Param:
		if n > 0 {
			return &OperatorRef{Node: node, Arity: n, Param: s}
		}
		return &ParamRef{Node: node, Param: s}
	case *Definition:
		if n > 0 {
			return &OperatorRef{Node: node, Arity: n, Definition: s}
		}
		return &Call{Node: node, Definition: s}
	}
	return r.bad(u.Span)
}

// isItself tells whether a constant or variable is substituted by itself, which leaves definitions as they are.
func isItself(s symbol, value Expr) bool {
	switch v := value.(type) {
	case *VariableRef:
		return v.Variable == s
	case *ConstantRef:
		return v.Constant == s
	case *OperatorRef:
		return v.Constant != nil && v.Constant == s
	}
	return false
}

// parameters are the names of a module's constants and variables.
func (m *Module) parameters() []string {
	var names []string
	for _, e := range m.inner.order {
		if e.family() == "declaration" {
			names = append(names, e.name)
		}
	}
	return names
}

// importAll takes over the definitions of an INSTANCE without a name.
func (r *resolver) importAll(in *instance, local bool) {
	for _, e := range in.module.inner.order {
		if e.local {
			continue
		}
		have := r.scope.find(e.name)
		imported := &entry{name: e.name, local: local, imported: true, span: e.span}
		switch s := e.means.(type) {
		case *Definition:
			if have != nil && have.class() == e.class() && have.arity() == e.arity() {
				imported.means = s
				if have.means != e.means {
					r.warnTwice(imported, have)
				}
				continue
			}
			imported.means = in.definition(s)
		case *instancePath:
			if have != nil {
				continue
			}
			imported.means = in.through(s)
		case *unusable, *broken:
			if have != nil {
				continue
			}
			imported.means = s
		default:
			continue
		}
		r.declare(imported)
	}
}

func (r *resolver) instanceAssumptions(in *instance) {
	for _, list := range [][]*Assumption{in.module.Assumes, in.module.InstanceAssumes} {
		for _, a := range list {
			r.m.InstanceAssumes = append(r.m.InstanceAssumes, in.assumption(a))
		}
	}
}

// extend takes over what the extended modules declare and define.
func (r *resolver) extend(names []syntax.Name) {
	for _, name := range names {
		m := r.module(name)
		if m == nil {
			continue
		}
		r.m.Extends = append(r.m.Extends, m)
		in := r.unify(m, name.Span)
		for _, e := range m.inner.order {
			if !e.local {
				r.extendEntry(e, in, name.Span)
			}
		}
		for _, nested := range m.inner.nested {
			r.m.inner.putModule(nested, m.inner.modules[nested])
		}
		r.m.Assumes = extendAssumptions(r.m.Assumes, m.Assumes, in)
		r.m.InstanceAssumes = extendAssumptions(r.m.InstanceAssumes, m.InstanceAssumes, in)
	}
}

func (r *resolver) extendEntry(e *entry, in *instance, at diag.Span) {
	taken := *e
	taken.imported = false
	if in != nil {
		switch s := e.means.(type) {
		case *Definition:
			taken.means = in.definition(s)
		case *instancePath:
			taken.means = in.through(s)
		case *Constant, *Variable:
			if in.subst[s] != nil {
				return
			}
		}
	}
	have := r.m.inner.find(e.name)
	switch {
	case have == nil:
		r.m.inner.put(&taken)
	case have.means == taken.means:
	case have.family() == taken.family():
		r.warnTwice(&entry{name: taken.name, means: taken.means, span: at}, have)
	default:
		err := diag.Errorf(CodeConflict, at, "%s would be %s here, and is %s already", e.name, e.what(), have.what())
		err.Notes = append(err.Notes, diag.Note{Span: have.span, Message: "first defined here"}, diag.Note{Span: e.span, Message: "and here"})
		r.l.report(err)
	}
}

// unify is for two extended modules that declare the same constant or variable: the first declaration counts, for both. It gives the instance of
// m by which its definitions speak of the first, or nil when nothing is declared twice.
func (r *resolver) unify(m *Module, at diag.Span) *instance {
	in := &instance{l: r.l, module: m, subst: map[symbol]Expr{}, span: at, copies: map[copyKey]*Definition{}}
	for _, e := range m.inner.order {
		have := r.m.inner.find(e.name)
		if have == nil || have.means == e.means || e.family() != "declaration" || have.family() != "declaration" {
			continue
		}
		if have.class() != e.class() || have.arity() != e.arity() {
			err := diag.Errorf(CodeConflict, at, "%s would be %s here, and is %s already", e.name, e.what(), have.what())
			err.Notes = append(err.Notes, diag.Note{Span: have.span, Message: "first declared here"}, diag.Note{Span: e.span, Message: "and here"})
			r.l.report(err)
			continue
		}
		node := Node{Span: at}
		switch s := have.means.(type) {
		case *Variable:
			in.subst[e.means] = &VariableRef{Node: node, Variable: s}
		case *Constant:
			if s.Arity > 0 {
				in.subst[e.means] = &OperatorRef{Node: node, Arity: s.Arity, Constant: s}
			} else {
				in.subst[e.means] = &ConstantRef{Node: node, Constant: s}
			}
		}
		r.warnTwice(&entry{name: e.name, means: e.means, span: at}, have)
	}
	if len(in.subst) == 0 {
		return nil
	}
	return in
}

func extendAssumptions(have, add []*Assumption, in *instance) []*Assumption {
	for _, a := range add {
		if in != nil {
			a = in.assumption(a)
		}
		known := false
		for _, h := range have {
			known = known || h == a
		}
		if !known {
			have = append(have, a)
		}
	}
	return have
}
