package module

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"podlife/tla/diag"
	"podlife/tla/syntax"
)

// A commentIndex finds the comments of a source by their lines, for the notes that are written in them: "guard: name", "disjunct: name" and
// "vacuous-ok: reason".
type commentIndex struct {
	source *diag.Source
	lines  map[int][]syntax.Comment // by the line a comment starts on
	taken  map[noteKey]bool
}

type noteKey struct {
	line int
	key  string
}

func newCommentIndex(m *syntax.Module) *commentIndex {
	index := &commentIndex{source: m.Span.Source, lines: map[int][]syntax.Comment{}, taken: map[noteKey]bool{}}
	for _, c := range m.Comments {
		line, _ := index.source.Position(c.Span.Start)
		index.lines[line] = append(index.lines[line], c)
	}
	return index
}

// note gives what stands after a key in a comment that starts on that line, up to the line's end, or "". A longer word that ends like the key is
// another one.
func (c *commentIndex) note(line int, key string) string {
	for _, comment := range c.lines[line] {
		for text := range strings.Lines(comment.Text) {
			before, after, found := strings.Cut(text, key+":")
			if found && !endsInWord(before) {
				return strings.TrimSpace(after)
			}
		}
	}
	return ""
}

func endsInWord(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return last == '-' || last == '_' || unicode.IsLetter(last) || unicode.IsDigit(last)
}

// lineSpan gives the first and the last line of a place.
func (c *commentIndex) lineSpan(at diag.Span) (first, last int) {
	first, _ = c.source.Position(at.Start)
	last, _ = c.source.Position(max(at.Start, at.End-1))
	return first, last
}

// itemName is the name that a comment on the last line of an item gives it: "guard: name" in a list of conjuncts, "disjunct: name" in one of
// disjuncts. Where an inner list ends on the same line, its item has the name, and the outer one has none.
func (c *commentIndex) itemName(at diag.Span, or bool) string {
	_, last := c.lineSpan(at)
	key := "guard"
	if or {
		key = "disjunct"
	}
	if words := strings.Fields(c.take(last, key)); len(words) > 0 {
		return words[0]
	}
	return ""
}

// itemVacuous is the reason in "vacuous-ok: reason" on one of an item's lines, or "". As with names, it is for the innermost item.
func (c *commentIndex) itemVacuous(at diag.Span) string {
	first, last := c.lineSpan(at)
	for line := first; line <= last; line++ {
		if reason := c.take(line, "vacuous-ok"); reason != "" {
			return reason
		}
	}
	return ""
}

// take gives a note for the first that asks for it.
func (c *commentIndex) take(line int, key string) string {
	k := noteKey{line, key}
	if c.taken[k] {
		return ""
	}
	text := c.note(line, key)
	if text != "" {
		c.taken[k] = true
	}
	return text
}

// noteVacuous keeps the reason in "vacuous-ok: reason" beside the first line of a definition or in the comments directly above it.
func (r *resolver) noteVacuous(d *Definition) {
	first, _ := r.comments.lineSpan(d.Span)
	if reason := r.comments.take(first, "vacuous-ok"); reason != "" {
		r.m.Vacuous[d] = reason
		return
	}
	for line := first - 1; r.comments.onlyComment(line); line-- {
		if reason := r.comments.take(line, "vacuous-ok"); reason != "" {
			r.m.Vacuous[d] = reason
			return
		}
	}
}

// onlyComment tells whether a comment starts on that line and nothing stands before it.
func (c *commentIndex) onlyComment(line int) bool {
	text := strings.TrimSpace(c.source.Line(line))
	return len(c.lines[line]) > 0 && (strings.HasPrefix(text, `\*`) || strings.HasPrefix(text, "(*"))
}
