package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How a line is shown: tabs go to the next multiple of tabWidth, by which TLA+ aligns too, and of a longer line only the part around the mark
// is shown.
const (
	tabWidth   = 8
	maxColumns = 160
)

// A shown is a line of a source as it appears on a terminal.
type shown struct {
	start int    // the offset at which the line starts
	raw   string // the line
	text  string // as it is shown, a part of it where the line is long
	skip  int    // how many columns of the line are not shown at its left end
	lead  int    // how many columns the sign takes that stands for them
}

// newShown prepares a line of a source. at is an offset inside that must be shown.
func newShown(source *Source, line, at int) shown {
	s := shown{start: source.lines[line-1], raw: source.Line(line)}
	full := expand(s.raw)
	total := columnsOf(full)
	if total <= maxColumns {
		s.text = full
		return s
	}
	column := columnsOf(expand(s.raw[:s.inside(at)]))
	from := max(0, min(column-maxColumns/2, total-maxColumns))
	text := cut(full, from, from+maxColumns)
	if from > 0 {
		s.skip, s.lead = from, 1
		text = "…" + text
	}
	if from+maxColumns < total {
		text += "…"
	}
	s.text = text
	return s
}

// inside gives an offset relative to the line, bounded by it.
func (s shown) inside(at int) int { return max(0, min(at-s.start, len(s.raw))) }

// columns gives where a span that starts in the line is shown, and how many columns of it, one at least. What is on further lines counts for
// nothing.
func (s shown) columns(span Span) (start, length int) {
	from, to := s.inside(span.Start), s.inside(max(span.Start, span.End))
	before := columnsOf(expand(s.raw[:from]))
	behind := columnsOf(expand(s.raw[:to]))
	start = max(0, before-s.skip+s.lead)
	length = max(1, behind-before)
	if limit := columnsOf(s.text) - start; limit > 0 && s.text != expand(s.raw) {
		length = min(length, limit)
	}
	return start, length
}

// expand writes out tabs, and replaces what a terminal would act on instead of showing it.
func expand(line string) string {
	var b strings.Builder
	column := 0
	for _, r := range line {
		if r == '\t' {
			n := tabWidth - column%tabWidth
			b.WriteString(strings.Repeat(" ", n))
			column += n
			continue
		}
		r = visible(r)
		b.WriteRune(r)
		column += width(r)
	}
	return b.String()
}

// printable makes a message safe to be shown on one line: control characters are replaced.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return visible(r)
	}, text)
}

// visible replaces characters that control a terminal, or the direction of its text.
func visible(r rune) rune {
	if r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
		return utf8.RuneError
	}
	return r
}

// cut gives the characters of a text between two columns.
func cut(text string, from, to int) string {
	var b strings.Builder
	column := 0
	for _, r := range text {
		if column >= from && column+width(r) <= to {
			b.WriteRune(r)
		}
		column += width(r)
	}
	return b.String()
}

func columnsOf(text string) int {
	n := 0
	for _, r := range text {
		n += width(r)
	}
	return n
}

// width is how many columns of a terminal a character takes: none if it goes with the one before it, two if it is wide.
func width(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// wide are the characters that take two columns: the main ranges of East Asian Width W and F (Unicode Standard Annex 11), and pictographs. It
// is not changed.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1},
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1},
		{Lo: 0x3041, Hi: 0x33ff, Stride: 1},
		{Lo: 0x3400, Hi: 0x4dbf, Stride: 1},
		{Lo: 0x4e00, Hi: 0x9fff, Stride: 1},
		{Lo: 0xa000, Hi: 0xa4cf, Stride: 1},
		{Lo: 0xa960, Hi: 0xa97f, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff01, Hi: 0xff60, Stride: 1},
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x16fe0, Hi: 0x18aff, Stride: 1},
		{Lo: 0x1b000, Hi: 0x1b2ff, Stride: 1},
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1},
		{Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1},
		{Lo: 0x1f900, Hi: 0x1faff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1},
	},
}
