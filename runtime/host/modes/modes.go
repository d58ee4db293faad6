// Package modes follows a terminal's output and keeps what a terminal that was just reset must be told before a part of that output is played to it again: without it a full-screen program comes back on
// the wrong screen, or a paste is not bracketed. And it takes out of such a part what a terminal would answer to, since the answers would be typed into the shell.
//
// It imports runtime/host/vt and does no I/O. Read modes.go first, then prologue.go and clean.go; changes.go is what sequences change, sgr.go how text looks.
//
// Not kept: the screen itself and where the cursor is, tab stops, colors of the palette, the stack of titles. A program that has the whole screen draws it again when the size changes.
package modes

import (
	"unicode/utf8"

	"podlife/runtime/host/vt"
)

// MaxTitle bounds the title that is kept, in bytes.
const MaxTitle = 1 << 10

// A mode is one that ?n h sets and ?n l resets, and that says nothing more.
type mode struct {
	number int
	set    bool // after a reset
}

// plain are those modes. What answers to being set, a focus report or one of the size, is at the end: answers.
var plain = [...]mode{{1, false}, {6, false}, {7, true}, {25, true}, {45, false}, {66, false}, {1005, false}, {1015, false}, {2004, false}, {2026, false}, {2031, false}, {1004, false}, {2048, false}}

// The places in plain of the modes that more than a parameter touches, and of the first that a terminal answers to.
const (
	atOrigin    = 1
	atWrap      = 2
	atCursor    = 3
	atKeypad    = 5
	atAnswering = 11
)

// choice is a mode that a reset of the terminal leaves as it is.
type choice int8

const (
	untouched choice = iota
	off
	on
)

func chosen(yes bool) choice {
	if yes {
		return on
	}
	return off
}

// buffer is what the normal and the alternate screen have each for themselves.
type buffer struct {
	top, bottom int // the scroll region, 1 the first line; 0 and 0 is all of the screen
	saved       saved
}

// saved is what ESC 7 keeps for ESC 8; where the cursor was is not known here.
type saved struct {
	set     bool
	look    rendition
	charset byte
}

// State is what is known of a terminal at one offset of its stream. It is a value: a copy stays as it is.
type State struct {
	modes    [len(plain)]bool
	mouse    int    // 0, 9, 1000, 1002 or 1003: which events are told
	encoding int    // 0, 1006 or 1016: how
	alt      int    // 0, or by which of 47, 1047 and 1049 the alternate screen was entered
	blink    choice // ?12
	newline  choice // 20: a line feed is a new line
	cursor   int    // DECSCUSR; 0 is the terminal's own
	insert   bool
	charsets [4]byte
	level    int
	charset  byte // the one in use
	look     rendition
	buffers  [2]buffer // normal, alternate
	title    string
	titled   bool
	rows     int
	opener   string // what the sequence is that the stream is in
}

func fresh(rows int) State {
	s := State{rows: rows}
	for i, m := range plain {
		s.modes[i] = m.set
	}
	return s
}

// Tracker follows a stream. It is not safe for use by several goroutines at once.
type Tracker struct {
	parser vt.Parser
	state  State
}

// New gives a tracker at the beginning of a stream, for a terminal with that many rows.
func New(rows int) *Tracker { return &Tracker{state: fresh(rows)} }

// Feed goes on with the next bytes of the stream.
func (t *Tracker) Feed(b []byte) { t.parser.Feed(b, t.sequence) }

// Pos is how many bytes have been fed.
func (t *Tracker) Pos() uint64 { return t.parser.Pos() }

// Resize says that the terminal has another number of rows; a terminal forgets its scroll region then.
func (t *Tracker) Resize(rows int) {
	if rows == t.state.rows {
		return
	}
	t.state.rows = rows
	for i := range t.state.buffers {
		t.state.buffers[i].top, t.state.buffers[i].bottom = 0, 0
	}
}

// Safe gives the last offset at which the stream may be cut, not inside a sequence or a rune, and the state there. ok is false when there is none that is known.
func (t *Tracker) Safe() (offset uint64, s State, ok bool) {
	offset, ok = t.parser.SafePos()
	return offset, t.state, ok
}

// State gives the state at the end of what has been fed, which may be inside a sequence: its prologue then takes a terminal there too.
func (t *Tracker) State() State {
	s := t.state
	s.opener = string(t.parser.Opener())
	return s
}

func (s *State) buffer() *buffer {
	if s.alt != 0 {
		return &s.buffers[1]
	}
	return &s.buffers[0]
}

// sequence takes note of what a sequence changes.
func (t *Tracker) sequence(q *vt.Sequence) {
	if q.Aborted {
		return
	}
	s := &t.state
	switch q.Kind {
	case vt.Control:
		switch q.Control() {
		case 0x0e:
			s.shift(1)
		case 0x0f:
			s.shift(0)
		}
	case vt.Escape:
		s.escape(q.Name())
	case vt.CSI:
		s.csi(q)
	case vt.OSC:
		if n, text, ok := q.Osc(); ok && (n == 0 || n == 2) {
			s.title, s.titled = bounded(text), true
		}
	}
}

// bounded gives a title as it is kept: cut between runes.
func bounded(text []byte) string {
	if len(text) <= MaxTitle {
		return string(text)
	}
	text = text[:MaxTitle]
	for range utf8.UTFMax {
		if r, size := utf8.DecodeLastRune(text); r != utf8.RuneError || size != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return string(text)
}
