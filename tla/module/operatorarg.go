package module

import (
	"podlife/tla/diag"
	"podlife/tla/syntax"
)

// operatorArg resolves what must be an operator of that arity: a name without arguments, or a LAMBDA. role says what it is for, "argument 1 of F".
func (r *resolver) operatorArg(e syntax.Expr, arity int, role string) Expr {
	switch e := e.(type) {
	case *syntax.Lambda:
		if len(e.Params) != arity {
			return r.fail(CodeArity, e.Span, "%s must be an operator with %s; this LAMBDA has %d", role, count(arity, "argument"), len(e.Params))
		}
		return r.lambda(e)
	case *syntax.Apply:
		if len(e.Args) == 0 && e.Fix == syntax.Nonfix && (e.Name.Text != "@" || len(e.Qualifiers) > 0) {
			return r.operatorNamed(e, arity, role)
		}
	}
	err := diag.Errorf(CodeOperatorExpected, e.Place(), "%s must be an operator with %s, and this is an expression", role, count(arity, "argument"))
	err.Help = "write the operator's name without arguments, or a LAMBDA"
	r.l.report(err)
	return r.bad(e.Place())
}

// lambda resolves LAMBDA x : e.
func (r *resolver) lambda(e *syntax.Lambda) *Lambda {
	r.push()
	params := r.params(e.Params)
	for _, p := range params {
		if p.Arity > 0 {
			r.fail(CodeUnsupported, p.Span, "a parameter of a LAMBDA must be an expression")
		}
	}
	r.pushParams(params)
	body := r.expr(e.Body)
	r.popParams()
	r.pop()
	return &Lambda{Node: Node{Span: e.Span}, Params: params, Body: body}
}

// operatorNamed resolves the name of an operator that is handed over.
func (r *resolver) operatorNamed(e *syntax.Apply, arity int, role string) Expr {
	if len(e.Qualifiers) > 0 {
		return r.checkOperator(r.qualified(e, arity), e, arity, role)
	}
	ref := &OperatorRef{Node: Node{Span: e.Span}, Arity: arity}
	if op, n, is := builtin(e.Name.Text); is {
		if n != arity {
			return r.wrongOperator(e, n, arity, role)
		}
		ref.Builtin = op
		return ref
	}
	entry := r.scope.find(e.Name.Text)
	if entry == nil {
		return r.unknown(e.Name)
	}
	switch s := entry.means.(type) {
	case *Constant:
		ref.Constant = s
	case *Param:
		ref.Param = s
	case *Definition:
		ref.Definition = s
	case *instancePath:
		return r.incomplete(e.Name, s)
	case *broken:
		return r.bad(e.Span)
	}
	if entry.arity() != arity {
		return r.wrongOperator(e, entry.arity(), arity, role)
	}
	return r.checkOperator(ref, e, arity, role)
}

// checkOperator makes sure that a definition that is handed over takes only expressions itself: TLA+ has no operators of third order.
func (r *resolver) checkOperator(x Expr, e *syntax.Apply, arity int, role string) Expr {
	ref, is := x.(*OperatorRef)
	if !is || ref.Definition == nil {
		return x
	}
	if n := len(ref.Definition.Params); n != arity {
		return r.wrongOperator(e, n, arity, role)
	}
	for _, p := range ref.Definition.Params {
		if p.Arity > 0 {
			return r.fail(CodeArity, e.Span, "%s must be an operator whose arguments are expressions, and %s takes an operator", role, nameOf(e))
		}
	}
	return x
}

func (r *resolver) wrongOperator(e *syntax.Apply, got, want int, role string) Expr {
	if got == 0 {
		return r.fail(CodeOperatorExpected, e.Span, "%s must be an operator with %s, and %s is an expression", role, count(want, "argument"), nameOf(e))
	}
	return r.fail(CodeArity, e.Span, "%s must be an operator with %s; %s has %d", role, count(want, "argument"), nameOf(e), got)
}
