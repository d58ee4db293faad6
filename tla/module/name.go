package module

import (
	"fmt"
	"strings"

	"podlife/tla/diag"
	"podlife/tla/syntax"
)

// invalid stands for an expression that was reported as wrong. It never leaves the package: a module with errors is not handed out.
type invalid struct{ Node }

func (r *resolver) bad(at diag.Span) Expr { return &invalid{Node{Span: at}} }

// fail reports an error and gives the expression that takes the place of the wrong one.
func (r *resolver) fail(code diag.Code, at diag.Span, format string, args ...any) Expr {
	r.l.report(diag.Errorf(code, at, format, args...))
	return r.bad(at)
}

// apply resolves the use of a name.
func (r *resolver) apply(e *syntax.Apply) Expr {
	if len(e.Qualifiers) > 0 {
		return r.qualified(e, 0)
	}
	name := e.Name.Text
	if name == "@" {
		return r.at(e)
	}
	if op, arity, is := builtin(name); is {
		return r.applyBuiltin(op, arity, e)
	}
	entry := r.scope.find(name)
	if entry == nil {
		return r.unknown(e.Name)
	}
	switch s := entry.means.(type) {
	case *Constant:
		if args, ok := r.expressions(e, s.Arity, entry); ok {
			return &ConstantRef{Node: Node{Span: e.Span}, Constant: s, Args: args}
		}
	case *Variable:
		if _, ok := r.expressions(e, 0, entry); ok {
			return &VariableRef{Node: Node{Span: e.Span}, Variable: s}
		}
	case *Param:
		if args, ok := r.expressions(e, s.Arity, entry); ok {
			return &ParamRef{Node: Node{Span: e.Span}, Param: s, Args: args}
		}
	case *Definition:
		return r.call(s, e.Args, e)
	case *instancePath:
		return r.incomplete(e.Name, s)
	case *unusable:
		return r.fail(CodeExpressionExpected, e.Span, "%s cannot be used as an expression: %s", name, s.why)
	}
	return r.bad(e.Span)
}

// call resolves the use of a definition with arguments that are still text.
func (r *resolver) call(d *Definition, args []syntax.Expr, e *syntax.Apply) Expr {
	if len(args) != len(d.Params) {
		return r.wrongArity(e, nameOf(e), len(d.Params), len(args), d.NameSpan)
	}
	return &Call{Node: Node{Span: e.Span}, Definition: d, Args: r.arguments(d.Name, d.Params, args)}
}

// arguments resolves arguments, each as its parameter wants it.
func (r *resolver) arguments(of string, params []*Param, args []syntax.Expr) []Expr {
	var out []Expr
	for i, a := range args {
		if arity := params[i].Arity; arity > 0 {
			out = append(out, r.operatorArg(a, arity, fmt.Sprintf("argument %d of %s", i+1, of)))
		} else {
			out = append(out, r.expr(a))
		}
	}
	return out
}

// expressions resolves the arguments of an operator that takes no operators.
func (r *resolver) expressions(e *syntax.Apply, arity int, of *entry) (args []Expr, ok bool) {
	if len(e.Args) != arity {
		r.wrongArity(e, of.name, arity, len(e.Args), of.span)
		return nil, false
	}
	for _, a := range e.Args {
		args = append(args, r.expr(a))
	}
	return args, true
}

