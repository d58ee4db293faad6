package module

import (
	"strings"

	"podlife/tla/diag"
	"podlife/tla/syntax"
)

// A Symbol is what a name of a module means. At most one of the three is set.
type Symbol struct {
	Definition *Definition
	Constant   *Constant
	Variable   *Variable
}

// Lookup finds a constant, variable or definition by the name that it has in the module: "Op", or "I!Op" for the Op of an instance I. A
// definition's parameters begin with those of the instances, if they have any. Lookup may be used by several goroutines.
func (m *Module) Lookup(name string) (Symbol, bool) {
	m.loader.mu.Lock()
	defer m.loader.mu.Unlock()
	parts := strings.Split(name, "!")
	path := &instancePath{}
	where := m.inner
	for i, part := range parts {
		e := where.find(part)
		if e == nil || i > 0 && e.local {
			return Symbol{}, false
		}
		switch s := e.means.(type) {
		case *instancePath:
			path.chain = append(path.chain, s.chain...)
			where = s.module().inner
			continue
		case *Definition:
			if i == len(parts)-1 {
				d := path.definition(s)
				m.loader.levelsOf(d)
				return Symbol{Definition: d}, true
			}
		case *Constant:
			if len(parts) == 1 {
				return Symbol{Constant: s}, true
			}
		case *Variable:
			if len(parts) == 1 {
				return Symbol{Variable: s}, true
			}
		}
		return Symbol{}, false
	}
	return Symbol{}, false
}

// Names are the names of the module's constants, variables and definitions, without those of instances, in order of declaration. They are what
// a message may propose.
func (m *Module) Names() []string {
	var names []string
	for _, e := range m.inner.order {
		switch e.means.(type) {
		case *Constant, *Variable, *Definition:
			names = append(names, e.name)
		}
	}
	return names
}

// ParseExpr reads an expression in which the module's names mean what they mean at the module's end. The error is a diag.List. ParseExpr may be used by
// several goroutines.
func ParseExpr(m *Module, source *diag.Source) (Expr, error) {
	tree, err := syntax.ParseExpr(source)
	if err != nil {
		return nil, err
	}
	l := m.loader
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs, l.full, l.copies = nil, false, 0
	r := &resolver{l: l, m: m, recursion: &recursion{}, comments: newCommentIndex(&syntax.Module{Span: diag.Span{Source: source}}),
		scope: append(append(scope(nil), m.outer...), m.inner)}
	e := r.expr(tree)
	if len(l.errs) == 0 {
		w := &levelWalker{l: l, report: true}
		w.expr(e)
		for _, in := range r.instances {
			w.checkInstance(in)
		}
	}
	if err := l.errs.Err(); err != nil {
		l.errs, l.full = nil, false
		return nil, err
	}
	return e, nil
}
