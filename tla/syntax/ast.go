package syntax

import "podlife/tla/diag"

// A Module is one module as it was written: "---- MODULE Name ---- ... ====".
type Module struct {
	Name     Name
	Extends  []Name
	Units    []Unit
	Span     diag.Span
	Comments []Comment // every comment inside the module, in order; those of nested modules too
}

// A Comment is the text of one comment without its signs, and where it stands. A box of several "(*...*)" lines is one comment a line.
type Comment struct {
	Text string
	Span diag.Span // with the signs
}

// A Name is an identifier or an operator's symbol where it is declared or mentioned. Symbols are in their ASCII form and canonical
// (see Canonical): "\cup" for "\union" and "∪", "#" for "/=" and "≠".
type Name struct {
	Text string
	Span diag.Span
}

// A Decl declares an operator without a body: a CONSTANT, a parameter, a bound name. "F(_, _)" has arity 2, "_+_" is Name "+" with
// arity 2, a plain name has arity 0.
type Decl struct {
	Name  Name
	Arity int
	Span  diag.Span
}

// A Unit is one thing that a module consists of.
type Unit interface {
	Place() diag.Span
	unit()
}

type (
	// Constants is CONSTANT(S) a, F(_, _).
	Constants struct {
		Decls []Decl
		Span  diag.Span
	}
	// Variables is VARIABLE(S) x, y.
	Variables struct {
		Names []Name
		Span  diag.Span
	}
	// Recursive is RECURSIVE F(_), g.
	Recursive struct {
		Decls []Decl
		Span  diag.Span
	}
	// Definition is Op(a, F(_)) == Body, also a ++ b == Body, -. a == Body, a ^+ == Body.
	Definition struct {
		Local  bool
		Name   Name
		Params []Decl
		Body   Expr
		Span   diag.Span
	}
	// FunctionDefinition is f[x \in S, y \in T] == Body.
	FunctionDefinition struct {
		Local  bool
		Name   Name
		Bounds []Bound
		Body   Expr
		Span   diag.Span
	}
	// Instance is [LOCAL] INSTANCE M WITH a <- e, or, with a Name, [LOCAL] I(p, q) == INSTANCE M WITH ...
	Instance struct {
		Local  bool
		Name   *Name // nil: not named
		Params []Decl
		Module Name
		With   []Substitution
		Span   diag.Span
	}
	// Assume is ASSUME / ASSUMPTION / AXIOM [Name ==] Body. Axiom: it was an AXIOM.
	Assume struct {
		Name  *Name
		Axiom bool
		Body  Expr
		Span  diag.Span
	}
	// Theorem is THEOREM / LEMMA / PROPOSITION / COROLLARY [Name ==] Body. The proof was skipped. Body is nil when it is an
	// ASSUME ... PROVE, whose new names and steps mean nothing to an evaluator.
	Theorem struct {
		Name *Name
		Body Expr
		Span diag.Span
	}
	// Nested is a module inside a module.
	Nested struct {
		Module *Module
	}
)

// A Substitution is Name <- Value in a WITH. Value may be an operator without arguments.
type Substitution struct {
	Name  Name
	Value Expr
}

// An Expr is an expression, an action or a temporal formula; the syntax does not tell them apart.
type Expr interface {
	Place() diag.Span
	expr()
}

