package frame

import (
	"encoding/binary"
	"slices"
)

// encoder appends fields.
type encoder struct{ b []byte }

func (e *encoder) u16(v uint16) { e.b = binary.BigEndian.AppendUint16(e.b, v) }
func (e *encoder) u32(v uint32) { e.b = binary.BigEndian.AppendUint32(e.b, v) }
func (e *encoder) u64(v uint64) { e.b = binary.BigEndian.AppendUint64(e.b, v) }
func (e *encoder) text(s string) {
	e.u32(uint32(len(s)))
	e.b = append(e.b, s...)
}

// texts writes a list; of one that is longer than may be, so much that the other side sees it.
func (e *encoder) texts(list []string, most int) {
	e.u16(uint16(min(len(list), most+1)))
	for _, s := range list {
		e.text(s)
	}
}

func (e *encoder) yes(v bool) {
	if v {
		e.b = append(e.b, 1)
	} else {
		e.b = append(e.b, 0)
	}
}

// decoder takes fields off b. After the first that is not there, or is more than it may be, bad is set and every field is empty.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) take(n int) []byte {
	if d.bad || n > len(d.b) {
		d.bad = true
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) u16() uint16 {
	if b := d.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (d *decoder) u32() uint32 {
	if b := d.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) u64() uint64 {
	if b := d.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) yes() bool {
	b := d.take(1)
	if b == nil || b[0] > 1 {
		d.bad = true
		return false
	}
	return b[0] == 1
}

// text reads a string of at most limit bytes.
func (d *decoder) text(limit int) string {
	n := d.u32()
	if n > uint32(limit) {
		d.bad = true
		return ""
	}
	return string(d.take(int(n)))
}

// texts reads a list of at most so many strings, each of at most limit bytes.
func (d *decoder) texts(most, limit int) []string {
	n := int(d.u16())
	if n > most {
		d.bad = true
	}
	var list []string
	for i := 0; i < n && !d.bad; i++ {
		list = append(list, d.text(limit))
	}
	return list
}

// rest is everything that is left, at most MaxData, and part of what is decoded.
func (d *decoder) rest() []byte {
	if len(d.b) > MaxData {
		d.bad = true
		return nil
	}
	return slices.Clip(d.take(len(d.b)))
}
