package config

import (
	"fmt"
	"slices"

	"podlife/tla/diag"
)

// What can be wrong with a configuration.
const (
	CodeTooLarge    diag.Code = "config-too-large"   // more than MaxSize bytes, or a set nested too deeply
	CodeCharacter   diag.Code = "config-character"   // a character that no token starts with
	CodeComment     diag.Code = "config-comment"     // "(*" without "*)"
	CodeString      diag.Code = "config-string"      // a string without end, or with an unknown escape
	CodeKeyword     diag.Code = "config-keyword"     // a keyword was expected and something else was found
	CodeExpected    diag.Code = "config-expected"    // something else was expected
	CodeTwice       diag.Code = "config-twice"       // a section that may be there once
	CodeExclusive   diag.Code = "config-exclusive"   // SPECIFICATION together with INIT or NEXT
	CodeValue       diag.Code = "config-value"       // a value that cannot be made, such as the set {1, "a"}
	CodeUnsupported diag.Code = "config-unsupported" // a section that TLC has and this package has not
	CodeNoEffect    diag.Code = "config-no-effect"   // a warning: a line without effect
)

// MaxSize is the length of the longest configuration that Parse reads, in bytes.
const MaxSize = 1 << 20

// maxErrors is how many errors Parse collects before it gives up.
const maxErrors = 20

// Parse reads a configuration. Its error is a diag.List; after an error, reading goes on with the next section. When there is no error, the
// configuration may still have Warnings.
func Parse(src *diag.Source) (*Config, error) {
	if len(src.Text) > MaxSize {
		return nil, diag.List{diag.Errorf(CodeTooLarge, diag.Span{Source: src}, "A configuration has at most %d bytes; this one has %d.", MaxSize, len(src.Text))}
	}
	tokens, err := lex(src)
	if err != nil {
		return nil, diag.List{err}
	}
	p := parser{tokens: tokens, config: &Config{Source: src}, models: map[string]bool{}, names: map[listed]diag.Span{},
		constants: map[string]int{}, overrides: map[string]int{}}
	p.sections()
	if len(p.errors) > 0 {
		return nil, p.errors
	}
	return p.config, nil
}

type parser struct {
	tokens []token
	at     int
	config *Config
	errors diag.List
	depth  int // of the set that is being read

	// What has been read so far, to find doubles quickly: model values by name, names of lists by section and name, and the places of lines in
	// Config.Constants and Config.Overrides.
	models               map[string]bool
	names                map[listed]diag.Span
	constants, overrides map[string]int
}

func (p *parser) peek() token { return p.tokens[p.at] }

// take gives the current token and goes on; the end stays.
func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != end {
		p.at++
	}
	return t
}

// accept takes the symbol if it is the current token.
func (p *parser) accept(s string) bool {
	if t := p.peek(); t.kind == symbol && t.text == s {
		p.at++
		return true
	}
	return false
}

// A section reads what follows its keyword.
type section func(p *parser, keyword token) *diag.Error

// keywords are the words that start a section, exactly TLC's. Each ends the section before it wherever it stands, so that none of them can be the name of a constant.
var keywords = []string{
	"ACTION_CONSTRAINT", "ACTION_CONSTRAINTS", "ALIAS", "CHECK_DEADLOCK", "CONSTANT", "CONSTANTS", "CONSTRAINT", "CONSTRAINTS", "INIT", "INVARIANT", "INVARIANTS",
	"NEXT", "POSTCONDITION", "POSTCONDITIONS", "PROPERTIES", "PROPERTY", "SPECIFICATION", "SYMMETRY", "VIEW", "_PERIODIC", "_POSSIBLE", "_RL_REWARD",
}

// sectionOf gives the section that a keyword starts.
func sectionOf(keyword string) section {
	switch keyword {
	case "CONSTANT", "CONSTANTS":
		return constants
	case "CONSTRAINT", "CONSTRAINTS":
		return list(func(c *Config) *[]Name { return &c.Constraints })
	case "ACTION_CONSTRAINT", "ACTION_CONSTRAINTS":
		return list(func(c *Config) *[]Name { return &c.ActionConstraints })
	case "INVARIANT", "INVARIANTS":
		return list(func(c *Config) *[]Name { return &c.Invariants })
	case "PROPERTY", "PROPERTIES":
		return list(func(c *Config) *[]Name { return &c.Properties })
	case "POSTCONDITION", "POSTCONDITIONS":
		return list(func(c *Config) *[]Name { return &c.PostCondition })
	case "INIT":
		return single(func(c *Config) **Name { return &c.Init })
	case "NEXT":
		return single(func(c *Config) **Name { return &c.Next })
	case "SPECIFICATION":
		return single(func(c *Config) **Name { return &c.Specification })
	case "VIEW":
		return single(func(c *Config) **Name { return &c.View })
	case "ALIAS":
		return single(func(c *Config) **Name { return &c.Alias })
	case "SYMMETRY":
		return symmetry
	case "CHECK_DEADLOCK":
		return checkDeadlock
	}
	return unsupported
}

func keyword(t token) bool { return t.kind == identifier && slices.Contains(keywords, t.text) }

