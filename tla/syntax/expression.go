package syntax

import (
	"fmt"

	"podlife/tla/diag"
)

// A pending operator waits for its right operand, or to be compared with the operator behind that operand.
type pending struct {
	op    OperatorInfo
	token token
}

// An operands is the state of one run of operands and operators: what has been read and not yet been put together.
type operands struct {
	p   *parser
	ops []pending
	out []Expr
}

// expression reads the longest expression that begins here.
func (p *parser) expression() Expr {
	p.enter()
	s := operands{p: p}
	for {
		s.prefixes()
		e, open := p.operand()
		s.out = append(s.out, e)
		if open {
			break // it extends as far as possible, so no operator is left for it to be an operand of
		}
		s.suffixes()
		if p.kind() == tokColons {
			s.label()
			break
		}
		op, ok := p.operator()
		if !ok || !op.fix(Infix) {
			break
		}
		p.take()
		s.settle(operators[op.op].OperatorInfo, op)
		s.ops = append(s.ops, pending{operators[op.op].OperatorInfo, op})
	}
	for len(s.ops) > 0 {
		s.reduce()
	}
	p.leave()
	return s.out[0]
}

// prefixes reads the prefix operators before an operand.
func (s *operands) prefixes() {
	for {
		t, ok := s.p.operator()
		if !ok {
			return
		}
		info := operators[t.op].OperatorInfo
		switch {
		case info.Name == "-":
			info, _ = Operator("-.")
			// a * -b does not say whether the minus belongs to b, though no other reading is left: SANY refuses it.
			if n := len(s.ops); n > 0 && s.ops[n-1].op.succ(info) {
				s.conflict(s.ops[n-1], pending{info, t})
			}
		case info.Fix != Prefix || info.Name == "-.":
			return
		}
		s.p.take()
		s.ops = append(s.ops, pending{info, t})
	}
}

// suffixes reads what may follow an operand and binds stronger than any infix operator: ', [x], .field.
func (s *operands) suffixes() {
	p, last := s.p, len(s.out)-1
	for {
		e := s.out[last]
		op, isOperator := p.operator()
		switch {
		case isOperator && op.fix(Postfix):
			p.take()
			info := operators[op.op].OperatorInfo
			s.settle(info, op)
			last = len(s.out) - 1
			e = s.out[last]
			s.out[last] = &Apply{Name: p.name(op), Args: []Expr{e}, Fix: Postfix, Span: e.Place().To(p.span(op))}
		case p.kind() == tokDot:
			p.take()
			name := p.freeIdent()
			s.out[last] = &Field{Record: e, Name: name, Span: e.Place().To(name.Span)}
		case p.kind() == tokOpenSquare:
			open := p.take()
			args := p.list()
			end := p.expectIn(tokCloseSquare, "this argument", open)
			s.out[last] = &FunctionApply{Function: e, Args: args, Span: e.Place().To(p.span(end))}
		default:
			return
		}
	}
}

// settle puts together what goes before an operator that comes next, and makes sure that it goes before what is left.
func (s *operands) settle(next OperatorInfo, at token) {
	for len(s.ops) > 0 {
		last := s.ops[len(s.ops)-1]
		switch {
		case last.op.succ(next):
			s.reduce()
		case last.op.prec(next):
			return
		default:
			s.conflict(last, pending{next, at})
		}
	}
}

// reduce puts the last operator and its operands together.
func (s *operands) reduce() {
	p := s.p
	last := s.ops[len(s.ops)-1]
	s.ops = s.ops[:len(s.ops)-1]
	right := s.out[len(s.out)-1]
	name := Name{Text: last.op.Name, Span: p.span(last.token)}
	if last.op.Fix == Prefix {
		s.out[len(s.out)-1] = &Apply{Name: name, Args: []Expr{right}, Fix: Prefix, Span: name.Span.To(right.Place())}
		return
	}
	left := s.out[len(s.out)-2]
	s.out = s.out[:len(s.out)-1]
	s.out[len(s.out)-1] = infix(name, left, right)
}

