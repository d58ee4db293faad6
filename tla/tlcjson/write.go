package tlcjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"podlife/tla/itf"
	"podlife/tla/value"
)

// Write writes a behaviour in TLC's form, a state and a step on each line, with the field "itf" for what that form loses. What [itf.Write] refuses, it
// refuses with a *FormatError; then nothing has been written. Other errors are w's.
func Write(w io.Writer, t *itf.Trace) error {
	var exact bytes.Buffer
	if err := itf.Write(&exact, t); err != nil {
		var format *itf.FormatError
		if errors.As(err, &format) {
			return &FormatError{Where: format.Where, Problem: format.Problem, Cause: format.Cause}
		}
		return err
	}
	if len(t.States) == 0 {
		return &FormatError{Where: "counterexample.state", Problem: "empty"}
	}
	var b bytes.Buffer
	// The exact form has been written, so that nothing is infinite or too deep any more.
	if err := value.Catch(func() { writeForm(&b, t) }); err != nil {
		return &FormatError{Problem: "cannot be written out", Cause: err}
	}
	b.WriteString(",\n\"itf\":")
	b.Write(bytes.TrimSpace(exact.Bytes()))
	b.WriteString("}\n")
	if b.Len() > MaxBytes {
		return &FormatError{Problem: fmt.Sprintf("longer than %d bytes", MaxBytes)}
	}
	_, err := b.WriteTo(w)
	return err
}

func writeForm(b *bytes.Buffer, t *itf.Trace) {
	b.WriteString(`{"counterexample":{"action":[`)
	for i := 1; i < len(t.States); i++ {
		if i > 1 {
			b.WriteByte(',')
		}
		step(b, t, i-1, t.States[i].Step, i)
	}
	if t.Loop != itf.NoLoop {
		if len(t.States) > 1 {
			b.WriteByte(',')
		}
		step(b, t, len(t.States)-1, t.Closing, t.Loop)
	}
	b.WriteString("\n],\"state\":[")
	for i := range t.States {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		state(b, t, i)
	}
	b.WriteString("\n]},\n\"vars\":[")
	for i, name := range t.Vars {
		if i > 0 {
			b.WriteByte(',')
		}
		text(b, name)
	}
	b.WriteByte(']')
}

// state writes [number, {variable: value}].
func state(b *bytes.Buffer, t *itf.Trace, i int) {
	b.WriteString("[" + strconv.Itoa(i+1) + ",{")
	for j, name := range t.Vars {
		if j > 0 {
			b.WriteByte(',')
		}
		text(b, name)
		b.WriteByte(':')
		encode(b, t.States[i].Values[j])
	}
	b.WriteString("}]")
}

// step writes [state, action, state].
func step(b *bytes.Buffer, t *itf.Trace, from int, s itf.Step, to int) {
	b.WriteString("\n[")
	state(b, t, from)
	a := actionForm{Name: s.Action}
	if s.Location != (itf.Location{}) {
		a.Location = &s.Location
	}
	for _, arg := range s.Args {
		if a.Context == nil {
			a.Context = map[string]json.RawMessage{}
		}
		var v bytes.Buffer
		encode(&v, arg.Value)
		a.Context[arg.Name] = v.Bytes()
		a.Parameters = append(a.Parameters, arg.Name)
	}
	b.WriteByte(',')
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(a) // what is encoded here is JSON
	b.Truncate(b.Len() - 1)
	b.WriteByte(',')
	state(b, t, to)
	b.WriteByte(']')
}
