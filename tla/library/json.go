package library

import (
	"bytes"
	"strings"

	"podlife/tla/value"
)

// jsonModule is the module Json. Which value is which JSON is what TLC does, but for numbers: TLC cuts them down to 32 bits, fractions and all; here, integers are
// exact and other numbers are refused.
func jsonModule(t table) {
	t.fixed("Json", "ToJson", 1, func(_ *Env, args []value.Value) value.Value {
		return value.NewString(string(appendJSON(nil, args[0], 0)))
	})
	t.fixed("Json", "ToJsonArray", 1, func(env *Env, args []value.Value) value.Value {
		v := env.Work.Normalize(args[0])
		switch v.(type) {
		case *value.Tuple, *value.Function, *value.Set:
			return value.NewString(string(appendJSON(nil, v, 0)))
		}
		wrong("ToJsonArray", "first", "a sequence, a set or a function that is no record", v)
		return nil
	})
	t.fixed("Json", "ToJsonObject", 1, func(env *Env, args []value.Value) value.Value {
		v := env.Work.Normalize(args[0])
		switch v := v.(type) {
		case *value.Tuple:
			// TLC counts from 0 here.
			return value.NewString(string(appendMembers(nil, v.Len(), func(i int) (string, value.Value) { return value.NewInt(int64(i)).String(), v.At(i) }, 0)))
		case *value.Record, *value.Function:
			return value.NewString(string(appendJSON(nil, v, 0)))
		}
		wrong("ToJsonObject", "first", "a record, a sequence or another function", v)
		return nil
	})
	t.volatile("Json", "JsonSerialize", 2, func(env *Env, args []value.Value) value.Value {
		path, v := text("JsonSerialize", "first", args[0]), env.Work.Normalize(args[1])
		switch v.(type) {
		case *value.Tuple, *value.Record:
		default:
			wrong("JsonSerialize", "second", "a sequence or a record", v)
		}
		env.mustWrite("JsonSerialize", path, appendJSON(nil, v, 0), replacing, true)
		return value.Bool(true)
	})
	t.volatile("Json", "ndJsonSerialize", 2, func(env *Env, args []value.Value) value.Value {
		path := text("ndJsonSerialize", "first", args[0])
		env.mustWrite("ndJsonSerialize", path, jsonLines(sequence("ndJsonSerialize", "second", args[1])), replacing, true)
		return value.Bool(true)
	})
	t.volatile("Json", "JsonDeserialize", 1, func(env *Env, args []value.Value) value.Value {
		path := text("JsonDeserialize", "first", args[0])
		data, _ := env.mustRead("JsonDeserialize", path, false)
		v, err := parseJSON(data)
		if err != nil {
			value.Raise(CodeIO, "JsonDeserialize: %s: %v", path, err)
		}
		return v
	})
	t.volatile("Json", "ndJsonDeserialize", 1, func(env *Env, args []value.Value) value.Value {
		path := text("ndJsonDeserialize", "first", args[0])
		data, _ := env.mustRead("ndJsonDeserialize", path, false)
		var all []value.Value
		for i, line := range lines(data) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			v, err := parseJSON([]byte(line))
			if err != nil {
				value.Raise(CodeIO, "ndJsonDeserialize: %s:%d: %v", path, i+1, err)
			}
			all = append(all, v)
		}
		return value.NewTuple(all)
	})
}

// jsonLines is an element a line.
func jsonLines(elems []value.Value) []byte {
	var out []byte
	for _, e := range elems {
		out = append(appendJSON(out, e, 0), '\n')
	}
	return out
}

// maxJSONDepth bounds how deep arrays and objects may be nested, in both directions.
const maxJSONDepth = 5000

// appendJSON appends a value, without spaces.
func appendJSON(out []byte, v value.Value, depth int) []byte {
	if depth > maxJSONDepth {
		value.Raise(value.CodeTooLarge, "a value for JSON is nested more than %d levels deep", maxJSONDepth)
	}
	switch v := value.Normalize(v).(type) {
	case value.Bool:
		if v {
			return append(out, "true"...)
		}
		return append(out, "false"...)
	case value.Int, *value.Big:
		return append(out, v.String()...)
	case *value.Str:
		return appendJSONString(out, v.Text())
	case *value.Model:
		return appendJSONString(out, v.Name)
	case *value.Tuple:
		return appendArray(out, v.Elems(), depth)
	case *value.Set:
		return appendArray(out, v.Elems(), depth)
	case *value.Record:
		return appendMembers(out, v.Len(), func(i int) (string, value.Value) { return v.Shape().Name(i), v.At(i) }, depth)
	case *value.Function:
		args, vals := v.Args(), v.Vals()
		return appendMembers(out, len(args), func(i int) (string, value.Value) {
			if s, ok := args[i].(*value.Str); ok {
				return s.Text(), vals[i]
			}
			return args[i].String(), vals[i]
		}, depth)
	default:
		value.Raise(value.CodeType, "%s has no form in JSON: %s", v.Kind(), show(v))
	}
	return out
}

func appendArray(out []byte, elems []value.Value, depth int) []byte {
	out = append(out, '[')
	for i, e := range elems {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendJSON(out, e, depth+1)
	}
	return append(out, ']')
}

// appendMembers appends an object of n members.
func appendMembers(out []byte, n int, member func(i int) (string, value.Value), depth int) []byte {
	out = append(out, '{')
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		name, v := member(i)
		out = append(appendJSONString(out, name), ':')
		out = appendJSON(out, v, depth+1)
	}
	return append(out, '}')
}

// appendJSONString appends a string with the escapes that TLC's JSON has.
func appendJSONString(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r == '\t':
			out = append(out, `\t`...)
		case r == '\n':
			out = append(out, `\n`...)
		case r == '\r':
			out = append(out, `\r`...)
		case r == '\b':
			out = append(out, `\b`...)
		case r == '\f':
			out = append(out, `\f`...)
		case r < ' ':
			out = append(out, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		case r == 0x2028 || r == 0x2029: // line ends to JavaScript
			out = append(out, '\\', 'u', '2', '0', '2', hex[r&15])
		default:
			out = append(out, string(r)...)
		}
	}
	return append(out, '"')
}

// parseJSON gives the value of a JSON text: arrays are sequences, objects are records.
func parseJSON(data []byte) (value.Value, error) {
	p := jsonParser{decoder: newDecoder(bytes.NewReader(data))}
	var v value.Value
	err := value.Catch(func() { v = p.whole() }) // a record with a limit of package value's
	if err == nil {
		err = p.err
	}
	return v, err
}
