package itf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"podlife/tla/value"
)

// maxDigits keeps what is read below value.MaxBits: a decimal digit has more than three bits.
const maxDigits = value.MaxBits / 3

// value reads an expression of the format.
func (d *decoder) value(where string, raw json.RawMessage) (v value.Value, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	r := &valueReader{dec: dec, models: d.models, where: where}
	defer func() {
		if p := recover(); p != nil {
			e, ok := p.(*FormatError)
			if !ok {
				panic(p)
			}
			err = e
		}
	}()
	if raised := value.Catch(func() { v = r.value(0) }); raised != nil {
		return nil, &FormatError{Where: where, Problem: "not a value", Cause: raised}
	}
	return v, nil
}

// valueReader reads one value; it panics with *FormatError.
type valueReader struct {
	dec    *json.Decoder
	models map[string]string
	where  string
}

func (r *valueReader) fail(format string, args ...any) {
	panic(&FormatError{Where: r.where, Problem: fmt.Sprintf(format, args...)})
}

func (r *valueReader) token() json.Token {
	t, err := r.dec.Token()
	if err != nil {
		panic(&FormatError{Where: r.where, Problem: "not JSON", Cause: err})
	}
	return t
}

func (r *valueReader) value(depth int) value.Value {
	if depth > MaxDepth {
		r.fail("nested more than %d levels deep", MaxDepth)
	}
	switch t := r.token().(type) {
	case bool:
		return value.Bool(t)
	case string:
		if name, ok := r.models[t]; ok {
			return value.NewModel(name)
		}
		return value.NewString(t)
	case json.Number:
		return r.integer(t.String())
	case json.Delim:
		if t == '[' {
			return value.NewTuple(r.rest(depth))
		}
		return r.object(depth)
	}
	r.fail("null is no value")
	return nil
}

func (r *valueReader) integer(text string) value.Value {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		r.fail("%.40q is no integer", text)
	}
	if len(digits) > maxDigits {
		r.fail("an integer with more than %d digits", maxDigits)
	}
	n, _ := new(big.Int).SetString(text, 10) // only digits
	return value.NewBig(n)
}

// rest reads the elements of a list whose bracket has been read.
func (r *valueReader) rest(depth int) []value.Value {
	var elems []value.Value
	for r.dec.More() {
		elems = append(elems, r.value(depth+1))
	}
	r.token()
	return elems
}

func (r *valueReader) list(depth int) []value.Value {
	if r.token() != json.Delim('[') {
		r.fail("want a list after the tag")
	}
	return r.rest(depth)
}

// object reads what stands after a brace: a record, or a value with a tag.
func (r *valueReader) object(depth int) value.Value {
	var names, vals []value.Value
	seen := map[string]bool{}
	for r.dec.More() {
		name := r.token().(string) // a name of an object is a string
		if strings.HasPrefix(name, "#") {
			if len(names) > 0 {
				r.fail("%.40q among the fields of a record", name)
			}
			v := r.tagged(name, depth)
			if r.dec.More() {
				r.fail("something follows %.40q", name)
			}
			r.token()
			return v
		}
		if seen[name] {
			r.fail("the field %.40q is there twice", name)
		}
		seen[name] = true
		names, vals = append(names, value.NewString(name)), append(vals, r.value(depth+1))
	}
	r.token()
	return value.NewFunction(names, vals)
}

func (r *valueReader) tagged(tag string, depth int) value.Value {
	switch tag {
	case "#bigint":
		text, ok := r.token().(string)
		if !ok {
			r.fail("#bigint is no string")
		}
		return r.integer(text)
	case "#tup":
		return value.NewTuple(r.list(depth))
	case "#set":
		return value.NewSet(r.list(depth))
	case "#map":
		return r.function(depth)
	case "#unserializable":
		text, _ := r.token().(string)
		r.fail("a value that its writer could not write out: %.60q", text)
	}
	r.fail("%.40q is no sort of value", tag)
	return nil
}

func (r *valueReader) function(depth int) value.Value {
	if r.token() != json.Delim('[') {
		r.fail("want a list after #map")
	}
	var args, vals []value.Value
	for r.dec.More() {
		pair := r.list(depth)
		if len(pair) != 2 {
			r.fail("a list of %d in a #map, want an argument and a value", len(pair))
		}
		args, vals = append(args, pair[0]), append(vals, pair[1])
	}
	r.token()
	return value.NewFunction(args, vals)
}
