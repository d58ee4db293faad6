package value

import (
	"encoding/binary"
	"math/big"
)

// The first byte of a value says what it is; small integers are that byte alone.
const (
	codeFalse byte = iota
	codeTrue
	codeInt             // zigzag varint
	codeBig             // sign byte, length, bytes
	codeStr             // number in the pool
	codeText            // length, bytes: a string outside the pool
	codeModel           // number
	codeTuple           // length, elements
	codeRecord          // number of the shape, values
	codeFunction        // number of the shape, values
	codeMap             // length, arguments, values: a function whose shape has no number
	codeSet             // length, elements
	codeRange           // lo, hi
	codeSmall    = 0x40 // codeSmall+n is the integer n-16, up to 0xff
	smallFirst   = -16
)

// Append adds a compact binary form of a value, which Decode reads again in this process only: strings, model values and domains are numbers in its
// pools. Lazy values are normalised first.
func Append(b []byte, v Value) []byte { return encode(b, Normalize(v)) }

func encode(b []byte, v Value) []byte {
	switch v := v.(type) {
	case Bool:
		if v {
			return append(b, codeTrue)
		}
		return append(b, codeFalse)
	case Int:
		if n := int64(v) - smallFirst; n >= 0 && n <= 0xff-codeSmall {
			return append(b, codeSmall+byte(n))
		}
		return binary.AppendVarint(append(b, codeInt), int64(v))
	case *Big:
		sign := byte(0)
		if v.n.Sign() < 0 {
			sign = 1
		}
		abs := v.n.Bytes()
		b = binary.AppendUvarint(append(b, codeBig, sign), uint64(len(abs)))
		return append(b, abs...)
	case *Str:
		if v.id >= 0 {
			return binary.AppendUvarint(append(b, codeStr), uint64(v.id))
		}
		b = binary.AppendUvarint(append(b, codeText), uint64(len(v.text)))
		return append(b, v.text...)
	case *Model:
		return binary.AppendUvarint(append(b, codeModel), uint64(v.id))
	case *Tuple:
		return encodeAll(binary.AppendUvarint(append(b, codeTuple), uint64(len(v.elems))), v.elems)
	case *Set:
		return encodeAll(binary.AppendUvarint(append(b, codeSet), uint64(len(v.elems))), v.elems)
	case *Record:
		return encodeFunction(b, codeRecord, v.shape, v.vals)
	case *Function:
		return encodeFunction(b, codeFunction, v.shape, v.vals)
	case *Range:
		return binary.AppendVarint(binary.AppendVarint(append(b, codeRange), v.lo), v.hi)
	}
	Raise(CodeType, "%s has no binary form", v.Kind())
	return nil
}

func encodeAll(b []byte, elems []Value) []byte {
	for _, e := range elems {
		b = encode(b, e)
	}
	return b
}

func encodeFunction(b []byte, code byte, s *Shape, vals []Value) []byte {
	if s.id >= 0 {
		return encodeAll(binary.AppendUvarint(append(b, code), uint64(s.id)), vals)
	}
	b = binary.AppendUvarint(append(b, codeMap), uint64(len(vals)))
	return encodeAll(encodeAll(b, s.args), vals)
}

// Decode reads one value and returns it with the bytes that follow. It checks everything: bytes that Append did not write give an error, of code
// CodeDecode, or a value.
func Decode(b []byte) (v Value, rest []byte, err error) {
	err = Catch(func() {
		d := decoder{b: b}
		v = d.value(0)
		rest = d.b
	})
	if err != nil {
		return nil, nil, err
	}
	return v, rest, nil
}

type decoder struct{ b []byte }

func (d *decoder) fail(what string) {
	Raise(CodeDecode, "not the binary form of a value: %s", what)
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail("cut off")
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) uvarint() uint64 {
	n, k := binary.Uvarint(d.b)
	if k <= 0 {
		d.fail("bad number")
	}
	d.b = d.b[k:]
	return n
}

func (d *decoder) varint() int64 {
	n, k := binary.Varint(d.b)
	if k <= 0 {
		d.fail("bad number")
	}
	d.b = d.b[k:]
	return n
}

// length is a number of parts, of which each needs at least one byte.
func (d *decoder) length() int {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.fail("cut off")
	}
	return int(n)
}

func (d *decoder) values(into []Value, depth int) {
	for i := range into {
		into[i] = d.value(depth + 1)
	}
}

func (d *decoder) value(depth int) Value {
	tooDeep(depth)
	c := d.byte()
	if c >= codeSmall {
		return NewInt(int64(c) - codeSmall + smallFirst)
	}
	switch c {
	case codeFalse:
		return Bool(false)
	case codeTrue:
		return Bool(true)
	case codeInt:
		return NewInt(d.varint())
	case codeBig:
		sign, n := d.byte(), d.length()
		abs := new(big.Int).SetBytes(d.b[:n])
		d.b = d.b[n:]
		if sign == 1 {
			abs.Neg(abs)
		} else if sign != 0 {
			d.fail("bad sign")
		}
		return NewBig(abs)
	case codeStr:
		if s := shared.strs.at(d.uvarint()); s != nil {
			return s
		}
		d.fail("unknown string")
	case codeText:
		n := d.length()
		s := NewString(string(d.b[:n]))
		d.b = d.b[n:]
		return s
	case codeModel:
		if m := shared.numbered.at(d.uvarint()); m != nil {
			return m
		}
		d.fail("unknown model value")
	case codeTuple:
		t := makeTuple(d.length())
		d.values(t.elems, depth)
		return t
	case codeSet:
		s := makeSet(d.length())
		d.values(s.elems, depth)
		if !isSorted(s.elems) {
			d.fail("a set out of order")
		}
		return s
	case codeRecord, codeFunction:
		return d.function(c, depth)
	case codeMap:
		n := d.length()
		args, vals := make([]Value, n), make([]Value, n)
		d.values(args, depth)
		d.values(vals, depth)
		if !isSorted(args) {
			d.fail("a domain out of order")
		}
		return functionOf(args, vals)
	case codeRange:
		lo := d.varint()
		return &Range{lo: lo, hi: d.varint()}
	}
	d.fail("unknown kind")
	return nil
}

func (d *decoder) function(c byte, depth int) Value {
	s := domains.numbered.at(d.uvarint())
	if s == nil || len(s.args) == 0 || len(s.args) > len(d.b) || (c == codeRecord) != (s.texts != nil) || s.isRange && s.first == 1 {
		d.fail("unknown domain")
	}
	if c == codeRecord {
		r := makeRecord(s)
		d.values(r.vals, depth)
		return r
	}
	f := makeFunction(s)
	d.values(f.vals, depth)
	return f
}
