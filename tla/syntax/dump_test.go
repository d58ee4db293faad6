package syntax

import (
	"fmt"
	"strings"
)

// dump writes a tree as nested lists, with everything but the places.
func dump(e Expr) string { return (&dumper{}).expr(e) }

// dumpForm is dump without what Print leaves out: parentheses, bullets, and lists of one item.
func dumpForm(e Expr) string { return (&dumper{form: true}).expr(e) }

func dumpModule(m *Module) string {
	d := &dumper{}
	var b strings.Builder
	fmt.Fprintf(&b, "module %s%s\n", m.Name.Text, prefixed(" extends", names(m.Extends)))
	for _, u := range m.Units {
		for _, line := range strings.Split(d.unit(u), "\n") {
			b.WriteString("  " + line + "\n")
		}
	}
	for _, c := range m.Comments {
		line, column := c.Span.Source.Position(c.Span.Start)
		fmt.Fprintf(&b, "  comment %d:%d %q\n", line, column, c.Text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

type dumper struct{ form bool }

// list writes (head a b c).
func list(head string, parts ...string) string {
	for _, p := range parts {
		if p != "" {
			head += " " + p
		}
	}
	return "(" + head + ")"
}

func prefixed(word, rest string) string {
	if rest == "" {
		return ""
	}
	return word + " " + rest
}

func names(list []Name) string {
	var out []string
	for _, n := range list {
		out = append(out, n.Text)
	}
	return strings.Join(out, " ")
}

func decls(list []Decl) string {
	var out []string
	for _, d := range list {
		text := d.Name.Text
		if d.Arity > 0 {
			text += fmt.Sprintf("/%d", d.Arity)
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func (d *dumper) exprs(list []Expr) string {
	var out []string
	for _, e := range list {
		out = append(out, d.expr(e))
	}
	return strings.Join(out, " ")
}

func (d *dumper) bounds(list []Bound) string {
	var out []string
	for _, b := range list {
		text := names(b.Names)
		if b.Tuple {
			text = "<<" + text + ">>"
		}
		if b.Set != nil {
			text += " in " + d.expr(b.Set)
		}
		out = append(out, "["+text+"]")
	}
	return strings.Join(out, " ")
}

func (d *dumper) fields(list []FieldValue) string {
	var out []string
	for _, f := range list {
		out = append(out, f.Name.Text+"="+d.expr(f.Value))
	}
	return strings.Join(out, " ")
}

func (d *dumper) apply(e *Apply) string {
	var head string
	for _, q := range e.Qualifiers {
		head += q.Name.Text
		if len(q.Args) > 0 {
			head += "(" + d.exprs(q.Args) + ")"
		}
		head += "!"
	}
	head += e.Name.Text
	if e.Fix == Nonfix && len(e.Args) == 0 {
		return head
	}
	fix := map[Fix]string{Nonfix: "", Infix: "infix ", Prefix: "prefix ", Postfix: "postfix "}[e.Fix]
	return list(fix+head, d.exprs(e.Args))
}

func (d *dumper) expr(e Expr) string {
	switch e := e.(type) {
	case *Number:
		return "#" + e.Text
	case *String:
		return fmt.Sprintf("%q", e.Value)
	case *Apply:
		return d.apply(e)
	case *Junction:
		if d.form && len(e.Items) == 1 {
			return d.expr(e.Items[0])
		}
		head := "and"
		if e.Or {
			head = "or"
		}
		if e.Bulleted && !d.form {
			head += "-list"
		}
		return list(head, d.exprs(e.Items))
	case *FunctionApply:
		return list("at", d.expr(e.Function), d.exprs(e.Args))
	case *Field:
		return list("field", d.expr(e.Record), e.Name.Text)
	case *SetEnum:
		return list("set", d.exprs(e.Items))
	case *Tuple:
		return list("tuple", d.exprs(e.Items))
	case *Times:
		return list("times", d.exprs(e.Items))
	case *SetFilter:
		return list("filter", d.bounds([]Bound{e.Bound}), d.expr(e.Where))
	case *SetMap:
		return list("map", d.expr(e.Value), d.bounds(e.Bounds))
	case *Quantifier:
		head := "forall"
		if e.Exists {
			head = "exists"
		}
		if e.Temporal {
			head = "temporal-" + head
		}
		return list(head, d.bounds(e.Bounds), d.expr(e.Body))
	case *Choose:
		return list("choose", d.bounds([]Bound{e.Bound}), d.expr(e.Body))
	case *FunctionConstructor:
		return list("function", d.bounds(e.Bounds), d.expr(e.Body))
	case *FunctionSet:
		return list("function-set", d.expr(e.Domain), d.expr(e.Range))
	case *Record:
		return list("record", d.fields(e.Fields))
	case *RecordSet:
		return list("record-set", d.fields(e.Fields))
	case *Except:
		var updates []string
		for _, u := range e.Updates {
			var path string
			for _, s := range u.Path {
				if s.Field != nil {
					path += "." + s.Field.Text
				} else {
					path += "[" + d.exprs(s.Args) + "]"
				}
			}
			updates = append(updates, "("+path+" = "+d.expr(u.Value)+")")
		}
		return list("except", d.expr(e.Function), strings.Join(updates, " "))
	case *If:
		return list("if", d.expr(e.Cond), d.expr(e.Then), d.expr(e.Else))
	case *Case:
		var arms []string
		for _, a := range e.Arms {
			arms = append(arms, "("+d.expr(a.Cond)+" -> "+d.expr(a.Value)+")")
		}
		if e.Other != nil {
			arms = append(arms, "(other -> "+d.expr(e.Other)+")")
		}
		return list("case", strings.Join(arms, " "))
	case *Let:
		var units []string
		for _, u := range e.Units {
			units = append(units, d.unit(u))
		}
		return list("let", strings.Join(units, " "), d.expr(e.Body))
	case *Lambda:
		return list("lambda", "["+decls(e.Params)+"]", d.expr(e.Body))
	case *ActionBox:
		head := "box"
		if e.Angle {
			head = "angle"
		}
		return list(head, d.expr(e.Action), d.expr(e.Vars))
	case *Fairness:
		head := "weak"
		if e.Strong {
			head = "strong"
		}
		return list(head, d.expr(e.Vars), d.expr(e.Action))
	case *Label:
		return list("label", e.Name.Text, "["+names(e.Params)+"]", d.expr(e.Body))
	case *Paren:
		if d.form {
			return d.expr(e.Body)
		}
		return list("paren", d.expr(e.Body))
	}
	return fmt.Sprintf("(%T)", e)
}

func (d *dumper) unit(u Unit) string {
	local := func(l bool) string {
		if l {
			return "local"
		}
		return ""
	}
	name := func(n *Name) string {
		if n == nil {
			return "_"
		}
		return n.Text
	}
	switch u := u.(type) {
	case *Constants:
		return list("constants", decls(u.Decls))
	case *Variables:
		return list("variables", names(u.Names))
	case *Recursive:
		return list("recursive", decls(u.Decls))
	case *Definition:
		return list("define", local(u.Local), u.Name.Text, "["+decls(u.Params)+"]", d.expr(u.Body))
	case *FunctionDefinition:
		return list("define-function", local(u.Local), u.Name.Text, d.bounds(u.Bounds), d.expr(u.Body))
	case *Instance:
		var with []string
		for _, s := range u.With {
			with = append(with, s.Name.Text+"="+d.expr(s.Value))
		}
		return list("instance", local(u.Local), name(u.Name), "["+decls(u.Params)+"]", u.Module.Text, strings.Join(with, " "))
	case *Assume:
		head := "assume"
		if u.Axiom {
			head = "axiom"
		}
		return list(head, name(u.Name), d.expr(u.Body))
	case *Theorem:
		if u.Body == nil {
			return list("theorem", name(u.Name), "assume-prove")
		}
		return list("theorem", name(u.Name), d.expr(u.Body))
	case *Nested:
		return dumpModule(u.Module)
	}
	return fmt.Sprintf("(%T)", u)
}
