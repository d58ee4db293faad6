package syntax

import (
	"fmt"

	"podlife/tla/diag"
)

// bindsNames tells whether "x, y \in" or "<<x, y>> \in" comes next: what a set or a function over bound names begins with.
func (p *parser) bindsNames() bool {
	if p.kind() == tokIdent {
		return p.namesBeforeIn(0)
	}
	if p.kind() != tokOpenAngle {
		return false
	}
	i := 1 // "<<>> \in" counts as well, so that it is reported for what it is: names are missing
	for p.kindAt(i) == tokIdent {
		i++
		if p.kindAt(i) != tokComma {
			break
		}
		i++
	}
	return p.kindAt(i) == tokCloseAngle && p.isIn(i+1)
}

// namesBeforeIn tells whether a list of names and then "\in" come, that many tokens ahead.
func (p *parser) namesBeforeIn(ahead int) bool {
	for i := ahead; p.kindAt(i) == tokIdent; i += 2 {
		if p.isIn(i + 1) {
			return true
		}
		if p.kindAt(i+1) != tokComma {
			return false
		}
	}
	return false
}

func (p *parser) isIn(ahead int) bool {
	return p.kindAt(ahead) == tokOperator && p.tokens[p.at+ahead].is(`\in`)
}

// brace reads {a, b}, {x \in S : P} or {e : x \in S, y \in T}.
func (p *parser) brace() Expr {
	start := p.take()
	if p.accept(tokCloseBrace) {
		return &SetEnum{Span: p.from(start)}
	}
	var first Expr
	if p.bindsNames() && (p.kind() == tokOpenAngle || p.isIn(1)) {
		b, in := p.boundUpToIn()
		names := b.Span
		b.Set = p.expression()
		b.Span = names.To(b.Set.Place())
		if p.accept(tokColon) {
			f := &SetFilter{Bound: b, Where: p.expression()}
			p.expectIn(tokCloseBrace, "this set", start)
			f.Span = p.from(start)
			return f
		}
		first = p.membership(b, names, in)
	} else {
		first = p.expression()
	}
	if p.accept(tokColon) {
		m := &SetMap{Value: first, Bounds: p.bounds()}
		p.expectIn(tokCloseBrace, "this set", start)
		m.Span = p.from(start)
		return m
	}
	s := &SetEnum{Items: []Expr{first}}
	for p.accept(tokComma) {
		s.Items = append(s.Items, p.expression())
	}
	p.expectIn(tokCloseBrace, "this set", start)
	s.Span = p.from(start)
	return s
}

// boundUpToIn reads "x \in" or "<<x, y>> \in". The Span of the Bound is that of the names.
func (p *parser) boundUpToIn() (b Bound, in token) {
	if p.kind() == tokOpenAngle {
		b = p.tuple()
	} else {
		name := p.ident()
		b = Bound{Names: []Name{name}, Span: name.Span}
	}
	return b, p.take()
}

// membership turns what was read as "x \in S", the beginning of {x \in S : P}, into the expression that it is without a ":". Its S was read up
// to the ":" that did not come; if that is not how an expression reads, it needs parentheses.
func (p *parser) membership(b Bound, names diag.Span, in token) Expr {
	info, _ := Operator(`\in`)
	if op, ok := topOperator(b.Set); ok && !info.prec(op) {
		panic(&diag.Error{
			Code: CodePrecedence, Span: b.Span,
			Message: `an element that begins with "x \in" and goes on with an operator that binds no stronger needs parentheses`,
			Help:    `if this is to be {x \in S : P}, the ":" is missing`,
		})
	}
	items := make([]Expr, len(b.Names))
	for i, n := range b.Names {
		items[i] = &Apply{Name: n, Span: n.Span}
	}
	left := Expr(&Tuple{Items: items, Span: names})
	if !b.Tuple {
		left = items[0]
	}
	return infix(p.name(in), left, b.Set)
}

// square reads what stands in square brackets, other than the argument of a function: a function, a set of functions, a record, a set of
// records, an EXCEPT or [A]_v.
func (p *parser) square() Expr {
	start := p.take()
	switch {
	case p.bindsNames():
		first := p.raw()
		f := &FunctionConstructor{Bounds: p.bounds()}
		if k := p.kind(); k == tokCloseSquareSub || k == tokArrow || k == tokExcept {
			p.fail(first, `"x \in" behind a bracket begins a function, but no "|->" follows`, "put parentheses around the expression that begins here",
				diag.Note{Span: p.span(p.raw()), Message: `here "|->" was expected`})
		}
		p.expectIn(tokMapsTo, "this function", start)
		f.Body = p.expression()
		p.expectIn(tokCloseSquare, "this function", start)
		f.Span = p.from(start)
		return f
	case p.kindAt(1) == tokMapsTo && (p.kind() == tokIdent || p.kind() != tokItemEnd && p.raw().word()):
		r := &Record{Fields: []FieldValue{p.field(tokMapsTo)}}
		for p.accept(tokComma) {
			r.Fields = append(r.Fields, p.field(tokMapsTo))
		}
		p.expectIn(tokCloseSquare, "this record", start)
		r.Span = p.from(start)
		return r
	case p.kind() == tokIdent && p.kindAt(1) == tokColon:
		r := &RecordSet{Fields: []FieldValue{p.field(tokColon)}}
		for p.accept(tokComma) {
			r.Fields = append(r.Fields, p.field(tokColon))
		}
		p.expectIn(tokCloseSquare, "this set of records", start)
		r.Span = p.from(start)
		return r
	}
	e := p.expression()
	switch p.kind() {
	case tokArrow:
		p.take()
		f := &FunctionSet{Domain: e, Range: p.expression()}
		p.expectIn(tokCloseSquare, "this set of functions", start)
		f.Span = p.from(start)
		return f
	case tokExcept:
		p.take()
		x := &Except{Function: e, Updates: []Update{p.update()}}
		for p.accept(tokComma) {
			x.Updates = append(x.Updates, p.update())
		}
		p.expectIn(tokCloseSquare, "this EXCEPT", start)
		x.Span = p.from(start)
		return x
	case tokCloseSquareSub:
		p.take()
		a := &ActionBox{Action: e, Vars: p.subscript()}
		a.Span = p.from(start)
		return a
	}
	p.failExpected(`"->", "|->", EXCEPT or "]_"`, diag.Note{Span: p.span(start), Message: "this bracket opens here"})
	return nil
}

