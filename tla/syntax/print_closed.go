package syntax

import "strings"

// closed writes an expression that ends where it ends, whatever comes behind it.
func (w *printer) closed(e Expr) {
	switch e := e.(type) {
	case *Number:
		w.WriteString(e.Text)
	case *String:
		w.WriteString(quote(e.Value))
	case *Apply:
		w.named(e)
	case *FunctionApply:
		w.function(e.Function)
		w.list("[", e.Args, "]")
	case *Field:
		w.function(e.Record)
		w.WriteString("." + e.Name.Text)
	case *SetEnum:
		w.WriteString("{")
		for i, item := range e.Items {
			switch {
			case i > 0:
				w.WriteString(", ")
			case bindsLikeBound(item) && !isMembership(item):
				w.group(item)
				continue
			}
			w.expr(item, free)
		}
		w.WriteString("}")
	case *Tuple:
		w.list("<<", e.Items, ">>")
	case *SetFilter:
		w.WriteString("{")
		w.bounds([]Bound{e.Bound})
		w.WriteString(" : ")
		w.expr(e.Where, free)
		w.WriteString("}")
	case *SetMap:
		w.WriteString("{")
		w.first(e.Value)
		w.WriteString(" : ")
		w.bounds(e.Bounds)
		w.WriteString("}")
	case *FunctionConstructor:
		w.WriteString("[")
		w.bounds(e.Bounds)
		w.WriteString(" |-> ")
		w.expr(e.Body, free)
		w.WriteString("]")
	case *FunctionSet:
		w.WriteString("[")
		w.first(e.Domain)
		w.WriteString(" -> ")
		w.expr(e.Range, free)
		w.WriteString("]")
	case *Record:
		w.fields(e.Fields, " |-> ")
	case *RecordSet:
		w.fields(e.Fields, " : ")
	case *Except:
		w.except(e)
	case *ActionBox:
		if e.Angle {
			w.list("<<", []Expr{e.Action}, ">>_")
		} else {
			w.WriteString("[")
			w.first(e.Action)
			w.WriteString("]_")
		}
		w.subscript(e.Vars)
	case *Fairness:
		if e.Strong {
			w.WriteString("SF_")
		} else {
			w.WriteString("WF_")
		}
		w.subscript(e.Vars)
		w.enclose(Print(e.Action))
	}
}

