// Package trace is the form in which a path through a transition system is kept in a file: a counterexample that was found, or one
// to be replayed. It reads its own form and that of TLC's "-dumpTrace json" into the same type.
//
// It encodes only: it works on io.Reader and io.Writer, and imports nothing of this module. Read trace.go first; tlc.go reads TLC's
// form.
//
// The form, with S the type of a state (podlifecycle.View for the pod's lifecycle):
//
//	{
//	  "format": "podlife-trace-1",
//	  "table": "PodLifecycle",
//	  "constants": {"Clients": 2, "GuardedAttach": false, "MaxInc": 3},
//	  "violates": "NoAttachWithoutShellSetup",
//	  "steps": [
//	    {"state": {...}},
//	    {"action": "StartBoot", "args": ["c1"], "state": {...}},
//	    {"action": "Sleep", "state": {...}}
//	  ]
//	}
//
// The first step is the initial state and has no action; each further one is an action and the state after it. "constants" maps
// names to numbers, booleans or strings. "violates" may be missing.
package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Format is the value of "format".
const Format = "podlife-trace-1"

// Bounds of what is read.
const (
	MaxBytes = 8 << 20
	MaxSteps = 10_000
)

// Trace is a path from an initial state.
type Trace[S any] struct {
	Table string // the table's, and the specification's, name
	// Constants are what the specification was instantiated with: each an int, a bool or a string. Nil means unknown, as in TLC's
	// form, which does not tell them.
	Constants map[string]any
	Violates  string // the invariant that the last state violates; empty if none or unknown
	Steps     []Step[S]
}

// Step is a state, and the action that led to it.
type Step[S any] struct {
	Action string // empty in the first step, and only there
	Args   []string
	State  S
}

// FormatError says what is wrong with a file.
type FormatError struct {
	Where   string // such as "steps[3]"; empty for the whole file
	Problem string
	Cause   error // of the JSON decoder; may be nil
}

func (e *FormatError) Error() string {
	msg := "trace: "
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

type fileForm[S any] struct {
	Format    string         `json:"format"`
	Table     string         `json:"table"`
	Constants map[string]any `json:"constants,omitempty"`
	Violates  string         `json:"violates,omitempty"`
	Steps     []stepForm[S]  `json:"steps"`
}

type stepForm[S any] struct {
	Action string   `json:"action,omitempty"`
	Args   []string `json:"args,omitempty"`
	State  *S       `json:"state"`
}

// Write writes a trace, indented, in a stable order. It refuses with a [*FormatError] what [Read] would refuse.
func Write[S any](w io.Writer, t Trace[S]) error {
	f := fileForm[S]{Format: Format, Table: t.Table, Constants: t.Constants, Violates: t.Violates}
	for i := range t.Steps {
		f.Steps = append(f.Steps, stepForm[S]{t.Steps[i].Action, t.Steps[i].Args, &t.Steps[i].State})
	}
	if _, err := check(f); err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(f)
}

// Read reads a trace in our form or in TLC's. Unknown fields, more than [MaxBytes] or [MaxSteps], and anything after the JSON value
// are refused. Every error about the content is a [*FormatError]; one of r itself is passed on.
func Read[S any](r io.Reader) (Trace[S], error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return Trace[S]{}, fmt.Errorf("trace: %w", err)
	}
	if len(data) > MaxBytes {
		return Trace[S]{}, &FormatError{Problem: fmt.Sprintf("longer than %d bytes", MaxBytes)}
	}
	var probe map[string]json.RawMessage
	if err := json.Unmarshal(data, &probe); err != nil {
		return Trace[S]{}, &FormatError{Problem: "not a JSON object", Cause: err}
	}
	if _, ok := probe["counterexample"]; ok {
		return readTLC[S](data)
	}
	var f fileForm[S]
	if err := strict(data, &f); err != nil {
		return Trace[S]{}, &FormatError{Problem: "not a trace", Cause: err}
	}
	return check(f)
}

// check turns a file's form into a trace.
func check[S any](f fileForm[S]) (Trace[S], error) {
	none := Trace[S]{}
	if f.Format != Format {
		return none, &FormatError{Where: "format", Problem: fmt.Sprintf("is %.40q, want %q", f.Format, Format)}
	}
	if f.Table == "" {
		return none, &FormatError{Where: "table", Problem: "missing"}
	}
	constants, err := checkConstants(f.Constants)
	if err != nil {
		return none, err
	}
	t := Trace[S]{Table: f.Table, Constants: constants, Violates: f.Violates}
	for i, s := range f.Steps {
		if s.State == nil {
			return none, &FormatError{Where: fmt.Sprintf("steps[%d]", i), Problem: "has no state"}
		}
		t.Steps = append(t.Steps, Step[S]{s.Action, s.Args, *s.State})
	}
	return t, checkSteps(t.Steps)
}

func checkSteps[S any](steps []Step[S]) error {
	if len(steps) == 0 {
		return &FormatError{Where: "steps", Problem: "empty"}
	}
	if len(steps) > MaxSteps {
		return &FormatError{Where: "steps", Problem: fmt.Sprintf("%d of them, at most %d are read", len(steps), MaxSteps)}
	}
	for i, s := range steps {
		where := fmt.Sprintf("steps[%d]", i)
		if i == 0 && (s.Action != "" || len(s.Args) > 0) {
			return &FormatError{Where: where, Problem: "is the initial state, but has an action"}
		}
		if i > 0 && s.Action == "" {
			return &FormatError{Where: where, Problem: "has no action"}
		}
	}
	return nil
}

func checkConstants(constants map[string]any) (map[string]any, error) {
	if constants == nil {
		return nil, nil
	}
	checked := map[string]any{}
	for name, value := range constants {
		switch v := value.(type) {
		case bool, string, int:
			checked[name] = v
		case json.Number:
			n, err := v.Int64()
			if err != nil {
				return nil, &FormatError{Where: "constants", Problem: fmt.Sprintf("%.40q is no whole number", name), Cause: err}
			}
			checked[name] = int(n)
		default:
			return nil, &FormatError{Where: "constants", Problem: fmt.Sprintf("%.40q is neither number, boolean nor string", name)}
		}
	}
	return checked, nil
}

// strict decodes one JSON value, refusing unknown fields and anything after it, and keeping numbers exact.
func strict(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("something follows the JSON value")
	}
	return nil
}
