package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"podlife/tla/value"
)

// A jsonParser reads one JSON text. After an error, err is set and what it gives means nothing.
type jsonParser struct {
	decoder *json.Decoder
	err     error
}

func newDecoder(r io.Reader) *json.Decoder {
	d := json.NewDecoder(r)
	d.UseNumber()
	return d
}

// fail keeps the first error.
func (p *jsonParser) fail(format string, args ...any) value.Value {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	return nil
}

// whole reads a value behind which nothing comes.
func (p *jsonParser) whole() value.Value {
	v := p.value(0)
	if p.err != nil {
		return nil
	}
	if _, err := p.decoder.Token(); !errors.Is(err, io.EOF) {
		return p.fail("something follows the JSON value")
	}
	return v
}

func (p *jsonParser) value(depth int) value.Value {
	token, err := p.decoder.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return p.fail("the JSON text ends too early")
		}
		return p.fail("%w", err)
	}
	return p.after(token, depth)
}

// after gives the value that starts with a token.
func (p *jsonParser) after(token json.Token, depth int) value.Value {
	switch token := token.(type) {
	case bool:
		return value.Bool(token)
	case string:
		return value.NewString(token)
	case json.Number:
		return p.number(string(token))
	case json.Delim:
		if depth > maxJSONDepth {
			return p.fail("arrays and objects are nested more than %d levels deep", maxJSONDepth)
		}
		if token == '[' {
			return p.array(depth)
		}
		return p.object(depth)
	}
	return p.fail("null stands for no value of TLA+")
}

func (p *jsonParser) array(depth int) value.Value {
	var elems []value.Value
	for p.decoder.More() {
		v := p.value(depth + 1)
		if p.err != nil {
			return nil
		}
		elems = append(elems, v)
	}
	p.end()
	return value.NewTuple(elems)
}

// object reads the members of an object. Of two with one name, the second counts, as in TLC.
func (p *jsonParser) object(depth int) value.Value {
	var names []string
	vals := map[string]value.Value{}
	for p.decoder.More() {
		token, err := p.decoder.Token()
		if err != nil {
			return p.fail("%w", err)
		}
		name, ok := token.(string)
		if !ok {
			return p.fail("the name of a member is no string")
		}
		v := p.value(depth + 1)
		if p.err != nil {
			return nil
		}
		if _, again := vals[name]; !again {
			names = append(names, name)
		}
		vals[name] = v
	}
	p.end()
	return recordOf(names, func(name string) value.Value { return vals[name] })
}

// recordOf makes a record of fields in any order; of none, it is the empty function.
func recordOf(names []string, val func(name string) value.Value) value.Value {
	if len(names) == 0 {
		return value.EmptyTuple()
	}
	shape := value.ShapeOf(names...)
	vals := make([]value.Value, shape.Len())
	for i := range vals {
		vals[i] = val(shape.Name(i))
	}
	return value.NewRecord(shape, vals)
}

// end reads the closing bracket, which the decoder has seen to be the right one.
func (p *jsonParser) end() {
	if _, err := p.decoder.Token(); err != nil {
		p.fail("%w", err)
	}
}

// Bounds on numbers, so that a short text does not stand for a number of gigabytes.
const (
	maxDigits   = 350_000
	maxExponent = 4096
)

// number reads an integer: 12, -3, also 1.0 and 2e3.
func (p *jsonParser) number(s string) value.Value {
	if len(s) > maxDigits {
		return p.fail("a number has more than %d digits", maxDigits)
	}
	if n, ok := new(big.Int).SetString(s, 10); ok {
		return value.NewBig(n)
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(s), "e"); ok {
		if n, err := strconv.Atoi(exponent); err != nil || n < -maxExponent || n > maxExponent {
			return p.fail("the exponent of %s is too large", s)
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok || !r.IsInt() {
		return p.fail("the number %s is not an integer", s)
	}
	return value.NewBig(new(big.Int).Set(r.Num()))
}
