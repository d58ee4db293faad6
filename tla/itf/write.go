package itf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"podlife/tla/value"
)

// How values are written. Each form is the one that other tools expect of a value of its sort; where TLA+ has one value and the format several
// forms (a sequence is a function, a record is a function), any of them is read as that value.
//
//	TRUE, 7, "a"            true, {"#bigint":"7"}, "a"
//	<<1, 2>>                [..] where the elements are of one sort, as in a sequence, or else {"#tup":[..]}
//	[a |-> 1]               {"a":..} where all names are identifiers, or else {"#map":[["a b",..]]}
//	(3 :> 1)                {"#map":[[{"#bigint":"3"},..]]}
//	{1, 2}                  {"#set":[..]}
//	the model value m       "m", and {"m":"m"} among the model values of "#meta". Where the string "m" is in the trace too, the model value is
//	                        written "m_OF_MODEL", with that ending as often as is needed to be different from all strings.
//
// Lazy sets and functions are written out. Infinite ones are an error, not "#unserializable": a file must not lose anything silently.

// suffix tells a model value from an equal string.
const suffix = "_OF_MODEL"

// Write writes a trace, a state on each line. It refuses with a *FormatError what Read would refuse, and values that are infinite; then nothing
// has been written. Other errors are w's.
func Write(w io.Writer, t *Trace) error {
	if err := t.check(); err != nil {
		return err
	}
	e := &encoder{models: map[string]string{}}
	if err := e.trace(t); err != nil {
		return err
	}
	_, err := e.out.WriteTo(w)
	return err
}

type encoder struct {
	out    bytes.Buffer
	models map[string]string // name of a model value -> how it is written
}

func (e *encoder) trace(t *Trace) error {
	normal, err := normalize(t)
	if err != nil {
		return err
	}
	t = normal
	e.nameModels(t)
	e.out.WriteString("{\n  " + `"#meta": `)
	if err := e.traceMeta(t); err != nil {
		return err
	}
	if len(t.Params) > 0 {
		names := make([]string, len(t.Params))
		for i, p := range t.Params {
			names[i] = p.Name
		}
		e.out.WriteString(",\n  \"params\": ")
		e.json(names)
	}
	e.out.WriteString(",\n  \"vars\": ")
	e.json(append([]string{}, t.Vars...)) // never null
	e.out.WriteString(",\n  \"states\": [")
	for i := range t.States {
		if i > 0 {
			e.out.WriteByte(',')
		}
		e.out.WriteString("\n    ")
		if err := e.state(t, i); err != nil {
			return err
		}
		if e.out.Len() > MaxBytes {
			return &FormatError{Problem: fmt.Sprintf("longer than %d bytes", MaxBytes)}
		}
	}
	e.out.WriteString("\n  ]")
	if t.Loop != NoLoop {
		e.out.WriteString(",\n  \"loop\": " + strconv.Itoa(t.Loop))
	}
	e.out.WriteString("\n}\n")
	return nil
}

// normalize gives a copy of the trace without lazy values, and checks how deep they are.
func normalize(t *Trace) (*Trace, error) {
	c := *t
	one := func(where string, v value.Value) (value.Value, error) {
		if v == nil {
			return nil, &FormatError{Where: where, Problem: "has no value"}
		}
		deep := 0
		if err := value.Catch(func() { v = value.Normalize(v); deep = depth(v, 0) }); err != nil {
			return nil, &FormatError{Where: where, Problem: "cannot be written out", Cause: err}
		}
		if deep > MaxDepth {
			return nil, &FormatError{Where: where, Problem: fmt.Sprintf("nested more than %d levels deep", MaxDepth)}
		}
		if !textOnly(v) {
			return nil, &FormatError{Where: where, Problem: "a string in it is not UTF-8, which JSON cannot hold"}
		}
		return v, nil
	}
	bindings := func(where string, of []Binding) ([]Binding, error) {
		of = slices.Clone(of)
		for i := range of {
			var err error
			if of[i].Value, err = one(where+of[i].Name, of[i].Value); err != nil {
				return nil, err
			}
		}
		return of, nil
	}
	var err error
	if c.Params, err = bindings("params.", t.Params); err != nil {
		return nil, err
	}
	if c.Closing.Args, err = bindings("loop.arguments.", t.Closing.Args); err != nil {
		return nil, err
	}
	c.States = slices.Clone(t.States)
	for i := range c.States {
		s := &c.States[i]
		if len(s.Values) != len(t.Vars) {
			return nil, &FormatError{Where: fmt.Sprintf("states[%d]", i), Problem: fmt.Sprintf("%d values for %d variables", len(s.Values), len(t.Vars))}
		}
		s.Values = slices.Clone(s.Values)
		for j := range s.Values {
			if s.Values[j], err = one(fmt.Sprintf("states[%d].%s", i, t.Vars[j]), s.Values[j]); err != nil {
				return nil, err
			}
		}
		if s.Args, err = bindings(fmt.Sprintf("states[%d].arguments.", i), s.Args); err != nil {
			return nil, err
		}
	}
	return &c, nil
}

