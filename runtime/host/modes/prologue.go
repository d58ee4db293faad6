package modes

import "strconv"

// Prologue gives what takes a terminal in any state to this one: a full reset, then all that is kept. A terminal answers to none of it.
func (s State) Prologue() []byte {
	b := []byte("\x18\x1bc") // CAN ends what the terminal may be in
	private := func(n int, set bool) {
		b = strconv.AppendInt(append(b, "\x1b[?"...), int64(n), 10)
		if set {
			b = append(b, 'h')
		} else {
			b = append(b, 'l')
		}
	}
	if s.titled {
		b = append(append(append(b, "\x1b]2;"...), s.title...), "\x1b\\"...)
	}
	if s.alt == 0 && s.buffers[1].saved.set { // it keeps what was saved on it
		private(47, true)
		b = s.buffers[1].saved.write(b, "\x1b7")
		private(47, false)
	}
	b = s.buffers[0].write(b)
	if s.alt != 0 {
		if s.alt == 1049 { // it saves the cursor once more
			b = s.buffers[0].saved.write(b, "\x1b[?1049h")
		} else {
			private(s.alt, true)
		}
		b = s.buffers[1].write(b)
	}
	for level, set := range s.charsets {
		if set != 0 {
			b = append(b, 0x1b, "()*+"[level], set)
		}
	}
	b = append(b, [...]string{"", "\x0e", "\x1bn", "\x1bo"}[s.level]...)
	if s.charset != s.charsets[s.level] && s.buffer().saved.charset == s.charset {
		b = append(b, "\x1b8"...) // the only way to a set that the level has no more
	}
	for i, m := range plain[:atAnswering] {
		if s.modes[i] != m.set || i == atCursor { // the page's terminal does not show a hidden cursor again at a reset
			private(m.number, s.modes[i])
		}
	}
	if s.blink != untouched {
		private(12, s.blink == on)
	}
	if s.mouse != 0 {
		private(s.mouse, true)
	}
	if s.encoding != 0 {
		private(s.encoding, true)
	}
	if s.insert {
		b = append(b, "\x1b[4h"...)
	}
	switch s.newline {
	case on:
		b = append(b, "\x1b[20h"...)
	case off:
		b = append(b, "\x1b[20l"...)
	}
	if s.cursor != 0 {
		b = append(strconv.AppendInt(append(b, "\x1b["...), int64(s.cursor), 10), " q"...)
	}
	if s.look != (rendition{}) || s.buffers[0].saved.set || s.buffers[1].saved.set {
		b = s.look.write(b)
	}
	return append(b, s.opener...)
}

// Replay gives what takes a terminal in any state to the end of history, a part of the stream that begins where the state was from and ends where it was to: the prologue, the history cleaned, and then
// the modes that some terminals answer to at once, with where the focus is or with the size; the program that set them wants to know. The stream goes on behind it, also inside a sequence.
func Replay(from State, history []byte, to State) []byte {
	clean, tail := split(history)
	opener := from.opener
	from.opener = ""
	b := append(append(from.Prologue(), clean...), to.answering()...)
	return append(append(b, opener...), tail...)
}

// answering gives what sets those modes.
func (s State) answering() []byte {
	var b []byte
	for i, m := range plain[atAnswering:] {
		if s.modes[atAnswering+i] {
			b = append(strconv.AppendInt(append(b, "\x1b[?"...), int64(m.number), 10), 'h')
		}
	}
	return b
}

// write appends what sets up one of the two screens while it is shown: its saved cursor and its scroll region.
func (f buffer) write(b []byte) []byte {
	if f.saved.set {
		b = f.saved.write(b, "\x1b7")
	}
	if f.bottom != 0 {
		b = strconv.AppendInt(append(b, "\x1b["...), int64(f.top), 10)
		b = append(strconv.AppendInt(append(b, ';'), int64(f.bottom), 10), 'r')
	}
	return b
}

// write appends what saves this cursor, by the sequence that saves the one there is.
func (f saved) write(b []byte, save string) []byte {
	b = f.look.write(b)
	if f.charset == 0 {
		return append(b, save...)
	}
	b = append(b, 0x1b, '(', f.charset)
	return append(append(b, save...), "\x1b(B"...)
}