// named writes a name with its qualifiers and arguments.
func (w *printer) named(e *Apply) {
	for i, part := range append(append([]Part(nil), e.Qualifiers...), Part{e.Name, e.Args}) {
		if i > 0 {
			w.WriteString("!")
			if strings.HasPrefix(part.Name.Text, "!") {
				w.WriteString(" ")
			}
		}
		switch name := part.Name.Text; {
		case name == "()":
		case name == `/\` && len(part.Args) > 0:
			w.WriteString(`\land`) // the short name would be a bullet
		case name == `\/` && len(part.Args) > 0:
			w.WriteString(`\lor`)
		default:
			w.WriteString(name)
		}
		if len(part.Args) > 0 {
			list := &printer{}
			list.list("", part.Args, "")
			w.enclose(list.String())
		} else if len(e.Qualifiers) > 0 && !isIdent(part.Name) && !isNameByte(part.Name.Text[0]) {
			w.WriteString(" ") // I!| is not to become I!|->
		}
	}
}

// function writes what stands before [x] or .name.
func (w *printer) function(e Expr) {
	prime, _ := Operator("'")
	w.left(e, prime, fitsLeft)
}

// list writes expressions between brackets.
func (w *printer) list(open string, items []Expr, end string) {
	w.WriteString(open)
	for i, item := range items {
		if i > 0 {
			w.WriteString(", ")
		}
		w.expr(item, free)
	}
	w.WriteString(end)
}

// first writes the expression behind a bracket where one that begins like a bound, "x \in", would be taken for one.
func (w *printer) first(e Expr) {
	if bindsLikeBound(e) {
		w.group(e)
	} else {
		w.expr(e, free)
	}
}

// bindsLikeBound tells whether the text of an expression begins with "x \in" or "<<x, y>> \in".
func bindsLikeBound(e Expr) bool {
	for {
		e = bare(e)
		op, ok := operatorOf(e)
		if !ok || op.Fix == Prefix {
			return false
		}
		var left Expr
		switch x := e.(type) {
		case *Apply:
			left = x.Args[0]
		case *Junction:
			left = x.Items[0]
		case *Times:
			left = x.Items[0]
		}
		if isMembership(e) {
			return true
		}
		e = left
	}
}

// isMembership tells whether an expression is x \in S or <<x, y>> \in S.
func isMembership(e Expr) bool {
	a, ok := bare(e).(*Apply)
	if !ok || a.Fix != Infix || a.Name.Text != `\in` {
		return false
	}
	left := bare(a.Args[0])
	if t, ok := left.(*Tuple); ok {
		for _, item := range t.Items {
			if _, ok := plainName(bare(item)); !ok {
				return false
			}
		}
		return true
	}
	_, ok = plainName(left)
	return ok
}

// subscript writes the v of [A]_v and WF_v(A).
func (w *printer) subscript(e Expr) {
	e = bare(e)
	switch x := e.(type) {
	case *SetEnum, *Tuple, *SetFilter, *SetMap, *FunctionConstructor, *FunctionSet, *Record, *RecordSet, *Except:
		w.closed(e)
		return
	case *Apply:
		first := x.Name
		if len(x.Qualifiers) > 0 {
			first = x.Qualifiers[0].Name
		}
		if x.Fix == Nonfix && isIdent(first) {
			w.closed(e)
			return
		}
	}
	w.group(e)
}

func (w *printer) fields(fields []FieldValue, sign string) {
	w.WriteString("[")
	for i, f := range fields {
		if i > 0 {
			w.WriteString(", ")
		}
		w.WriteString(f.Name.Text + sign)
		w.expr(f.Value, free)
	}
	w.WriteString("]")
}

func (w *printer) except(e *Except) {
	w.WriteString("[")
	w.first(e.Function)
	w.WriteString(" EXCEPT ")
	for i, u := range e.Updates {
		if i > 0 {
			w.WriteString(", ")
		}
		w.WriteString("!")
		for _, s := range u.Path {
			if s.Field != nil {
				w.WriteString("." + s.Field.Text)
			} else {
				w.list("[", s.Args, "]")
			}
		}
		w.WriteString(" = ")
		w.expr(u.Value, free)
	}
	w.WriteString("]")
}

// unit writes a definition in a LET.
func (w *printer) unit(u Unit) {
	switch u := u.(type) {
	case *Recursive:
		w.WriteString("RECURSIVE ")
		w.decls(u.Decls)
	case *Definition:
		w.local(u.Local)
		w.leftSide(u)
		w.WriteString(" == ")
		w.expr(u.Body, free)
	case *FunctionDefinition:
		w.local(u.Local)
		w.WriteString(u.Name.Text + "[")
		w.bounds(u.Bounds)
		w.WriteString("] == ")
		w.expr(u.Body, free)
	case *Instance:
		w.local(u.Local)
		if u.Name != nil {
			w.leftSide(&Definition{Name: *u.Name, Params: u.Params})
			w.WriteString(" == ")
		}
		w.WriteString("INSTANCE " + u.Module.Text)
		for i, s := range u.With {
			if i == 0 {
				w.WriteString(" WITH ")
			} else {
				w.WriteString(", ")
			}
			w.WriteString(s.Name.Text + " <- ")
			w.expr(s.Value, free)
		}
	}
}

func (w *printer) local(local bool) {
	if local {
		w.WriteString("LOCAL ")
	}
}

// leftSide writes what a definition defines.
func (w *printer) leftSide(d *Definition) {
	op, ok := Operator(d.Name.Text)
	switch {
	case ok && op.Fix == Infix:
		w.WriteString(d.Params[0].Name.Text + " " + op.Name + " " + d.Params[1].Name.Text)
	case ok && op.Fix == Prefix:
		w.WriteString(op.Name + " " + d.Params[0].Name.Text)
	case ok:
		w.WriteString(d.Params[0].Name.Text + op.Name)
	default:
		w.WriteString(d.Name.Text)
		if len(d.Params) > 0 {
			w.WriteString("(")
			w.decls(d.Params)
			w.WriteString(")")
		}
	}
}

// decls writes declarations: a, F(_, _), _+_.
func (w *printer) decls(decls []Decl) {
	for i, d := range decls {
		if i > 0 {
			w.WriteString(", ")
		}
		op, ok := Operator(d.Name.Text)
		switch {
		case ok && op.Fix == Infix:
			w.WriteString("_ " + op.Name + " _")
		case ok && op.Fix == Prefix:
			w.WriteString(op.Name + " _")
		case ok:
			w.WriteString("_" + op.Name)
		default:
			w.WriteString(d.Name.Text)
			if d.Arity > 0 {
				w.WriteString("(" + strings.Repeat(", _", d.Arity)[2:] + ")")
			}
		}
	}
}

// bounds writes x, y \in S, <<a, b>> \in T, or names without a set.
func (w *printer) bounds(bounds []Bound) {
	for i, b := range bounds {
		if i > 0 {
			w.WriteString(", ")
		}
		if b.Tuple {
			w.WriteString("<<")
		}
		w.names(b.Names)
		if b.Tuple {
			w.WriteString(">>")
		}
		if b.Set != nil {
			w.WriteString(` \in `)
			w.expr(b.Set, free)
		}
	}
}

func (w *printer) names(names []Name) {
	for i, n := range names {
		if i > 0 {
			w.WriteString(", ")
		}
		w.WriteString(n.Text)
	}
}

// quote writes a string as a literal.
func quote(s string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\f", `\f`)
	return `"` + escape.Replace(s) + `"`
}