type (
	// Number is a numeral; Text is as it was written: 42, \b101, \o17, \hFF, 1.5.
	Number struct {
		Text string
		Span diag.Span
	}
	// String is "text", with its escapes resolved.
	String struct {
		Value string
		Span  diag.Span
	}
	// Apply is the use of an operator by name: x, F(a, b), a + b, -a, x', I!F(a), I(x)!G(b)!h. Infix, prefix and postfix operators are
	// Applies too; the unary minus is named "-.". Qualifiers are the parts before the last "!", from left to right. A part of a
	// subexpression name (SpecifyingSystems 2.0 "naming subexpressions": Op!1, Op!<<, Op!:, Op!@, Op!(a)) has that selector as its name.
	// TRUE, FALSE, BOOLEAN, STRING and @ are Applies of these names.
	Apply struct {
		Qualifiers []Part
		Name       Name
		Args       []Expr
		Fix        Fix
		Span       diag.Span
	}
	// Junction is a list of /\ or \/, bulleted ("Bulleted": aligned by column) or infix (flattened: a /\ b /\ c has three Items).
	Junction struct {
		Or       bool
		Bulleted bool
		Items    []Expr
		Span     diag.Span // starts at the first bullet when bulleted
	}
	// FunctionApply is f[a, b].
	FunctionApply struct {
		Function Expr
		Args     []Expr
		Span     diag.Span
	}
	// Field is r.name.
	Field struct {
		Record Expr
		Name   Name
		Span   diag.Span
	}
	// SetEnum is {a, b}; Tuple is <<a, b>>; Times is A \X B \X C, flattened unless parenthesised.
	SetEnum struct {
		Items []Expr
		Span  diag.Span
	}
	Tuple struct {
		Items []Expr
		Span  diag.Span
	}
	Times struct {
		Items []Expr
		Span  diag.Span
	}
	// SetFilter is {x \in S : P} or {<<x, y>> \in S : P}. SetMap is {e : x \in S, y \in T}.
	SetFilter struct {
		Bound Bound
		Where Expr
		Span  diag.Span
	}
	SetMap struct {
		Value  Expr
		Bounds []Bound
		Span   diag.Span
	}
	// Quantifier is \A, \E over sets (Bounds with Sets), or without (Set nil); with Temporal it is \AA or \EE.
	Quantifier struct {
		Exists   bool
		Temporal bool
		Bounds   []Bound
		Body     Expr
		Span     diag.Span
	}
	// Choose is CHOOSE x \in S : P, CHOOSE <<x, y>> \in S : P, or without a set.
	Choose struct {
		Bound Bound
		Body  Expr
		Span  diag.Span
	}
	// FunctionConstructor is [x \in S, y \in T |-> e]; FunctionSet is [S -> T].
	FunctionConstructor struct {
		Bounds []Bound
		Body   Expr
		Span   diag.Span
	}
	FunctionSet struct {
		Domain, Range Expr
		Span          diag.Span
	}
	// Record is [a |-> e, b |-> f]; RecordSet is [a : S, b : T].
	Record struct {
		Fields []FieldValue
		Span   diag.Span
	}
	RecordSet struct {
		Fields []FieldValue
		Span   diag.Span
	}
	// Except is [f EXCEPT ![a][b].c = e, !.d = g].
	Except struct {
		Function Expr
		Updates  []Update
		Span     diag.Span
	}
	// If, Case and Let are what they say. Case.Other is nil without OTHER.
	If struct {
		Cond, Then, Else Expr
		Span             diag.Span
	}
	Case struct {
		Arms  []CaseArm
		Other Expr
		Span  diag.Span
	}
	Let struct {
		Units []Unit // Definition, FunctionDefinition, Instance, Recursive
		Body  Expr
		Span  diag.Span
	}
	// Lambda is LAMBDA x, y : e. It stands only where an operator is expected.
	Lambda struct {
		Params []Decl
		Body   Expr
		Span   diag.Span
	}
	// ActionBox is [A]_v, ActionAngle is <<A>>_v (Angle true).
	ActionBox struct {
		Angle        bool
		Action, Vars Expr
		Span         diag.Span
	}
	// Fairness is WF_v(A) or SF_v(A) (Strong true).
	Fairness struct {
		Strong       bool
		Vars, Action Expr
		Span         diag.Span
	}
	// Label is name(x, y) :: e.
	Label struct {
		Name   Name
		Params []Name
		Body   Expr
		Span   diag.Span
	}
	// Paren is (e); kept so that a formatter can write it and a junction is not flattened across it.
	Paren struct {
		Body Expr
		Span diag.Span
	}
)

// Fix says how an operator's use was written.
type Fix int

// The ways in which an operator is used.
const (
	Nonfix Fix = iota // F(a, b)
	Infix
	Prefix
	Postfix
)

// A Part is one step of a qualified name before the last: I or I(x) in I(x)!Op.
type Part struct {
	Name Name
	Args []Expr
}

// A Bound is "x, y \in S" or "<<x, y>> \in S" (Tuple true); Set is nil where no set is given.
type Bound struct {
	Names []Name
	Tuple bool
	Set   Expr
	Span  diag.Span
}

// A FieldValue is a |-> e, or a : S.
type FieldValue struct {
	Name  Name
	Value Expr
}

// An Update is one ![a].b = e of an EXCEPT.
type Update struct {
	Path  []Step
	Value Expr
	Span  diag.Span
}

// A Step is [a, b] (Args) or .name (Field) in the path of an Update.
type Step struct {
	Args  []Expr
	Field *Name
	Span  diag.Span
}

// A CaseArm is cond -> value.
type CaseArm struct {
	Cond, Value Expr
}
