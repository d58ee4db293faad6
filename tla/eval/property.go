package eval

import (
	"context"

	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/module"
	"podlife/tla/value"
)

// property takes a PROPERTY apart, as TLC does.
func (p *Program) property(n config.Name, d *module.Definition) *Property {
	s := &splitProperty{p: p, at: n.Span, out: &Property{Name: n.Text, Span: d.Span}}
	s.conjunct(&module.Call{Node: module.Node{Span: d.NameSpan, Level: d.Level}, Definition: d}, nil, d.Name, 0)
	return s.out
}

type splitProperty struct {
	p   *Program
	at  diag.Span
	out *Property
}

func (s *splitProperty) reject(x module.Expr, format string, args ...any) {
	e := diag.Errorf(CodeFormula, x.Place(), format, args...)
	e.Notes = append(e.Notes, diag.Note{Span: s.at, Message: "the configuration asks for it here"})
	panic(&compileError{e})
}

func (s *splitProperty) conjunct(x module.Expr, e *env, name string, depth int) {
	p := s.p
	if depth > maxUnfolding {
		s.reject(x, "the definitions of this property are nested too deeply")
	}
	if b, ok := p.booleanOf(x); ok {
		if !b {
			s.reject(x, "the property is FALSE")
		}
		return
	}
	if y, inner, n, ok := p.unfold(x, e, name); ok {
		s.conjunct(y, inner, n, depth+1)
		return
	}
	switch y := x.(type) {
	case *module.Junction:
		if !y.Or {
			for _, item := range y.Items {
				s.conjunct(item, e, name, depth+1)
			}
			return
		}
	case *module.Quantifier:
		if !y.Temporal && !y.Exists && bounded(y.Bounds) && p.levelOf(y.Body, e) > module.LevelState && s.forAll(y, e, name, depth) {
			return
		}
	case *module.Apply:
		switch y.Op {
		case module.True:
			return
		case module.Always:
			arg := y.Args[0]
			if step, ok := p.step(arg, e); ok {
				if step.name == "" {
					step.name = name
				}
				s.out.Step = append(s.out.Step, p.predicate(step.name, arg.Place(), step.x, step.env))
				return
			}
			if p.levelOf(arg, e) <= module.LevelState {
				if call, ok := arg.(*module.Call); ok && len(call.Args) == 0 {
					name = call.Definition.Name
				}
				s.out.Always = append(s.out.Always, p.formulaPredicate(name, arg, e))
				return
			}
			s.unsupported(x)
			return
		}
	}
	switch level := p.levelOf(x, e); {
	case level <= module.LevelState:
		s.out.Initial = append(s.out.Initial, p.formulaPredicate(name, x, e))
	case level == module.LevelTemporal:
		s.unsupported(x)
	default:
		s.reject(x, "an action cannot be a property of behaviors; [][A]_v says that each step is an A step or leaves v unchanged")
	}
}

// formulaPredicate compiles a part of a property, and lists the items of the definition that it is.
func (p *Program) formulaPredicate(name string, x module.Expr, e *env) *Predicate {
	for range maxUnfolding {
		y, inner, n, ok := p.unfold(x, e, name)
		if !ok {
			break
		}
		x, e, name = y, inner, n
	}
	pr := p.predicate(name, x.Place(), x, e)
	pr.Conjuncts = conjunctsOf(name, x)
	return pr
}

func (s *splitProperty) unsupported(x module.Expr) {
	s.out.Unsupported = append(s.out.Unsupported, Unsupported{Span: x.Place(), Text: x.Place().Text(), Why: "it is a liveness property, and only properties of states and steps are checked"})
}

// forAll takes \A x \in S : P apart into a P for each element of a constant S. It gives false where S cannot be evaluated.
func (s *splitProperty) forAll(x *module.Quantifier, e *env, name string, depth int) bool {
	p := s.p
	m := p.newMachine(context.Background())
	var sets [][]value.Value
	for _, b := range x.Bounds {
		c := p.compiler()
		if c.uses(b.Set, e) != 0 {
			return false
		}
		run := c.value(b.Set, e)
		var elems []value.Value
		err := m.protect(func() { elems = value.Elements(run(m, m.frame(c.unit))) })
		if err != nil {
			return false
		}
		if len(elems) == 0 {
			s.reject(x, "the property quantifies over an empty set, so it says nothing")
		}
		sets = append(sets, elems)
	}
	type bound struct {
		params []*module.Param
		elems  []value.Value
		tuple  bool
	}
	var names []bound
	for i, b := range x.Bounds {
		if b.Tuple {
			names = append(names, bound{b.Params, sets[i], true})
			continue
		}
		for _, param := range b.Params {
			names = append(names, bound{[]*module.Param{param}, sets[i], false})
		}
	}
	var each func(i int, e *env)
	each = func(i int, e *env) {
		if i == len(names) {
			s.conjunct(x.Body, e, name, depth+1)
			return
		}
		for _, v := range names[i].elems {
			inner := e
			vals := []value.Value{v}
			if names[i].tuple {
				t, ok := v.(*value.Tuple)
				if !ok || t.Len() != len(names[i].params) {
					s.reject(x, "the set that is quantified over has elements that are no tuples of %d", len(names[i].params))
				}
				vals = t.Elems()
			}
			for j, param := range names[i].params {
				k := &constant{}
				k.v.Store(&vals[j])
				inner = inner.bind(param, &binding{kind: bindConstant, k: k})
			}
			each(i+1, inner)
		}
	}
	each(0, e)
	return true
}
