package vt

import "unicode/utf8"

type state uint8

const (
	ground state = iota
	escape
	escapeInter
	csiEntry
	csiParam
	csiInter
	csiIgnore
	dcsEntry
	dcsParam
	dcsInter
	dcsIgnore
	dcsData
	oscData
	otherData
)

// Parser follows a stream. The zero value is at its beginning. It is not safe for use by several goroutines at once.
type Parser struct {
	state   state
	pos     uint64 // of the next byte
	safe    uint64 // the last offset at which nothing was begun
	tainted bool   // since then a control has acted
	part    [utf8.UTFMax]byte
	partLen int // how much of a rune has come
	need    int // how long it is
	lost    int // bytes of broken runes right before the byte that is being taken
	seq     Sequence
	ctl     Sequence
}

// Feed goes on with the next bytes of the stream, and calls f for each sequence that ends in them.
func (p *Parser) Feed(b []byte, f func(*Sequence)) {
	base := p.pos
	for i := 0; i < len(b); i++ {
		if p.partLen == 0 && p.state == ground {
			for i < len(b) && b[i] >= 0x20 && b[i] < 0x7f { // text, which most of a stream is
				i++
			}
			p.safe, p.tainted = base+uint64(i), false
			if i == len(b) {
				break
			}
		}
		p.pos = base + uint64(i)
		p.octet(b[i], f)
	}
	p.pos = base + uint64(len(b))
}

// octet collects code points. A byte that is not UTF-8 where it stands does not exist; whatever was begun before it does not either.
func (p *Parser) octet(c byte, f func(*Sequence)) {
	if p.partLen > 0 {
		if c&0xc0 == 0x80 {
			p.part[p.partLen] = c
			p.partLen++
			if p.partLen == p.need {
				b := p.part[:p.partLen]
				r, size := utf8.DecodeRune(b)
				p.partLen, p.lost = 0, 0
				if size == len(b) && r != 0xfeff { // else overlong, a surrogate, too large; a byte order mark counts as nothing
					p.code(r, b, p.pos+1-uint64(size), f)
				}
			}
			return
		}
		p.lost, p.partLen = p.lost+p.partLen, 0
	}
	switch {
	case c < 0x80:
		p.code(rune(c), nil, p.pos, f)
		p.lost = 0
		return
	case c&0xe0 == 0xc0:
		p.need = 2
	case c&0xf0 == 0xe0:
		p.need = 3
	case c&0xf8 == 0xf0:
		p.need = 4
	default:
		p.lost = 0
		return
	}
	p.part[0], p.partLen = c, 1
}

// code takes one code point: b its bytes where it has several, at the offset of the first.
func (p *Parser) code(c rune, b []byte, at uint64, f func(*Sequence)) {
	if p.anywhere(c, at, f) {
		return
	}
	if c >= 0xa0 {
		switch p.state {
		case oscData, dcsData:
			p.seq.put(c, b)
		case csiIgnore, dcsIgnore:
		default: // printed, or the end of a sequence that has no place for it
			p.state = ground
		}
		return
	}
	switch p.state {
	case ground:
		if c < 0x20 {
			p.control(c, at, f)
		}
	case escape, escapeInter:
		p.escape(c, at, f)
	case csiEntry, csiParam, csiInter, csiIgnore:
		p.csi(c, at, f)
	case dcsEntry, dcsParam, dcsInter, dcsIgnore:
		p.dcs(c)
	case dcsData:
		if c != 0x7f {
			p.seq.put(c, b)
		}
	case oscData:
		switch {
		case c == 0x07:
			p.endString(OSC, at, f)
		case c >= 0x20:
			p.seq.put(c, b)
		}
	case otherData:
		p.seq.put(c, b)
	}
}

// anywhere has what is the same in every state: what ends a sequence, and what begins one.
func (p *Parser) anywhere(c rune, at uint64, f func(*Sequence)) bool {
	if c >= 0x20 && (c < 0x80 || c > 0x9f) {
		return false
	}
	str := p.stringKind()
	switch {
	case c == 0x18 || c == 0x1a:
		if str != 0 {
			p.seq.Aborted = true
			p.endString(str, at, f)
		}
		p.state = ground
		p.control(c, at, f)
	case c == 0x1b:
		if str != 0 {
			p.seq.ByEscape = true
			p.endString(str, at, f)
		}
		p.begin(escape, at)
	case c == 0x9c: // ST
		if str != 0 {
			p.endString(str, at, f)
		}
		p.state = ground
	case c == 0x9b:
		p.begin(csiEntry, at)
	case c == 0x9d:
		p.begin(oscData, at)
	case c == 0x90:
		p.begin(dcsEntry, at)
	case c == 0x98 || c == 0x9e || c == 0x9f:
		p.begin(otherData, at)
		p.seq.intro = byte(c - 0x40)
	case c >= 0x80:
		p.state = ground
		p.control(c, at, f)
	default:
		return false
	}
	return true
}

func (p *Parser) begin(s state, at uint64) {
	p.state = s
	p.seq.clear()
	p.seq.From = at
}

// stringKind is what kind of string is being read; 0 for none.
func (p *Parser) stringKind() Kind {
	switch p.state {
	case oscData:
		return OSC
	case dcsData:
		return DCS
	case otherData:
		return Other
	default:
		return 0
	}
}

func (p *Parser) end(kind Kind, to uint64, f func(*Sequence)) {
	p.state = ground
	p.seq.Kind, p.seq.To = kind, to
	f(&p.seq)
}

// endString ends a string at the code point at that offset, which belongs to it unless it is an ESC.
func (p *Parser) endString(kind Kind, at uint64, f func(*Sequence)) {
	to := p.pos + 1
	if p.seq.ByEscape {
		to = at
	}
	p.end(kind, to, f)
}

func (p *Parser) control(c rune, at uint64, f func(*Sequence)) {
	p.tainted = p.tainted || p.state != ground
	p.ctl.Kind, p.ctl.From, p.ctl.To, p.ctl.name[0], p.ctl.nameLen = Control, at-uint64(p.lost), p.pos+1, byte(c), 1
	f(&p.ctl)
}

func (p *Parser) escape(c rune, at uint64, f func(*Sequence)) {
	switch {
	case c < 0x20:
		p.control(c, at, f)
	case c == 0x7f:
	case c < 0x30:
		p.seq.collect(byte(c))
		p.state = escapeInter
	case p.state == escape && c == '[':
		p.state = csiEntry
	case p.state == escape && c == ']':
		p.state = oscData
	case p.state == escape && c == 'P':
		p.state = dcsEntry
	case p.state == escape && (c == 'X' || c == '^' || c == '_'):
		p.state, p.seq.intro = otherData, byte(c)
	default:
		p.seq.collect(byte(c))
		p.end(Escape, p.pos+1, f)
	}
}

func (p *Parser) csi(c rune, at uint64, f func(*Sequence)) {
	switch {
	case c < 0x20:
		p.control(c, at, f)
	case c == 0x7f:
	case c >= 0x40:
		if p.state == csiIgnore {
			p.state = ground
			return
		}
		p.seq.collect(byte(c))
		p.end(CSI, p.pos+1, f)
	case p.state == csiIgnore:
	case c < 0x30:
		p.seq.collect(byte(c))
		p.state = csiInter
	case p.state == csiInter:
		p.state = csiIgnore
	case c < 0x3c:
		p.seq.Params.take(byte(c))
		p.state = csiParam
	case p.state == csiEntry:
		p.seq.collect(byte(c))
		p.state = csiParam
	default:
		p.state = csiIgnore
	}
}

func (p *Parser) dcs(c rune) {
	switch {
	case c < 0x20 || c == 0x7f || p.state == dcsIgnore:
	case c >= 0x40:
		p.seq.collect(byte(c))
		p.state = dcsData
	case c < 0x30:
		p.seq.collect(byte(c))
		p.state = dcsInter
	case p.state == dcsInter:
		p.state = dcsIgnore
	case c < 0x3c:
		p.seq.Params.take(byte(c))
		p.state = dcsParam
	case p.state == dcsEntry:
		p.seq.collect(byte(c))
		p.state = dcsParam
	default:
		p.state = dcsIgnore
	}
}
