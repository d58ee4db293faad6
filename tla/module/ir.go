package module

import (
	"math/big"

	"podlife/tla/diag"
)

// A Module is a module with everything resolved: each name points to what it means, INSTANCE is carried out, and arities and levels have been
// checked.
type Module struct {
	Name      string
	Span      diag.Span
	Extends   []*Module
	Constants []*Constant            // of this module and of all that it extends, in order of declaration, without doubles
	Variables []*Variable            // likewise
	Defs      []*Definition          // all that have a plain name in this module, by EXTENDS and by an INSTANCE without a name too, in order
	Assumes   []*Assumption          // of this module and of all that it extends, without doubles
	Theorems  []*Assumption          // theorems of this module whose body is an expression
	Vacuous   map[*Definition]string // "\* vacuous-ok: reason" beside a definition; look up a copy by its Source

	// InstanceAssumes are the assumptions of instantiated modules, with the substitutions carried out; those of a parametrised instance are
	// left out. What an instance assumes has to follow from what the module assumes; TLC does not look at them.
	InstanceAssumes []*Assumption
	// Warnings are what is legal and probably not meant, such as a variable that is declared twice.
	Warnings diag.List

	inner  *context // what this module declares, defines, extends and instantiates
	outer  scope    // for a nested module: what was visible where it stands
	loader *loader
	own    []*Definition
	level  moduleLevels
}

// A Constant is a CONSTANT that has no definition; its value comes from a configuration. Arity is 0 for a plain one.
type Constant struct {
	Name   string
	Arity  int
	Module string
	Span   diag.Span
}

// A Variable is a VARIABLE.
type Variable struct {
	Name   string
	Module string
	Span   diag.Span
}

// A Param is a name that an expression binds: a parameter of an operator, a quantified name, the function of an EXCEPT's "@". Arity is above 0 for
// an operator parameter. Each binding has a Param of its own, so that no two are confused however they are named.
type Param struct {
	Name  string
	Arity int
	Span  diag.Span
}

// A Definition is an operator with a body, at the top of a module or in a LET.
//
// A definition that comes from an INSTANCE is a copy in which the instance's substitutions are carried out. Its Name is as it is called from
// outside ("I!Op"), the parameters of a parametrised instance come before its own, and Origin is the definition that it was copied from.
type Definition struct {
	Name   string
	Module string // the module in whose text it stands
	Params []*Param
	Body   Expr // nil for a builtin of a library module that has no text (IsNative)
	Level  Level
	Local  bool
	Let    bool // defined in a LET
	// Recursive: its body mentions itself, directly or through others. Function: it was written f[x \in S] == e; Body is then a *Function and may
	// mention the definition itself.
	Recursive bool
	Function  bool
	Theorem   bool        // it is the name of a theorem or assumption, whose formula is Body
	Origin    *Definition // nil where it is not a copy
	Span      diag.Span   // the whole definition
	NameSpan  diag.Span

	levels   *definitionLevels // once they are known
	progress *levelProgress    // while they are computed
	labels   map[string]*labelled
	declared *recursiveDeclaration // nil: there was no RECURSIVE for it
	via      *instance             // by which it is a copy
}

// Source gives the definition in whose text d was written: d itself, or what it is, in the end, a copy of.
func (d *Definition) Source() *Definition {
	for d.Origin != nil {
		d = d.Origin
	}
	return d
}

// An Assumption is an ASSUME, or a theorem.
type Assumption struct {
	Name  string // "" where it has none
	Axiom bool   // it was an AXIOM, which TLC takes for granted
	Body  Expr
	Span  diag.Span
}

// Level is what an expression may depend on. Each level includes those below.
type Level int

// The levels of TLA+ (Specifying Systems, 17.2).
const (
	LevelConstant Level = iota
	LevelState
	LevelAction
	LevelTemporal
)

// An Expr is a resolved expression.
type Expr interface {
	Place() diag.Span
	ExprLevel() Level
}

// Node is what every expression has.
type Node struct {
	Span  diag.Span
	Level Level
}

// Place is where the expression stands in its text.
func (n *Node) Place() diag.Span { return n.Span }

// ExprLevel is what the expression may depend on. An operator parameter counts as constant: with its argument, the whole may be of a higher level.
func (n *Node) ExprLevel() Level { return n.Level }

