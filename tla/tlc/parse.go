package tlc

import (
	"fmt"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"podlife/tla/value"
)

// An Assignment is a variable with its value.
type Assignment struct {
	Name  string
	Value value.Value // nil: the variable has no value yet, which TLC prints as null; in states of evaluation errors only
}

// A ValueError says that a text is not a value as TLC prints it. Sets and functions that TLC prints as an expression, because they are infinite or
// large, are not understood either.
type ValueError struct {
	Text    string // all of it
	Offset  int    // in bytes: where it stops being understood
	Problem string
}

func (e *ValueError) Error() string {
	near := e.Text[min(e.Offset, len(e.Text)):]
	if len(near) > 40 {
		near = near[:40]
	}
	return fmt.Sprintf("a value of TLC is not understood at %q: %s", near, e.Problem)
}

// maxValueDepth bounds values inside values.
const maxValueDepth = 1000

// ParseState reads a state as TLC prints it: "/\ x = 1" and so on, a line or more for each variable, or "x = 1" where there is only one. A name
// that is no keyword is a model value.
func ParseState(text string) ([]Assignment, error) {
	p := &valueParser{text: text}
	var state []Assignment
	err := p.run(func() {
		seen := map[string]bool{}
		for {
			conjunct := p.accept("/\\")
			if !conjunct && len(state) > 0 {
				p.fail("want /\\ before the next variable")
			}
			name := p.name()
			if name == "" || seen[name] {
				p.fail("want a variable")
			}
			seen[name] = true
			p.expect("=")
			a := Assignment{Name: name}
			if !p.acceptWord("null") {
				a.Value = p.value(0)
			}
			state = append(state, a)
			if p.atEnd() {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return state, nil
}

// ParseValue reads a value as TLC prints it.
func ParseValue(text string) (value.Value, error) {
	p := &valueParser{text: text}
	var v value.Value
	err := p.run(func() {
		v = p.value(0)
		if !p.atEnd() {
			p.fail("want the end")
		}
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// ParseAction reads an action as TLC prints it: a name ("I!Next" included), and the values of its parameters in parentheses.
func ParseAction(text string) (name string, args []value.Value, err error) {
	name, rest, has := strings.Cut(text, "(")
	if !has {
		return text, nil, nil
	}
	p := &valueParser{text: rest}
	err = p.run(func() {
		for {
			args = append(args, p.value(0))
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
		if !p.atEnd() {
			p.fail("want the end")
		}
	})
	if err != nil {
		return "", nil, err
	}
	return name, args, nil
}

type valueParser struct {
	text string
	at   int
}

// run calls parse and gives what it panicked with: an error of this file, or one of package value.
func (p *valueParser) run(parse func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*ValueError)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	if raised := value.Catch(parse); raised != nil {
		return &ValueError{p.text, p.at, raised.Error()}
	}
	return nil
}

func (p *valueParser) fail(problem string) { panic(&ValueError{p.text, p.at, problem}) }

func (p *valueParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *valueParser) atEnd() bool {
	p.space()
	return p.at == len(p.text)
}

func (p *valueParser) accept(token string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *valueParser) expect(token string) {
	if !p.accept(token) {
		p.fail("want " + token)
	}
}

// name reads an identifier; "" is none.
func (p *valueParser) name() string {
	p.space()
	end := p.at
	for end < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[end:])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		end += size
	}
	name := p.text[p.at:end]
	if strings.Trim(name, "0123456789") == "" {
		return "" // a number
	}
	p.at = end
	return name
}

func (p *valueParser) acceptWord(word string) bool {
	start := p.at
	if p.name() == word {
		return true
	}
	p.at = start
	return false
}

func (p *valueParser) value(depth int) value.Value {
	if depth > maxValueDepth {
		p.fail(fmt.Sprintf("nested more than %d levels deep", maxValueDepth))
	}
	switch {
	case p.accept("<<"):
		return value.NewTuple(p.list(">>", depth))
	case p.accept("{"):
		return value.NewSet(p.list("}", depth))
	case p.accept("["):
		return p.record(depth)
	case p.accept("("):
		return p.function(depth)
	case p.accept(`"`):
		return value.NewString(p.quoted())
	}
	if n := p.integer(); n != nil {
		if p.accept("..") {
			hi := p.integer()
			if hi == nil {
				p.fail("want a number after ..")
			}
			return value.Interval(n, hi)
		}
		return n
	}
	start := p.at
	switch name := p.name(); name {
	case "":
		p.fail("want a value")
	case "TRUE":
		return value.Bool(true)
	case "FALSE":
		return value.Bool(false)
	case "SUBSET", "UNION", "Nat", "Int", "Real", "Seq", "STRING", "BOOLEAN", "ANY", "null":
		p.at = start
		p.fail(name + " is an expression, not a value written out")
	default:
		return value.NewModel(name)
	}
	return nil
}

// list reads values up to the token that ends it.
func (p *valueParser) list(end string, depth int) []value.Value {
	var elems []value.Value
	for !p.accept(end) {
		if len(elems) > 0 {
			p.expect(",")
		}
		elems = append(elems, p.value(depth+1))
	}
	return elems
}

// record reads "a |-> 1, b |-> 2]".
func (p *valueParser) record(depth int) value.Value {
	var names, vals []value.Value
	seen := map[string]bool{}
	for !p.accept("]") {
		if len(names) > 0 {
			p.expect(",")
		}
		name := p.name()
		if name == "" || seen[name] {
			p.fail("want the name of another field")
		}
		seen[name] = true
		p.expect("|->")
		names, vals = append(names, value.NewString(name)), append(vals, p.value(depth+1))
	}
	return value.NewFunction(names, vals)
}

// function reads "a :> 1 @@ b :> 2)".
func (p *valueParser) function(depth int) value.Value {
	var args, vals []value.Value
	for {
		args = append(args, p.value(depth+1))
		p.expect(":>")
		vals = append(vals, p.value(depth+1))
		if p.accept(")") {
			return value.NewFunction(args, vals)
		}
		p.expect("@@")
	}
}

// integer reads a number; nil is none.
func (p *valueParser) integer() value.Value {
	p.space()
	end := p.at
	if end < len(p.text) && p.text[end] == '-' {
		end++
	}
	digits := end
	for end < len(p.text) && p.text[end] >= '0' && p.text[end] <= '9' {
		end++
	}
	// Model values may begin with a digit ("1_OF_A"), since TLC takes any identifier.
	if r, _ := utf8.DecodeRuneInString(p.text[end:]); end == digits || r == '_' || unicode.IsLetter(r) {
		return nil
	}
	const maxDigits = value.MaxBits / 3 // a digit has more than three bits
	if end-digits > maxDigits {
		p.fail("a number with too many digits")
	}
	n, _ := new(big.Int).SetString(p.text[p.at:end], 10) // only digits
	p.at = end
	return value.NewBig(n)
}

// quoted reads a string after its first quotation mark.
func (p *valueParser) quoted() string {
	var b strings.Builder
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		if c == '"' {
			p.at++
			return b.String()
		}
		if c != '\\' {
			b.WriteByte(c)
			continue
		}
		p.at++
		if p.at == len(p.text) {
			break
		}
		i := strings.IndexByte(`tnfr"\`, p.text[p.at])
		if i < 0 {
			p.fail("an escape that is not understood")
		}
		b.WriteByte("\t\n\f\r\"\\"[i])
	}
	p.fail("a string without an end")
	return ""
}
