package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// modes follows what the remote shell's output sets on the local terminal, so that it can be taken back when the output just stops: a full-screen program whose connection broke would leave the
// alternate screen, mouse reports and a hidden cursor behind.
type modes struct {
	state  int          // of the little parser below
	params []byte       // of the control sequence being read
	on     map[int]bool // private modes that were set and are off by default
	off    map[int]bool // private modes that were reset and are on by default
	keypad bool         // ESC =
	region bool         // a scroll region
	keys   bool         // xterm's modifyOtherKeys
	shape  bool         // of the cursor
}

// onByDefault are the private modes that a terminal starts with: wrapping lines and showing the cursor.
func onByDefault(n int) bool { return n == 7 || n == 25 }

// worthReset are the private modes that hurt when they stay: cursor keys, scroll origin, mouse, focus reports, alternate screens, bracketed paste, synchronised output, wrapping and the cursor itself.
func worthReset(n int) bool {
	return slices.Contains([]int{1, 5, 6, 7, 9, 25, 47, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 1047, 1049, 2004, 2026}, n)
}

const (
	plain = iota
	escSeen
	csi
	str // OSC and its like, up to BEL or ESC
)

// see looks at output on its way to the terminal. Sequences may be split anywhere.
func (m *modes) see(b []byte) {
	for _, c := range b {
		switch {
		case c == 0x1b:
			m.state, m.params = escSeen, m.params[:0]
		case m.state == escSeen && c == '[':
			m.state = csi
		case m.state == escSeen && strings.IndexByte("]P_^X", c) >= 0:
			m.state = str
		case m.state == str && c == 0x07:
			m.state = plain
		case m.state == escSeen:
			if c == '=' || c == '>' {
				m.keypad = c == '='
			}
			m.state = plain
		case m.state == csi && c >= 0x20 && c <= 0x3f:
			if len(m.params) < 64 {
				m.params = append(m.params, c)
			}
		case m.state == csi && c >= 0x40 && c <= 0x7e:
			m.sequence(string(m.params), c)
			m.state = plain
		}
	}
}

func (m *modes) sequence(params string, final byte) {
	switch {
	case (final == 'h' || final == 'l') && strings.HasPrefix(params, "?"):
		for p := range strings.SplitSeq(params[1:], ";") {
			if n, err := strconv.Atoi(p); err == nil && worthReset(n) {
				m.set(n, final == 'h')
			}
		}
	case final == 'r' && !strings.HasPrefix(params, "?"):
		m.region = params != ""
	case final == 'm' && strings.HasPrefix(params, ">4"):
		m.keys = params != ">4" && params != ">4;0"
	case final == 'q' && strings.HasSuffix(params, " "):
		m.shape = params != " " && params != "0 "
	}
}

func (m *modes) set(n int, on bool) {
	if m.on == nil {
		m.on, m.off = map[int]bool{}, map[int]bool{}
	}
	switch {
	case on == onByDefault(n):
		delete(m.on, n)
		delete(m.off, n)
	case on:
		m.on[n] = true
	default:
		m.off[n] = true
	}
}

// reset gives what puts the terminal back, and forgets it all. It is empty when there is nothing to put back.
func (m *modes) reset() string {
	var b strings.Builder
	if m.state != plain {
		b.WriteString("\x18") // CAN ends a sequence that was cut off
	}
	if m.region {
		b.WriteString("\x1b7\x1b[r\x1b8") // setting a region moves the cursor
	}
	if m.keypad {
		b.WriteString("\x1b>")
	}
	if m.keys {
		b.WriteString("\x1b[>4m")
	}
	if m.shape {
		b.WriteString("\x1b[0 q")
	}
	for _, n := range slices.Sorted(maps.Keys(m.off)) {
		b.WriteString("\x1b[?" + strconv.Itoa(n) + "h")
	}
	for _, n := range slices.Sorted(maps.Keys(m.on)) {
		b.WriteString("\x1b[?" + strconv.Itoa(n) + "l")
	}
	if b.Len() > 0 {
		b.WriteString("\x1b[0m")
	}
	*m = modes{}
	return b.String()
}