type (
	// Number is a numeral, exact. Decimal numerals are refused by the resolver's users: Text is as written when Value is nil.
	Number struct {
		Node
		Value *big.Int
		Text  string
	}
	// String is a string.
	String struct {
		Node
		Value string
	}
	// ConstantRef, VariableRef and ParamRef are a name on its own, or, where it has an arity, its use with Args. A ConstantRef or ParamRef of
	// an operator without Args is not one of these but an OperatorRef.
	ConstantRef struct {
		Node
		Constant *Constant
		Args     []Expr
	}
	VariableRef struct {
		Node
		Variable *Variable
	}
	ParamRef struct {
		Node
		Param *Param
		Args  []Expr
	}
	// Call is the use of a definition, with as many Args as it has Params. An argument for an operator parameter is an OperatorRef or a Lambda.
	Call struct {
		Node
		Definition *Definition
		Args       []Expr
	}
	// OperatorRef is an operator as an argument. Exactly one of the four is set.
	OperatorRef struct {
		Node
		Arity      int
		Definition *Definition
		Constant   *Constant
		Param      *Param
		Builtin    Builtin // BuiltinNone: not this one
	}
	// Lambda is an operator without a name, as an argument.
	Lambda struct {
		Node
		Params []*Param
		Body   Expr
	}
	// Apply is a builtin of the language (not of a module) with its operands.
	Apply struct {
		Node
		Op   Builtin
		Args []Expr
	}
	// Junction is a conjunction or disjunction with two or more Items (one: a list with a single bullet), in order. Names pairs with Items: the
	// word after "guard:" (in a list of conjuncts) or "disjunct:" (of disjuncts) in a comment on the item's last line, or the item's label, or
	// "". VacuousOK pairs with Items too: the reason after "vacuous-ok:" in a comment on one of the item's lines, or ""; it is nil where no
	// item has one. Only bulleted lists are named by comments, and of lists that end on the same line the innermost.
	Junction struct {
		Node
		Or        bool
		Items     []Expr
		Names     []string
		VacuousOK []string

		infix bool // written a /\ b /\ c, which is (a /\ b) /\ c to subexpression names
	}
	// Quantifier is \A or \E. A bound without a Set is unbounded. Temporal: \AA, \EE.
	Quantifier struct {
		Node
		Exists   bool
		Temporal bool
		Bounds   []*Bound
		Body     Expr
	}
	// Choose is CHOOSE; Bound.Set is nil where it is unbounded.
	Choose struct {
		Node
		Bound *Bound
		Body  Expr
	}
	// SetFilter is {x \in S : P}; SetMap is {e : x \in S, ...}.
	SetFilter struct {
		Node
		Bound *Bound
		Where Expr
	}
	SetMap struct {
		Node
		Value  Expr
		Bounds []*Bound
	}
	// Function is [x \in S, ... |-> e].
	Function struct {
		Node
		Bounds []*Bound
		Body   Expr
	}
	// Record is [a |-> e], RecordSet is [a : S].
	Record struct {
		Node
		Names  []string
		Values []Expr
	}
	RecordSet struct {
		Node
		Names  []string
		Values []Expr
	}
	// Field is r.name.
	Field struct {
		Node
		Record Expr
		Name   string
	}
	// Except is [f EXCEPT !... = ..., ...]. Updates are carried out one after the other.
	Except struct {
		Node
		Function Expr
		Updates  []*Update
	}
	// If is IF; Case is CASE, Other nil where there is none.
	If struct {
		Node
		Cond, Then, Else Expr
	}
	Case struct {
		Node
		Conds, Values []Expr
		Other         Expr
	}
	// Let is LET. Defs are in order; those of instances inside are among them only where used.
	Let struct {
		Node
		Defs []*Definition
		Body Expr
	}
	// Subscripted is [A]_v and <<A>>_v (Angle).
	Subscripted struct {
		Node
		Angle        bool
		Action, Vars Expr
	}
	// Fairness is WF_v(A), SF_v(A) (Strong).
	Fairness struct {
		Node
		Strong       bool
		Vars, Action Expr
	}
	// Label is lab :: e.
	Label struct {
		Node
		Name string
		Body Expr
	}
)

// A Bound is one "x, y \in S", or "<<x, y>> \in S" (Tuple).
type Bound struct {
	Params []*Param
	Tuple  bool
	Set    Expr // nil: no set was given
	Span   diag.Span
}

// An Update is ![i].a = Value of an Except. At is what "@" in Value stands for, nil where Value has none. An Index of f[a, b] is a Tuple; a Field is a
// String.
type Update struct {
	Path  []Expr
	At    *Param
	Value Expr
	Span  diag.Span
}

// A Builtin is an operator or constant of the language itself.
type Builtin int

// The builtins. Args are as written, left to right.
const (
	BuiltinNone Builtin = iota
	True
	False
	Boolean       // BOOLEAN
	StringSet     // STRING
	Not           // ~
	Implies       // =>
	Equivalent    // <=>, \equiv
	Equal         // =
	NotEqual      // #
	In            // \in
	NotIn         // \notin
	SubsetEq      // \subseteq
	Union         // \cup
	Intersect     // \cap
	Difference    // \
	Powerset      // SUBSET
	BigUnion      // UNION
	Domain        // DOMAIN
	FunctionApply // f[x]; f[x, y] has a Tuple as its second Arg
	SetEnum       // {a, b}
	Tuple         // <<a, b>>
	Times         // A \X B \X C
	FunctionSet   // [S -> T]
	Prime         // e'
	Unchanged     // UNCHANGED e
	Enabled       // ENABLED A
	Compose       // A \cdot B
	Always        // []F
	Eventually    // <>F
	LeadsTo       // F ~> G
	WhilePlus     // F -+-> G
	And           // /\ as an operator argument only; in expressions it is a Junction
	Or            // \/ likewise
)