func (p *parser) sections() {
	for p.peek().kind != end && len(p.errors) < maxErrors {
		t := p.take()
		var err *diag.Error
		if keyword(t) {
			err = sectionOf(t.text)(p, t)
		} else {
			err = diag.Errorf(CodeKeyword, t.span, "A keyword such as SPECIFICATION or INVARIANT was expected here, but %s was found.", describe(t))
			err.Help = suggestion(t.text)
		}
		if err != nil {
			p.errors = append(p.errors, err)
			for p.peek().kind != end && !keyword(p.peek()) {
				p.at++
			}
		}
	}
	c := p.config
	for _, other := range []struct {
		keyword string
		name    *Name
	}{{"INIT", c.Init}, {"NEXT", c.Next}} {
		if c.Specification != nil && other.name != nil {
			err := diag.Errorf(CodeExclusive, other.name.Span, "%s cannot stand beside SPECIFICATION, which says both how a behaviour starts and how it goes on.", other.keyword)
			err.Notes = []diag.Note{{Span: c.Specification.Span, Message: "SPECIFICATION is given here"}}
			p.errors = append(p.errors, err)
		}
	}
}

// describe names a token in an error.
func describe(t token) string {
	switch t.kind {
	case end:
		return "the end of the file"
	case numeral:
		return "the number " + t.text
	case text:
		return fmt.Sprintf("the string %q", t.text)
	}
	return fmt.Sprintf("%q", t.text)
}

// name reads the name of a definition: an identifier, or an operator such as "+" or "\prec"; parts of names of instances are joined with "!".
func (p *parser) name(what string) (Name, *diag.Error) {
	t := p.peek()
	if !nameable(t) {
		err := diag.Errorf(CodeExpected, t.span, "%s was expected here, but %s was found.", what, describe(t))
		if keyword(t) {
			err.Help = t.text + " is a keyword of configurations; a definition of that name cannot be given here."
		}
		return Name{}, err
	}
	p.at++
	n := Name{t.text, t.span}
	for p.accept("!") {
		t := p.peek()
		if !nameable(t) {
			return Name{}, diag.Errorf(CodeExpected, t.span, "A name was expected after %q, but %s was found.", n.Text+"!", describe(t))
		}
		p.at++
		n = Name{n.Text + "!" + t.text, n.Span.To(t.span)}
	}
	return n, nil
}

// notNames are the symbols that no definition can be named after.
var notNames = map[string]bool{"=": true, "<-": true, "{": true, "}": true, "(": true, ")": true, "[": true, "]": true, ",": true, "!": true, "==": true, "->": true,
	"<<": true, ">>": true, ".": true, ":": true, "@": true}

func nameable(t token) bool {
	return t.kind == identifier && !keyword(t) || t.kind == symbol && !notNames[t.text]
}

// list reads names up to the next keyword.
func list(of func(*Config) *[]Name) section {
	return func(p *parser, kw token) *diag.Error {
		names := of(p.config)
		for p.peek().kind != end && !keyword(p.peek()) {
			n, err := p.name("A name for " + kw.text)
			if err != nil {
				return err
			}
			key := listed{names, n.Text}
			if first, ok := p.names[key]; ok {
				p.warn(n.Span, first, "first given", "%s is already given for %s.", n.Text, kw.text)
				continue
			}
			p.names[key] = n.Span
			*names = append(*names, n)
		}
		return nil
	}
}

// listed is a name in one of the configuration's lists.
type listed struct {
	list *[]Name
	name string
}

// single reads the one name of a section that may be there once.
func single(of func(*Config) **Name) section {
	return func(p *parser, kw token) *diag.Error {
		n, err := p.name("A name for " + kw.text)
		if err != nil {
			return err
		}
		if old := *of(p.config); old != nil {
			return twice(kw, old.Span)
		}
		*of(p.config) = &n
		return nil
	}
}

func twice(kw token, first diag.Span) *diag.Error {
	err := diag.Errorf(CodeTwice, kw.span, "%s may be given once only.", kw.text)
	err.Notes = []diag.Note{{Span: first, Message: "first given here"}}
	return err
}

func symmetry(p *parser, kw token) *diag.Error {
	n, err := p.name("A name for SYMMETRY")
	if err != nil {
		return err
	}
	if old := p.config.Symmetry; old != nil {
		return twice(kw, old[0].Span)
	}
	p.config.Symmetry = []Name{n}
	return nil
}

func checkDeadlock(p *parser, kw token) *diag.Error {
	t := p.peek()
	if t.kind != identifier || t.text != "TRUE" && t.text != "FALSE" {
		return diag.Errorf(CodeExpected, t.span, "TRUE or FALSE was expected after CHECK_DEADLOCK, but %s was found.", describe(t))
	}
	p.at++
	if p.config.CheckDeadlock != nil {
		return twice(kw, p.config.deadlock)
	}
	yes := t.text == "TRUE"
	p.config.CheckDeadlock, p.config.deadlock = &yes, t.span
	return nil
}

func unsupported(_ *parser, kw token) *diag.Error {
	err := diag.Errorf(CodeUnsupported, kw.span, "%s, an experiment of TLC, is not supported.", kw.text)
	return err
}

// warn notes a line without effect; note says what the other place is.
func (p *parser) warn(at, other diag.Span, note, format string, args ...any) {
	w := diag.Errorf(CodeNoEffect, at, format, args...)
	w.Notes = []diag.Note{{Span: other, Message: note + " here"}}
	p.config.Warnings = append(p.config.Warnings, w)
}
