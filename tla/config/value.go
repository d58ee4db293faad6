package config

import (
	"math/big"
	"strings"

	"podlife/tla/diag"
	"podlife/tla/value"
)

const (
	maxDepth  = 200   // of sets within sets
	maxDigits = 10000 // of a numeral
)

// value reads a number, a string, TRUE, FALSE, a set, or a model value, which is any other identifier.
func (p *parser) value() (value.Value, *diag.Error) {
	t := p.take()
	switch {
	case t.kind == numeral:
		return number(t, false)
	case t.kind == symbol && t.text == "-" && p.peek().kind == numeral:
		return number(p.take(), true)
	case t.kind == text:
		return value.NewString(t.text), nil
	case t.kind == identifier && t.text == "TRUE", t.kind == identifier && t.text == "FALSE":
		return value.Bool(t.text == "TRUE"), nil
	case t.kind == symbol && t.text == "{":
		return p.set(t)
	case t.kind == identifier && !keyword(t):
		return p.modelValue(t), nil
	}
	err := diag.Errorf(CodeExpected, t.span, "A value was expected here, but %s was found.", describe(t))
	err.Help = "A value in a configuration is a number, a string, TRUE, FALSE, a set of values in braces, or a model value. Define any other value in a module and give it with \"<-\"."
	return nil, err
}

func number(t token, negative bool) (value.Value, *diag.Error) {
	if len(t.text) > maxDigits {
		return nil, diag.Errorf(CodeTooLarge, t.span, "A number in a configuration has at most %d digits; this one has %d.", maxDigits, len(t.text))
	}
	digits, base := t.text, 10
	if digits[0] == '\\' {
		base = map[string]int{"b": 2, "o": 8, "h": 16}[strings.ToLower(digits[1:2])]
		digits = digits[2:]
	}
	n, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return nil, diag.Errorf(CodeValue, t.span, "%s is no number.", t.text)
	}
	if negative {
		n.Neg(n)
	}
	return value.NewBig(n), nil
}

func (p *parser) set(open token) (value.Value, *diag.Error) {
	if p.depth++; p.depth > maxDepth {
		return nil, diag.Errorf(CodeTooLarge, open.span, "Sets are nested more than %d deep here.", maxDepth)
	}
	defer func() { p.depth-- }()
	elems, err := p.values("}")
	if err != nil {
		return nil, err
	}
	var set value.Value
	if err := value.Catch(func() { set = value.NewSet(elems) }); err != nil {
		return nil, diag.Errorf(CodeValue, open.span.To(p.tokens[p.at-1].span), "This set cannot be made: %s", err)
	}
	return set, nil
}

// values reads values with commas between them, up to and with the closing bracket; there need not be any.
func (p *parser) values(closing string) ([]value.Value, *diag.Error) {
	var all []value.Value
	if p.accept(closing) {
		return nil, nil
	}
	for {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		all = append(all, v)
		if t := p.peek(); !p.accept(",") {
			if p.accept(closing) {
				return all, nil
			}
			return nil, diag.Errorf(CodeExpected, t.span, "\",\" or %q was expected here, but %s was found.", closing, describe(t))
		}
	}
}

// modelValue makes the model value of a name; equal names are one model value.
func (p *parser) modelValue(t token) *value.Model {
	m := value.NewModel(t.text)
	if !p.models[t.text] {
		p.models[t.text] = true
		p.config.Models = append(p.config.Models, m)
	}
	return m
}
