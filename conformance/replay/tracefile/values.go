package tracefile

import (
	"fmt"
	"strconv"

	"podlife/tla/value"
)

// reader takes values apart, in whichever form a file has them: TLC's JSON has lists for sets, strings for model values, and objects for
// functions. It keeps the first error, after which everything that it gives is nothing.
type reader struct{ err error }

func (r *reader) fail(where, format string, args ...any) {
	if r.err == nil {
		r.err = &FormatError{Where: where, Problem: fmt.Sprintf(format, args...)}
	}
}

// shown is a value for an error, cut.
func shown(v value.Value) string { return fmt.Sprintf("%.80s", v) }

func (r *reader) word(where string, v value.Value) string {
	switch v := v.(type) {
	case *value.Str:
		return v.Text()
	case *value.Model:
		return v.Name
	}
	if r.err == nil {
		r.fail(where, "%s is no word", shown(v))
	}
	return ""
}

// number reads a number from 0 to a billion.
func (r *reader) number(where string, v value.Value) int {
	n, ok := v.(value.Int)
	if !ok || n < 0 || n > 1_000_000_000 {
		if r.err == nil {
			r.fail(where, "%s is no number from 0 on", shown(v))
		}
		return 0
	}
	return int(n)
}

func (r *reader) truth(where string, v value.Value) bool {
	b, ok := v.(value.Bool)
	if !ok && r.err == nil {
		r.fail(where, "%s is neither true nor false", shown(v))
	}
	return bool(b)
}

// entry is an argument of a function, as text, with its value.
type entry struct {
	key string
	val value.Value
}

// entries are those of a function, a sequence or a record.
func (r *reader) entries(where string, v value.Value) []entry {
	var all []entry
	switch v := v.(type) {
	case *value.Tuple:
		for i, x := range v.Elems() {
			all = append(all, entry{strconv.Itoa(i + 1), x})
		}
	case *value.Record:
		for i, x := range v.Vals() {
			all = append(all, entry{v.Shape().Name(i), x})
		}
	case *value.Function:
		for i, x := range v.Vals() {
			key := v.Args()[i].String()
			if s, ok := v.Args()[i].(*value.Str); ok {
				key = s.Text()
			}
			all = append(all, entry{key, x})
		}
	default:
		if r.err == nil {
			r.fail(where, "%s is no function", shown(v))
		}
	}
	return all
}

// fields gives the values of a record that has exactly these names, in their order.
func (r *reader) fields(where string, v value.Value, names ...string) []value.Value {
	vals := make([]value.Value, len(names))
	of := map[string]value.Value{}
	for _, e := range r.entries(where, v) {
		of[e.key] = e.val
	}
	for i, name := range names {
		if vals[i] = of[name]; vals[i] == nil {
			r.fail(where, "has no %s", name)
		}
		delete(of, name)
	}
	for name := range of {
		r.fail(where, "has %.40q, which the specification has not", name)
	}
	return vals
}

// elements are those of a set, or of a list where sets are written as such.
func (r *reader) elements(where string, v value.Value) []value.Value {
	switch v := v.(type) {
	case *value.Tuple:
		return v.Elems()
	case *value.Set, *value.Range:
		return value.Elements(v)
	}
	if r.err == nil {
		r.fail(where, "%s is no set", shown(v))
	}
	return nil
}

// text sets a value of one of the specification's sets of words.
func (r *reader) text(where string, v value.Value, into interface{ UnmarshalText([]byte) error }) {
	word := r.word(where, v)
	if r.err == nil {
		if err := into.UnmarshalText([]byte(word)); err != nil {
			r.err = &FormatError{Where: where, Problem: "not a value of the specification", Cause: err}
		}
	}
}
