package syntax

import (
	"fmt"

	"podlife/tla/diag"
)

// The codes of this package's errors.
const (
	// CodeSyntax: the text is not TLA+.
	CodeSyntax diag.Code = "syntax"
	// CodePrecedence: two operators stand side by side of which neither goes first.
	CodePrecedence diag.Code = "precedence"
	// CodeLimit: the text is larger or more deeply nested than what is read.
	CodeLimit diag.Code = "limit"
)

// describe names a kind of token in a message: "expected ...".
func (k kind) describe() string {
	switch k {
	case tokIdent:
		return "an identifier"
	case tokEOF:
		return "the end of the text"
	case tokModuleEnd:
		return "\"====\""
	case tokSeparator:
		return "\"----\""
	case tokStep:
		return "the number of a proof step"
	case tokUnderscore:
		return `"_"`
	case tokTheorem:
		return "THEOREM"
	}
	text := ""
	for word, of := range words {
		if of == k {
			text = shorter(text, word)
		}
	}
	for sign, of := range signs {
		if of == k && sign[0] < 0x80 {
			text = shorter(text, fmt.Sprintf("%q", sign))
		}
	}
	return text
}

// shorter gives the shorter of two names of a kind, so that of several that mean the same it is always the same one that is shown.
func shorter(a, b string) string {
	if a == "" || len(b) < len(a) || len(b) == len(a) && b < a {
		return b
	}
	return a
}

// describe names a token in a message: "found ...".
func (p *parser) describe(t token) string {
	switch t.kind {
	case tokEOF:
		return "the end of the text"
	case tokModuleEnd:
		return "the end of the module"
	case tokSeparator:
		return "a line \"----\""
	case tokModuleStart:
		return "the beginning of a module"
	case tokString:
		return "a string"
	}
	return fmt.Sprintf("`%s`", p.text(t))
}

// beginsUnit tells whether a token of that kind can only begin a unit of a module, where it is not indented.
func (k kind) beginsUnit() bool {
	switch k {
	case tokConstant, tokVariable, tokRecursive, tokAssume, tokAssumption, tokAxiom, tokTheorem, tokLocal, tokInstance, tokUse, tokHide,
		tokSeparator:
		return true
	}
	return false
}
