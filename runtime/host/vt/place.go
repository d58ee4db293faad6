package vt

// Pos is how many bytes have been fed.
func (p *Parser) Pos() uint64 { return p.pos }

// Safe says whether the stream may be cut here: not inside a sequence or a rune.
func (p *Parser) Safe() bool { return p.state == ground && p.partLen == 0 }

// SafePos is the last offset at which the stream may be cut so that all that has acted up to now came before it. ok is false where there is none, because a control acted inside the sequence that has
// not ended yet.
func (p *Parser) SafePos() (offset uint64, ok bool) {
	if p.Safe() {
		return p.pos, true
	}
	return p.safe, !p.tainted
}

// Opener gives bytes that take another terminal, which is in no sequence, to where this stream is: what then follows of the stream ends the same sequence and does nothing by it.
func (p *Parser) Opener() []byte {
	var b []byte
	switch p.state {
	case ground:
	case escape:
		b = []byte("\x1b")
	case escapeInter:
		b = append([]byte("\x1b"), p.seq.name[:min(p.seq.nameLen, len(p.seq.name))]...)
	case csiEntry, csiParam, csiInter, csiIgnore:
		b = []byte("\x1b[<<") // a second prefix makes a sequence that is ignored up to its end
	case dcsEntry, dcsParam, dcsInter, dcsIgnore:
		b = []byte("\x1bP<<")
	case dcsData:
		b = []byte("\x1bP~")
	case oscData:
		b = []byte("\x1b]9999;")
	case otherData:
		b = []byte("\x1bX")
	}
	return append(b, p.part[:p.partLen]...)
}

// LastSafe is, while a sequence is being told of, or when the stream is not safe to cut, the last offset at which nothing was begun: where the sequence, or what was given up for it, began.
func (p *Parser) LastSafe() uint64 { return p.safe }
