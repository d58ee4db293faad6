package module

import (
	"podlife/tla/diag"
	"podlife/tla/syntax"
)

// recursion is what RECURSIVE has declared so far.
type recursion struct {
	declared []*recursiveDeclaration
	open     int // those that are not defined yet
}

// A recursiveDeclaration is one name of a RECURSIVE. It has to be defined in the same LET, or at the top of the same module.
type recursiveDeclaration struct {
	def      *Definition
	arity    int
	letDepth int
	defined  bool
	span     diag.Span
}

func (d *recursiveDeclaration) pending() bool { return d != nil && !d.defined }

func (d *recursiveDeclaration) close(r *recursion) {
	if !d.defined {
		d.defined = true
		r.open--
	}
}

func (r *resolver) declareRecursive(u *syntax.Recursive) {
	for _, decl := range u.Decls {
		d := &Definition{Name: decl.Name.Text, Module: r.m.Name, Let: len(r.lets) > 0, Span: decl.Span, NameSpan: decl.Name.Span}
		for range decl.Arity {
			d.Params = append(d.Params, &Param{Name: "_", Span: decl.Span})
		}
		d.declared = &recursiveDeclaration{def: d, arity: decl.Arity, letDepth: len(r.lets), span: decl.Span}
		e := &entry{name: d.Name, means: d, span: d.NameSpan}
		if old := r.scope.find(d.Name); old != nil {
			r.reportRedefined(e, old)
		} else if r.declare(e) {
			r.recursion.declared = append(r.recursion.declared, d.declared)
			r.recursion.open++
		}
	}
}

// matchRecursive compares a definition with its RECURSIVE declaration.
func (r *resolver) matchRecursive(d *Definition, params []*Param, u *syntax.Definition) {
	// A parameter may be an operator all the same, as SANY has it: the declaration only counts.
	if len(params) == d.declared.arity {
		return
	}
	e := diag.Errorf(CodeRecursive, u.Name.Span, "%s is defined with other parameters than its RECURSIVE declaration says", u.Name.Text)
	e.Notes = append(e.Notes, diag.Note{Span: d.declared.span, Message: "declared here"})
	e.Help = "a recursive operator has as many parameters as its declaration has underscores"
	r.l.report(e)
}

// closeRecursion reports what was declared since start and is not defined.
func (r *resolver) closeRecursion(start int) {
	for _, d := range r.recursion.declared[start:] {
		if d.pending() {
			r.l.report(diag.Errorf(CodeRecursive, d.span, "%s is declared RECURSIVE and never defined", d.def.Name))
			d.close(r.recursion)
		}
	}
	r.recursion.declared = r.recursion.declared[:start]
}

// outsideRecursion reports a unit that may not stand between a RECURSIVE and the last definition that it announces.
func (r *resolver) outsideRecursion(at diag.Span, what string) {
	if r.recursion.open == 0 {
		return
	}
	e := diag.Errorf(CodeRecursive, at, "%s cannot stand between RECURSIVE and the definitions that it announces", what)
	for _, d := range r.recursion.declared {
		if d.pending() {
			e.Notes = append(e.Notes, diag.Note{Span: d.span, Message: d.def.Name + " is declared here and not yet defined"})
		}
	}
	r.l.report(e)
}
