package tlcjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"podlife/tla/value"
)

// How values are written:
//
//	TRUE, 7, "a", m          true, 7, "a", "m"
//	<<1, 2>> and {1, 2}      [1,2]; a set in its order
//	[a |-> 1]                {"a":1}
//	(3 :> 1 @@ 5 :> 2)       {"3":1,"5":2}: an argument that is no string is written as TLC prints it
//
// TLC itself reads integers of 32 bits only; larger ones are written all the same. Where two arguments of a function have the same text, a string and a
// model value of its name, the last one stays, as in TLC.

// encode writes a value; it raises an error of package value for one that is infinite.
func encode(b *bytes.Buffer, v value.Value) {
	switch v := v.(type) {
	case value.Bool:
		b.WriteString(strconv.FormatBool(bool(v)))
	case value.Int:
		b.WriteString(strconv.FormatInt(int64(v), 10))
	case *value.Big:
		b.WriteString(v.Big().String())
	case *value.Str:
		text(b, v.Text())
	case *value.Model:
		text(b, v.Name)
	case *value.Tuple:
		list(b, v.Elems())
	case *value.Set, *value.Range:
		list(b, value.Elements(v))
	case *value.Record:
		args := make([]value.Value, v.Len())
		for i := range args {
			args[i] = value.NewString(v.Shape().Name(i))
		}
		object(b, args, v.Vals())
	case *value.Function:
		object(b, v.Args(), v.Vals())
	default:
		encode(b, value.Normalize(v))
	}
}

func list(b *bytes.Buffer, elems []value.Value) {
	b.WriteByte('[')
	for i, x := range elems {
		if i > 0 {
			b.WriteByte(',')
		}
		encode(b, x)
	}
	b.WriteByte(']')
}

func object(b *bytes.Buffer, args, vals []value.Value) {
	last := map[string]int{}
	for i, a := range args {
		last[keyOf(a)] = i
	}
	b.WriteByte('{')
	first := true
	for i, a := range args {
		if last[keyOf(a)] != i {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		text(b, keyOf(a))
		b.WriteByte(':')
		encode(b, vals[i])
	}
	b.WriteByte('}')
}

// keyOf is how an argument of a function is written.
func keyOf(v value.Value) string {
	if s, ok := v.(*value.Str); ok {
		return s.Text()
	}
	return v.String()
}

func text(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)       // a string is JSON
	b.Truncate(b.Len() - 1) // the line break
}

// decode reads JSON as the value that it is by itself.
func decode(where string, raw json.RawMessage) (v value.Value, err error) {
	parsed, err := parse(raw)
	if err != nil {
		return nil, &FormatError{Where: where, Problem: "not a value", Cause: err}
	}
	if raised := value.Catch(func() { v, err = valueOf(parsed, 0) }); raised != nil {
		err = raised
	}
	if err != nil {
		return nil, &FormatError{Where: where, Problem: "not a value", Cause: err}
	}
	return v, nil
}

func parse(raw json.RawMessage) (parsed any, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&parsed)
	return parsed, err
}

func valueOf(parsed any, depth int) (value.Value, error) {
	if depth > MaxDepth {
		return nil, fmt.Errorf("nested more than %d levels deep", MaxDepth)
	}
	switch p := parsed.(type) {
	case bool:
		return value.Bool(p), nil
	case string:
		return value.NewString(p), nil
	case json.Number:
		return integer(p.String())
	case []any:
		elems := make([]value.Value, len(p))
		for i, x := range p {
			var err error
			if elems[i], err = valueOf(x, depth+1); err != nil {
				return nil, err
			}
		}
		return value.NewTuple(elems), nil
	case map[string]any:
		var args, vals []value.Value
		for name, x := range p {
			v, err := valueOf(x, depth+1)
			if err != nil {
				return nil, err
			}
			args, vals = append(args, value.NewString(name)), append(vals, v)
		}
		return value.NewFunction(args, vals), nil
	}
	return nil, fmt.Errorf("null is no value")
}

func integer(digits string) (value.Value, error) {
	const maxDigits = value.MaxBits / 3 // a digit has more than three bits
	if strings.ContainsAny(digits, ".eE") {
		return nil, fmt.Errorf("%.40q is no integer", digits)
	}
	if len(digits) > maxDigits {
		return nil, fmt.Errorf("an integer with more than %d digits", maxDigits)
	}
	n, _ := new(big.Int).SetString(digits, 10) // a JSON number without fraction and exponent
	return value.NewBig(n), nil
}

// matches tells whether a value would be written as this text, but for the order of sets, which is the writer's business.
func matches(v value.Value, raw json.RawMessage) (same bool, err error) {
	parsed, err := parse(raw)
	if err != nil {
		return false, err
	}
	if raised := value.Catch(func() { same = fits(value.Normalize(v), parsed) }); raised != nil {
		return false, raised
	}
	return same, nil
}

func fits(v value.Value, parsed any) bool {
	switch v := v.(type) {
	case value.Bool:
		return parsed == bool(v)
	case value.Int, *value.Big:
		n, ok := parsed.(json.Number)
		return ok && n.String() == v.String()
	case *value.Str:
		return parsed == v.Text()
	case *value.Model:
		return parsed == v.Name
	case *value.Tuple:
		elems, ok := parsed.([]any)
		if !ok || len(elems) != v.Len() {
			return false
		}
		for i, x := range v.Elems() {
			if !fits(x, elems[i]) {
				return false
			}
		}
		return true
	case *value.Set, *value.Range:
		return fitsSet(value.Elements(v), parsed)
	case *value.Record:
		return fitsFunction(v.Vals(), v.Shape().Name, parsed)
	case *value.Function:
		return fitsFunction(v.Vals(), func(i int) string { return keyOf(v.Args()[i]) }, parsed)
	}
	return false // Normalize gives nothing else
}

// fitsSet pairs the elements. It may take the first that fits: those of one text fit the same elements.
func fitsSet(elems []value.Value, parsed any) bool {
	left, ok := parsed.([]any)
	if !ok || len(left) != len(elems) {
		return false
	}
	left = slices.Clone(left)
	for _, x := range elems {
		i := slices.IndexFunc(left, func(p any) bool { return fits(x, p) })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

func fitsFunction(vals []value.Value, key func(i int) string, parsed any) bool {
	fields, ok := parsed.(map[string]any)
	if !ok {
		return false
	}
	last := map[string]value.Value{}
	for i, v := range vals {
		last[key(i)] = v
	}
	if len(last) != len(fields) {
		return false
	}
	for name, v := range last {
		x, ok := fields[name]
		if !ok || !fits(v, x) {
			return false
		}
	}
	return true
}
