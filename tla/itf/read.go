package itf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"podlife/tla/value"
)

// Read reads a trace that any tool wrote. Unknown fields outside of "#meta", names given twice, a state without a variable's value, numbers with a
// fraction, "#unserializable", and more than [MaxBytes], [MaxStates] or [MaxDepth] are refused with a *FormatError; an error of r is passed on.
func Read(r io.Reader) (*Trace, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("itf: %w", err)
	}
	if len(data) > MaxBytes {
		return nil, &FormatError{Problem: fmt.Sprintf("longer than %d bytes", MaxBytes)}
	}
	return Decode(data)
}

// Decode is Read of a text in memory.
func Decode(data []byte) (*Trace, error) {
	if !json.Valid(data) {
		var any json.RawMessage
		return nil, &FormatError{Problem: "not JSON", Cause: json.Unmarshal(data, &any)}
	}
	top, err := fieldsOf("", data)
	if err != nil {
		return nil, err
	}
	t := &Trace{Loop: NoLoop}
	var params []string
	var states []json.RawMessage
	for name, raw := range top {
		var err error
		switch name {
		case meta:
			err = json.Unmarshal(raw, &t.Other)
		case "params":
			err = json.Unmarshal(raw, &params)
		case "vars":
			err = json.Unmarshal(raw, &t.Vars)
		case "states":
			err = json.Unmarshal(raw, &states)
		case "loop":
			err = json.Unmarshal(raw, &t.Loop)
		default:
			return nil, &FormatError{Problem: fmt.Sprintf("unknown field %.40q", name)}
		}
		if err != nil {
			return nil, &FormatError{Where: name, Problem: "is of another form", Cause: err}
		}
	}
	if top["vars"] == nil || top["states"] == nil {
		return nil, &FormatError{Problem: `"vars" or "states" is missing`}
	}
	for _, p := range params {
		t.Params = append(t.Params, Binding{Name: p})
	}
	t.States = make([]State, len(states))
	d := &decoder{trace: t}
	if err := d.traceMeta(); err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	for i, raw := range states {
		if err := d.state(i, raw); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// fieldsOf reads an object and refuses a name given twice, of which the JSON decoder would keep the last.
func fieldsOf(where string, data []byte) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, &FormatError{Where: where, Problem: "not an object", Cause: err}
	}
	fields := map[string]json.RawMessage{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, &FormatError{Where: where, Problem: "not JSON", Cause: err}
		}
		name := t.(string) // a name of an object is a string
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, &FormatError{Where: where, Problem: "not JSON", Cause: err}
		}
		if fields[name] != nil {
			return nil, &FormatError{Where: where, Problem: fmt.Sprintf("the field %.40q is there twice", name)}
		}
		fields[name] = raw
	}
	return fields, nil
}

type decoder struct {
	trace  *Trace
	models map[string]string
}

// traceMeta takes what is ours out of "#meta", and what the package writes anew.
func (d *decoder) traceMeta() error {
	t := d.trace
	takeString(t.Other, "source", &t.Source)
	takeString(t.Other, "description", &t.Description)
	var ignored string
	takeString(t.Other, "format", &ignored)
	takeString(t.Other, "format-description", &ignored)
	if raw, ok := t.Other[ours]; ok {
		var mine traceMeta
		if err := strict(raw, &mine); err != nil {
			return &FormatError{Where: meta + "." + ours, Problem: "is of another form", Cause: err}
		}
		t.Violates, d.models = mine.Violates, mine.ModelValues
		delete(t.Other, ours)
		if mine.Closing != nil {
			t.Closing.Action = mine.Closing.Action
			if err := d.step("loop", mine.Closing.stateMeta, &t.Closing); err != nil {
				return err
			}
		}
	}
	seen := map[string]bool{}
	for _, name := range d.models {
		if seen[name] {
			return &FormatError{Where: meta + "." + ours, Problem: fmt.Sprintf("the model value %.40q is there twice", name)}
		}
		seen[name] = true
	}
	if len(t.Other) == 0 {
		t.Other = nil
	}
	return nil
}

// takeString moves a field to into, if it is there and a string.
func takeString(fields map[string]json.RawMessage, name string, into *string) {
	if raw, ok := fields[name]; ok && len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, into) == nil {
		delete(fields, name)
	}
}

func strict(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

func (d *decoder) state(i int, raw json.RawMessage) error {
	where := fmt.Sprintf("states[%d]", i)
	fields, err := fieldsOf(where, raw)
	if err != nil {
		return err
	}
	s := &d.trace.States[i]
	if raw, ok := fields[meta]; ok {
		if err := d.stateMeta(where, raw, s); err != nil {
			return err
		}
		delete(fields, meta)
	}
	s.Values = make([]value.Value, len(d.trace.Vars))
	for j, name := range d.trace.Vars {
		if s.Values[j], err = d.field(where, fields, name); err != nil {
			return err
		}
	}
	for j := range d.trace.Params {
		p := &d.trace.Params[j]
		if _, again := fields[p.Name]; i > 0 && !again {
			continue
		}
		v, err := d.field(where, fields, p.Name)
		if err != nil {
			return err
		}
		if i == 0 {
			p.Value = v
		} else if err := sameValue(p.Value, v); err != nil {
			return &FormatError{Where: where + "." + p.Name, Problem: "a parameter changes", Cause: err}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		return &FormatError{Where: where, Problem: fmt.Sprintf("%.40q is neither variable nor parameter", name)}
	}
	return nil
}

func sameValue(a, b value.Value) error {
	same := false
	err := value.Catch(func() { same = value.Equal(a, b) })
	if err == nil && !same {
		err = fmt.Errorf("%s, then %s", a, b)
	}
	return err
}

// field reads a value and removes it from the fields.
func (d *decoder) field(where string, fields map[string]json.RawMessage, name string) (value.Value, error) {
	raw, ok := fields[name]
	if !ok {
		return nil, &FormatError{Where: where, Problem: fmt.Sprintf("%.40q has no value", name)}
	}
	delete(fields, name)
	return d.value(where+"."+name, raw)
}

func (d *decoder) stateMeta(where string, raw json.RawMessage, s *State) error {
	if err := json.Unmarshal(raw, &s.Other); err != nil {
		return &FormatError{Where: where + "." + meta, Problem: "not an object", Cause: err}
	}
	takeString(s.Other, "action", &s.Action)
	delete(s.Other, "index")
	if raw, ok := s.Other[ours]; ok {
		var mine stateMeta
		if err := strict(raw, &mine); err != nil {
			return &FormatError{Where: where + "." + meta + "." + ours, Problem: "is of another form", Cause: err}
		}
		delete(s.Other, ours)
		if err := d.step(where, mine, &s.Step); err != nil {
			return err
		}
	}
	if len(s.Other) == 0 {
		s.Other = nil
	}
	return nil
}

func (d *decoder) step(where string, m stateMeta, s *Step) error {
	for _, a := range m.Arguments {
		v, err := d.value(where+".arguments."+a.Name, a.Value)
		if err != nil {
			return err
		}
		s.Args = append(s.Args, Binding{a.Name, v})
	}
	if m.Location != nil {
		s.Location = *m.Location
	}
	return nil
}
