// Package tracefile reads a behaviour of tla/PodRuntime.tla or tla/PodLifecycle.tla from a file, in any of the forms in which one is written: the
// Informal Trace Format, of this project and of other tools, TLC's JSON counterexamples, the lines that a server records, podlife-trace-1, and steps in
// words, as people and failed tests write them.
//
// Which specification it is, its variables say. Every two states that follow each other are held against the table, with the action that the file
// names, or where it names none, with every action; a behaviour of a design with a guard off is one, too, and says which guard.
//
// It imports the model, conformance/tracecheck, and of tla the packages itf, tlcjson and value. Read this file first, then runtime.go, and steps.go,
// which says what makes a step.
package tracefile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"podlife/conformance/tracecheck"
	"podlife/model/explain"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/model/trace"
	"podlife/tla/itf"
	"podlife/tla/tlcjson"
)

// Bounds of what is read.
const (
	MaxBytes = 32 << 20
	MaxSteps = 10_000
)

// File is a behaviour; one of the two is set.
type File struct {
	Lifecycle *podlifecycle.Trace // not yet held against its table: podlifecycle.CheckTrace does
	Runtime   *Behaviour
	Form      string // in which it was written, for people
}

// A FormatError says what is wrong with a file, and where.
type FormatError struct {
	Line, Column int    // from 1, in bytes; 0 is not told
	Where        string // such as "states[3].pod"; "" is not told
	Problem      string
	Cause        error // may be nil
}

func (e *FormatError) Error() string {
	var where []string
	if e.Line > 0 {
		where = append(where, fmt.Sprintf("line %d, column %d", e.Line, e.Column))
	}
	if e.Where != "" {
		where = append(where, e.Where)
	}
	text := strings.Join(append(where, e.Problem), ": ")
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

func (e *FormatError) Unwrap() error { return e.Cause }

// A StepError says at which state a file is no behaviour of its specification.
type StepError struct {
	State  int    // index of the state that does not follow, from 0
	Action string // with its arguments; "" where the file does not name it
	Reason string
}

func (e *StepError) Error() string {
	if e.Action == "" {
		return fmt.Sprintf("state %d: %s", e.State, e.Reason)
	}
	return fmt.Sprintf("state %d, by %s: %s", e.State, e.Action, e.Reason)
}

// A ScopeError says that a behaviour may be one of the specification, and is more than one pod with a few tabs and incarnations.
type ScopeError struct{ Problem string }

func (e *ScopeError) Error() string { return e.Problem }

// Read reads a file. Errors about it are *FormatError, *StepError and *ScopeError; others are those of r and of ctx.
func Read(ctx context.Context, r io.Reader) (File, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return File{}, err
	}
	if len(data) > MaxBytes {
		return File{}, &FormatError{Problem: fmt.Sprintf("longer than %d bytes", MaxBytes)}
	}
	if inWords(data) {
		return readWords(data)
	}
	fields, lines, err := firstObject(data)
	if err != nil {
		return File{}, err
	}
	switch has := func(name string) bool { return fields[name] != nil }; {
	case lines || has("action") && !has("states"):
		return readLines(ctx, data)
	case has("counterexample"):
		t, err := tlcjson.Decode(data)
		if err != nil {
			return File{}, formatError(err)
		}
		return fromStates(&t.Trace, "TLC's JSON")
	case has("vars"), has("states"):
		t, err := itf.Decode(data)
		if err != nil {
			return File{}, formatError(err)
		}
		return fromStates(t, "the Informal Trace Format")
	case has("format"):
		return readOurs(data)
	}
	return File{}, &FormatError{Problem: fmt.Sprintf("an object with the fields %.200q is no trace: want states, counterexample, format, a step on each line, or steps in words", slices.Sorted(keys(fields)))}
}

func keys(m map[string]json.RawMessage) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// firstObject gives the fields of the object that the file begins with, and whether another one follows it.
func firstObject(data []byte) (fields map[string]json.RawMessage, more bool, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&fields); err != nil {
		e := &FormatError{Problem: "not a JSON object", Cause: err}
		e.Line, e.Column = position(data, offsetOf(err, len(data)))
		if errors.Is(err, io.EOF) {
			e.Problem, e.Cause = "empty", nil
		}
		return nil, false, e
	}
	rest := d.InputOffset()
	var next json.RawMessage
	switch err := d.Decode(&next); {
	case errors.Is(err, io.EOF):
		return fields, false, nil
	case err != nil && fields["action"] == nil:
		e := &FormatError{Problem: "something that is no JSON follows the object", Cause: err}
		e.Line, e.Column = position(data, max(rest, offsetOf(err, len(data))))
		return nil, false, e
	case fields["action"] == nil:
		e := &FormatError{Problem: "another JSON value follows the object"}
		e.Line, e.Column = position(data, d.InputOffset()-int64(len(next)))
		return nil, false, e
	}
	return fields, true, nil
}

