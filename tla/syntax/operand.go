package syntax

import (
	"fmt"

	"podlife/tla/diag"
)

// operand reads what stands between operators. An open one extends as far as possible to the right, so that no operator can follow it: IF,
// CASE, LET, CHOOSE and the quantifiers.
func (p *parser) operand() (e Expr, open bool) {
	t := p.raw()
	switch p.kind() {
	case tokIdent, tokAt, tokStep:
		return p.general(), false
	case tokNumber:
		p.take()
		return &Number{Text: p.text(t), Span: p.span(t)}, false
	case tokString:
		p.take()
		return &String{Value: unescape(p.source.Text[t.start:t.end]), Span: p.span(t)}, false
	case tokOpen:
		p.take()
		body := p.expression()
		p.expectIn(tokClose, "this parenthesis", t)
		return &Paren{Body: body, Span: p.from(t)}, false
	case tokOpenBrace:
		return p.brace(), false
	case tokOpenSquare:
		return p.square(), false
	case tokOpenAngle:
		return p.angle(), false
	case tokWF, tokSF:
		return p.fairness(), false
	case tokOperator:
		switch {
		case t.bullet():
			return p.junction(), false
		case p.kindAt(1) == tokOpen && !t.is(`\X`) && (!t.fix(Prefix) || t.is("-.")):
			return p.general(), false
		}
	case tokForall, tokExists, tokForallTemporal, tokExistsTemporal:
		return p.quantifier(), true
	case tokChoose:
		return p.choose(), true
	case tokIf:
		return p.ifThenElse(), true
	case tokCase:
		return p.caseOf(), true
	case tokLet:
		return p.let(), true
	case tokLambda:
		p.fail(t, "expected an expression, found `LAMBDA`", "LAMBDA stands where an operator is the argument of another one, and nowhere else")
	}
	p.failOperand()
	return nil, false
}

// failOperand reports that no expression begins here.
func (p *parser) failOperand() {
	t, before := p.raw(), p.tokens[max(0, p.at-1)]
	if before.kind == tokOperator && before.end <= t.start && p.kind() != tokError {
		if text := p.text(before); text[0] == '(' && p.at > 1 && p.tokens[p.at-2].kind == tokIdent {
			p.fail(before, fmt.Sprintf("expected an expression behind the operator `%s`, found %s", text, p.describe(t)),
				fmt.Sprintf("to hand over %s as an argument, put spaces around it: ( %s )", text[1:len(text)-1], text[1:len(text)-1]))
		}
	}
	if p.at > 0 && p.line(before) != p.line(t) && p.kind() != tokItemEnd {
		p.failExpected("an expression", diag.Note{Span: p.span(before), Message: "behind this"})
	}
	p.failExpected("an expression")
}

// general reads a name with its arguments and with what follows it after "!".
func (p *parser) general() Expr {
	start := p.raw()
	if start.kind == tokStep {
		p.checkStepName(start)
	}
	p.take()
	a := &Apply{Name: p.name(start)}
	a.Args = p.arguments()
	for p.kind() == tokBang {
		a.Qualifiers = append(a.Qualifiers, Part{a.Name, a.Args})
		p.take()
		a.Name, a.Args = p.selector()
	}
	a.Span = p.from(start)
	return a
}

// checkStepName refuses the name of a proof step where it means nothing.
func (p *parser) checkStepName(t token) {
	text := p.text(t)
	last := text[len(text)-1]
	switch {
	case len(p.levels) == 0 || len(p.levels) == 1 && p.levels[0] < 0:
		p.fail(t, fmt.Sprintf("the name of a proof step, `%s`, stands outside of a proof", text), "")
	case text[1] == '+' || !isNameByte(last):
		p.fail(t, fmt.Sprintf("expected an expression, found the beginning of the proof step `%s`", text), "")
	}
}

// arguments reads "(a, b)", if it is there.
func (p *parser) arguments() []Expr {
	open := p.raw()
	if !p.accept(tokOpen) {
		return nil
	}
	args := []Expr{p.argument()}
	for p.accept(tokComma) {
		args = append(args, p.argument())
	}
	p.expectIn(tokClose, "this list of arguments", open)
	return args
}

// selector reads what follows a "!": a name with or without arguments, or one step down into an expression.
func (p *parser) selector() (Name, []Expr) {
	t := p.raw()
	switch k := p.kind(); {
	case k == tokOpen:
		name := Name{Text: "()", Span: p.span(t)}
		return name, p.arguments()
	case k == tokAt, k == tokOpenAngle, k == tokCloseAngle, k == tokColon, k == tokNumber:
		p.take()
		name := p.name(t)
		switch k {
		case tokOpenAngle:
			name.Text = "<<"
		case tokCloseAngle:
			name.Text = ">>"
		}
		return name, nil
	case k == tokIdent, k == tokOperator:
		p.take()
		return p.name(t), p.arguments()
	}
	p.failExpected(`a name, or a part of an expression, behind "!"`)
	return Name{}, nil
}

// argument reads an expression, or an operator that is handed over as it is: a symbol or a LAMBDA.
func (p *parser) argument() Expr {
	t := p.raw()
	switch k := p.kind(); {
	case k == tokLambda:
		return p.lambda()
	case k == tokOperator && p.endsArgument(p.kindAt(1)):
		if t.is(`\X`) {
			p.fail(t, fmt.Sprintf("`%s` cannot be handed over as an operator: it takes any number of sets", p.text(t)),
				`write LAMBDA S, T : S \X T`)
		}
		p.take()
		return &Apply{Name: p.name(t), Span: p.span(t)}
	}
	return p.expression()
}

