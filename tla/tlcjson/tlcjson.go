// Package tlcjson writes and reads behaviours in the form of TLC's "-dumpTrace json", which other tools for TLA+ read.
//
// The form loses what JSON has no word for: a set is a list like a sequence, a model value is a string, and the arguments of a function are
// text. [Write] therefore puts the same behaviour into a further field, "itf", in the Informal Trace Format, which loses nothing; programs that look
// for TLC's fields do not see it, and [Read] uses it. A file that TLC wrote has no such field: then Trace.Lossy says that the values are
// those of the JSON text, not the specification's, and [Trace.Is] tells whether a state of the specification is the one that is meant.
//
// It imports itf (behaviours) and value (what states consist of) and nothing else of the project. Read first: tlcjson.go; value.go says how each
// value is written.
package tlcjson

import (
	"encoding/json"
	"fmt"

	"podlife/tla/itf"
	"podlife/tla/value"
)

// A Trace is a behaviour that was read.
type Trace struct {
	itf.Trace
	// Lossy says that each value is what its JSON text is by itself: a list is a tuple, an object a function on strings, and every text a
	// string. Sets, model values, and functions on something else than strings are not told apart.
	Lossy bool

	states []map[string]json.RawMessage
}

// Is tells whether the state with these values, in the order of Trace.Vars, would be written as state i of the trace, which counts from 0. Values that
// cannot be written are an error, and so is a number of values that does not fit.
func (t *Trace) Is(i int, values []value.Value) (bool, error) {
	if len(values) != len(t.Vars) {
		return false, fmt.Errorf("tlcjson: %d values for %d variables", len(values), len(t.Vars))
	}
	for j, name := range t.Vars {
		same, err := matches(values[j], t.states[i][name])
		if err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

// Bounds of what is read and written.
const (
	MaxBytes  = itf.MaxBytes
	MaxStates = itf.MaxStates
	MaxDepth  = itf.MaxDepth
)

// A FormatError says what is wrong with a file, or what cannot be written.
type FormatError struct {
	Where   string // such as "counterexample.state[3]"; empty is the whole file
	Problem string
	Cause   error // may be nil
}

func (e *FormatError) Error() string {
	msg := "tlcjson: "
	if e.Where != "" {
		msg += e.Where + ": "
	}
	msg += e.Problem
	if e.Cause != nil {
		msg += ": " + e.Cause.Error()
	}
	return msg
}

func (e *FormatError) Unwrap() error { return e.Cause }

// The form. A state is [number, {variable: value}], and a step [state, action, state].
type (
	fileForm struct {
		Counterexample struct {
			Action []json.RawMessage `json:"action"`
			State  []json.RawMessage `json:"state"`
		} `json:"counterexample"`
		Vars []string        `json:"vars"`
		ITF  json.RawMessage `json:"itf,omitempty"`
	}
	actionForm struct {
		Name       string                     `json:"name"`
		Location   *itf.Location              `json:"location,omitempty"`
		Context    map[string]json.RawMessage `json:"context,omitempty"`
		Parameters []string                   `json:"parameters,omitempty"`
	}
)
