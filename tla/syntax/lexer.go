package syntax

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"podlife/tla/diag"
)

// A lexer cuts a text into tokens. Of several tokens that could begin at a place, it takes the longest.
type lexer struct {
	source   *diag.Source
	text     []byte
	at       int
	tokens   []token
	comments []Comment
	mistakes map[int32]mistake // by the start of a tokError

	columnAt int   // the offset up to which column has been counted
	column   int32 // the column of the character at columnAt
}

// A mistake says what is wrong with a tokError.
type mistake struct{ message, help string }

// lexModule cuts the first module of a text, with those inside it, into tokens. What is before "---- MODULE" and after the "====" that ends
// the module is nobody's business. Without a module there is only tokEOF.
func lexModule(source *diag.Source) *lexer {
	l := newLexer(source)
	l.at = moduleStart(l.text)
	for depth := 0; l.next(); {
		switch l.tokens[len(l.tokens)-1].kind {
		case tokModuleStart:
			depth++
		case tokModuleEnd:
			depth--
			if depth <= 0 {
				l.add(tokEOF, l.at, l.at)
				return l
			}
		}
	}
	return l
}

// lexExpression cuts all of a text into tokens.
func lexExpression(source *diag.Source) *lexer {
	l := newLexer(source)
	for l.next() {
	}
	return l
}

func newLexer(source *diag.Source) *lexer {
	return &lexer{source: source, text: source.Text, column: 1, mistakes: map[int32]mistake{}}
}

// moduleStart finds the first "---- MODULE"; without one, it is the length of the text.
func moduleStart(text []byte) int {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("----"))
		if i < 0 {
			return len(text)
		}
		at += i
		if end := moduleHead(text, at); end > 0 {
			return at
		}
		for at < len(text) && text[at] == '-' {
			at++
		}
	}
}

// moduleHead gives the end of a "---- MODULE" at an offset, or 0.
func moduleHead(text []byte, at int) int {
	i := at
	for i < len(text) && text[i] == '-' {
		i++
	}
	if i < at+4 {
		return 0
	}
	for i < len(text) && text[i] == ' ' {
		i++
	}
	if bytes.HasPrefix(text[i:], []byte("MODULE")) {
		return i + len("MODULE")
	}
	return 0
}

// next adds the next token. It gives false after tokEOF.
func (l *lexer) next() bool {
	if !l.skip() {
		return true // a comment without an end is the last token but tokEOF
	}
	if l.at >= len(l.text) {
		l.add(tokEOF, len(l.text), len(l.text))
		return false
	}
	start := l.at
	c := l.text[start]
	switch {
	case isNameByte(c):
		l.name(start)
	case c == '"':
		l.string(start)
	case c == '-' && l.run('-') >= 4:
		if end := moduleHead(l.text, start); end > 0 {
			l.add(tokModuleStart, start, end)
		} else {
			l.add(tokSeparator, start, start+l.run('-'))
		}
	case c == '=' && l.run('=') >= 4:
		l.add(tokModuleEnd, start, start+l.run('='))
	case c == '\\' && l.numeral(start):
	case c == '<' && l.step(start):
	case c == '[' && l.boxed(start):
	case c == '@' && !bytes.HasPrefix(l.text[start:], []byte("@@")):
		l.add(tokAt, start, start+1)
	default:
		l.sign(start)
	}
	return true
}

// skip passes white space and comments. It gives false when a comment has no end.
func (l *lexer) skip() bool {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n' || rest[0] == '\r':
			l.at++
		case bytes.HasPrefix(rest, []byte(`\*`)):
			end := bytes.IndexAny(rest, "\r\n")
			if end < 0 {
				end = len(rest)
			}
			l.comment(l.at, l.at+end, 0)
			l.at += end
		case bytes.HasPrefix(rest, []byte("(*")):
			end := commentEnd(rest)
			if end < 0 {
				l.mistake(l.at, l.at+2, "this comment has no end", `"(*" inside a comment begins another one, and each needs its "*)"`)
				l.at = len(l.text)
				return false
			}
			l.comment(l.at, l.at+end, 2)
			l.at += end
		default:
			return true
		}
	}
	return true
}

