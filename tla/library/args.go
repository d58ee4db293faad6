package library

import (
	"unicode/utf8"

	"podlife/tla/value"
)

// maxShown bounds, in bytes, how much of a value a message shows.
const maxShown = 300

// show is a value in a message.
func show(v value.Value) string {
	s := v.String()
	if len(s) <= maxShown {
		return s
	}
	cut := maxShown
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}

// wrong raises that an argument is not what an operator needs. want has its article: "a sequence".
func wrong(op, which, want string, v value.Value) {
	value.Raise(value.CodeType, "the %s argument of %s has to be %s, but is %s: %s", which, op, want, v.Kind(), show(v))
}

// sequenceOf gives the elements of a sequence; ok is false for anything else. Do not change them.
func sequenceOf(v value.Value) (elems []value.Value, ok bool) {
	switch v := v.(type) {
	case *value.Tuple:
		return v.Elems(), true
	case *value.Lambda:
		t, ok := value.Normalize(v).(*value.Tuple)
		if ok {
			return t.Elems(), true
		}
	}
	return nil, false
}

// sequence is sequenceOf for the argument of an operator that needs one.
func sequence(op, which string, v value.Value) []value.Value {
	elems, ok := sequenceOf(v)
	if !ok {
		wrong(op, which, "a sequence", v)
	}
	return elems
}

// functionOf gives the arguments and values of a finite function, in the order of the arguments; ok is false for anything else. Do not change them.
func functionOf(v value.Value) (args, vals []value.Value, ok bool) {
	switch v := v.(type) {
	case *value.Tuple:
		args = make([]value.Value, v.Len())
		for i := range args {
			args[i] = value.NewInt(int64(i) + 1)
		}
		return args, v.Elems(), true
	case *value.Record:
		return value.Elements(value.Domain(v)), v.Vals(), true
	case *value.Function:
		return v.Args(), v.Vals(), true
	case *value.Lambda:
		return functionOf(value.Normalize(v))
	}
	return nil, nil, false
}

// function is functionOf for the argument of an operator that needs one.
func function(op, which string, v value.Value) (args, vals []value.Value) {
	args, vals, ok := functionOf(v)
	if !ok {
		wrong(op, which, "a function", v)
	}
	return args, vals
}

// setOf gives the elements of a set, sorted. Do not change them.
func setOf(op, which string, v value.Value) []value.Value {
	if v.Kind() != value.KindSet {
		wrong(op, which, "a set", v)
	}
	return value.Elements(v)
}

// integer gives an integer argument that fits 64 bits; ok is false for a larger one.
func integer(op, which string, v value.Value) (n int64, ok bool) {
	switch v := v.(type) {
	case value.Int:
		return int64(v), true
	case *value.Big:
		return 0, false
	}
	wrong(op, which, "an integer", v)
	return 0, false
}

// smallInteger gives an integer argument; one beyond 64 bits is an error.
func smallInteger(op, which string, v value.Value) int64 {
	n, ok := integer(op, which, v)
	if !ok {
		value.Raise(value.CodeTooLarge, "the %s argument of %s has more than 64 bits: %s", which, op, show(v))
	}
	return n
}

// natural gives an argument that is a natural number of at most 64 bits.
func natural(op, which string, v value.Value) int64 {
	n := smallInteger(op, which, v)
	if n < 0 {
		wrong(op, which, "a natural number", v)
	}
	return n
}

// text gives a string argument.
func text(op, which string, v value.Value) string {
	s, ok := v.(*value.Str)
	if !ok {
		wrong(op, which, "a string", v)
	}
	return s.Text()
}

// boolean gives a boolean argument.
func boolean(op, which string, v value.Value) bool {
	b, ok := v.(value.Bool)
	if !ok {
		wrong(op, which, "a boolean", v)
	}
	return bool(b)
}

// record gives a record argument.
func record(op, which string, v value.Value) *value.Record {
	if f, ok := v.(*value.Lambda); ok {
		v = value.Normalize(f)
	}
	r, ok := v.(*value.Record)
	if !ok {
		wrong(op, which, "a record", v)
	}
	return r
}

// field gives a field that a record argument has to have.
func field(op, which string, r *value.Record, name string) value.Value {
	i := r.Shape().Index(name)
	if i < 0 {
		value.Raise(value.CodeDomain, "the %s argument of %s has to have the field %s: %s", which, op, name, show(r))
	}
	return r.At(i)
}

// operator gives an argument for an operator parameter. Its absence is the evaluator's mistake, not the specification's.
func operator(v value.Value) func(args []value.Value) value.Value {
	return v.(*value.Operator).Apply
}

// predicate is an operator of one parameter as a test. op and which are for the message when it gives something else than a boolean.
func predicate(op, which string, v value.Value) func(x value.Value) bool {
	apply := operator(v)
	return func(x value.Value) bool {
		result := apply([]value.Value{x})
		b, ok := result.(value.Bool)
		if !ok {
			value.Raise(value.CodeType, "the operator given to %s as its %s argument has to give a boolean, but gives %s: %s",
				op, which, result.Kind(), show(result))
		}
		return bool(b)
	}
}
