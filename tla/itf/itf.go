// Package itf writes and reads behaviours in the Informal Trace Format, which Apalache defined (its ADR 015) and other tools read: a JSON object
// with the states of a behaviour, their values written so that sets, functions and integers of any size keep what they are.
//
// What is written here is read back as the same values, without loss. The format has no model values; they are written as strings, and the
// trace's "#meta" says which strings they are (see write.go).
//
// It imports value (what states consist of) and nothing else of the project. Read first: itf.go.
package itf

import (
	"encoding/json"
	"fmt"

	"podlife/tla/value"
)

// A Trace is a behaviour: a sequence of states, and perhaps a loop.
type Trace struct {
	Params []Binding // constants and their values, in order
	Vars   []string  // the variables; State.Values is in this order
	States []State
	// Loop is the index, from 0, of the state to which the last one returns, which makes the behaviour infinite; NoLoop is none. Closing is the
	// step with which it returns.
	Loop    int
	Closing Step

	Source      string // the file that was checked; "" is not said
	Description string // for people; "" is not said
	Violates    string // the property that the behaviour violates; "" is none, or not said
	// Other are further fields of "#meta", which are kept as they are.
	Other map[string]json.RawMessage
}

// NoLoop is Trace.Loop of a behaviour that just ends.
const NoLoop = -1

// A State is a state and the step that led to it; the first state has none.
type State struct {
	Values []value.Value // in the order of Trace.Vars
	Step
	Other map[string]json.RawMessage // further fields of its "#meta"
}

// A Step is an action.
type Step struct {
	Action   string    // its name; "" is not said
	Args     []Binding // its parameters
	Location Location  // where it stands in its module; the zero Location is not said
}

// A Binding is a name with a value.
type Binding struct {
	Name  string
	Value value.Value
}

// A Location is a place in a module. Lines and columns count from 1, columns in characters, and the end is included, as TLC tells them.
type Location struct {
	Module      string `json:"module"`
	BeginLine   int    `json:"beginLine"`
	BeginColumn int    `json:"beginColumn"`
	EndLine     int    `json:"endLine"`
	EndColumn   int    `json:"endColumn"`
}

// Bounds of what is read and written.
const (
	MaxBytes  = 256 << 20
	MaxStates = 1_000_000
	MaxDepth  = 1000 // of values inside values
)

// A FormatError says what is wrong with a file, or what cannot be written.
type FormatError struct {
	Where   string // such as "states[3].x"; "" is the whole file
	Problem string
	Cause   error // of the JSON decoder or of package value; may be nil
}

func (e *FormatError) Error() string {
	msg := "itf: "
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

// check is what Write and Read both insist on.
func (t *Trace) check() error {
	seen := map[string]bool{meta: true}
	for i, name := range t.Vars {
		if seen[name] {
			return &FormatError{Where: fmt.Sprintf("vars[%d]", i), Problem: fmt.Sprintf("%.40q again, or no name", name)}
		}
		seen[name] = true
	}
	for i, p := range t.Params {
		if seen[p.Name] {
			return &FormatError{Where: fmt.Sprintf("params[%d]", i), Problem: fmt.Sprintf("%.40q again, or no name", p.Name)}
		}
		seen[p.Name] = true
	}
	if len(t.States) > MaxStates {
		return &FormatError{Where: "states", Problem: fmt.Sprintf("%d of them, at most %d are allowed", len(t.States), MaxStates)}
	}
	if t.Loop != NoLoop && (t.Loop < 0 || t.Loop >= len(t.States)) {
		return &FormatError{Where: "loop", Problem: fmt.Sprintf("%d is no state", t.Loop)}
	}
	if t.Loop == NoLoop && (t.Closing.Action != "" || len(t.Closing.Args) > 0 || t.Closing.Location != (Location{})) {
		return &FormatError{Where: "loop", Problem: "there is none, but a step that closes it"}
	}
	if len(t.Params) > 0 && len(t.States) == 0 {
		return &FormatError{Where: "params", Problem: "their values are in the first state, and there is none"}
	}
	return nil
}

// The names that the format, and this package within "#meta", give a meaning to.
const (
	meta     = "#meta"
	ours     = "podlife" // what other tools do not know, within "#meta"
	adr      = "https://apalache-mc.org/docs/adr/015adr-trace.html"
	formatIs = "ITF"
)

// traceMeta and stateMeta are the fields of ours.
type (
	traceMeta struct {
		Violates string `json:"violates,omitempty"`
		// ModelValues maps strings of this file to the names of the model values that they stand for.
		ModelValues map[string]string `json:"modelValues,omitempty"`
		Closing     *closing          `json:"closing,omitempty"`
	}
	closing struct {
		Action string `json:"action,omitempty"`
		stateMeta
	}
	stateMeta struct {
		Arguments []argument `json:"arguments,omitempty"`
		Location  *Location  `json:"location,omitempty"`
	}
	argument struct {
		Name  string          `json:"name"`
		Value json.RawMessage `json:"value"`
	}
)
