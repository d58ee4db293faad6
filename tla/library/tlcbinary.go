package library

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"podlife/tla/value"
)

// The binary form in which TLC writes values (tlc2.value.ValueOutputStream): a byte for the kind, and then, big-endian, the content. Strings, field
// names and composite values are numbered as they begin, and one that was written before may be written as its number. A model value is a number of
// the process that wrote it, which nobody else knows: it is neither written nor read. Strings have to be ASCII, since TLC takes and gives one byte a character.
const (
	kindBool     = 0
	kindInt      = 1
	kindString   = 3
	kindRecord   = 4
	kindSet      = 5
	kindTuple    = 7
	kindFunction = 9
	kindModel    = 21
	kindInterval = 23
	kindAgain    = 26
)

// encodeTLC writes a normalised value, each part anew. It raises for what the form does not have.
func encodeTLC(v value.Value, compress bool) []byte {
	e := encoder{}
	e.value(v, 0)
	if !compress {
		return e.out
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(e.out); err != nil {
		value.Raise(CodeIO, "IOSerialize: %v", err)
	}
	if err := w.Close(); err != nil {
		value.Raise(CodeIO, "IOSerialize: %v", err)
	}
	return packed.Bytes()
}

type encoder struct{ out []byte }

func (e *encoder) byte(b byte) { e.out = append(e.out, b) }

func (e *encoder) int(n int) { e.out = binary.BigEndian.AppendUint32(e.out, uint32(int32(n))) }

// natural takes two bytes for numbers up to 0x7fff, and four with a sign for larger ones.
func (e *encoder) natural(n int) {
	if n > math.MaxInt16 {
		e.int(-n)
		return
	}
	e.out = binary.BigEndian.AppendUint16(e.out, uint16(n))
}

func (e *encoder) text(s string) {
	e.byte(kindString)
	e.int(0)  // TLC's number of the string, which other processes ignore
	e.int(-1) // the variable of that name: none
	latin, err := encodeText(s, "US-ASCII")
	if err != nil {
		value.Raise(CodeUnsupported, "IOSerialize: %v, and TLC's files have no other characters", err)
	}
	e.int(len(latin))
	e.out = append(e.out, latin...)
}

func (e *encoder) value(v value.Value, depth int) {
	if depth > maxJSONDepth {
		value.Raise(value.CodeTooLarge, "IOSerialize: the value is nested more than %d levels deep", maxJSONDepth)
	}
	switch v := v.(type) {
	case value.Bool:
		e.byte(kindBool)
		if v {
			e.byte(1)
		} else {
			e.byte(0)
		}
	case value.Int:
		if v < math.MinInt32 || v > math.MaxInt32 {
			value.Raise(CodeUnsupported, "IOSerialize: the integer %d has more than 32 bits, which TLC's files do not have", v)
		}
		e.byte(kindInt)
		e.int(int(v))
	case *value.Str:
		e.text(v.Text())
	case *value.Tuple:
		e.byte(kindTuple)
		e.natural(v.Len())
		e.all(v.Elems(), depth)
	case *value.Set:
		e.byte(kindSet)
		e.int(-v.Len()) // not sorted: another process may have another order of strings
		e.all(v.Elems(), depth)
	case *value.Record:
		e.byte(kindRecord)
		e.int(-v.Len())
		for i := range v.Len() {
			e.text(v.Shape().Name(i))
			e.value(v.At(i), depth+1)
		}
	case *value.Function:
		e.byte(kindFunction)
		e.natural(v.Len())
		e.byte(2) // not sorted
		for i, a := range v.Args() {
			e.value(a, depth+1)
			e.value(v.Vals()[i], depth+1)
		}
	default:
		value.Raise(CodeUnsupported, "IOSerialize: TLC's files do not have %s such as %s", v.Kind(), show(v))
	}
}

func (e *encoder) all(elems []value.Value, depth int) {
	for _, v := range elems {
		e.value(v, depth+1)
	}
}

// decodeTLC reads what encodeTLC or TLC has written.
func decodeTLC(data []byte, compressed bool) (v value.Value, err error) {
	if compressed {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		data, err = io.ReadAll(io.LimitReader(r, MaxFile+1))
		if err != nil {
			return nil, err
		}
		if len(data) > MaxFile {
			return nil, fmt.Errorf("the content has more than %d bytes", MaxFile)
		}
	}
	d := decoder{in: data}
	err = value.Catch(func() { v = d.value(0) })
	if err == nil {
		err = d.err
	}
	if err == nil && len(d.in) > 0 {
		err = errors.New("something follows the value")
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// A decoder reads one value. After an error, err is set and what it gives means nothing.
type decoder struct {
	in      []byte
	numbers []value.Value // what was begun, in order; nil until it is complete
	err     error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// take gives the next n bytes, or zeros after an error.
func (d *decoder) take(n int) []byte {
	if d.err == nil && n > len(d.in) {
		d.fail("the file ends too early")
	}
	if d.err != nil {
		return make([]byte, min(n, 4))
	}
	b := d.in[:n]
	d.in = d.in[n:]
	return b
}

func (d *decoder) byte() byte { return d.take(1)[0] }

func (d *decoder) int() int { return int(int32(binary.BigEndian.Uint32(d.take(4)))) }

func (d *decoder) natural() int {
	n := int(int16(binary.BigEndian.Uint16(d.take(2))))
	if n >= 0 {
		return n
	}
	return -int(int32(uint32(n)<<16 | uint32(binary.BigEndian.Uint16(d.take(2)))))
}

// count checks a number of parts, of which each takes two bytes at least.
func (d *decoder) count(n int) int {
	if n < 0 {
		n = -n
	}
	if n > len(d.in)/2 {
		d.fail("the file has a value of %d parts, more than fit into it", n)
		return 0
	}
	return n
}

// begin numbers a value that begins.
func (d *decoder) begin() int {
	d.numbers = append(d.numbers, nil)
	return len(d.numbers) - 1
}

func (d *decoder) value(depth int) value.Value {
	if depth > maxJSONDepth {
		d.fail("the value is nested more than %d levels deep", maxJSONDepth)
	}
	if d.err != nil {
		return nil
	}
	switch kind := d.byte(); kind {
	case kindBool:
		return value.Bool(d.byte() != 0)
	case kindInt:
		return value.NewInt(int64(d.int()))
	case kindInterval:
		lo, hi := d.int(), d.int()
		return value.Interval(value.NewInt(int64(lo)), value.NewInt(int64(hi)))
	case kindString:
		return d.text()
	case kindTuple:
		return d.numbered(func() value.Value { return value.NewTuple(d.all(d.count(d.natural()), depth)) })
	case kindSet:
		return d.numbered(func() value.Value { return value.NewSet(d.all(d.count(d.int()), depth)) })
	case kindRecord:
		return d.numbered(func() value.Value { return d.record(depth) })
	case kindFunction:
		return d.numbered(func() value.Value { return d.function(depth) })
	case kindAgain:
		return d.again()
	case kindModel:
		d.fail("the file has a model value, which only the process that wrote it knows")
	default:
		d.fail("the file has a value of the unknown kind %d", kind)
	}
	return nil
}

// numbered reads a composite value; read is not to be trusted after an error, and is not used for anything then.
func (d *decoder) numbered(read func() value.Value) value.Value {
	n := d.begin()
	v := read()
	if d.err != nil {
		return nil
	}
	d.numbers[n] = v
	return v
}

func (d *decoder) again() value.Value {
	n := d.natural()
	if n < 0 || n >= len(d.numbers) || d.numbers[n] == nil {
		d.fail("the file refers to part %d, which is not there", n)
		return nil
	}
	return d.numbers[n]
}

func (d *decoder) text() value.Value {
	n := d.begin()
	d.int()
	d.int()
	size := d.int()
	if size < 0 || size > len(d.in) {
		d.fail("the file has a string of %d characters", size)
		return nil
	}
	s, err := decodeText(d.take(size), "US-ASCII")
	if err != nil {
		d.fail("%w", err)
	}
	d.numbers[n] = value.NewString(s)
	return d.numbers[n]
}

// all reads n values; it stops after an error.
func (d *decoder) all(n, depth int) []value.Value {
	elems := make([]value.Value, 0, n)
	for range n {
		v := d.value(depth + 1)
		if d.err != nil {
			return nil
		}
		elems = append(elems, v)
	}
	return elems
}

func (d *decoder) record(depth int) value.Value {
	n := d.count(d.int())
	var names []string
	vals := map[string]value.Value{}
	for range n {
		var name value.Value
		switch kind := d.byte(); kind {
		case kindString:
			name = d.text()
		case kindAgain:
			name = d.again()
		default:
			d.fail("a field's name is no string but of kind %d", kind)
		}
		v := d.value(depth + 1)
		if d.err != nil {
			return nil
		}
		s, ok := name.(*value.Str)
		if !ok || vals[s.Text()] != nil {
			d.fail("a field has no name, or two have one")
			return nil
		}
		names = append(names, s.Text())
		vals[s.Text()] = v
	}
	return recordOf(names, func(name string) value.Value { return vals[name] })
}

func (d *decoder) function(depth int) value.Value {
	n := d.count(d.natural())
	if form := d.byte(); form == 0 {
		lo, hi := d.int(), d.int()
		if d.err == nil && hi-lo+1 != n {
			d.fail("a function on %d..%d has %d values", lo, hi, n)
		}
		vals := d.all(n, depth)
		if d.err != nil {
			return nil
		}
		args := make([]value.Value, n)
		for i := range args {
			args[i] = value.NewInt(int64(lo) + int64(i))
		}
		return value.NewFunction(args, vals)
	}
	both := d.all(2*n, depth)
	if d.err != nil {
		return nil
	}
	args, vals := make([]value.Value, n), make([]value.Value, n)
	for i := range n {
		args[i], vals[i] = both[2*i], both[2*i+1]
	}
	return value.NewFunction(args, vals)
}
