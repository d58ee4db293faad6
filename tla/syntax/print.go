package syntax

import "strings"

// Print writes an expression as one line of TLA+: symbols in their canonical form, parentheses only where they are needed, lists with bullets
// as infix operators. Reading the line gives the same expression, up to Parens and the Bulleted of a Junction.
func Print(e Expr) string {
	w := &printer{}
	w.expr(e, free)
	return strings.TrimRight(w.String(), " ")
}

// A printer collects the text. Whether something needs parentheses is decided from the outside in, for each operand on its own.
type printer struct{ strings.Builder }

// A tail says what comes behind an expression.
type tail int

const (
	// operator: an infix operator may follow, which an IF or a quantifier, unlike the expression around it, would take.
	operator tail = iota
	// arm: an arm of a CASE follows, which another CASE would take.
	arm
	// free: something follows that ends every expression.
	free
)

// bare gives the expression without what is not printed: parentheses, and the bullet of a list with one item.
func bare(e Expr) Expr {
	for {
		switch x := e.(type) {
		case *Paren:
			e = x.Body
		case *Junction:
			if len(x.Items) != 1 {
				return e
			}
			e = x.Items[0]
		default:
			return e
		}
	}
}

// operatorOf gives the operator that an expression is made with, unless it is written as a name with arguments.
func operatorOf(e Expr) (OperatorInfo, bool) {
	switch e := e.(type) {
	case *Apply:
		if e.Fix != Nonfix {
			return Operator(e.Name.Text)
		}
	case *Junction:
		if e.Or {
			return Operator(`\/`)
		}
		return Operator(`/\`)
	case *Times:
		return Operator(`\X`)
	}
	return OperatorInfo{}, false
}

// extends tells whether an expression goes on as far to the right as it can.
func extends(e Expr) bool {
	switch e.(type) {
	case *Quantifier, *Choose, *If, *Case, *Let, *Lambda, *Label:
		return true
	}
	return false
}

// lastOperand gives the operand that stands at the right end of an infix or prefix expression.
func lastOperand(e Expr) Expr {
	switch e := e.(type) {
	case *Apply:
		return bare(e.Args[len(e.Args)-1])
	case *Junction:
		return bare(e.Items[len(e.Items)-1])
	case *Times:
		return bare(e.Items[len(e.Items)-1])
	}
	return nil
}

// fitsRight tells whether e can be the right operand of op without parentheses, apart from what comes behind it.
func fitsRight(op OperatorInfo, e Expr) bool {
	if _, ok := e.(*Label); ok {
		return false
	}
	// In []f'[x], the conflict is between the box and the prime, though the whole is an application.
	for {
		if f, ok := e.(*FunctionApply); ok {
			e = bare(f.Function)
		} else if f, ok := e.(*Field); ok {
			e = bare(f.Record)
		} else {
			break
		}
		if own, ok := operatorOf(e); ok && own.Fix != Postfix || extends(e) {
			return true // it gets parentheses itself
		}
	}
	own, ok := operatorOf(e)
	switch {
	case !ok:
		return true
	case own.Fix == Prefix:
		return own.Name != "-." || !op.succ(own)
	}
	return op.prec(own)
}

// fitsLeft tells whether e can be the left operand of op without parentheses: each operator at its right end must go before op.
func fitsLeft(e Expr, op OperatorInfo) bool {
	for {
		if extends(e) {
			return false
		}
		own, ok := operatorOf(e)
		switch {
		case !ok:
			return true
		case op.Fix == Postfix || own.Fix == Postfix:
			return own.Fix == Postfix
		case !own.succ(op):
			return false
		}
		last := lastOperand(e)
		if !fitsRight(own, last) || extends(last) {
			return true // it gets parentheses itself
		}
		e = last
	}
}

// fitsLeftChain is fitsLeft for an operator whose chains are one node: the operand may not be such a node itself.
func fitsLeftChain(e Expr, op OperatorInfo) bool {
	own, ok := operatorOf(e)
	return !(ok && own.Name == op.Name) && fitsLeft(e, op)
}

// group writes an expression in parentheses.
func (w *printer) group(e Expr) {
	inner := Print(e)
	w.enclose(inner)
}

// enclose writes a text in parentheses, so that they do not become part of another sign: "(*", "(+)".
func (w *printer) enclose(inner string) {
	switch {
	case strings.HasPrefix(inner, "*"), inner == "+", inner == "-", inner == ".", inner == "/":
		w.WriteString("( " + inner + " )")
	default:
		w.WriteString("(" + inner + ")")
	}
}

// expr writes an expression.
func (w *printer) expr(e Expr, t tail) {
	e = bare(e)
	if extends(e) {
		_, isCase := e.(*Case)
		if t == operator || t == arm && isCase {
			w.group(e)
			return
		}
		w.extending(e, t)
		return
	}
	if op, ok := operatorOf(e); ok {
		w.operation(e, op, t)
		return
	}
	w.closed(e)
}

// operation writes the use of an operator symbol.
func (w *printer) operation(e Expr, op OperatorInfo, t tail) {
	switch e := e.(type) {
	case *Junction:
		w.chain(e.Items, op, t)
	case *Times:
		w.chain(e.Items, op, t)
	case *Apply:
		switch op.Fix {
		case Prefix:
			w.prefix(e, op, t)
		case Postfix:
			w.left(e.Args[0], op, fitsLeft)
			w.WriteString(op.Name)
		default:
			w.left(e.Args[0], op, fitsLeft)
			w.infix(op)
			w.right(op, e.Args[1], t)
		}
	}
}

// infix writes the symbol of an infix operator, with spaces but for "..".
func (w *printer) infix(op OperatorInfo) {
	if op.Name == ".." {
		w.WriteString(op.Name)
		return
	}
	w.WriteString(" " + op.Name + " ")
}

// chain writes operands with an operator between them. Those in the middle are on both sides of it.
func (w *printer) chain(items []Expr, op OperatorInfo, t tail) {
	for i, item := range items {
		item = bare(item)
		switch {
		case i == 0:
			w.left(item, op, fitsLeftChain)
			continue
		case i == len(items)-1:
			w.infix(op)
			w.right(op, item, t)
			continue
		}
		w.infix(op)
		if fitsLeftChain(item, op) {
			w.right(op, item, operator)
		} else {
			w.group(item)
		}
	}
}

func (w *printer) left(e Expr, op OperatorInfo, fits func(Expr, OperatorInfo) bool) {
	if e = bare(e); fits(e, op) {
		w.expr(e, operator)
	} else {
		w.group(e)
	}
}

func (w *printer) right(op OperatorInfo, e Expr, t tail) {
	if e = bare(e); fitsRight(op, e) {
		w.expr(e, t)
	} else {
		w.group(e)
	}
}

// prefix writes a prefix operator with its operand, and a space where the two would otherwise become another sign or word.
func (w *printer) prefix(e *Apply, op OperatorInfo, t tail) {
	operand := &printer{}
	operand.right(op, e.Args[0], t)
	text := operand.String()
	symbol := op.Name
	if symbol == "-." {
		symbol = "-"
	}
	w.WriteString(symbol)
	word := isLetter(symbol[0])
	apart := !isNameByte(text[0]) && strings.IndexByte(`([{<"~\@`, text[0]) < 0 && text[0] < 0x80
	boxed := symbol == "[]" && (strings.HasPrefix(text, "ASSUME") || strings.HasPrefix(text, "PROVE"))
	if word || apart || boxed {
		w.WriteString(" ")
	}
	w.WriteString(text)
}

// extending writes an expression that goes on to the right; t is what comes behind it.
func (w *printer) extending(e Expr, t tail) {
	switch e := e.(type) {
	case *Quantifier:
		sign := `\A`
		if e.Exists {
			sign = `\E`
		}
		if e.Temporal {
			sign += sign[1:]
		}
		w.WriteString(sign + " ")
		w.bounds(e.Bounds)
		w.WriteString(" : ")
		w.expr(e.Body, t)
	case *Choose:
		w.WriteString("CHOOSE ")
		w.bounds([]Bound{e.Bound})
		w.WriteString(" : ")
		w.expr(e.Body, t)
	case *If:
		w.WriteString("IF ")
		w.expr(e.Cond, free)
		w.WriteString(" THEN ")
		w.expr(e.Then, free)
		w.WriteString(" ELSE ")
		w.expr(e.Else, t)
	case *Case:
		w.caseOf(e, t)
	case *Let:
		w.WriteString("LET")
		for _, u := range e.Units {
			w.WriteString(" ")
			w.unit(u)
		}
		w.WriteString(" IN ")
		w.expr(e.Body, t)
	case *Lambda:
		w.WriteString("LAMBDA ")
		w.decls(e.Params)
		w.WriteString(" : ")
		w.expr(e.Body, t)
	case *Label:
		w.WriteString(e.Name.Text)
		if len(e.Params) > 0 {
			w.WriteString("(")
			w.names(e.Params)
			w.WriteString(")")
		}
		w.WriteString(" :: ")
		w.expr(e.Body, t)
	}
}

func (w *printer) caseOf(e *Case, t tail) {
	w.WriteString("CASE ")
	for i, a := range e.Arms {
		if i > 0 {
			w.WriteString(" [] ")
		}
		behind := arm
		if i == len(e.Arms)-1 && e.Other == nil {
			behind = t
		}
		w.expr(a.Cond, free)
		w.WriteString(" -> ")
		w.expr(a.Value, behind)
	}
	if e.Other != nil {
		w.WriteString(" [] OTHER -> ")
		w.expr(e.Other, t)
	}
}
