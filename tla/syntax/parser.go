package syntax

import (
	"fmt"
	"sort"

	"podlife/tla/diag"
)

// What the parser takes at most. Beyond that it reports CodeLimit.
const (
	MaxSource  = 16 << 20 // bytes of a text
	MaxNesting = 2000     // constructs inside one another
	MaxHeight  = 10000    // height of an expression's tree: a + b + c nests nothing but is a tree of height 3
	maxErrors  = 20       // reported for one text
)

// ParseModule reads the first module of a text; what comes before and behind it is ignored. The error is a diag.List: what is wrong with each
// unit, as far as the units can be told apart.
func ParseModule(src *diag.Source) (*Module, error) {
	if err := checkSize(src); err != nil {
		return nil, diag.List{err}
	}
	p := newParser(lexModule(src))
	var m *Module
	p.guard(func() {
		if p.raw().kind == tokEOF {
			p.fail(token{}, "this text has no module", `a module begins with a line like "---- MODULE Name ----" and ends with "===="`)
		}
		m = p.module()
	})
	if err := p.errors.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

// ParseExpr reads a text that consists of one expression. The error is a diag.List.
func ParseExpr(src *diag.Source) (Expr, error) {
	if err := checkSize(src); err != nil {
		return nil, diag.List{err}
	}
	p := newParser(lexExpression(src))
	var e Expr
	p.guard(func() {
		e = p.expression()
		if p.kind() != tokEOF {
			p.failExpected("an operator or the end of the expression")
		}
		p.checkHeight(e)
	})
	if err := p.errors.Err(); err != nil {
		return nil, err
	}
	return e, nil
}

func checkSize(src *diag.Source) *diag.Error {
	if len(src.Text) <= MaxSource {
		return nil
	}
	return diag.Errorf(CodeLimit, diag.Span{Source: src}, "this text has %d bytes, more than the %d that are read", len(src.Text), MaxSource)
}

// A parser reads tokens from left to right. A mistake is a panic with a *diag.Error, which guard turns into an entry of errors.
type parser struct {
	source   *diag.Source
	tokens   []token
	comments []Comment
	mistakes map[int32]mistake
	at       int
	errors   diag.List
	nesting  int

	// bullet is the bullet of the innermost junction list being read. A token that does not stand to the right of it is not part of its item.
	// Column 0: there is no list.
	bullet token

	// ended is the bullet of the junction list that ended last, before token endedAt: for a word of help about what comes behind it.
	ended   token
	endedAt int

	// levels are the levels of the proofs being read, from the outermost on; a proof whose level is not known yet has -1.
	levels []int
}

func newParser(l *lexer) *parser {
	markDefinitions(l.tokens)
	return &parser{source: l.source, tokens: l.tokens, comments: l.comments, mistakes: l.mistakes}
}

// guard runs a piece of the parser and keeps the error that ends it. It tells whether there was none.
func (p *parser) guard(read func()) (ok bool) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *diag.Error:
			p.errors = append(p.errors, x)
			ok = false
		case stop:
			ok = false
		default:
			panic(x)
		}
	}()
	read()
	return true
}

// enter counts a construct inside another one; leave goes with it. An error ends without leave: see recoverTo.
func (p *parser) enter() {
	p.nesting++
	if p.nesting > MaxNesting {
		panic(diag.Errorf(CodeLimit, p.span(p.raw()), "more than %d constructs are nested here", MaxNesting))
	}
}

func (p *parser) leave() { p.nesting-- }

// raw is the next token, whether or not it may be used here.
func (p *parser) raw() token { return p.tokens[p.at] }

// kindAt is the kind of the token that many places ahead, as seen from where the parser is: what lies outside the junction item is tokItemEnd,
// and the beginning of a definition is tokDefine.
func (p *parser) kindAt(ahead int) kind {
	if p.at+ahead >= len(p.tokens) {
		return tokEOF
	}
	t := p.tokens[p.at+ahead]
	switch {
	case t.kind == tokEOF || t.kind == tokError:
		return t.kind
	case t.column <= p.bullet.column:
		return tokItemEnd
	case t.defines:
		return tokDefine
	}
	return t.kind
}

// kind is kindAt the next token.
func (p *parser) kind() kind { return p.kindAt(0) }

// operator gives the next token if it is an operator that may be used here.
func (p *parser) operator() (token, bool) { return p.raw(), p.kind() == tokOperator }

// take goes over the next token.
func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != tokEOF {
		p.at++
	}
	return t
}

// accept goes over the next token if it is of that kind.
func (p *parser) accept(k kind) bool {
	if p.kind() != k {
		return false
	}
	p.take()
	return true
}

