package module

import (
	"math/big"
	"strings"

	"podlife/tla/diag"
	"podlife/tla/syntax"
)

// expr resolves an expression. What is wrong is reported, and an invalid expression takes its place.
func (r *resolver) expr(e syntax.Expr) Expr {
	if r.depth >= maxDepth {
		return r.fail(CodeLimit, e.Place(), "expressions are nested more than %d deep", maxDepth)
	}
	if r.l.full {
		return r.bad(e.Place())
	}
	r.depth++
	defer func() { r.depth-- }()
	node := Node{Span: e.Place()}
	switch e := e.(type) {
	case *syntax.Number:
		return number(e)
	case *syntax.String:
		return &String{Node: node, Value: e.Value}
	case *syntax.Apply:
		return r.apply(e)
	case *syntax.Paren:
		return r.expr(e.Body)
	case *syntax.Junction:
		return r.junction(e)
	case *syntax.FunctionApply:
		return r.functionApply(e)
	case *syntax.Field:
		return &Field{Node: node, Record: r.expr(e.Record), Name: e.Name.Text}
	case *syntax.SetEnum:
		return &Apply{Node: node, Op: SetEnum, Args: r.exprs(e.Items)}
	case *syntax.Tuple:
		return &Apply{Node: node, Op: Tuple, Args: r.exprs(e.Items)}
	case *syntax.Times:
		return &Apply{Node: node, Op: Times, Args: r.exprs(e.Items)}
	case *syntax.FunctionSet:
		return &Apply{Node: node, Op: FunctionSet, Args: []Expr{r.expr(e.Domain), r.expr(e.Range)}}
	case *syntax.SetFilter, *syntax.SetMap, *syntax.Quantifier, *syntax.Choose, *syntax.FunctionConstructor:
		return r.binder(e)
	case *syntax.Record:
		names, values := r.fields(e.Fields)
		return &Record{Node: node, Names: names, Values: values}
	case *syntax.RecordSet:
		names, values := r.fields(e.Fields)
		return &RecordSet{Node: node, Names: names, Values: values}
	case *syntax.Except:
		return r.except(e)
	case *syntax.If:
		return &If{Node: node, Cond: r.expr(e.Cond), Then: r.expr(e.Then), Else: r.expr(e.Else)}
	case *syntax.Case:
		c := &Case{Node: node}
		for _, arm := range e.Arms {
			c.Conds = append(c.Conds, r.expr(arm.Cond))
			c.Values = append(c.Values, r.expr(arm.Value))
		}
		if e.Other != nil {
			c.Other = r.expr(e.Other)
		}
		return c
	case *syntax.Let:
		return r.let(e)
	case *syntax.Lambda:
		return r.fail(CodeExpressionExpected, e.Span, "a LAMBDA is an operator, and an expression must be here")
	case *syntax.ActionBox:
		return &Subscripted{Node: node, Angle: e.Angle, Action: r.expr(e.Action), Vars: r.expr(e.Vars)}
	case *syntax.Fairness:
		return &Fairness{Node: node, Strong: e.Strong, Vars: r.expr(e.Vars), Action: r.expr(e.Action)}
	case *syntax.Label:
		return r.label(e)
	}
	return r.fail(CodeUnsupported, e.Place(), "this kind of expression is not supported")
}

func (r *resolver) exprs(list []syntax.Expr) []Expr {
	out := make([]Expr, 0, len(list))
	for _, e := range list {
		out = append(out, r.expr(e))
	}
	return out
}

// number reads a numeral. A decimal one has no Value.
func number(e *syntax.Number) Expr {
	n := &Number{Node: Node{Span: e.Span}, Text: e.Text}
	text, base := e.Text, 10
	if len(text) > 2 && text[0] == '\\' {
		switch text[1] {
		case 'b', 'B':
			text, base = text[2:], 2
		case 'o', 'O':
			text, base = text[2:], 8
		case 'h', 'H':
			text, base = text[2:], 16
		}
	}
	if v, ok := new(big.Int).SetString(strings.ToLower(text), base); ok {
		n.Value = v
	}
	return n
}

func (r *resolver) junction(e *syntax.Junction) Expr {
	j := &Junction{Node: Node{Span: e.Span}, Or: e.Or, Items: r.exprs(e.Items), infix: !e.Bulleted}
	for i, item := range j.Items {
		name, reason := "", ""
		if e.Bulleted {
			name, reason = r.comments.itemName(e.Items[i].Place(), e.Or), r.comments.itemVacuous(e.Items[i].Place())
		}
		if l, is := item.(*Label); is && name == "" {
			name = l.Name
		}
		j.Names = append(j.Names, name)
		if reason != "" {
			if j.VacuousOK == nil {
				j.VacuousOK = make([]string, len(j.Items))
			}
			j.VacuousOK[i] = reason
		}
	}
	return j
}

