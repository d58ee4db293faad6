package value

import (
	"strconv"
	"strings"
	"unicode"
)

// A printer writes values as TLC prints them. With a limit, it stops soon after that many bytes, and evaluates nothing: lazy values are
// printed as the expressions that they are, since evaluating one may be what just failed.
type printer struct {
	b     []byte
	limit int // 0: none
	depth int
}

// Limits of TLC's above which it prints a lazy set as the expression that it is.
const (
	maxPrintedSubsets   = 7    // elements of the set of which the subsets are
	maxPrintedFunctions = 2000 // elements of a set of functions, records or tuples
)

// brief prints a value for a message, cut off after some hundred characters.
func brief(v Value) string {
	p := printer{limit: 400}
	if err := Catch(func() { p.value(v) }); err != nil {
		p.text("...")
	}
	if len(p.b) > p.limit {
		return strings.ToValidUTF8(string(p.b[:p.limit]), "") + "..."
	}
	return string(p.b)
}

func render(v Value) string {
	var p printer
	if err := Catch(func() { p.value(v) }); err != nil {
		return string(p.b) + "..."
	}
	return string(p.b)
}

// Print appends a value as TLC prints it.
func Print(b []byte, v Value) []byte {
	p := printer{b: b}
	p.value(v)
	return p.b
}

func (p *printer) text(s string) { p.b = append(p.b, s...) }

func (p *printer) full() bool { return p.limit > 0 && len(p.b) > p.limit }

func (p *printer) value(v Value) {
	p.depth++
	tooDeep(p.depth)
	switch v := v.(type) {
	case Bool:
		if v {
			p.text("TRUE")
		} else {
			p.text("FALSE")
		}
	case Int:
		p.b = strconv.AppendInt(p.b, int64(v), 10)
	case *Big:
		if p.limit > 0 && v.n.BitLen() > 4*p.limit {
			p.text("an integer of " + strconv.Itoa(v.n.BitLen()) + " bits")
		} else {
			p.b = v.n.Append(p.b, 10)
		}
	case *Str:
		p.quoted(v.text)
	case *Model:
		p.text(v.Name)
	case *Tuple:
		p.list("<<", v.elems, ", ", ">>")
	case *Record:
		p.record(v)
	case *Function:
		p.function(v)
	case *Set:
		p.list("{", v.elems, ", ", "}")
	case *Operator:
		p.text("<operator>")
	case Infinite:
		p.text(v.String())
	case lazySet:
		v.print(p)
	case *Lambda:
		p.lambda(v)
	}
	p.depth--
}

func (p *printer) list(open string, elems []Value, sep, shut string) {
	p.text(open)
	for i, e := range elems {
		if i > 0 {
			p.text(sep)
		}
		if p.full() {
			return
		}
		p.value(e)
	}
	p.text(shut)
}

func (p *printer) quoted(s string) {
	p.b = append(p.b, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"':
			p.text(`\"`)
		case '\\':
			p.text(`\\`)
		case '\t':
			p.text(`\t`)
		case '\n':
			p.text(`\n`)
		case '\f':
			p.text(`\f`)
		case '\r':
			p.text(`\r`)
		default:
			p.b = append(p.b, c)
		}
	}
	p.b = append(p.b, '"')
}

// record prints a record, or, when some string of its domain is no name, a function of strings.
func (p *printer) record(r *Record) {
	for _, t := range r.shape.texts {
		if !isName(t.text) {
			p.pairs(r.shape.args, r.vals)
			return
		}
	}
	p.text("[")
	for i, t := range r.shape.texts {
		if i > 0 {
			p.text(", ")
		}
		if p.full() {
			return
		}
		p.text(t.text)
		p.text(" |-> ")
		p.value(r.vals[i])
	}
	p.text("]")
}

// isName tells whether TLC prints a function of such strings as a record.
func isName(s string) bool {
	letter := false
	for _, c := range s {
		switch {
		case unicode.IsLetter(c):
			letter = true
		case c != '_' && !unicode.IsDigit(c):
			return false
		}
	}
	return letter && (len(s) < 4 || !strings.HasPrefix(s, "WF_") && !strings.HasPrefix(s, "SF_"))
}

func (p *printer) function(f *Function) { p.pairs(f.shape.args, f.vals) }

func (p *printer) pairs(args, vals []Value) {
	p.text("(")
	for i, a := range args {
		if i > 0 {
			p.text(" @@ ")
		}
		if p.full() {
			return
		}
		p.value(a)
		p.text(" :> ")
		p.value(vals[i])
	}
	p.text(")")
}

// expand prints the elements of a lazy set if there are fewer than limit, and they can be had.
func (p *printer) expand(s lazySet, size Value, limit int64) bool {
	if n, ok := size.(Int); !ok || int64(n) >= limit || p.limit > 0 {
		return false
	}
	var set *Set
	if Catch(func() { set = s.normal(nil) }) != nil {
		return false
	}
	p.value(set)
	return true
}

