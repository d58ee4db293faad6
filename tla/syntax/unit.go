package syntax

import (
	"fmt"

	"podlife/tla/diag"
)

// module reads a module, from "---- MODULE" to "====".
func (p *parser) module() *Module {
	p.enter()
	defer p.leave()
	start := p.expect(tokModuleStart)
	m := &Module{Name: p.freeIdent()}
	p.expect(tokSeparator)
	if p.accept(tokExtends) {
		m.Extends = append(m.Extends, p.freeIdent())
		for p.accept(tokComma) {
			m.Extends = append(m.Extends, p.freeIdent())
		}
	}
	m.Units = p.units(start)
	p.expectIn(tokModuleEnd, "this module", start)
	m.Span = p.from(start)
	m.Comments = p.commentsIn(m.Span)
	return m
}

// units reads what a module consists of, up to what is no unit. A mistake costs the unit it is in; the others are read nevertheless, as long as
// they can be told apart.
func (p *parser) units(module token) []Unit {
	var units []Unit
	nesting := p.nesting
	for {
		switch p.kind() {
		case tokModuleEnd:
			return units
		case tokEOF:
			p.failExpected(`a unit of the module or "===="`, diag.Note{Span: p.span(module), Message: "the module begins here"})
		case tokSeparator:
			p.take()
			continue
		}
		first := p.at
		if !p.guard(func() {
			if u := p.unit(); u != nil {
				for _, e := range unitExprs(u) {
					p.checkHeight(e)
				}
				units = append(units, u)
			}
		}) {
			p.nesting = nesting
			if !p.recoverTo(first) {
				panic(stop{})
			}
		}
	}
}

// stop is the panic after a mistake behind which nothing can be read; the mistake itself has been kept.
type stop struct{}

// unit reads one unit. It gives nil for one that is not kept: USE and HIDE, which mean something to provers only.
func (p *parser) unit() Unit {
	t := p.raw()
	switch p.kind() {
	case tokConstant:
		p.take()
		c := &Constants{Decls: p.decls(), Span: p.from(t)}
		if p.accept(tokOpen) {
			p.failExpected(`"_" for each argument`)
		}
		return c
	case tokVariable:
		p.take()
		names := []Name{p.ident()}
		for p.accept(tokComma) {
			names = append(names, p.ident())
		}
		return &Variables{Names: names, Span: p.from(t)}
	case tokRecursive:
		return p.recursive()
	case tokAssume, tokAssumption, tokAxiom:
		return p.assume()
	case tokTheorem:
		return p.theorem()
	case tokUse, tokHide:
		p.useBody(p.take())
		return nil
	case tokModuleStart:
		return &Nested{Module: p.module()}
	case tokInstance:
		return p.instance(t, false)
	case tokLocal:
		p.take()
		if p.kind() == tokInstance {
			return p.instance(t, true)
		}
		return p.definition(t, true)
	case tokDefine:
		return p.definition(t, false)
	}
	p.failUnit()
	return nil
}

// failUnit reports what is no unit.
func (p *parser) failUnit() {
	const expected = `a unit of the module (a definition, CONSTANT, VARIABLE, ASSUME, INSTANCE, THEOREM, ...) or "===="`
	t, next := p.raw(), p.tokens[min(p.at+1, len(p.tokens)-1)]
	help := ""
	switch {
	case t.kind == tokIdent && next.is("="):
		help = `a definition is written with "=="`
	case t.kind == tokExtends:
		help = "EXTENDS stands once, behind the line with the module's name"
	case t.kind == tokStep:
		help = "the proof above has ended, with its QED step or before its first one"
	case t.is("--") && next.kind == tokIdent:
		help = "a PlusCal algorithm stands in a comment, with its translation below"
	}
	if help == "" || p.endedAt == p.at {
		p.failExpected(expected)
	}
	p.fail(t, fmt.Sprintf("expected %s, found %s", expected, p.describe(t)), help)
}

// decls reads a list of declarations: a, F(_, _), _+_.
func (p *parser) decls() []Decl {
	list := []Decl{p.decl()}
	for p.accept(tokComma) {
		list = append(list, p.decl())
	}
	return list
}

// decl reads one declaration.
func (p *parser) decl() Decl {
	start := p.raw()
	op, isOperator := p.operator()
	switch {
	case p.kind() == tokIdent:
		d := Decl{Name: p.ident()}
		if p.kind() == tokOpen && p.kindAt(1) == tokUnderscore {
			p.take()
			p.take()
			d.Arity = 1
			for p.accept(tokComma) {
				p.expect(tokUnderscore)
				d.Arity++
			}
			p.expect(tokClose)
		}
		d.Span = p.from(start)
		return d
	case isOperator && op.fix(Prefix):
		p.take()
		p.expect(tokUnderscore)
		return Decl{Name: p.name(op), Arity: 1, Span: p.from(start)}
	case p.accept(tokUnderscore):
		op, ok := p.operator()
		if !ok || op.fix(Prefix) {
			p.failExpected("an infix or postfix operator symbol")
		}
		p.take()
		d := Decl{Name: p.name(op), Arity: 1}
		if op.fix(Infix) {
			p.expect(tokUnderscore)
			d.Arity = 2
		}
		d.Span = p.from(start)
		return d
	}
	p.failExpected(`a name, or an operator with "_" for its arguments`)
	return Decl{}
}