func (r *resolver) wrongArity(e *syntax.Apply, name string, want, got int, defined diag.Span) Expr {
	var err *diag.Error
	switch {
	case want == 0:
		err = diag.Errorf(CodeArity, e.Span, "%s takes no arguments and is given %d", name, got)
		err.Help = fmt.Sprintf("a function is applied with brackets: %s[...]", name)
	case got == 0:
		err = diag.Errorf(CodeArity, e.Span, "%s takes %s and is given none", name, count(want, "argument"))
	default:
		err = diag.Errorf(CodeArity, e.Span, "%s takes %s and is given %d", name, count(want, "argument"), got)
	}
	if defined.Known() {
		err.Notes = append(err.Notes, diag.Note{Span: defined, Message: "defined here"})
	}
	r.l.report(err)
	return r.bad(e.Span)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// nameOf is the whole name as it was written, without arguments.
func nameOf(e *syntax.Apply) string {
	parts := make([]string, 0, len(e.Qualifiers)+1)
	for _, q := range e.Qualifiers {
		parts = append(parts, q.Name.Text)
	}
	return strings.Join(append(parts, e.Name.Text), "!")
}

func (r *resolver) applyBuiltin(op Builtin, arity int, e *syntax.Apply) Expr {
	if len(e.Args) != arity {
		return r.wrongArity(e, e.Name.Text, arity, len(e.Args), diag.Span{})
	}
	args := make([]Expr, 0, arity)
	for _, a := range e.Args {
		args = append(args, r.expr(a))
	}
	if op == And || op == Or {
		return &Junction{Node: Node{Span: e.Span}, Or: op == Or, Items: args, Names: make([]string, arity), infix: true}
	}
	return &Apply{Node: Node{Span: e.Span}, Op: op, Args: args}
}

func (r *resolver) at(e *syntax.Apply) Expr {
	if len(r.excepts) == 0 {
		err := diag.Errorf(CodeAt, e.Span, "@ has a meaning only to the right of an = in an EXCEPT")
		err.Help = "in [f EXCEPT ![x] = @ + 1] it stands for f[x]"
		r.l.report(err)
		return r.bad(e.Span)
	}
	frame := r.excepts[len(r.excepts)-1]
	frame.used = true
	return &ParamRef{Node: Node{Span: e.Span}, Param: frame.at}
}

func (r *resolver) incomplete(name syntax.Name, path *instancePath) Expr {
	e := diag.Errorf(CodeIncompleteName, name.Span, "%s is an instance of module %s, not an expression", name.Text, path.module().Name)
	e.Help = fmt.Sprintf("write %s!Op for the Op of that module", name.Text)
	r.l.report(e)
	return r.bad(name.Span)
}

// unknown reports a name that means nothing here.
func (r *resolver) unknown(name syntax.Name) Expr {
	if r.gapped {
		return r.bad(name.Span) // it may come from the module that is missing, which was reported
	}
	e := diag.Errorf(CodeUnknownIdentifier, name.Span, "%s is not declared or defined here", name.Text)
	later, isLater := r.later[name.Text]
	hidden := r.hidden(name.Text)
	home := homes[name.Text]
	switch {
	case isLater && later.Start > name.Span.Start:
		e.Notes = append(e.Notes, diag.Note{Span: later, Message: "it is defined further down"})
		e.Help = "a definition must come before its use; a recursive operator needs RECURSIVE"
	case isLater:
		e.Help = "an operator that uses itself must be announced by RECURSIVE"
	case hidden.Known():
		e.Notes = append(e.Notes, diag.Note{Span: hidden, Message: "this one is LOCAL to its module"})
	case home != "":
		e.Help = fmt.Sprintf("it is an operator of the module %s: EXTENDS %s", home, home)
	default:
		if close := nearest(name.Text, r.visible()); close != "" {
			e.Help = fmt.Sprintf("did you mean %s?", close)
			if entry := r.scope.find(close); entry != nil && entry.span.Known() {
				e.Notes = append(e.Notes, diag.Note{Span: entry.span, Message: close + " is defined here"})
			}
		} else if r.scope.findModule(name.Text) != nil || r.l.modules[name.Text] != nil {
			e.Help = fmt.Sprintf("%s is a module: name an instance of it with I == INSTANCE %s", name.Text, name.Text)
		}
	}
	r.l.report(e)
	return r.bad(name.Span)
}

// hidden gives the place of a LOCAL definition of that name in a module that is extended.
func (r *resolver) hidden(name string) diag.Span {
	for _, m := range r.m.Extends {
		if e := m.inner.find(name); e != nil && e.local {
			return e.span
		}
	}
	return diag.Span{}
}

// visible are all names in scope.
func (r *resolver) visible() []string {
	var names []string
	for _, c := range r.scope {
		for _, e := range c.order {
			names = append(names, e.name)
		}
	}
	return names
}

// homes are the standard modules of the operators that people use without EXTENDS.
var homes = map[string]string{
	"+": "Naturals", "-": "Naturals", "*": "Naturals", "^": "Naturals", "<": "Naturals", ">": "Naturals", "<=": "Naturals", ">=": "Naturals",
	"..": "Naturals", `\div`: "Naturals", "%": "Naturals", "Nat": "Naturals", "-.": "Integers", "Int": "Integers", "Real": "Reals", "/": "Reals",
	"Seq": "Sequences", "Len": "Sequences", "Head": "Sequences", "Tail": "Sequences", "Append": "Sequences", "SubSeq": "Sequences",
	"SelectSeq": "Sequences", `\o`: "Sequences", "IsFiniteSet": "FiniteSets", "Cardinality": "FiniteSets",
	":>": "TLC", "@@": "TLC", "Print": "TLC", "PrintT": "TLC", "Assert": "TLC", "Permutations": "TLC", "ToString": "TLC", "JavaTime": "TLC",
	"TLCGet": "TLC", "TLCSet": "TLC", "TLCEval": "TLC", "RandomElement": "TLC", "SortSeq": "TLC", "Any": "TLC",
	"BagToSet": "Bags", "SetToBag": "Bags", "EmptyBag": "Bags", "(+)": "Bags", "(-)": "Bags",
}