// expect goes over the next token, which must be of that kind.
func (p *parser) expect(k kind) token {
	if p.kind() != k {
		p.failExpected(k.describe())
	}
	return p.take()
}

// expectIn is expect inside a construct that began further up: "this IF".
func (p *parser) expectIn(k kind, construct string, began token) token {
	if p.kind() != k {
		p.failExpected(k.describe(), diag.Note{Span: p.span(began), Message: construct + " begins here"})
	}
	return p.take()
}

func (p *parser) span(t token) diag.Span {
	return diag.Span{Source: p.source, Start: int(t.start), End: int(t.end)}
}

// from is the span from a token up to the last one that was taken.
func (p *parser) from(t token) diag.Span {
	end := t.end
	if p.at > 0 {
		end = max(end, p.tokens[p.at-1].end)
	}
	return diag.Span{Source: p.source, Start: int(t.start), End: int(end)}
}

func (p *parser) line(t token) int {
	line, _ := p.source.Position(int(t.start))
	return line
}

func (p *parser) text(t token) string { return string(p.source.Text[t.start:t.end]) }

// name is the identifier or symbol that a token is.
func (p *parser) name(t token) Name {
	text := p.text(t)
	if t.kind == tokOperator {
		text = operators[t.op].Name
	}
	return Name{Text: text, Span: p.span(t)}
}

// ident goes over an identifier.
func (p *parser) ident() Name { return p.name(p.expect(tokIdent)) }

// freeIdent goes over an identifier in a place where reserved words may be used as names too: modules and fields.
func (p *parser) freeIdent() Name {
	if k := p.kind(); k != tokItemEnd && p.raw().word() {
		t := p.take()
		return Name{Text: p.text(t), Span: p.span(t)}
	}
	return p.ident()
}

// fail reports what is wrong with a token.
func (p *parser) fail(at token, message, help string, notes ...diag.Note) {
	panic(&diag.Error{Code: CodeSyntax, Span: p.span(at), Message: message, Help: help, Notes: notes})
}

// failExpected reports that the next token is not what has to stand here.
func (p *parser) failExpected(expected string, notes ...diag.Note) {
	t := p.raw()
	message, help := fmt.Sprintf("expected %s, found %s", expected, p.describe(t)), ""
	switch p.kind() {
	case tokError:
		m := p.mistakes[t.start]
		message, help, notes = m.message, m.help, nil
	case tokItemEnd:
		message += " outside of the list item"
		help = "all of an item stands to the right of its bullet"
		notes = append(notes, diag.Note{Span: p.span(p.bullet), Message: "the item begins here"})
	case tokDefine:
		message += ", which begins a definition"
		if before := p.tokens[max(0, p.at-1)]; before.kind != tokDef && p.line(before) == p.line(t) {
			help = `"==" defines; two values are compared with "="`
		}
	default:
		if p.endedAt == p.at && t.column <= p.ended.column && t.kind != tokEOF && t.kind != tokModuleEnd {
			help = "the list above does not go on here: all of an item stands to the right of its bullet"
			notes = append(notes, diag.Note{Span: p.span(p.ended), Message: "the list begins here"})
		}
	}
	p.fail(t, message, help, notes...)
}

// recoverTo goes on after a mistake in a unit: to the next token that begins a unit and is not indented more than that one. It gives false
// where there is none in the module.
func (p *parser) recoverTo(unit int) bool {
	p.levels, p.bullet = nil, token{}
	if len(p.errors) >= maxErrors {
		return false
	}
	if p.at == unit {
		p.at++
	}
	for ; p.at < len(p.tokens); p.at++ {
		t := p.tokens[p.at]
		switch {
		case t.kind == tokEOF:
			return false
		case t.kind == tokModuleEnd || t.kind == tokModuleStart:
			return true
		case t.column <= p.tokens[unit].column && (t.defines || t.kind.beginsUnit()):
			return true
		}
	}
	return false
}

// checkHeight refuses an expression whose tree is too high to be walked by functions that call themselves.
func (p *parser) checkHeight(e Expr) {
	if deep := tooHigh(e); deep != nil {
		panic(diag.Errorf(CodeLimit, deep.Place(), "the operators around this make an expression more than %d levels high", MaxHeight))
	}
}

// commentsIn gives the comments inside a span.
func (p *parser) commentsIn(s diag.Span) []Comment {
	first := sort.Search(len(p.comments), func(i int) bool { return p.comments[i].Span.Start >= s.Start })
	last := sort.Search(len(p.comments), func(i int) bool { return p.comments[i].Span.Start >= s.End })
	return p.comments[first:last:last]
}