// offsetOf is how far the JSON decoder came.
func offsetOf(err error, length int) int64 {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return max(0, syntax.Offset-1)
	case errors.As(err, &kind):
		return max(0, kind.Offset-1)
	}
	return int64(length)
}

// position gives the line and column, from 1, of a byte.
func position(data []byte, offset int64) (line, column int) {
	before := data[:min(offset, int64(len(data)))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// formatError is an error of the packages itf and tlcjson.
func formatError(err error) error {
	var ofITF *itf.FormatError
	var ofTLC *tlcjson.FormatError
	switch {
	case errors.As(err, &ofTLC):
		return &FormatError{Where: ofTLC.Where, Problem: ofTLC.Problem, Cause: ofTLC.Cause}
	case errors.As(err, &ofITF):
		return &FormatError{Where: ofITF.Where, Problem: ofITF.Problem, Cause: ofITF.Cause}
	}
	return err
}

// readLines reads the steps that a server recorded, and finds a behaviour that explains them.
func readLines(ctx context.Context, data []byte) (File, error) {
	records, err := tracecheck.Read(bytes.NewReader(data))
	var line *tracecheck.LineError
	if errors.As(err, &line) {
		return File{}, &FormatError{Line: line.Line, Column: 1, Problem: "not a step", Cause: line.Err}
	}
	if err != nil {
		return File{}, formatError(err)
	}
	if len(records) > MaxSteps {
		return File{}, &FormatError{Problem: fmt.Sprintf("%d steps, at most %d are played", len(records), MaxSteps)}
	}
	var states bytes.Buffer
	err = tracecheck.WriteITF(ctx, &states, explain.Options{}, records)
	var refused *tracecheck.ExportError
	if errors.As(err, &refused) {
		return File{}, &StepError{State: refused.Answer.Explained + 1, Reason: refused.Answer.String()}
	}
	if err != nil {
		return File{}, formatError(err)
	}
	t, err := itf.Decode(states.Bytes())
	if err != nil {
		return File{}, formatError(err)
	}
	return fromStates(t, "recorded steps")
}

// readOurs reads podlife-trace-1, which is the form of PodLifecycle's counterexamples.
func readOurs(data []byte) (File, error) {
	t, err := trace.Read[podlifecycle.View](bytes.NewReader(data))
	var form *trace.FormatError
	if errors.As(err, &form) {
		e := &FormatError{Where: form.Where, Problem: form.Problem, Cause: form.Cause}
		var kind *json.UnmarshalTypeError
		if errors.As(form.Cause, &kind) {
			e.Line, e.Column = position(data, offsetOf(form.Cause, len(data)))
		}
		return File{}, e
	}
	if err != nil {
		return File{}, err
	}
	return File{Lifecycle: &t, Form: trace.Format}, nil
}

// prefixes of variables that other tools put before or beside those of the specification: the module's name, and what a run of a test chose.
const (
	qualified = podruntime.Name + "::"
	chosen    = "mbt::"
)

// past is the variable that PodRuntimeRefinement has beside those of PodRuntime; only its property asks for it.
const past = "past"

// fromStates finds out which specification the variables are of.
func fromStates(t *itf.Trace, form string) (File, error) {
	if len(t.States) == 0 {
		return File{}, &FormatError{Where: "states", Problem: "empty"}
	}
	if len(t.States) > MaxSteps {
		return File{}, &FormatError{Where: "states", Problem: fmt.Sprintf("%d of them, at most %d are played", len(t.States), MaxSteps)}
	}
	names := make([]string, len(t.Vars))
	var own []string // without what other tools add
	for i, name := range t.Vars {
		names[i] = strings.TrimPrefix(name, qualified)
		if !strings.HasPrefix(name, chosen) {
			own = append(own, names[i])
		}
	}
	s := source{trace: t, names: names}
	ofRuntime, ofLifecycle := difference(own, runtimeVariables(), past), difference(own, lifecycleVariables())
	switch {
	case ofRuntime == "":
		b, err := s.runtime()
		return File{Runtime: b, Form: form}, err
	case ofLifecycle == "":
		l, err := s.lifecycle()
		return File{Lifecycle: l, Form: form}, err
	}
	about, closest := podruntime.Name, ofRuntime
	if slices.Contains(own, "ctr") {
		about, closest = podlifecycle.Name, ofLifecycle
	}
	return File{}, &FormatError{Where: "vars", Problem: fmt.Sprintf("not the variables of %s: %s", about, closest)}
}

func runtimeVariables() []string {
	return []string{"pod", "run", "tear", "client", "store", "engine", "done", "woken", "settled", "crashes"}
}

func lifecycleVariables() []string { return []string{"ctr", "inc", "client"} }

// difference says in words which names are too many and which are missing; "" is none.
func difference(got, want []string, also ...string) string {
	var parts []string
	for _, name := range got {
		if !slices.Contains(want, name) && !slices.Contains(also, name) {
			parts = append(parts, fmt.Sprintf("%.40q is unknown", name))
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			parts = append(parts, fmt.Sprintf("%q is missing", name))
		}
	}
	return strings.Join(parts, ", ")
}