// sizeOf is the cardinality of a set, or nil when it has none.
func (p *printer) sizeOf(s Value) (n Value) {
	if p.limit > 0 || Catch(func() { n = Cardinality(s) }) != nil {
		return nil
	}
	return n
}

func (r *Range) print(p *printer) {
	if r.hi < r.lo {
		p.text("{}")
		return
	}
	p.b = strconv.AppendInt(p.b, r.lo, 10)
	p.text("..")
	p.b = strconv.AppendInt(p.b, r.hi, 10)
}

func (s *Subsets) print(p *printer) {
	if n, ok := p.sizeOf(s.of).(Int); ok && n < maxPrintedSubsets && p.expand(s, Int(0), 1) {
		return
	}
	p.text("SUBSET ")
	if _, ok := s.of.(*Range); ok {
		p.text("(")
		p.value(s.of)
		p.text(")")
		return
	}
	p.value(s.of)
}

func (f *Functions) print(p *printer) {
	if p.expand(f, p.sizeOf(f), maxPrintedFunctions) {
		return
	}
	p.text("[")
	p.value(f.domain)
	p.text(" -> ")
	p.value(f.codomain)
	p.text("]")
}

func (r *Records) print(p *printer) {
	if p.expand(r, p.sizeOf(r), maxPrintedFunctions) {
		return
	}
	p.text("[")
	for i, t := range r.shape.texts {
		if i > 0 {
			p.text(", ")
		}
		p.text(t.text)
		p.text(": ")
		p.value(r.sets[i])
	}
	p.text("]")
}

func (t *Tuples) print(p *printer) {
	if p.expand(t, p.sizeOf(t), maxPrintedFunctions) {
		return
	}
	p.list("(", t.sets, ` \X `, ")")
}

func (u *UnionSet) print(p *printer) {
	if p.whole(u) {
		return
	}
	p.text("UNION(")
	p.value(u.of)
	p.text(")")
}

// whole prints the elements of a lazy set if they can be had.
func (p *printer) whole(s lazySet) bool {
	ok := false
	if p.limit > 0 || Catch(func() { ok = s.isFinite(nil) }) != nil || !ok {
		return false
	}
	return p.expand(s, Int(0), 1)
}

func (f *Filtered) print(p *printer) {
	if p.whole(f) {
		return
	}
	p.text(`{x \in `)
	p.value(f.of)
	p.text(" : ...}")
}

func (c *Combined) print(p *printer) {
	if p.whole(c) {
		return
	}
	p.value(c.a)
	p.text(map[byte]string{opCup: ` \cup `, opCap: ` \cap `, opDiff: ` \ `}[c.op])
	p.value(c.b)
}

func (s *SequenceSet) print(p *printer) {
	if s.most < 0 {
		p.text("Seq(")
		p.value(s.of)
		p.text(")")
		return
	}
	p.text("BSeq(")
	p.value(s.of)
	p.text(", " + strconv.Itoa(s.most) + ")")
}

func (p *printer) lambda(f *Lambda) {
	var v Value
	if p.limit == 0 && Catch(func() { v = f.normal(nil) }) == nil {
		p.value(v)
		return
	}
	p.text(`[x \in `)
	p.value(f.domain)
	p.text(" |-> ...]")
}

// String prints TRUE or FALSE.
func (b Bool) String() string { return render(b) }

// String prints the integer in decimal.
func (i Int) String() string { return strconv.FormatInt(int64(i), 10) }

// String prints the integer in decimal.
func (b *Big) String() string { return render(b) }

// String prints the string in quotation marks, with TLA+'s escapes.
func (s *Str) String() string { return render(s) }

// String is the model value's name.
func (m *Model) String() string { return m.Name }

// String prints <<a, b>>.
func (t *Tuple) String() string { return render(t) }

// String prints [a |-> 1, b |-> 2].
func (r *Record) String() string { return render(r) }

// String prints (a :> 1 @@ b :> 2).
func (f *Function) String() string { return render(f) }

// String prints {a, b}.
func (s *Set) String() string { return render(s) }

// String names it an operator; it has no other text.
func (o *Operator) String() string { return render(o) }

// String prints lo..hi.
func (r *Range) String() string { return render(r) }

// String prints the elements when there are few, or else SUBSET S.
func (s *Subsets) String() string { return render(s) }

// String prints the elements when there are few, or else [S -> T].
func (f *Functions) String() string { return render(f) }

// String prints the elements when there are few, or else [a: S, b: T].
func (r *Records) String() string { return render(r) }

// String prints the elements when there are few, or else (S \X T).
func (t *Tuples) String() string { return render(t) }

// String prints the elements when there is an end to them.
func (u *UnionSet) String() string { return render(u) }

// String prints the elements when there is an end to them.
func (c *Combined) String() string { return render(c) }

// String prints the elements when there is an end to them.
func (f *Filtered) String() string { return render(f) }

// String prints Seq(S).
func (s *SequenceSet) String() string { return render(s) }

// String prints the function written out when that is possible.
func (f *Lambda) String() string { return render(f) }
