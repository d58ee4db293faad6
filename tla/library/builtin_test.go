package library

import (
	"podlife/tla/syntax"
	"podlife/tla/value"
)

// logic is the operators of the language that do not always evaluate all operands, and the constants.
func (e *evaluator) logic(x *syntax.Apply, s *scope) value.Value {
	switch x.Name.Text {
	case "TRUE", "FALSE":
		return value.Bool(x.Name.Text == "TRUE")
	case "BOOLEAN":
		return value.Booleans()
	case "STRING":
		return value.Strings
	case "=>":
		return value.Bool(!e.truth(x.Args[0], s) || e.truth(x.Args[1], s))
	}
	return e.builtin(x.Name.Text, e.all(x.Args, s))
}

// builtin is the operators of the language on values.
func (e *evaluator) builtin(name string, args []value.Value) value.Value {
	switch name {
	case "=":
		return value.Bool(value.Equal(args[0], args[1]))
	case "#":
		return value.Bool(!value.Equal(args[0], args[1]))
	case `\in`:
		return value.Bool(value.Member(args[0], args[1]))
	case `\notin`:
		return value.Bool(!value.Member(args[0], args[1]))
	case `\subseteq`:
		return value.Bool(value.Subset(args[0], args[1]))
	case "~":
		return value.Bool(!boolean("~", "only", args[0]))
	case "<=>":
		return value.Bool(args[0] == args[1])
	case `\cup`:
		return value.Union(args[0], args[1])
	case `\cap`:
		return value.Intersect(args[0], args[1])
	case `\`:
		return value.Difference(args[0], args[1])
	case "UNION":
		return value.UnionOf(args[0])
	case "SUBSET":
		return value.Powerset(args[0])
	case "DOMAIN":
		return value.Domain(args[0])
	}
	panic("the evaluator of the tests does not know " + name)
}

// isStub tells whether a definition's body is a CASE that has no value: each of its conditions is FALSE.
func isStub(body syntax.Expr) bool {
	c, ok := body.(*syntax.Case)
	if !ok || c.Other != nil {
		return false
	}
	for _, arm := range c.Arms {
		if cond, ok := arm.Cond.(*syntax.Apply); !ok || cond.Name.Text != "FALSE" {
			return false
		}
	}
	return true
}