// depth is how deep the value is nested, but no more than MaxDepth+1.
func depth(v value.Value, at int) int {
	if at > MaxDepth {
		return at
	}
	deepest := at
	for _, part := range parts(v) {
		deepest = max(deepest, depth(part, at+1))
	}
	return deepest
}

// textOnly tells whether all strings are UTF-8; JSON would replace what is not.
func textOnly(v value.Value) bool {
	switch v := v.(type) {
	case *value.Str:
		return utf8.ValidString(v.Text())
	case *value.Model:
		return utf8.ValidString(v.Name)
	case *value.Record:
		if slices.ContainsFunc(v.Shape().Names(), func(n string) bool { return !utf8.ValidString(n) }) {
			return false
		}
	}
	return !slices.ContainsFunc(parts(v), func(p value.Value) bool { return !textOnly(p) })
}

// parts are the values of which a normalised value consists.
func parts(v value.Value) []value.Value {
	switch v := v.(type) {
	case *value.Tuple:
		return v.Elems()
	case *value.Set:
		return v.Elems()
	case *value.Range:
		return value.Elements(v) // raises for an interval that is too large to be written out
	case *value.Record:
		return v.Vals()
	case *value.Function:
		return slices.Concat(v.Args(), v.Vals())
	}
	return nil
}

// nameModels chooses how each model value of the trace is written.
func (e *encoder) nameModels(t *Trace) {
	strs, names := map[string]bool{}, map[string]bool{}
	var walk func(v value.Value)
	walk = func(v value.Value) {
		switch v := v.(type) {
		case *value.Str:
			strs[v.Text()] = true
		case *value.Model:
			names[v.Name] = true
		case *value.Record:
			// Its names may have to be written as strings, where not all are identifiers.
			for _, name := range v.Shape().Names() {
				strs[name] = true
			}
		}
		for _, part := range parts(v) {
			walk(part)
		}
	}
	for _, p := range t.Params {
		walk(p.Value)
	}
	steps := []Step{t.Closing}
	for _, s := range t.States {
		for _, v := range s.Values {
			walk(v)
		}
		steps = append(steps, s.Step)
	}
	for _, s := range steps {
		for _, a := range s.Args {
			walk(a.Value)
		}
	}
	taken := maps.Clone(strs)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		text := name
		for taken[text] {
			text += suffix
		}
		taken[text] = true
		e.models[name] = text
	}
}

func (e *encoder) traceMeta(t *Trace) error {
	fields := maps.Clone(t.Other)
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	mine := traceMeta{Violates: t.Violates}
	for name, text := range e.models {
		if mine.ModelValues == nil {
			mine.ModelValues = map[string]string{}
		}
		mine.ModelValues[text] = name
	}
	put := func(name string, v any) {
		if err := putField(fields, name, v); err != nil {
			panic(err) // strings and maps of strings are always JSON
		}
	}
	if c := (closing{t.Closing.Action, e.stateMeta(t.Closing)}); c.Action != "" || c.said() {
		mine.Closing = &c
	}
	put("format", formatIs)
	put("format-description", adr)
	if t.Source != "" {
		put("source", t.Source)
	}
	if t.Description != "" {
		put("description", t.Description)
	}
	if mine.Violates != "" || mine.ModelValues != nil || mine.Closing != nil {
		put(ours, mine)
	}
	return e.fields("#meta", fields)
}

func (e *encoder) state(t *Trace, i int) error {
	s := t.States[i]
	fields := maps.Clone(s.Other)
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	put := func(name string, v any) {
		if err := putField(fields, name, v); err != nil {
			panic(err)
		}
	}
	put("index", i)
	if s.Action != "" {
		put("action", s.Action)
	}
	if mine := e.stateMeta(s.Step); mine.said() {
		put(ours, mine)
	}
	e.out.WriteString(`{"#meta": `)
	if err := e.fields(fmt.Sprintf("states[%d].#meta", i), fields); err != nil {
		return err
	}
	if i == 0 {
		for _, p := range t.Params {
			e.binding(p.Name, p.Value)
		}
	}
	for j, name := range t.Vars {
		e.binding(name, s.Values[j])
	}
	e.out.WriteByte('}')
	return nil
}