// functionApply resolves f[x] and f[x, y]. The number of arguments of a function that was defined as f[x, y] == ... is known.
func (r *resolver) functionApply(e *syntax.FunctionApply) Expr {
	f, args := r.expr(e.Function), r.exprs(e.Args)
	if c, is := f.(*Call); is && c.Definition.Function && len(args) > 1 {
		if fn, is := c.Definition.Body.(*Function); is && argumentCount(fn) != len(args) {
			err := diag.Errorf(CodeArity, e.Span, "the function %s is defined with %s and applied to %d", c.Definition.Name, count(argumentCount(fn), "argument"), len(args))
			err.Notes = append(err.Notes, diag.Note{Span: c.Definition.NameSpan, Message: "defined here"})
			r.l.report(err)
			return r.bad(e.Span)
		}
	}
	node := Node{Span: e.Span}
	if len(args) == 1 {
		return &Apply{Node: node, Op: FunctionApply, Args: []Expr{f, args[0]}}
	}
	at := args[0].Place().To(args[len(args)-1].Place())
	return &Apply{Node: node, Op: FunctionApply, Args: []Expr{f, &Apply{Node: Node{Span: at}, Op: Tuple, Args: args}}}
}

// argumentCount is how many arguments a function takes: <<x, y>> \in S is one.
func argumentCount(f *Function) int {
	n := 0
	for _, b := range f.Bounds {
		if b.Tuple {
			n++
		} else {
			n += len(b.Params)
		}
	}
	return n
}

// binder resolves the expressions that bind names.
func (r *resolver) binder(e syntax.Expr) Expr {
	node := Node{Span: e.Place()}
	within := func(bounds []syntax.Bound, body syntax.Expr) ([]*Bound, Expr) {
		sets := r.sets(bounds)
		r.push()
		bound := r.bind(bounds, sets)
		r.pushBounds(bound)
		x := r.expr(body)
		r.popParams()
		r.pop()
		return bound, x
	}
	switch e := e.(type) {
	case *syntax.SetFilter:
		b, x := within([]syntax.Bound{e.Bound}, e.Where)
		return &SetFilter{Node: node, Bound: b[0], Where: x}
	case *syntax.SetMap:
		b, x := within(e.Bounds, e.Value)
		return &SetMap{Node: node, Value: x, Bounds: b}
	case *syntax.Quantifier:
		b, x := within(e.Bounds, e.Body)
		return &Quantifier{Node: node, Exists: e.Exists, Temporal: e.Temporal, Bounds: b, Body: x}
	case *syntax.Choose:
		b, x := within([]syntax.Bound{e.Bound}, e.Body)
		return &Choose{Node: node, Bound: b[0], Body: x}
	case *syntax.FunctionConstructor:
		b, x := within(e.Bounds, e.Body)
		return &Function{Node: node, Bounds: b, Body: x}
	}
	return r.bad(e.Place())
}

func (r *resolver) fields(fields []syntax.FieldValue) (names []string, values []Expr) {
	first := map[string]diag.Span{}
	for _, f := range fields {
		if at, twice := first[f.Name.Text]; twice {
			e := diag.Errorf(CodeField, f.Name.Span, "the field %s is there twice", f.Name.Text)
			e.Notes = append(e.Notes, diag.Note{Span: at, Message: "first here"})
			r.l.report(e)
		} else {
			first[f.Name.Text] = f.Name.Span
		}
		names = append(names, f.Name.Text)
		values = append(values, r.expr(f.Value))
	}
	return names, values
}

// except resolves [f EXCEPT ![i].a = e]. A "@" in the path belongs to an EXCEPT further out.
func (r *resolver) except(e *syntax.Except) Expr {
	x := &Except{Node: Node{Span: e.Span}, Function: r.expr(e.Function)}
	for _, u := range e.Updates {
		update := &Update{Span: u.Span}
		for _, s := range u.Path {
			switch {
			case s.Field != nil:
				update.Path = append(update.Path, &String{Node: Node{Span: s.Field.Span}, Value: s.Field.Text})
			case len(s.Args) == 1:
				update.Path = append(update.Path, r.expr(s.Args[0]))
			default:
				update.Path = append(update.Path, &Apply{Node: Node{Span: s.Span}, Op: Tuple, Args: r.exprs(s.Args)})
			}
		}
		frame := &exceptFrame{at: &Param{Name: "@", Span: u.Span}}
		r.excepts = append(r.excepts, frame)
		update.Value = r.expr(u.Value)
		r.excepts = r.excepts[:len(r.excepts)-1]
		if frame.used {
			update.At = frame.at
		}
		x.Updates = append(x.Updates, update)
	}
	return x
}
