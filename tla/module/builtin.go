package module

import "podlife/tla/syntax"

// builtins are the operators of the language that stand in a text as operators. They are looked up before anything that a module defines, since
// none of them can be redefined.
var builtins = map[string]struct {
	op    Builtin
	arity int
}{
	"TRUE":      {True, 0},
	"FALSE":     {False, 0},
	"BOOLEAN":   {Boolean, 0},
	"STRING":    {StringSet, 0},
	"~":         {Not, 1},
	"=>":        {Implies, 2},
	"<=>":       {Equivalent, 2},
	`/\`:        {And, 2},
	`\/`:        {Or, 2},
	"=":         {Equal, 2},
	"#":         {NotEqual, 2},
	`\in`:       {In, 2},
	`\notin`:    {NotIn, 2},
	`\subseteq`: {SubsetEq, 2},
	`\cup`:      {Union, 2},
	`\cap`:      {Intersect, 2},
	`\`:         {Difference, 2},
	`\X`:        {Times, 2},
	"SUBSET":    {Powerset, 1},
	"UNION":     {BigUnion, 1},
	"DOMAIN":    {Domain, 1},
	"'":         {Prime, 1},
	"UNCHANGED": {Unchanged, 1},
	"ENABLED":   {Enabled, 1},
	`\cdot`:     {Compose, 2},
	"[]":        {Always, 1},
	"<>":        {Eventually, 1},
	"~>":        {LeadsTo, 2},
	"-+->":      {WhilePlus, 2},
}

// builtinNames are how builtins are written, for messages and for Dump.
var builtinNames = func() map[Builtin]string {
	names := map[Builtin]string{FunctionApply: "[]-application", SetEnum: "{...}", Tuple: "<<...>>", FunctionSet: "[ -> ]"}
	for name, b := range builtins {
		names[b.op] = name
	}
	return names
}()

// String is how the builtin is written, or a sketch of it where it is no operator symbol.
func (b Builtin) String() string {
	if name, ok := builtinNames[b]; ok {
		return name
	}
	return "no builtin"
}

// builtin gives the builtin of a name in any of its forms, and how many arguments it has.
func builtin(name string) (op Builtin, arity int, ok bool) {
	b, ok := builtins[name]
	if !ok {
		b, ok = builtins[syntax.Canonical(name)]
	}
	return b.op, b.arity, ok
}
