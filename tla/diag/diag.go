// Package diag is how every part that reads TLA+ says what is wrong and where: a place in a source text, an error with a code, and
// the picture of both for people.
//
// It imports nothing of the project, and only the standard library. Read first: diag.go.
package diag

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// A Source is one text with the name under which it is shown: a file name, or something like "<expression>".
type Source struct {
	Name string
	Text []byte

	lines []int // the offset at which each line starts
}

// NewSource takes a text and its name. The text must not be changed afterwards.
func NewSource(name string, text []byte) *Source {
	s := &Source{Name: name, Text: text, lines: []int{0}}
	for i, b := range text {
		if b == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// Position gives line and column of a byte offset. Both count from 1; a column is a character, not a byte. An offset beyond the text
// is taken for its end.
func (s *Source) Position(offset int) (line, column int) {
	offset = max(0, min(offset, len(s.Text)))
	i := sort.SearchInts(s.lines, offset+1) - 1
	return i + 1, utf8.RuneCount(s.Text[s.lines[i]:offset]) + 1
}

// Line gives the text of a line, which counts from 1, without its end.
func (s *Source) Line(line int) string {
	if line < 1 || line > len(s.lines) {
		return ""
	}
	end := len(s.Text)
	if line < len(s.lines) {
		end = s.lines[line] - 1
	}
	return strings.TrimRight(string(s.Text[s.lines[line-1]:end]), "\r")
}

// A Span is a piece of a source, from Start up to but without End, in bytes. The zero Span is no place at all.
type Span struct {
	Source     *Source
	Start, End int
}

// Known tells whether the span names a place.
func (s Span) Known() bool { return s.Source != nil }

// Text is what the source says there.
func (s Span) Text() string {
	if s.Source == nil {
		return ""
	}
	end := max(0, min(s.End, len(s.Source.Text)))
	return string(s.Source.Text[min(max(0, s.Start), end):end])
}

// To gives the span from the start of s to the end of t. Where one of them is unknown, it is the other.
func (s Span) To(t Span) Span {
	switch {
	case !s.Known():
		return t
	case !t.Known() || t.Source != s.Source:
		return s
	}
	return Span{s.Source, min(s.Start, t.Start), max(s.End, t.End)}
}

// String is "file:line:column".
func (s Span) String() string {
	if s.Source == nil {
		return "unknown place"
	}
	line, column := s.Source.Position(s.Start)
	return fmt.Sprintf("%s:%d:%d", s.Source.Name, line, column)
}

// A Code is the kind of an error, for programs: "syntax", "unknown-identifier", "arity", ... The package that finds an error declares
// its codes.
type Code string

// An Error is one thing that is wrong with a text, or with what it means.
type Error struct {
	Code    Code
	Span    Span
	Message string // one sentence: what is wrong and what was expected
	Help    string // what to do about it; "" is nothing to add
	Notes   []Note // other places that have to do with it
}

// A Note is a further place, with a word on what it is: "first defined here".
type Note struct {
	Span    Span
	Message string
}

// Errorf makes an Error.
func Errorf(code Code, at Span, format string, args ...any) *Error {
	return &Error{Code: code, Span: at, Message: fmt.Sprintf(format, args...)}
}

// Error is the place and the sentence, on one line.
func (e *Error) Error() string {
	if !e.Span.Known() {
		return e.Message
	}
	return e.Span.String() + ": " + e.Message
}

// A List is several errors, in the order in which they were found. As an error it reads as its first, with the number of the others.
type List []*Error

func (l List) Error() string {
	switch len(l) {
	case 0:
		return "no errors"
	case 1:
		return l[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", l[0].Error(), len(l)-1)
}

// Unwrap lets errors.As find the single errors.
func (l List) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}

// Err is the list as an error: nil when it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// All gives the Errors inside err, whether it is one, a List, or wraps either.
func All(err error) []*Error {
	var l List
	if errors.As(err, &l) {
		return l
	}
	var e *Error
	if errors.As(err, &e) {
		return []*Error{e}
	}
	return nil
}