// field reads name |-> e, or name : S, of a record. In the first place of a record, a reserved word may be the name.
func (p *parser) field(sign kind) FieldValue {
	var f FieldValue
	if sign == tokMapsTo {
		f.Name = p.freeIdent()
	} else {
		f.Name = p.ident()
	}
	p.expect(sign)
	f.Value = p.expression()
	return f
}

// update reads ![a].b = e.
func (p *parser) update() Update {
	start := p.expect(tokBang)
	var u Update
	for {
		step := p.raw()
		switch p.kind() {
		case tokDot:
			p.take()
			name := p.freeIdent()
			u.Path = append(u.Path, Step{Field: &name, Span: p.from(step)})
			continue
		case tokOpenSquare:
			p.take()
			args := p.list()
			p.expectIn(tokCloseSquare, "this argument", step)
			u.Path = append(u.Path, Step{Args: args, Span: p.from(step)})
			continue
		}
		if len(u.Path) == 0 {
			p.failExpected(`"[" or "."`)
		}
		break
	}
	if !p.acceptOperator("=") {
		p.failExpected(`"=", "[" or "."`)
	}
	u.Value = p.expression()
	u.Span = p.from(start)
	return u
}

// angle reads <<a, b>> or <<A>>_v.
func (p *parser) angle() Expr {
	start := p.take()
	t := &Tuple{}
	if p.kind() != tokCloseAngle {
		t.Items = p.list()
	}
	if len(t.Items) == 1 && p.accept(tokCloseAngleSub) {
		a := &ActionBox{Angle: true, Action: t.Items[0], Vars: p.subscript()}
		a.Span = p.from(start)
		return a
	}
	p.expectIn(tokCloseAngle, "this tuple", start)
	t.Span = p.from(start)
	return t
}

// subscript reads the v of [A]_v, <<A>>_v: a name with its arguments, or something in brackets.
func (p *parser) subscript() Expr {
	switch p.kind() {
	case tokIdent, tokAt:
		p.enter()
		defer p.leave()
		return p.general()
	case tokOpen, tokOpenBrace, tokOpenSquare, tokOpenAngle:
		p.enter()
		defer p.leave()
		e, _ := p.operand()
		return e
	}
	p.failExpected("a subscript: a name, or an expression in brackets")
	return nil
}

// fairness reads WF_v(A) or SF_v(A). In WF_f(x)(A), the v is f(x).
func (p *parser) fairness() Expr {
	start := p.take()
	f := &Fairness{Strong: start.kind == tokSF, Vars: p.subscript()}
	open := p.raw()
	if p.accept(tokOpen) {
		f.Action = p.expression()
		p.expectIn(tokClose, "this parenthesis", open)
		f.Span = p.from(start)
		return f
	}
	// The name of the v has taken the action for its argument.
	v, ok := f.Vars.(*Apply)
	if ok && len(v.Args) > 1 {
		panic(&diag.Error{
			Code: CodeSyntax, Span: v.Args[1].Place(), Message: fmt.Sprintf("`%s` takes one action in its parentheses", p.text(start)),
			Notes: []diag.Note{{Span: p.span(start), Message: "this fairness formula begins here"}},
		})
	}
	if !ok || len(v.Args) != 1 || isOperatorArgument(v.Args[0]) {
		p.failExpected("an action in parentheses", diag.Note{Span: p.span(start), Message: "this fairness formula begins here"})
	}
	f.Action = v.Args[0]
	f.Vars = &Apply{Qualifiers: v.Qualifiers, Name: v.Name, Span: diag.Span{Source: p.source, Start: v.Span.Start, End: v.Name.Span.End}}
	f.Span = p.from(start)
	return f
}

// isOperatorArgument tells whether an argument is an operator rather than an expression.
func isOperatorArgument(e Expr) bool {
	switch e := e.(type) {
	case *Lambda:
		return true
	case *Apply:
		_, isSymbol := operatorIndex[e.Name.Text]
		return isSymbol && e.Fix == Nonfix && len(e.Args) == 0 && len(e.Qualifiers) == 0
	}
	return false
}
