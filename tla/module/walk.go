package module

import (
	"slices"

	"podlife/tla/diag"
)

// Walk visits an expression and all that it consists of, from outside in and from left to right: the bodies of a LET's definitions too, but not those of
// definitions that are called. Where visit returns false, it does not go further in.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	eachChild(e, func(c Expr) { Walk(c, visit) })
}

// eachChild calls f with the expressions that e consists of directly.
func eachChild(e Expr, f func(Expr)) {
	all := func(list []Expr) {
		for _, x := range list {
			f(x)
		}
	}
	bounds := func(list []*Bound) {
		for _, b := range list {
			if b.Set != nil {
				f(b.Set)
			}
		}
	}
	if b, body := binding(e); body != nil {
		if m, is := e.(*SetMap); is {
			f(m.Value)
			bounds(b)
			return
		}
		bounds(b)
		f(body)
		return
	}
	switch e := e.(type) {
	case *ConstantRef:
		all(e.Args)
	case *ParamRef:
		all(e.Args)
	case *Call:
		all(e.Args)
	case *Lambda:
		f(e.Body)
	case *Apply:
		all(e.Args)
	case *Junction:
		all(e.Items)
	case *Record:
		all(e.Values)
	case *RecordSet:
		all(e.Values)
	case *Field:
		f(e.Record)
	case *Except:
		f(e.Function)
		for _, u := range e.Updates {
			all(u.Path)
			f(u.Value)
		}
	case *If:
		all([]Expr{e.Cond, e.Then, e.Else})
	case *Case:
		for i := range e.Conds {
			f(e.Conds[i])
			f(e.Values[i])
		}
		if e.Other != nil {
			f(e.Other)
		}
	case *Let:
		for _, d := range e.Defs {
			f(d.Body)
		}
		f(e.Body)
	case *Subscripted:
		all([]Expr{e.Action, e.Vars})
	case *Fairness:
		all([]Expr{e.Vars, e.Action})
	case *Label:
		f(e.Body)
	}
}

// Definitions are the definitions that stand in the module's own text, in order, LOCAL ones too; those inside a LET are not among them.
func (m *Module) Definitions() []*Definition { return m.own }

// Sources are all texts that were read for the module, those of standard modules too, in the order in which they were needed.
func (m *Module) Sources() []*diag.Source {
	return m.loader.sources
}

// Files are the names of the files that were read for the module, each once, without the standard modules that come with this program.
func (m *Module) Files() []string {
	var names []string
	for _, s := range m.loader.sources {
		if !m.loader.standard[s.Name] && !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}
