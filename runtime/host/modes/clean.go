package modes

import (
	"bytes"
	"strconv"

	"podlife/runtime/host/vt"
)

// Clean gives a part of a stream without what a terminal answers to, everything else byte for byte. The part begins where the stream may be cut; where it ends inside a sequence, that is left as it is.
//
// A sequence that was begun before a query and given up for it goes too: it has done nothing, and together with what follows the query it might become one. Controls inside of what goes stay.
// Focus reports and reports of the size (?1004, ?2048) are not switched on, nor off, since some terminals answer to that: Replay does it in the end.
func Clean(history []byte) []byte {
	clean, tail := split(history)
	return append(clean, tail...)
}

// split gives the cleaned history up to where a sequence begins that does not end in it, and that beginning.
func split(history []byte) (clean, tail []byte) {
	c := cleaner{in: history, out: make([]byte, 0, len(history))}
	var p vt.Parser
	p.Feed(history, func(q *vt.Sequence) { c.sequence(q, &p) })
	begun := uint64(len(history))
	if !p.Safe() {
		begun = max(c.safe(&p), c.done)
	}
	c.enquiries(begun)
	c.cut(begun, begun, nil)
	clean, c.out = c.out, nil
	c.enquiries(uint64(len(history)))
	return clean, append(c.out, history[c.done:]...)
}

// enquiry is ENQ, the control that is answered.
const enquiry = 0x05

type cleaner struct {
	in, out []byte
	done    uint64 // up to here in is in out, or gone
	inside  []act  // controls that acted inside of a sequence of which nothing is decided
	str     uint64 // where a string was ended by ESC: nothing before it goes any more
	closing bool   // it stayed, and needs its ESC \ if what follows goes
	gone    bool   // it went, and so may its ESC \
}

// act is a control, and where it stands.
type act struct {
	from, to uint64
	enquiry  bool
}

func (c *cleaner) sequence(q *vt.Sequence, p *vt.Parser) {
	safe := c.safe(p)
	if q.Kind == vt.Control {
		c.inside = append(c.inside, act{q.From, q.To, q.Control() == enquiry})
		if q.From == safe {
			c.enquiries(q.To)
		}
		return
	}
	replacement, query := without(q)
	switch {
	case query:
		c.remove(safe, q, replacement)
	case q.Kind == vt.Escape && q.Is(vt.Escape, "\\") && c.gone && q.From == c.str:
		c.cut(q.From, q.To, nil)
	}
	c.closing, c.gone = q.ByEscape && !query, q.ByEscape && query
	if q.ByEscape {
		c.str = q.To
	}
	c.enquiries(q.To)
}

// enquiries cuts the ENQ before that offset out, which act wherever they stand; the sequence around one goes on without it.
func (c *cleaner) enquiries(before uint64) {
	left := c.inside[:0]
	for _, a := range c.inside {
		switch {
		case a.from >= before:
			left = append(left, a)
		case a.enquiry:
			c.cut(a.from, a.to, nil)
		}
	}
	c.inside = left
}

// safe is where the stream could last be cut, or a string ended.
func (c *cleaner) safe(p *vt.Parser) uint64 {
	safe := p.LastSafe()
	if c.closing || c.gone {
		safe = max(safe, c.str)
	}
	return safe
}

func (c *cleaner) remove(safe uint64, q *vt.Sequence, replacement []byte) {
	var instead []byte
	if c.closing && safe == c.str {
		instead = append(instead, "\x1b\\"...)
	}
	c.enquiries(safe)
	for _, a := range c.inside {
		if !a.enquiry {
			instead = append(instead, c.in[a.from:a.to]...)
		}
	}
	c.inside = c.inside[:0]
	c.cut(max(safe, c.done), q.To, append(instead, replacement...))
}

// cut leaves [from, to) out and puts something in its place. What was done already stays done.
func (c *cleaner) cut(from, to uint64, instead []byte) {
	c.out = append(c.out, c.in[c.done:max(from, c.done)]...)
	c.out = append(c.out, instead...)
	c.done = to
}

// without says whether a terminal answers to the sequence, and what of it stays.
func without(q *vt.Sequence) (rest []byte, query bool) {
	if q.Aborted {
		return nil, false
	}
	switch q.Kind {
	case vt.Escape:
		return nil, q.Is(vt.Escape, "Z") // DECID
	case vt.CSI:
		if q.Is(vt.CSI, "?h") || q.Is(vt.CSI, "?l") {
			return withoutAnswering(q)
		}
		return nil, asks(q)
	case vt.OSC:
		return nil, asksString(q)
	case vt.DCS:
		switch q.Name() {
		case "$q", "+q": // DECRQSS, XTGETTCAP
			return nil, true
		}
	case vt.Other:
		return nil, asksGraphics(q)
	}
	return nil, false
}

// asks knows the control sequences that are answered.
func asks(q *vt.Sequence) bool {
	switch q.Name() {
	case "c", ">c", "=c", // DA1, DA2, DA3
		"n", "?n", // DSR
		"$p", "?$p", // DECRQM
		">q",       // XTVERSION
		"x",        // DECREQTPARM
		"*y",       // DECRQCRA
		"$u", "&u", // DECRQTSR, DECRQUPSS
		"$w", "\"v", // DECRQPSR, DECRQDE
		"'|", "#|", // DECRQLP, XTREPORTSGR
		"?m", "?u", "?S": // what is set of the keys' modifiers, of the keyboard, of graphics
		return true
	case "t": // the window: numbers that ask
		switch q.Params.At(0) {
		case 11, 13, 14, 15, 16, 18, 19, 20, 21:
			return true
		}
	}
	return false
}

// withoutAnswering leaves out of a set or reset of modes those that a terminal answers to.
func withoutAnswering(q *vt.Sequence) (rest []byte, query bool) {
	left := 0
	for i := range q.Params.Len() {
		n := q.Params.At(i)
		if n == plain[atAnswering].number || n == plain[atAnswering+1].number {
			query = true
			continue
		}
		if left++; left == 1 {
			rest = append(rest, "\x1b[?"...)
		} else {
			rest = append(rest, ';')
		}
		rest = strconv.AppendInt(rest, int64(n), 10)
	}
	if left > 0 {
		rest = append(rest, q.Name()[1])
	}
	return rest, query
}

// asksString knows the OSC that are answered: a color, the clipboard or a font that is "?".
func asksString(q *vt.Sequence) bool {
	n, text, ok := q.Osc()
	switch {
	case !ok:
		return false
	case n == 60 || n == 61: // XTQALLOWED, XTQDISALLOWED
		return true
	case n == 4 || n == 5 || n >= 10 && n <= 19 || n == 21 || n == 50 || n == 52 || n == 99 || n == 1337:
	default:
		return false
	}
	if !q.Whole() {
		return n != 52 && n != 1337 // those two are long when they carry something
	}
	for part := range bytes.SplitSeq(text, []byte(";")) {
		if bytes.HasSuffix(part, []byte("?")) || n == 1337 && bytes.HasPrefix(part, []byte("Report")) || n == 1337 && bytes.HasPrefix(part, []byte("Request")) {
			return true
		}
	}
	return false
}

// asksGraphics knows the commands of kitty's graphics, which are answered unless they say q=2.
func asksGraphics(q *vt.Sequence) bool {
	if q.Intro() != '_' || !bytes.HasPrefix(q.Data(), []byte("G")) {
		return false
	}
	control, _, _ := bytes.Cut(q.Data()[1:], []byte(";"))
	return !bytes.Contains(append([]byte(","), control...), []byte(",q=2"))
}
