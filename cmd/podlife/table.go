package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// plainWidth is how wide a table is on a terminal that does not say how wide it is.
const plainWidth = 80

// column is one of a table.
type column struct {
	head  string
	least int // how narrow it may be made to let the table fit; 0 is never cut
}

// table is rows of text for people on a terminal, with a head, in columns that fit; elsewhere the same rows for programs, each a line with tabs between whole fields, and no head.
type table struct {
	out     io.Writer
	width   int // of the terminal; 0 is none
	columns []column
	rows    [][]string
}

func tableFor(out io.Writer, columns ...column) *table {
	t := &table{out: out, columns: columns}
	if f := fileOf(out); f != nil && term.IsTerminal(int(f.Fd())) {
		t.width = plainWidth
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			t.width = w
		}
	}
	return t
}

// add adds a row of foreign text.
func (t *table) add(fields ...string) {
	for i, f := range fields {
		fields[i] = cell(f)
	}
	t.rows = append(t.rows, fields)
}

// print prints it; where there is no row, people are told that, and programs nothing.
func (t *table) print(empty string) error {
	var b strings.Builder
	switch {
	case t.width == 0:
		for _, row := range t.rows {
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
	case len(t.rows) == 0:
		b.WriteString(empty + "\n")
	default:
		t.layOut(&b)
	}
	_, err := io.WriteString(t.out, b.String())
	return err
}

// layOut writes head and rows, leaving out a column that is empty in every row, and cutting from the right what may be cut until it fits.
func (t *table) layOut(b *strings.Builder) {
	const gap = 2
	head := make([]string, len(t.columns))
	widths := make([]int, len(t.columns))
	total := -gap
	for i, c := range t.columns {
		head[i] = c.head
		for _, row := range t.rows {
			widths[i] = max(widths[i], cells(row[i]))
		}
		if widths[i] > 0 {
			widths[i] = max(widths[i], cells(c.head))
			total += widths[i] + gap
		}
	}
	for i := len(widths) - 1; i >= 0 && total > t.width; i-- {
		if least := t.columns[i].least; least > 0 && widths[i] > least {
			cut := min(total-t.width, widths[i]-least)
			widths[i], total = widths[i]-cut, total-cut
		}
	}
	for _, row := range append([][]string{head}, t.rows...) {
		line := ""
		for i, text := range row {
			if widths[i] > 0 {
				text = shorten(text, widths[i])
				line += text + strings.Repeat(" ", widths[i]-cells(text)+gap)
			}
		}
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
}

// shorten cuts a text to so many cells, and shows that it did.
func shorten(s string, width int) string {
	if cells(s) <= width {
		return s
	}
	used, keep := 1, 0 // the sign takes one
	for i, r := range s {
		if used += cells(string(r)); used > width {
			break
		}
		keep = i + len(string(r))
	}
	return s[:keep] + "…"
}

// cells is how many cells of a terminal a printable text takes, as far as that can be said of every terminal.
func cells(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul), r >= 0x1f300 && r <= 0x1faff, r >= 0xff01 && r <= 0xff60:
			n += 2
		default:
			n++
		}
	}
	return n
}