// commentEnd gives the length of the "(* ... *)" that a text begins with, or -1.
func commentEnd(text []byte) int {
	for i, depth := 0, 0; i+1 < len(text); i++ {
		switch {
		case text[i] == '(' && text[i+1] == '*':
			depth++
			i++
		case text[i] == '*' && text[i+1] == ')':
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// comment keeps a comment whose sign at the end, if any, is that long.
func (l *lexer) comment(start, end, sign int) {
	l.comments = append(l.comments, Comment{
		Text: string(l.text[start+2 : max(start+2, end-sign)]),
		Span: diag.Span{Source: l.source, Start: start, End: end},
	})
}

// name adds an identifier or a reserved word, or the numerals and underscores of a run without letters.
func (l *lexer) name(start int) {
	// WF_x is fairness and the beginning of its subscript, whatever follows.
	switch rest := l.text[start:]; {
	case bytes.HasPrefix(rest, []byte("WF_")):
		l.add(tokWF, start, start+3)
		return
	case bytes.HasPrefix(rest, []byte("SF_")):
		l.add(tokSF, start, start+3)
		return
	}
	end := start
	letters := false
	for end < len(l.text) && isNameByte(l.text[end]) {
		letters = letters || isLetter(l.text[end])
		end++
	}
	if !letters {
		l.letterless(end)
		return
	}
	text := l.text[start:end]
	if k, ok := words[string(text)]; ok {
		l.add(k, start, end)
	} else if op, ok := operatorIndex[string(text)]; ok {
		l.add(tokOperator, start, end)
		l.tokens[len(l.tokens)-1].op = op
	} else {
		l.add(tokIdent, start, end)
	}
}

// letterless adds what a run of digits and underscores up to end consists of.
func (l *lexer) letterless(end int) {
	for l.at < end {
		start := l.at
		if l.text[start] == '_' {
			l.add(tokUnderscore, start, start+1)
			continue
		}
		digits := start
		for digits < end && isDigit(l.text[digits]) {
			digits++
		}
		l.decimal(start, digits)
	}
}

// decimal adds a numeral whose digits before the point are known. "1..2" has no point, and in "1.x" it is not one.
func (l *lexer) decimal(start, end int) {
	if end+1 < len(l.text) && l.text[end] == '.' && isDigit(l.text[end+1]) {
		fraction := end + 1
		for fraction < len(l.text) && isDigit(l.text[fraction]) {
			fraction++
		}
		if fraction == len(l.text) || !isNameByte(l.text[fraction]) {
			end = fraction
		}
	}
	l.add(tokNumber, start, end)
}

// numeral adds a numeral with a base, such as \b101, if there is one.
func (l *lexer) numeral(start int) bool {
	if start+1 >= len(l.text) {
		return false
	}
	var digits string
	switch l.text[start+1] {
	case 'b', 'B':
		digits = "01"
	case 'o', 'O':
		digits = "01234567"
	case 'h', 'H':
		digits = "0123456789abcdefABCDEF"
	}
	end := start + 2
	for end < len(l.text) && strings.IndexByte(digits, l.text[end]) >= 0 {
		end++
	}
	if end == start+2 {
		return false
	}
	l.add(tokNumber, start, end)
	return true
}

// string adds a string. Its escapes are resolved by unescape.
func (l *lexer) string(start int) {
	for i := start + 1; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == '"':
			l.add(tokString, start, i+1)
			return
		case c == '\n' || c == '\r':
			l.mistake(start, i, "this string does not end on its line", `write "\n" for a line's end inside a string`)
			return
		case c == '\\':
			if i+1 < len(l.text) && strings.IndexByte(`ntrf\"`, l.text[i+1]) >= 0 {
				i++
				continue
			}
			end := i + 1
			if end < len(l.text) {
				_, size := utf8.DecodeRune(l.text[end:])
				end += size
			}
			l.mistake(i, end, fmt.Sprintf("a string has no escape `%s`", l.text[i:end]), `those that there are: \" \\ \n \t \r \f`)
			return
		}
	}
	l.mistake(start, len(l.text), "this string has no end", "")
}

// unescape gives what a string token means.
func unescape(token []byte) string {
	inner := string(token[1 : len(token)-1])
	if !strings.Contains(inner, `\`) {
		return inner
	}
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r", `\f`, "\f", `\\`, `\`, `\"`, `"`).Replace(inner)
}

// step adds the name of a proof step, if there is one: <1>, <1>a, <1>a., <*>..., <+>*.
func (l *lexer) step(start int) bool {
	level, ok := stepLevelEnd(l.text, start)
	if !ok {
		return false
	}
	name := level
	for name < len(l.text) && isNameByte(l.text[name]) {
		name++
	}
	end := name
	if end == level && end < len(l.text) && (l.text[end] == '*' || l.text[end] == '-') {
		end++
	}
	for end < len(l.text) && l.text[end] == '.' {
		end++
	}
	l.add(tokStep, start, end)
	return true
}

// stepLevelEnd gives the end of "<1>", "<*>" or "<+>" at an offset.
func stepLevelEnd(text []byte, at int) (end int, ok bool) {
	end = at + 1
	if end < len(text) && (text[end] == '*' || text[end] == '+') {
		end++
	} else {
		for end < len(text) && isDigit(text[end]) {
			end++
		}
		if end == at+1 {
			return 0, false
		}
	}
	if end >= len(text) || text[end] != '>' {
		return 0, false
	}
	return end + 1, true
}

// boxed adds []ASSUME or []PROVE, if it is there.
func (l *lexer) boxed(start int) bool {
	for text, k := range map[string]kind{"[]ASSUME": tokBoxAssume, "[]PROVE": tokBoxProve} {
		if bytes.HasPrefix(l.text[start:], []byte(text)) {
			l.add(k, start, start+len(text))
			return true
		}
	}
	return false
}

// sign adds the longest operator or other sign that there is.
func (l *lexer) sign(start int) {
	for length := min(signReach(l.text[start:]), len(l.text)-start); length > 0; length-- {
		text := l.text[start : start+length]
		if k, ok := signs[string(text)]; ok {
			l.add(k, start, start+length)
			return
		}
		if op, ok := operatorIndex[string(text)]; ok {
			l.add(tokOperator, start, start+length)
			l.tokens[len(l.tokens)-1].op = op
			return
		}
	}
	r, size := utf8.DecodeRune(l.text[start:])
	switch {
	case r == utf8.RuneError && size == 1:
		l.mistake(start, start+1, fmt.Sprintf("byte 0x%02x is not UTF-8", l.text[start]), "save the file as UTF-8")
	case r == 'ℕ' || r == 'ℤ' || r == 'ℝ':
		l.add(tokIdent, start, start+size)
	default:
		l.mistake(start, start+size, fmt.Sprintf("TLA+ has no sign %q", r), "")
	}
}

// signReach bounds the length of the sign that a text begins with.
func signReach(text []byte) int {
	switch {
	case text[0] != '\\':
		return 4 // "-+->", "(\X)", and what is one character of Unicode with a "_" behind it
	case len(text) > 1 && text[1] == '/':
		return 2
	}
	n := 1
	for n < len(text) && isLetter(text[n]) {
		n++
	}
	return min(n, longestSign)
}

// run counts how often a byte stands in a row from here.
func (l *lexer) run(c byte) int {
	n := 0
	for l.at+n < len(l.text) && l.text[l.at+n] == c {
		n++
	}
	return n
}

// mistake adds a tokError.
func (l *lexer) mistake(start, end int, message, help string) {
	l.add(tokError, start, end)
	l.mistakes[int32(start)] = mistake{message, help}
}

// add adds a token and goes on behind it.
func (l *lexer) add(k kind, start, end int) {
	for l.columnAt < start {
		switch c := l.text[l.columnAt]; {
		case c == '\n' || c == '\r':
			l.column = 1
			l.columnAt++
		case c == '\t':
			l.column += 8 - (l.column-1)%8
			l.columnAt++
		default:
			_, size := utf8.DecodeRune(l.text[l.columnAt:])
			l.column++
			l.columnAt += size
		}
	}
	l.tokens = append(l.tokens, token{kind: k, start: int32(start), end: int32(end), column: l.column})
	l.at = end
}

func isLetter(c byte) bool   { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool    { return '0' <= c && c <= '9' }
func isNameByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }
