// Package vt cuts a terminal's output into control sequences, as the page's terminal does: with the transitions of a VT500 (https://vt100.net/emu/dec_ansi_parser), on code points, where what is no
// UTF-8 does not exist, and a C1 control is one whether it is written in 7 bits or as its code point.
//
// It imports nothing of the project and does no I/O. Read vt.go for what it tells, then parser.go for how it finds out; params.go has the parameters, place.go where a stream may be cut.
//
// Why a parser of our own: what is found here decides what another terminal is told, so the two must agree on every byte. The Go library that comes nearest reads bytes and not code points; with it a
// title ends at a check mark, whose second byte is 0x9c.
package vt

// MaxData is how much of a string (OSC, DCS, APC) is kept, in bytes.
const MaxData = 4 << 10

// Kind is what a sequence is.
type Kind uint8

// The kinds of sequences. Printed text is none.
const (
	Control Kind = iota + 1 // one control character, C0 or C1, that acts; it may stand inside of another sequence
	Escape                  // ESC, intermediates, final
	CSI
	OSC
	DCS
	Other // SOS, PM, APC
)

// Sequence is one control sequence. It is valid until the function that it is given to returns.
type Sequence struct {
	Kind     Kind
	From, To uint64 // its offsets in the stream, To behind its last byte. Of a string that ESC ended, To is the offset of that ESC; of a Control, From is that of the broken runes right before it, if there are any
	Params   Params
	Aborted  bool // a string that CAN or SUB ended: it has no effect
	ByEscape bool // a string that ESC ended; most often the beginning of ESC \

	name    [8]byte // prefix, intermediates, final
	nameLen int
	data    []byte
	dataLen int // of what was there, also where less is kept
	intro   byte
}

// Name is what tells sequences of one kind apart: prefix, intermediates and final character, such as "?h" or "!p"; the character of a Control. Empty if it is too long to mean anything.
func (s *Sequence) Name() string {
	if s.nameLen > len(s.name) {
		return ""
	}
	return string(s.name[:s.nameLen])
}

// Is says whether the sequence is of that kind and name, without making a string.
func (s *Sequence) Is(kind Kind, name string) bool {
	return s.Kind == kind && s.nameLen <= len(s.name) && string(s.name[:s.nameLen]) == name
}

// Control is the character of a Control.
func (s *Sequence) Control() rune { return rune(s.name[0]) }

// Data is what a string carries, at most MaxData bytes of it; of an OSC with its number, of a DCS without parameters and final.
func (s *Sequence) Data() []byte { return s.data }

// Whole says whether Data is everything.
func (s *Sequence) Whole() bool { return s.dataLen == len(s.data) }

// Intro is the character that, behind ESC, begins an Other: X, ^ or _.
func (s *Sequence) Intro() byte { return s.intro }

// Osc splits the data of an OSC into its number and what follows the first semicolon. ok is false where there is no number, which no terminal answers to.
func (s *Sequence) Osc() (number int, text []byte, ok bool) {
	i := 0
	for ; i < len(s.data) && s.data[i] >= '0' && s.data[i] <= '9'; i++ {
		if number < 1<<20 {
			number = number*10 + int(s.data[i]-'0')
		}
	}
	switch {
	case i == 0 || i < len(s.data) && s.data[i] != ';':
		return 0, nil, false
	case i == len(s.data):
		return number, nil, true
	}
	return number, s.data[i+1:], true
}

func (s *Sequence) clear() {
	s.Params.reset()
	s.nameLen, s.data, s.dataLen, s.Aborted, s.ByEscape = 0, s.data[:0], 0, false, false
}

func (s *Sequence) collect(c byte) {
	if s.nameLen < len(s.name) {
		s.name[s.nameLen] = c
	}
	s.nameLen = min(s.nameLen+1, len(s.name)+1)
}

func (s *Sequence) put(c rune, b []byte) {
	if c < 0x80 {
		b = []byte{byte(c)}
	}
	s.dataLen += len(b)
	if len(s.data)+len(b) <= MaxData && s.dataLen == len(s.data)+len(b) {
		s.data = append(s.data, b...)
	}
}
