package module

import (
	"strings"

	"podlife/tla/diag"
	"podlife/tla/syntax"
)

// A commentIndex finds the comments of a source by their lines, for the notes that are written in them: "guard: name", "disjunct: name" and
// "vacuous-ok: reason".
type commentIndex struct {
	source *diag.Source
	lines  map[int][]syntax.Comment // by the line a comment starts on
	ends   map[int][]syntax.Comment // by the line a comment ends on
	taken  map[noteKey]bool
}

type noteKey struct {
	line int
	key  string
}

func newCommentIndex(m *syntax.Module) *commentIndex {
	index := &commentIndex{source: m.Span.Source, lines: map[int][]syntax.Comment{}, ends: map[int][]syntax.Comment{}, taken: map[noteKey]bool{}}
	for _, c := range m.Comments {
		first, last := index.lineSpan(c.Span)
		index.lines[first] = append(index.lines[first], c)
		index.ends[last] = append(index.ends[last], c)
	}
	return index
}

// note gives what stands after a key in a comment that starts on that line, up to the line's end, or "". The key begins a line of the comment, after
// the stars of a box, or follows the sign of a comment inside it: in the middle of a sentence it is a word like others.
func (c *commentIndex) note(line int, key string) string {
	for _, comment := range c.lines[line] {
		for text := range strings.Lines(comment.Text) {
			if after := keyed(text, key+":"); after != "" {
				return after
			}
		}
	}
	return ""
}

// keyed is what a line of a comment says after a key, or "".
func keyed(text, key string) string {
	for at := 0; ; at += len(key) {
		i := strings.Index(text[at:], key)
		if i < 0 {
			return ""
		}
		at += i
		before := strings.TrimRight(text[:at], " \t")
		if strings.Trim(before, " \t*") == "" || strings.HasSuffix(before, `\*`) || strings.HasSuffix(before, "(*") {
			after, _, _ := strings.Cut(text[at+len(key):], "*)")
			return strings.Trim(after, " \t\r\n*")
		}
	}
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
	for line := first - 1; ; {
		start := r.comments.blockEnding(line)
		if start == 0 {
			return
		}
		for ; line >= start; line-- {
			if reason := r.comments.take(line, "vacuous-ok"); reason != "" {
				r.m.Vacuous[d] = reason
				return
			}
		}
	}
}

// blockEnding gives the first line of the lines up to this one on which stands a comment of one or several lines and nothing else, or 0.
func (c *commentIndex) blockEnding(line int) int {
	all := c.ends[line]
	if len(all) == 0 {
		return 0
	}
	// What stands before the first comment, and behind the last.
	first, _ := c.lineSpan(all[0].Span)
	before, _, _ := strings.Cut(c.source.Line(first), all[0].Span.Text()[:2])
	end := all[len(all)-1].Span.End
	_, column := c.source.Position(end)
	behind := []rune(c.source.Line(line))[column-1:]
	if strings.TrimSpace(before) != "" || strings.TrimSpace(string(behind)) != "" {
		return 0
	}
	return first
}