// endsArgument tells whether a token of that kind can follow an operator symbol that is an argument or the value of a substitution.
func (p *parser) endsArgument(k kind) bool {
	switch k {
	case tokComma, tokClose, tokEOF, tokItemEnd, tokDefine, tokModuleStart, tokModuleEnd, tokIn, tokStep:
		return true
	}
	return k.beginsUnit()
}

// lambda reads LAMBDA x, y : e.
func (p *parser) lambda() Expr {
	start := p.take()
	l := &Lambda{Params: []Decl{p.param()}}
	for p.accept(tokComma) {
		l.Params = append(l.Params, p.param())
	}
	p.expectIn(tokColon, "this LAMBDA", start)
	l.Body = p.expression()
	l.Span = p.from(start)
	return l
}

// quantifier reads \A, \E, \AA and \EE.
func (p *parser) quantifier() Expr {
	start := p.take()
	q := &Quantifier{
		Exists:   start.kind == tokExists || start.kind == tokExistsTemporal,
		Temporal: start.kind == tokForallTemporal || start.kind == tokExistsTemporal,
	}
	if q.Temporal || p.namesBefore(tokColon) {
		q.Bounds = []Bound{p.unbounded()}
	} else {
		q.Bounds = p.bounds()
	}
	p.expectIn(tokColon, "this quantifier", start)
	q.Body = p.expression()
	q.Span = p.from(start)
	return q
}

// namesBefore tells whether a list of names and then a token of that kind come next.
func (p *parser) namesBefore(k kind) bool {
	for i := 0; p.kindAt(i) == tokIdent; i += 2 {
		if p.kindAt(i+1) == k {
			return true
		}
		if p.kindAt(i+1) != tokComma {
			return false
		}
	}
	return false
}

// unbounded reads a list of names without a set.
func (p *parser) unbounded() Bound {
	start := p.raw()
	b := Bound{Names: []Name{p.ident()}}
	for p.accept(tokComma) {
		b.Names = append(b.Names, p.ident())
	}
	b.Span = p.from(start)
	return b
}

// bounds reads x, y \in S, <<a, b>> \in T, ...
func (p *parser) bounds() []Bound {
	list := []Bound{p.bound()}
	for p.accept(tokComma) {
		list = append(list, p.bound())
	}
	return list
}

// bound reads x, y \in S or <<x, y>> \in S.
func (p *parser) bound() Bound {
	start := p.raw()
	var b Bound
	if p.kind() == tokOpenAngle {
		b = p.tuple()
	} else {
		b = p.unbounded()
	}
	if !p.acceptOperator(`\in`) {
		p.failExpected(`"," or "\in"`)
	}
	b.Set = p.expression()
	b.Span = p.from(start)
	return b
}

// tuple reads <<x, y>>, the names of a bound.
func (p *parser) tuple() Bound {
	start := p.take()
	b := Bound{Tuple: true}
	b.Names = p.unbounded().Names
	p.expectIn(tokCloseAngle, "this tuple", start)
	b.Span = p.from(start)
	return b
}

// acceptOperator goes over the next token if it is that operator.
func (p *parser) acceptOperator(name string) bool {
	t, ok := p.operator()
	if !ok || !t.is(name) {
		return false
	}
	p.take()
	return true
}

// choose reads CHOOSE x \in S : e, also without a set and with a tuple.
func (p *parser) choose() Expr {
	start := p.take()
	first := p.raw()
	c := &Choose{}
	if p.kind() == tokOpenAngle {
		c.Bound = p.tuple()
	} else {
		name := p.ident()
		c.Bound = Bound{Names: []Name{name}}
	}
	if p.acceptOperator(`\in`) {
		c.Bound.Set = p.expression()
	}
	c.Bound.Span = p.from(first)
	p.expectIn(tokColon, "this CHOOSE", start)
	c.Body = p.expression()
	c.Span = p.from(start)
	return c
}

// ifThenElse reads IF c THEN a ELSE b.
func (p *parser) ifThenElse() Expr {
	start := p.take()
	e := &If{Cond: p.expression()}
	p.expectIn(tokThen, "this IF", start)
	e.Then = p.expression()
	p.expectIn(tokElse, "this IF", start)
	e.Else = p.expression()
	e.Span = p.from(start)
	return e
}

// caseOf reads CASE c -> e [] d -> f [] OTHER -> g. The arms behind a CASE inside an arm belong to the inner one.
func (p *parser) caseOf() Expr {
	start := p.take()
	c := &Case{}
	for {
		if len(c.Arms) > 0 && p.accept(tokOther) {
			p.expectIn(tokArrow, "this CASE", start)
			c.Other = p.expression()
			break
		}
		arm := CaseArm{Cond: p.expression()}
		p.expectIn(tokArrow, "this CASE", start)
		arm.Value = p.expression()
		c.Arms = append(c.Arms, arm)
		if !p.acceptOperator("[]") {
			break
		}
	}
	c.Span = p.from(start)
	return c
}

// let reads LET definitions IN e.
func (p *parser) let() Expr {
	start := p.take()
	l := &Let{}
	for {
		t := p.raw()
		switch p.kind() {
		case tokRecursive:
			l.Units = append(l.Units, p.recursive())
			continue
		case tokLocal:
			p.take()
			l.Units = append(l.Units, p.definition(t, true))
			continue
		case tokDefine:
			l.Units = append(l.Units, p.definition(t, false))
			continue
		case tokIn:
			if len(l.Units) > 0 {
				p.take()
				l.Body = p.expression()
				l.Span = p.from(start)
				return l
			}
		}
		p.failExpected("a definition or IN", diag.Note{Span: p.span(start), Message: "this LET begins here"})
	}
}