// infix makes the node of an infix operator. Chains of /\, of \/ and of \X become one node.
func infix(name Name, left, right Expr) Expr {
	span := left.Place().To(right.Place())
	switch name.Text {
	case `/\`, `\/`:
		or := name.Text == `\/`
		if j, ok := left.(*Junction); ok && !j.Bulleted && j.Or == or {
			j.Items, j.Span = append(j.Items, right), span
			return j
		}
		return &Junction{Or: or, Items: []Expr{left, right}, Span: span}
	case `\X`:
		if t, ok := left.(*Times); ok {
			t.Items, t.Span = append(t.Items, right), span
			return t
		}
		return &Times{Items: []Expr{left, right}, Span: span}
	}
	return &Apply{Name: name, Args: []Expr{left, right}, Fix: Infix, Span: span}
}

// conflict reports two operators of which neither goes first.
func (s *operands) conflict(left, right pending) {
	p := s.p
	message := fmt.Sprintf("`%s` after `%s` needs parentheses: neither binds stronger", p.text(right.token), p.text(left.token))
	if left.op.Name == right.op.Name {
		message = fmt.Sprintf("a second `%s` needs parentheses: it does not chain", p.text(right.token))
	}
	panic(&diag.Error{
		Code: CodePrecedence, Span: p.span(right.token), Message: message,
		Notes: []diag.Note{{Span: p.span(left.token), Message: "the operator before it"}},
	})
}

// label reads the ":: e" behind a label. The label takes all that follows; where that would bind the operand before it otherwise than without
// the label, it is refused.
func (s *operands) label() {
	p := s.p
	colons := p.take()
	head, ok := s.out[len(s.out)-1].(*Apply)
	l := &Label{}
	if ok && head.Fix == Nonfix && len(head.Qualifiers) == 0 && isIdent(head.Name) {
		l.Name = head.Name
		for _, arg := range head.Args {
			name, isName := plainName(arg)
			ok = ok && isName
			l.Params = append(l.Params, name)
		}
	} else {
		ok = false
	}
	if !ok {
		p.fail(colons, "what stands before \"::\" is no label", "a label is a name, or a name with the bound names that its expression uses: lab(x, y) :: e")
	}
	l.Body = p.expression()
	if n := len(s.ops); n > 0 {
		if op, ok := topOperator(l.Body); ok && !s.ops[n-1].op.prec(op) && !sameJunction(s.ops[n-1].op, l.Body) {
			p.fail(colons, fmt.Sprintf("without this label, `%s` would bind otherwise", p.text(s.ops[n-1].token)),
				"put parentheses around the label and its expression",
				diag.Note{Span: p.span(s.ops[n-1].token), Message: "the operator before it"})
		}
	}
	l.Span = head.Span.To(l.Body.Place())
	s.out[len(s.out)-1] = l
}

// sameJunction tells whether e is a chain of the operator before it, if that is /\ or \/: how "a /\ lab :: b /\ c" is grouped makes no
// difference to what it means.
func sameJunction(before OperatorInfo, e Expr) bool {
	j, ok := e.(*Junction)
	return ok && (before.Name == `/\` && !j.Or || before.Name == `\/` && j.Or)
}

// topOperator gives the infix or postfix operator that an expression is made with.
func topOperator(e Expr) (OperatorInfo, bool) {
	switch e := e.(type) {
	case *Apply:
		if e.Fix == Infix || e.Fix == Postfix {
			return Operator(e.Name.Text)
		}
	case *Junction:
		if !e.Bulleted {
			return Operator(`/\`)
		}
	case *Times:
		return Operator(`\X`)
	}
	return OperatorInfo{}, false
}

// plainName gives the identifier that an expression consists of.
func plainName(e Expr) (Name, bool) {
	a, ok := e.(*Apply)
	if !ok || a.Fix != Nonfix || len(a.Qualifiers) > 0 || len(a.Args) > 0 || !isIdent(a.Name) {
		return Name{}, false
	}
	return a.Name, true
}

// isIdent tells an identifier from an operator symbol and a step's name.
func isIdent(name Name) bool {
	c := name.Text[0]
	if _, ok := operatorIndex[name.Text]; ok {
		return false
	}
	return isNameByte(c) || c >= 0x80
}

// list reads expressions with commas between them, at least one.
func (p *parser) list() []Expr {
	list := []Expr{p.expression()}
	for p.accept(tokComma) {
		list = append(list, p.expression())
	}
	return list
}

// junction reads a list of items with aligned bullets.
func (p *parser) junction() Expr {
	outer := p.bullet
	bullet := p.raw()
	p.bullet = bullet
	j := &Junction{Or: bullet.is(`\/`), Bulleted: true}
	for t := bullet; t.bullet() && t.op == bullet.op && t.column == bullet.column; t = p.raw() {
		p.bullet = t
		p.take()
		j.Items = append(j.Items, p.expression())
	}
	p.bullet = outer
	p.ended, p.endedAt = bullet, p.at
	j.Span = p.from(bullet)
	return j
}
