package diag

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// spanOf is the place of the first occurrence of a piece of a source.
func spanOf(s *Source, piece string) Span {
	at := strings.Index(string(s.Text), piece)
	if at < 0 {
		panic("the source has no " + piece)
	}
	return Span{s, at, at + len(piece)}
}

func render(err error, color bool) string {
	var b strings.Builder
	Render(&b, err, color)
	return b.String()
}

func TestRender(t *testing.T) {
	source := NewSource("Spec.tla", []byte("---- MODULE Spec ----\nEXTENDS Nope\n\tx == (1,\n\ny == \"日本\" + e\u0301 * z\nlast"))
	other := NewSource("Other.tla", []byte("---- MODULE Other ----\nx == 2\n===="))
	mark := func(piece string) Span { return spanOf(source, piece) }
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"an error underlines its place", Errorf("unknown-module", mark("Nope"), "there is no module Nope"), `
error[unknown-module]: there is no module Nope
 --> Spec.tla:2:9
  |
2 | EXTENDS Nope
  |         ^^^^
`},
		{"help comes last", &Error{Code: "c", Span: mark("Nope"), Message: "m", Help: "do this"}, `
error[c]: m
 --> Spec.tla:2:9
  |
2 | EXTENDS Nope
  |         ^^^^
  = help: do this
`},
		{"a tab takes the columns that it is shown with", Errorf("c", mark("(1"), "m"), `
error[c]: m
 --> Spec.tla:3:7
  |
3 |         x == (1,
  |              ^^
`},
		{"wide characters take two columns and combining ones none", Errorf("c", mark("z"), "m"), `
error[c]: m
 --> Spec.tla:5:18
  |
5 | y == "日本" + é * z
  |                   ^
`},
		{"an empty place is one column wide", Errorf("c", Span{source, len(source.Text), len(source.Text)}, "m"), `
error[c]: m
 --> Spec.tla:6:5
  |
6 | last
  |     ^
`},
		{"a place over several lines is underlined in its first", Errorf("c", Span{source, mark("(1").Start, mark("last").End}, "m"), `
error[c]: m
 --> Spec.tla:3:7
  |
3 |         x == (1,
  |              ^^^
`},
		{"notes stand at their lines", &Error{Code: "c", Span: mark("z"), Message: "m", Notes: []Note{
			{mark("(1"), "opened here"}, {mark("Nope"), "named here"}, {Span{spanOf(other, "x").Source, 23, 24}, "and here"}, {Span{}, "nowhere"},
		}}, `
error[c]: m
 --> Spec.tla:5:18
  |
2 | EXTENDS Nope
  |         ---- named here
3 |         x == (1,
  |              -- opened here
...
5 | y == "日本" + é * z
  |                   ^
 ::: Other.tla:2:1
  |
2 | x == 2
  | - and here
  = note: nowhere
`},
		{"two marks of one line have a line each", &Error{Code: "c", Span: mark("EXTENDS"), Message: "m", Notes: []Note{{mark("Nope"), "n"}}}, `
error[c]: m
 --> Spec.tla:2:1
  |
2 | EXTENDS Nope
  | ^^^^^^^
  |         ---- n
`},
		{"an error without a place has a headline only", Errorf("c", Span{}, "m"), `
error[c]: m
`},
		{"several errors come one after the other", fmt.Errorf("loading: %w", List{Errorf("a", Span{}, "first"), Errorf("b", Span{}, "second")}), `
error[a]: first

error[b]: second
`},
		{"any other error is its text", errors.New("disk full"), `
error: disk full
`},
		{"no error is no text", nil, "\n"},
		{"control characters do not reach the terminal", Errorf("c", Span{NewSource("a\x1bb", []byte("x \x1b[31m y\u202e")), 0, 1}, "m\x1b\nn"), `
error[c]: m� n
 --> a�b:1:1
  |
1 | x �[31m y�
  | ^
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := render(test.err, false); "\n"+got != test.want {
				t.Errorf("got\n%s\nwant%s", got, test.want)
			}
		})
	}
}

func TestRenderShowsThePartOfALongLineAroundTheMark(t *testing.T) {
	source := NewSource("f", []byte(strings.Repeat("a", 1000)+"!"+strings.Repeat("b", 1000)))
	lines := strings.Split(render(Errorf("c", spanOf(source, "!"), "m"), false), "\n")
	text, under := lines[3], lines[4]
	if len([]rune(text)) > maxColumns+10 || !strings.HasPrefix(text, "1 | …aaa") || !strings.HasSuffix(text, "bbb…") {
		t.Errorf("the line is shown as %q", text)
	}
	// "…" is one column of three bytes.
	if at := strings.Index(text, "!") - len("…") + 1; strings.Index(under, "^") != at {
		t.Errorf("the mark is in column %d, the character in %d", strings.Index(under, "^"), at)
	}
}

func TestRenderShowsTheBeginningOfALongLine(t *testing.T) {
	source := NewSource("f", []byte(strings.Repeat("a", 1000)))
	lines := strings.Split(render(Errorf("c", Span{source, 0, 1000}, "m"), false), "\n")
	if want := "1 | " + strings.Repeat("a", maxColumns) + "…"; lines[3] != want {
		t.Errorf("got %q", lines[3])
	}
	if got := strings.Count(lines[4], "^"); got > maxColumns+1 {
		t.Errorf("%d columns are underlined, more than are shown", got)
	}
}

// Only the head has another word: an error's text is what it is.
func TestRenderAsChangesTheHeadAlone(t *testing.T) {
	err := List{{Code: "an-error", Message: "an error in error.tla"}, {Message: "error"}}
	for head, want := range map[string]string{
		"warning": "warning[an-error]: an error in error.tla\n\nwarning: error\n", "error error": "error error[an-error]: an error in error.tla\n\nerror error: error\n",
	} {
		var b strings.Builder
		if RenderAs(&b, head, err, false); b.String() != want {
			t.Errorf("got\n%q\nwant\n%q", b.String(), want)
		}
	}
}

func TestRenderInColor(t *testing.T) {
	source := NewSource("f", []byte("x"))
	got := render(&Error{Code: "c", Span: spanOf(source, "x"), Message: "m", Help: "h"}, true)
	want := "\x1b[1;31merror[c]\x1b[0m\x1b[1m: m\x1b[0m\n" +
		" \x1b[1;34m-->\x1b[0m f:1:1\n" +
		" \x1b[1;34m |\x1b[0m\n" +
		"\x1b[1;34m1 |\x1b[0m x\n" +
		" \x1b[1;34m |\x1b[0m \x1b[1;31m^\x1b[0m\n" +
		"  \x1b[1;34m=\x1b[0m \x1b[1mhelp\x1b[0m: h\n"
	if got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestPositionCountsCharacters(t *testing.T) {
	source := NewSource("f", []byte("a\r\n∧b\n"))
	for _, test := range []struct{ offset, line, column int }{
		{0, 1, 1}, {2, 1, 3}, {3, 2, 1}, {6, 2, 2}, {7, 2, 3}, {8, 3, 1}, {99, 3, 1}, {-1, 1, 1},
	} {
		if line, column := source.Position(test.offset); line != test.line || column != test.column {
			t.Errorf("offset %d is %d:%d, want %d:%d", test.offset, line, column, test.line, test.column)
		}
	}
	for i, want := range []string{"", "a", "∧b", "", ""} {
		if got := source.Line(i); got != want {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	source := NewSource("f", []byte("abc\ndef"))
	a, b := Span{source, 4, 5}, Span{source, 0, 2}
	if got := a.To(b); got != (Span{source, 0, 5}) {
		t.Errorf("the span from a to b is %+v", got)
	}
	if a.To(Span{}) != a || (Span{}).To(a) != a || a.To(Span{NewSource("g", nil), 0, 0}) != a {
		t.Error("a span to an unknown place is not the known one")
	}
	if a.Text() != "d" || (Span{}).Text() != "" || (Span{source, 5, 99}).Text() != "ef" || (Span{source, 9, 3}).Text() != "" {
		t.Error("the text of a span is wrong")
	}
	if a.String() != "f:2:1" || (Span{}).String() != "unknown place" || (Span{}).Known() {
		t.Error("the name of a span is wrong")
	}
}

func TestErrorsCanBeTakenApart(t *testing.T) {
	a, b := Errorf("a", Span{}, "x %d", 1), Errorf("b", Span{NewSource("f", nil), 0, 0}, "y")
	if a.Error() != "x 1" || b.Error() != "f:1:1: y" {
		t.Errorf("the errors read %q and %q", a, b)
	}
	list := List{b, a}
	if list.Error() != "f:1:1: y (and 1 more)" || (List{b}).Error() != "f:1:1: y" || (List{}).Error() != "no errors" {
		t.Error("a list reads wrongly")
	}
	if (List{}).Err() != nil || list.Err() == nil {
		t.Error("the error of a list is wrong")
	}
	wrapped := fmt.Errorf("w: %w", list)
	if got := All(wrapped); len(got) != 2 || got[0] != b {
		t.Errorf("the wrapped list holds %v", got)
	}
	if got := All(fmt.Errorf("w: %w", a)); len(got) != 1 || got[0] != a {
		t.Errorf("the wrapped error holds %v", got)
	}
	if All(errors.New("x")) != nil {
		t.Error("an error of another package holds errors of this one")
	}
	var one *Error
	if !errors.As(wrapped, &one) || one != b {
		t.Error("errors.As does not find the first error of a list")
	}
}