// recursive reads RECURSIVE f(_), g.
func (p *parser) recursive() Unit {
	start := p.take()
	return &Recursive{Decls: p.decls(), Span: p.from(start)}
}

// assume reads ASSUME [name ==] e, and its other words.
func (p *parser) assume() Unit {
	start := p.take()
	a := &Assume{Axiom: p.text(start) == "AXIOM", Name: p.title()}
	a.Body = p.expression()
	a.Span = p.from(start)
	return a
}

// title reads the "name ==" of an assumption or a theorem, if there is one.
func (p *parser) title() *Name {
	if p.raw().kind != tokIdent || p.tokens[p.at+1].kind != tokDef {
		return nil
	}
	name := p.name(p.take())
	p.take()
	return &name
}

// theorem reads THEOREM [name ==] e, or THEOREM ASSUME ... PROVE ..., and its proof.
func (p *parser) theorem() Unit {
	start := p.take()
	t := &Theorem{Name: p.title()}
	if p.kind() == tokAssume || p.kind() == tokBoxAssume {
		p.assumeProve()
	} else {
		t.Body = p.expression()
	}
	t.Span = p.from(start)
	if p.beginsProof() {
		p.proof()
	}
	return t
}

// definition reads a definition whose left side begins here; start is where the unit does.
func (p *parser) definition(start token, local bool) Unit {
	if p.kind() != tokDefine {
		p.failExpected("a definition")
	}
	first := p.take()
	if first.kind != tokIdent {
		// A prefix operator: markDefinitions makes sure that a name and "==" follow.
		return p.body(&Definition{Local: local, Name: p.name(first), Params: []Decl{p.param()}}, start)
	}
	op, isOperator := p.operator()
	switch {
	case p.kind() == tokOpenSquare:
		return p.functionDefinition(start, local, p.name(first))
	case isOperator && op.fix(Postfix):
		p.take()
		return p.body(&Definition{Local: local, Name: p.name(op), Params: []Decl{plainDecl(p.name(first))}}, start)
	case isOperator && op.fix(Infix):
		p.take()
		params := []Decl{plainDecl(p.name(first)), p.param()}
		return p.body(&Definition{Local: local, Name: p.name(op), Params: params}, start)
	}
	d := &Definition{Local: local, Name: p.name(first)}
	if open := p.raw(); p.accept(tokOpen) {
		d.Params = p.decls()
		p.expectIn(tokClose, "this list", open)
	}
	if p.kind() == tokDef && p.kindAt(1) == tokInstance {
		p.take()
		i := p.instance(start, local)
		i.Name, i.Params = &d.Name, d.Params
		return i
	}
	return p.body(d, start)
}

// param reads a parameter that is a name.
func (p *parser) param() Decl { return plainDecl(p.ident()) }

func plainDecl(name Name) Decl { return Decl{Name: name, Span: name.Span} }

// body reads "== e" for a definition.
func (p *parser) body(d *Definition, start token) Unit {
	p.expect(tokDef)
	d.Body = p.expression()
	d.Span = p.from(start)
	return d
}

// functionDefinition reads [x \in S, ...] == e.
func (p *parser) functionDefinition(start token, local bool, name Name) Unit {
	f := &FunctionDefinition{Local: local, Name: name}
	open := p.take()
	f.Bounds = p.bounds()
	p.expectIn(tokCloseSquare, "this list", open)
	p.expect(tokDef)
	f.Body = p.expression()
	f.Span = p.from(start)
	return f
}

// instance reads INSTANCE M WITH a <- e, ...; start is where the unit begins.
func (p *parser) instance(start token, local bool) *Instance {
	p.expect(tokInstance)
	i := &Instance{Local: local, Module: p.freeIdent()}
	if p.accept(tokWith) {
		i.With = append(i.With, p.substitution())
		for p.accept(tokComma) {
			i.With = append(i.With, p.substitution())
		}
	}
	i.Span = p.from(start)
	return i
}

// substitution reads name <- e, where the name may be an operator symbol.
func (p *parser) substitution() Substitution {
	t := p.raw()
	if k := p.kind(); k != tokIdent && k != tokOperator {
		p.failExpected("the name of a constant or variable of the module")
	}
	p.take()
	s := Substitution{Name: p.name(t)}
	p.expect(tokSubstitute)
	s.Value = p.argument()
	return s
}
