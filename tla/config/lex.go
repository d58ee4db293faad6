package config

import (
	"strings"
	"unicode/utf8"

	"podlife/tla/diag"
)

// A token is one word of a configuration.
type token struct {
	kind kind
	text string // as written, except that "←" is "<-"; a string without its quotation marks and with its escapes carried out
	span diag.Span
}

type kind int

const (
	end kind = iota
	identifier
	numeral
	text
	symbol
)

// symbols are the operators and brackets that a line may name, the longest first among those with a common start.
var symbols = []string{
	"-+->", "...", "<=>", "(+)", "(-)", "(.)", "(/)", "(\\X)", "::=", "=<", "==", "=>", "=|", "<-", "<=", "<:", "<<", "<>", ">=", ">>",
	"-.", "->", "-|", "--", "..", "!!", "##", "$$", "%%", "&&", "**", "++", "//", "/\\", "/=", "\\/", ":=", ":>", "??", "@@", "[]", "^^", "^+", "^*", "^#",
	"|-", "|=", "||", "~>", "=", "<", ">", "-", ".", "!", "#", "$", "%", "&", "*", "+", "/", "\\", ":", "?", "@", "^", "|", "~", "'",
	"{", "}", "(", ")", "[", "]", ",",
}

// lex cuts the whole text into tokens, the last of which is an end.
func lex(src *diag.Source) ([]token, *diag.Error) {
	l := lexer{src: src, text: src.Text}
	for {
		if err := l.blanks(); err != nil {
			return nil, err
		}
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		l.tokens = append(l.tokens, t)
		if t.kind == end {
			return l.tokens, nil
		}
	}
}

type lexer struct {
	src    *diag.Source
	text   []byte
	at     int
	tokens []token
}

func (l *lexer) span(start int) diag.Span { return diag.Span{Source: l.src, Start: start, End: l.at} }

func (l *lexer) has(s string) bool {
	return len(l.text)-l.at >= len(s) && string(l.text[l.at:l.at+len(s)]) == s
}

// blanks passes over white space and comments.
func (l *lexer) blanks() *diag.Error {
	for l.at < len(l.text) {
		switch c := l.text[l.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			l.at++
		case l.at == 0 && l.has("\ufeff"):
			l.at += len("\ufeff")
		case l.has("\\*"):
			for l.at < len(l.text) && l.text[l.at] != '\n' {
				l.at++
			}
		case l.has("(*"):
			if err := l.comment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// comment passes over "(* ... *)", which nests.
func (l *lexer) comment() *diag.Error {
	start := l.at
	depth := 0
	for l.at < len(l.text) {
		switch {
		case l.has("(*"):
			depth++
			l.at += 2
		case l.has("*)"):
			depth--
			l.at += 2
			if depth == 0 {
				return nil
			}
		default:
			l.at++
		}
	}
	return diag.Errorf(CodeComment, diag.Span{Source: l.src, Start: start, End: start + 2}, "The comment that starts here has no end.")
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }

// next reads the token at the current place, which is no blank.
func (l *lexer) next() (token, *diag.Error) {
	start := l.at
	if start == len(l.text) {
		return token{kind: end, span: l.span(start)}, nil
	}
	switch c := l.text[l.at]; {
	case letter(c) || digit(c) || c == '_':
		return l.word(start), nil
	case c == '"':
		return l.string(start)
	case c == '\\' && l.at+1 < len(l.text) && letter(l.text[l.at+1]):
		return l.backslash(start), nil
	case l.has("←"):
		l.at += len("←")
		return token{symbol, "<-", l.span(start)}, nil
	}
	for _, s := range symbols {
		if l.has(s) {
			l.at += len(s)
			return token{symbol, s, l.span(start)}, nil
		}
	}
	r, n := utf8.DecodeRune(l.text[l.at:])
	l.at += n
	err := diag.Errorf(CodeCharacter, l.span(start), "A configuration has no use for the character %q.", r)
	err.Help = "TLC stops reading here without a word, so that the rest of the file would have no effect."
	return token{}, err
}

// word reads an identifier or a decimal numeral; "1a" is an identifier, as in TLA+.
func (l *lexer) word(start int) token {
	k := numeral
	for l.at < len(l.text) && (letter(l.text[l.at]) || digit(l.text[l.at]) || l.text[l.at] == '_') {
		if !digit(l.text[l.at]) {
			k = identifier
		}
		l.at++
	}
	return token{k, string(l.text[start:l.at]), l.span(start)}
}

// backslash reads an operator such as \prec, or a numeral with a base: \b101, \o17, \hFF.
func (l *lexer) backslash(start int) token {
	l.at++
	if n := l.based(); n > 0 {
		l.at += n
		return token{numeral, string(l.text[start:l.at]), l.span(start)}
	}
	for l.at < len(l.text) && letter(l.text[l.at]) {
		l.at++
	}
	return token{symbol, string(l.text[start:l.at]), l.span(start)}
}

// based gives the length of "b101", "o17" or "hFF" at the current place, or 0.
func (l *lexer) based() int {
	var digits string
	switch l.text[l.at] {
	case 'b', 'B':
		digits = "01"
	case 'o', 'O':
		digits = "01234567"
	case 'h', 'H':
		digits = "0123456789abcdefABCDEF"
	default:
		return 0
	}
	n := 1
	for l.at+n < len(l.text) && strings.IndexByte(digits, l.text[l.at+n]) >= 0 {
		n++
	}
	if n == 1 || l.at+n < len(l.text) && (letter(l.text[l.at+n]) || digit(l.text[l.at+n])) {
		return 0
	}
	return n
}

// escapes are the characters that may follow a backslash in a string, and what both stand for.
var escapes = map[byte]byte{'"': '"', '\\': '\\', 'n': '\n', 't': '\t', 'r': '\r', 'f': '\f'}

func (l *lexer) string(start int) (token, *diag.Error) {
	var b strings.Builder
	for l.at++; l.at < len(l.text) && l.text[l.at] != '\n'; l.at++ {
		switch c := l.text[l.at]; c {
		case '"':
			l.at++
			return token{text, b.String(), l.span(start)}, nil
		case '\\':
			at := l.at
			l.at++
			if l.at == len(l.text) || escapes[l.text[l.at]] == 0 {
				return token{}, diag.Errorf(CodeString, diag.Span{Source: l.src, Start: at, End: min(at+2, len(l.text))},
					`In a string, a backslash is followed by one of " \ n t r f.`)
			}
			b.WriteByte(escapes[l.text[l.at]])
		default:
			b.WriteByte(c)
		}
	}
	return token{}, diag.Errorf(CodeString, l.span(start), "The string that starts here has no end on its line.")
}
