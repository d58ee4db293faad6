package diag

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Render writes an error for people: what is wrong, the line where, with the place underlined, the other places that have to do with it, and
// what to do. Several errors come one after the other. color adds the control sequences of terminals. An error that is none of this package is
// written as its text. Errors of w are ignored.
func Render(w io.Writer, err error, color bool) { RenderAs(w, "error", err, color) }

// RenderAs is Render with another word at the head, such as "warning".
func RenderAs(w io.Writer, head string, err error, color bool) {
	if err == nil {
		return
	}
	out := bufio.NewWriter(w)
	defer out.Flush()
	r := renderer{out, head, color}
	all := All(err)
	if len(all) == 0 {
		r.headline("", err.Error())
		return
	}
	for i, e := range all {
		if i > 0 {
			r.line("")
		}
		r.error(e)
	}
}

// The control sequences in use. paintNone ends the others.
const (
	paintNone   = "\x1b[0m"
	paintBold   = "\x1b[1m"
	paintError  = "\x1b[1;31m"
	paintGutter = "\x1b[1;34m"
)

// A renderer writes errors.
type renderer struct {
	out   *bufio.Writer
	head  string // what each of them is called
	color bool
}

// A mark is a place to underline.
type mark struct {
	span    Span
	line    int // in which it starts
	primary bool
	label   string
}

func (r renderer) paint(how, text string) string {
	if !r.color || text == "" {
		return text
	}
	return how + text + paintNone
}

func (r renderer) line(text string) { fmt.Fprintln(r.out, text) }

func (r renderer) headline(code Code, message string) {
	head := r.head
	if code != "" {
		head += "[" + string(code) + "]"
	}
	r.line(r.paint(paintError, head) + r.paint(paintBold, ": "+printable(message)))
}

// error writes one error.
func (r renderer) error(e *Error) {
	r.headline(e.Code, e.Message)
	groups := group(e)
	width := 1
	for _, marks := range groups {
		for _, m := range marks {
			width = max(width, len(fmt.Sprint(m.line)))
		}
	}
	for _, marks := range groups {
		r.snippet(marks, width)
	}
	indent := strings.Repeat(" ", width)
	for _, n := range e.Notes {
		if !n.Span.Known() {
			r.line(indent + " " + r.paint(paintGutter, "=") + " " + r.paint(paintBold, "note") + ": " + printable(n.Message))
		}
	}
	if e.Help != "" {
		r.line(indent + " " + r.paint(paintGutter, "=") + " " + r.paint(paintBold, "help") + ": " + printable(e.Help))
	}
}

// group gives the places of an error by source, that of the error first.
func group(e *Error) [][]mark {
	var groups [][]mark
	add := func(m mark) {
		if !m.span.Known() {
			return
		}
		m.line, _ = m.span.Source.Position(m.span.Start)
		i := slices.IndexFunc(groups, func(g []mark) bool { return g[0].span.Source == m.span.Source })
		if i < 0 {
			groups = append(groups, []mark{m})
			return
		}
		groups[i] = append(groups[i], m)
	}
	add(mark{span: e.Span, primary: true})
	for _, n := range e.Notes {
		add(mark{span: n.Span, label: n.Message})
	}
	return groups
}

// snippet writes the lines of one source that have marks. width is that of the line numbers.
func (r renderer) snippet(marks []mark, width int) {
	indent := strings.Repeat(" ", width)
	arrow := "-->"
	if !marks[0].primary {
		arrow = ":::"
	}
	r.line(indent + r.paint(paintGutter, arrow) + " " + printable(marks[0].span.String()))
	r.line(indent + r.paint(paintGutter, " |"))
	slices.SortStableFunc(marks, func(a, b mark) int { return a.line - b.line })
	last := 0
	for i := 0; i < len(marks); {
		number := marks[i].line
		if last > 0 && number > last+1 {
			r.line(r.paint(paintGutter, "..."))
		}
		last = number
		source := marks[i].span.Source
		shown := newShown(source, number, marks[i].span.Start)
		r.line(r.paint(paintGutter, fmt.Sprintf("%*d |", width, number)) + withSpace(shown.text))
		for ; i < len(marks) && marks[i].line == number; i++ {
			m := marks[i]
			start, length := shown.columns(m.span)
			sign, how := "-", paintGutter
			if m.primary {
				sign, how = "^", paintError
			}
			under := strings.Repeat(sign, length)
			if m.label != "" {
				under += " " + printable(m.label)
			}
			r.line(indent + r.paint(paintGutter, " |") + " " + strings.Repeat(" ", start) + r.paint(how, under))
		}
	}
}

// withSpace puts a space before a text that is not empty.
func withSpace(text string) string {
	if text == "" {
		return ""
	}
	return " " + text
}
