package module

import (
	"fmt"

	"podlife/tla/diag"
	"podlife/tla/syntax"
)

// qualified resolves a name with "!": a definition of an instance's module, or a part of a definition's body (subexpr.go). arity is 0 where an
// expression must be, else that of the operator that must be.
func (r *resolver) qualified(e *syntax.Apply, arity int) Expr {
	parts := append(append([]syntax.Part(nil), e.Qualifiers...), syntax.Part{Name: e.Name, Args: e.Args})
	if arity > 0 {
		for _, p := range parts {
			if len(p.Args) > 0 {
				return r.fail(CodeUnsupported, e.Span, "an operator that is handed over cannot have arguments in its name; write a LAMBDA")
			}
		}
	}
	entry := r.scope.find(parts[0].Name.Text)
	if entry == nil {
		return r.unknown(parts[0].Name)
	}
	at, args := 0, []Expr(nil)
	path := &instancePath{}
	for {
		next, is := entry.means.(*instancePath)
		if !is {
			break
		}
		given, ok := r.instanceArguments(next, parts[at], arity)
		if !ok {
			return r.bad(e.Span)
		}
		args = append(args, given...)
		path.chain = append(path.chain, next.chain...)
		if at == len(parts)-1 {
			return r.incomplete(parts[at].Name, next)
		}
		at++
		if entry = r.member(next, parts[at].Name); entry == nil {
			return r.bad(e.Span)
		}
	}
	switch s := entry.means.(type) {
	case *Definition:
		if at < len(parts)-1 {
			return r.part(e, path, s, args, parts[at:], arity)
		}
		return r.callThrough(e, path, s, args, arity)
	case *broken:
		return r.bad(e.Span)
	case *unusable:
		return r.fail(CodeExpressionExpected, e.Span, "%s cannot be used as an expression: %s", nameOf(e), s.why)
	}
	if at == 0 {
		return r.fail(CodeUnknownIdentifier, parts[0].Name.Span, "%s is %s, and nothing can follow it with !", parts[0].Name.Text, entry.what())
	}
	return r.bad(e.Span)
}

// instanceArguments resolves the arguments of I(x) in I(x)!Op.
func (r *resolver) instanceArguments(path *instancePath, part syntax.Part, arity int) (args []Expr, ok bool) {
	if arity > 0 {
		return nil, true // they are parameters of what is handed over
	}
	var params []*Param
	for _, in := range path.chain {
		params = append(params, in.params...)
	}
	if len(part.Args) != len(params) {
		r.l.report(diag.Errorf(CodeArity, part.Name.Span, "the instance %s takes %s and is given %d", part.Name.Text, count(len(params), "argument"), len(part.Args)))
		return nil, false
	}
	return r.arguments(part.Name.Text, params, part.Args), true
}

// member finds a name in an instance's module, or reports that there is none.
func (r *resolver) member(path *instancePath, name syntax.Name) *entry {
	m := path.module()
	e := m.inner.find(name.Text)
	switch {
	case e == nil || e.local:
		err := diag.Errorf(CodeUnknownIdentifier, name.Span, "module %s has no definition %s", m.Name, name.Text)
		if e != nil {
			err.Message = fmt.Sprintf("%s is LOCAL to module %s", name.Text, m.Name)
			err.Notes = append(err.Notes, diag.Note{Span: e.span, Message: "defined here"})
		} else if close := nearest(name.Text, m.definitionNames()); close != "" {
			err.Help = fmt.Sprintf("did you mean %s?", close)
		}
		r.l.report(err)
		return nil
	case e.family() == "declaration":
		err := diag.Errorf(CodeUnknownIdentifier, name.Span, "%s is %s of module %s, and an instance has only definitions: something was substituted for it", name.Text, e.what(), m.Name)
		err.Notes = append(err.Notes, diag.Note{Span: e.span, Message: "declared here"})
		r.l.report(err)
		return nil
	}
	return e
}

// definitionNames are the names that can follow an instance's.
func (m *Module) definitionNames() []string {
	var names []string
	for _, e := range m.inner.order {
		if !e.local && e.family() != "declaration" {
			names = append(names, e.name)
		}
	}
	return names
}

// callThrough is the use of a definition of the module that path leads to. args are the instances' arguments.
func (r *resolver) callThrough(e *syntax.Apply, path *instancePath, d *Definition, args []Expr, arity int) Expr {
	if arity == 0 {
		if len(e.Args) != len(d.Params) {
			return r.wrongArity(e, nameOf(e), len(d.Params), len(e.Args), d.NameSpan)
		}
		args = append(args, r.arguments(nameOf(e), d.Params, e.Args)...)
		return &Call{Node: Node{Span: e.Span}, Definition: path.definition(d), Args: args}
	}
	return &OperatorRef{Node: Node{Span: e.Span}, Arity: arity, Definition: path.definition(d)}
}