func (e *encoder) stateMeta(s Step) (m stateMeta) {
	for _, a := range s.Args {
		m.Arguments = append(m.Arguments, argument{a.Name, e.raw(a.Value)})
	}
	if s.Location != (Location{}) {
		m.Location = &s.Location
	}
	return m
}

func (m stateMeta) said() bool { return m.Arguments != nil || m.Location != nil }

func (e *encoder) binding(name string, v value.Value) {
	e.out.WriteString(", ")
	e.json(name)
	e.out.WriteString(": ")
	e.value(v)
}

// fields writes an object of "#meta" in one line, with what the package itself has put in over what was kept.
func (e *encoder) fields(where string, fields map[string]json.RawMessage) error {
	text, err := marshal(fields)
	if err != nil {
		return &FormatError{Where: where, Problem: "a further field is not JSON", Cause: err}
	}
	e.out.Write(text)
	return nil
}

func putField(fields map[string]json.RawMessage, name string, v any) error {
	text, err := marshal(v)
	fields[name] = text
	return err
}

// marshal is JSON on one line, with <, > and & as they are: they are the brackets of TLA+.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func (e *encoder) json(v any) {
	text, err := marshal(v)
	if err != nil {
		panic(err) // strings, and lists of them
	}
	e.out.Write(text)
}

// raw is the value as JSON by itself.
func (e *encoder) raw(v value.Value) json.RawMessage {
	inner := &encoder{models: e.models}
	inner.value(v)
	return inner.out.Bytes()
}

// value writes a normalised value.
func (e *encoder) value(v value.Value) {
	switch v := v.(type) {
	case value.Bool:
		e.out.WriteString(strconv.FormatBool(bool(v)))
	case value.Int:
		e.out.WriteString(`{"#bigint":"` + strconv.FormatInt(int64(v), 10) + `"}`)
	case *value.Big:
		e.out.WriteString(`{"#bigint":"` + v.Big().String() + `"}`)
	case *value.Str:
		e.json(v.Text())
	case *value.Model:
		e.json(e.models[v.Name])
	case *value.Tuple:
		if oneKind(v.Elems()) {
			e.list(v.Elems())
		} else {
			e.tagged("#tup", v.Elems())
		}
	case *value.Set, *value.Range:
		e.tagged("#set", value.Elements(v))
	case *value.Record:
		e.record(v)
	case *value.Function:
		e.pairs(v.Args(), v.Vals())
	default:
		// Normalize gives nothing else.
		panic(fmt.Sprintf("itf: a value of type %T", v))
	}
}

func oneKind(elems []value.Value) bool {
	for _, x := range elems {
		if x.Kind() != elems[0].Kind() {
			return false
		}
	}
	return true
}

func (e *encoder) list(elems []value.Value) {
	e.out.WriteByte('[')
	for i, x := range elems {
		if i > 0 {
			e.out.WriteByte(',')
		}
		e.value(x)
	}
	e.out.WriteByte(']')
}

func (e *encoder) tagged(tag string, elems []value.Value) {
	e.out.WriteString(`{"` + tag + `":`)
	e.list(elems)
	e.out.WriteByte('}')
}

func (e *encoder) record(r *value.Record) {
	names := r.Shape().Names()
	if slices.ContainsFunc(names, func(n string) bool { return !identifier(n) }) {
		args := make([]value.Value, len(names))
		for i, n := range names {
			args[i] = value.NewString(n)
		}
		e.pairs(args, r.Vals())
		return
	}
	e.out.WriteByte('{')
	for i, n := range names {
		if i > 0 {
			e.out.WriteByte(',')
		}
		e.json(n)
		e.out.WriteByte(':')
		e.value(r.Vals()[i])
	}
	e.out.WriteByte('}')
}

func (e *encoder) pairs(args, vals []value.Value) {
	e.out.WriteString(`{"#map":[`)
	for i := range args {
		if i > 0 {
			e.out.WriteByte(',')
		}
		e.list([]value.Value{args[i], vals[i]})
	}
	e.out.WriteString("]}")
}

// identifier tells whether a string is a name of TLA+, so that a function on strings was probably meant as a record.
func identifier(s string) bool {
	letter := strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	return letter && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}
