package module

import (
	"fmt"
	"strconv"
	"strings"
)

// Dump writes an expression as an s-expression, for tests. Names stand for themselves; a definition of an instance has its whole name.
func Dump(e Expr) string {
	d := &dumper{}
	d.expr(e)
	return d.out.String()
}

// DumpDefinition writes a definition as (define Name (params) level body).
func DumpDefinition(def *Definition) string {
	d := &dumper{}
	d.definition(def)
	return d.out.String()
}

type dumper struct{ out strings.Builder }

func (d *dumper) definition(def *Definition) {
	word := "define"
	if def.Recursive {
		word = "define-recursive"
	}
	d.open(word)
	d.text(def.Name)
	d.out.WriteByte(' ')
	d.params(def.Params)
	d.text(def.Level.String())
	d.sub(def.Body)
	d.close()
}

func (d *dumper) open(word string) {
	d.out.WriteByte('(')
	d.out.WriteString(word)
}

func (d *dumper) close() { d.out.WriteByte(')') }

func (d *dumper) text(s string) {
	d.out.WriteByte(' ')
	d.out.WriteString(s)
}

func (d *dumper) sub(e Expr) {
	d.out.WriteByte(' ')
	d.expr(e)
}

func (d *dumper) subs(list []Expr) {
	for _, e := range list {
		d.sub(e)
	}
}

func (d *dumper) list(word string, list ...Expr) {
	d.open(word)
	d.subs(list)
	d.close()
}

func (d *dumper) params(params []*Param) {
	d.out.WriteByte('(')
	for i, p := range params {
		if i > 0 {
			d.out.WriteByte(' ')
		}
		d.out.WriteString(p.Name)
		if p.Arity > 0 {
			fmt.Fprintf(&d.out, "/%d", p.Arity)
		}
	}
	d.out.WriteByte(')')
}

func (d *dumper) bounds(bounds []*Bound) {
	for _, b := range bounds {
		word := "in"
		if b.Tuple {
			word = "in-tuple"
		}
		d.out.WriteByte(' ')
		d.open(word)
		d.out.WriteByte(' ')
		d.params(b.Params)
		if b.Set != nil {
			d.sub(b.Set)
		}
		d.close()
	}
}

// use writes a name on its own or with arguments.
func (d *dumper) use(name string, args []Expr) {
	if len(args) == 0 {
		d.out.WriteString(name)
		return
	}
	d.list(name, args...)
}

func (d *dumper) expr(e Expr) {
	if !d.plain(e) && !d.binder(e) {
		d.compound(e)
	}
}

// plain writes literals, names and applied operators, and tells whether e is one.
func (d *dumper) plain(e Expr) bool {
	switch e := e.(type) {
	case *Number:
		d.out.WriteString(e.Text)
	case *String:
		d.out.WriteString(strconv.Quote(e.Value))
	case *ConstantRef:
		d.use(e.Constant.Name, e.Args)
	case *VariableRef:
		d.out.WriteString(e.Variable.Name)
	case *ParamRef:
		d.use(e.Param.Name, e.Args)
	case *Call:
		d.use(e.Definition.Name, e.Args)
	case *OperatorRef:
		d.operator(e)
	case *Apply:
		d.use(e.Op.String(), e.Args)
	default:
		return false
	}
	return true
}

// binder writes what binds names, and tells whether e does.
func (d *dumper) binder(e Expr) bool {
	switch e := e.(type) {
	case *Lambda:
		d.open("lambda ")
		d.params(e.Params)
		d.sub(e.Body)
		d.close()
	case *Quantifier:
		word := "forall"
		if e.Exists {
			word = "exists"
		}
		if e.Temporal {
			word = "temporal-" + word
		}
		d.bound(word, e.Bounds, e.Body)
	case *Choose:
		d.bound("choose", []*Bound{e.Bound}, e.Body)
	case *SetFilter:
		d.bound("filter", []*Bound{e.Bound}, e.Where)
	case *SetMap:
		d.bound("map", e.Bounds, e.Value)
	case *Function:
		d.bound("function", e.Bounds, e.Body)
	default:
		return false
	}
	return true
}

func (d *dumper) compound(e Expr) {
	switch e := e.(type) {
	case *Junction:
		d.junction(e)
	case *Record:
		d.fields("record", e.Names, e.Values)
	case *RecordSet:
		d.fields("records", e.Names, e.Values)
	case *Field:
		d.open("field")
		d.sub(e.Record)
		d.text(e.Name)
		d.close()
	case *Except:
		d.except(e)
	case *If:
		d.list("if", e.Cond, e.Then, e.Else)
	case *Case:
		d.open("case")
		for i := range e.Conds {
			d.out.WriteByte(' ')
			d.list("when", e.Conds[i], e.Values[i])
		}
		if e.Other != nil {
			d.out.WriteByte(' ')
			d.list("other", e.Other)
		}
		d.close()
	case *Let:
		d.open("let")
		for _, def := range e.Defs {
			d.out.WriteByte(' ')
			d.definition(def)
		}
		d.sub(e.Body)
		d.close()
	case *Subscripted:
		word := "box"
		if e.Angle {
			word = "angle"
		}
		d.list(word, e.Action, e.Vars)
	case *Fairness:
		word := "wf"
		if e.Strong {
			word = "sf"
		}
		d.list(word, e.Vars, e.Action)
	case *Label:
		d.open("label")
		d.text(e.Name)
		d.sub(e.Body)
		d.close()
	default:
		d.out.WriteString("(invalid)")
	}
}

func (d *dumper) operator(e *OperatorRef) {
	name := e.Builtin.String()
	switch {
	case e.Definition != nil:
		name = e.Definition.Name
	case e.Constant != nil:
		name = e.Constant.Name
	case e.Param != nil:
		name = e.Param.Name
	}
	d.open("operator")
	d.text(name)
	d.close()
}

func (d *dumper) bound(word string, bounds []*Bound, body Expr) {
	d.open(word)
	d.bounds(bounds)
	d.sub(body)
	d.close()
}

func (d *dumper) fields(word string, names []string, values []Expr) {
	d.open(word)
	for i, name := range names {
		d.out.WriteByte(' ')
		d.list(name, values[i])
	}
	d.close()
}

func (d *dumper) junction(e *Junction) {
	word := "and"
	if e.Or {
		word = "or"
	}
	d.open(word)
	for i, item := range e.Items {
		if name := e.Names[i]; name != "" {
			d.text(name + ":")
		}
		if e.VacuousOK != nil && e.VacuousOK[i] != "" {
			d.text("vacuous-ok " + strconv.Quote(e.VacuousOK[i]))
		}
		d.sub(item)
	}
	d.close()
}

func (d *dumper) except(e *Except) {
	d.open("except")
	d.sub(e.Function)
	for _, u := range e.Updates {
		d.out.WriteByte(' ')
		word := "set"
		if u.At != nil {
			word = "set@"
		}
		d.open(word)
		d.out.WriteByte(' ')
		d.list("path", u.Path...)
		d.sub(u.Value)
		d.close()
	}
	d.close()
}
