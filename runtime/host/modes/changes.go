package modes

import "podlife/runtime/host/vt"

func (s *State) shift(level int) { s.level, s.charset = level, s.charsets[level] }

func (s *State) designate(level int, set byte) {
	s.charsets[level] = set
	if s.level == level {
		s.charset = set
	}
}

// sets are the finals that name a character set; B is ASCII, and kept as 0, as what a reset leaves.
const sets = "0AB4C5RQKYE6ZH7="

func (s *State) escape(name string) {
	switch name {
	case "7":
		s.save()
	case "8":
		s.restore()
	case "c":
		kept := *s
		*s = fresh(s.rows)
		s.title, s.titled, s.blink, s.newline, s.modes[atCursor] = kept.title, kept.titled, kept.blink, kept.newline, kept.modes[atCursor]
	case "=":
		s.modes[atKeypad] = true
	case ">":
		s.modes[atKeypad] = false
	case "n", "}":
		s.shift(2)
	case "o", "|":
		s.shift(3)
	case "~":
		s.shift(1)
	case "%@", "%G":
		s.shift(0)
		s.designate(0, 0)
	default:
		if len(name) != 2 {
			return
		}
		level, known := map[byte]int{'(': 0, ')': 1, '*': 2, '+': 3, '-': 1, '.': 2}[name[0]]
		for _, set := range []byte(sets) {
			if known && name[1] == set {
				if set == 'B' {
					set = 0
				}
				s.designate(level, set)
			}
		}
	}
}

func (s *State) save() { s.buffer().saved = saved{set: true, look: s.look, charset: s.charset} }

// restore brings back what is known of a saved cursor.
func (s *State) restore() { s.look, s.charset = s.buffer().saved.look, s.buffer().saved.charset }

func (s *State) csi(q *vt.Sequence) {
	p := &q.Params
	switch {
	case q.Is(vt.CSI, "m"):
		s.look.apply(p)
	case q.Is(vt.CSI, "?h"), q.Is(vt.CSI, "?l"):
		for i := range p.Len() {
			s.private(p.At(i), q.Is(vt.CSI, "?h"))
		}
	case q.Is(vt.CSI, "h"), q.Is(vt.CSI, "l"):
		for i := range p.Len() {
			switch set := q.Is(vt.CSI, "h"); p.At(i) {
			case 4:
				s.insert = set
			case 20:
				s.newline = chosen(set)
			}
		}
	case q.Is(vt.CSI, "r"):
		s.region(p)
	case q.Is(vt.CSI, " q"):
		s.cursor = p.At(0)
		if s.cursor > 6 {
			s.cursor = 0
		}
	case q.Is(vt.CSI, "s"):
		s.save()
	case q.Is(vt.CSI, "u"):
		s.restore()
	case q.Is(vt.CSI, "!p"):
		s.softReset()
	}
}

func (s *State) region(p *vt.Params) {
	top, bottom := max(p.At(0), 1), p.At(1)
	if bottom == 0 || bottom > s.rows {
		bottom = s.rows
	}
	if bottom <= top {
		return
	}
	b := s.buffer()
	b.top, b.bottom = top, bottom
	if top == 1 && bottom == s.rows {
		b.top, b.bottom = 0, 0
	}
}

// softReset is DECSTR, as the page's terminal does it: the mouse and the alternate screen stay.
func (s *State) softReset() {
	from := fresh(s.rows)
	s.modes, s.cursor, s.insert = from.modes, 0, false
	s.charsets, s.level, s.charset, s.look = from.charsets, 0, 0, from.look
	*s.buffer() = buffer{}
}

// private sets or resets the mode ?n.
func (s *State) private(n int, set bool) {
	switch n {
	case 2:
		if set {
			s.charsets, s.charset = [4]byte{}, 0
		}
	case 9, 1000, 1002, 1003:
		s.mouse = 0
		if set {
			s.mouse = n
		}
	case 1006, 1016:
		s.encoding = 0
		if set {
			s.encoding = n
		}
	case 12:
		s.blink = chosen(set)
	case 1048:
		if set {
			s.save()
		} else {
			s.restore()
		}
	case 47, 1047, 1049:
		s.screen(n, set)
	default:
		for i, m := range plain {
			if m.number == n {
				s.modes[i] = set
			}
		}
	}
}

// screen changes to the alternate screen and back; what leaves the alternate screen forgets its scroll region.
func (s *State) screen(n int, alt bool) {
	switch {
	case alt:
		if n == 1049 {
			s.save()
		}
		if s.alt == 0 {
			s.alt = n
		}
	default:
		if s.alt != 0 {
			s.buffers[1].top, s.buffers[1].bottom = 0, 0
		}
		s.alt = 0
		if n == 1049 {
			s.restore()
		}
	}
}
