package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"podlife/conformance/input"
	"podlife/model"
	"podlife/model/graph"
	"podlife/model/podruntime"
	"podlife/tla/itf"
	"podlife/tla/tlcjson"
	"podlife/tla/value"
)

// Behaviour is a sequence of states to be stepped through.
type Behaviour struct {
	Title    string // the file's name, or the guard without which an example was found
	Example  bool   // it was made to show how one looks: nothing that ships did this
	Violates string
	Names    []string // what a state consists of, such as pod.ctr or client.c1.phase; only what changes at least once is in Lanes
	Lanes    []int    // indices of Names
	Frames   []Frame
}

// Frame is a state, and the step that led to it.
type Frame struct {
	Number int    // from 1
	Step   string // the action with its arguments; "initial state" of the first
	Values []Value
	Change []string // in words: what is different from the state before
}

// Value is a part of a state. It is absent where the state has no such part.
type Value struct {
	Text    string
	Absent  bool
	Changed bool
}

// ExampleOff is the guard without which the example is found: that opening a terminal wakes nothing. It is the bug that started this.
const ExampleOff = "Dial.neverWakes"

// MaxBehaviour bounds a counterexample's file.
const MaxBehaviour = 8 << 20

// behaviour reads the counterexample that was asked for, or makes one.
func behaviour(ctx context.Context, in Inputs) (Behaviour, error) {
	if in.Counterexample == "" {
		off := in.Off
		if off == "" {
			off = ExampleOff
		}
		return example(ctx, off)
	}
	data, err := input.ReadAll(ctx, in.Counterexample, MaxBehaviour)
	if err != nil {
		return Behaviour{}, err
	}
	b, err := readBehaviour(data)
	if err != nil {
		return b, fmt.Errorf("%s: %w", in.Counterexample, err)
	}
	b.Title = filepath.Base(in.Counterexample)
	return b, nil
}

// errNoBehaviour says that a file is in none of the three forms.
var errNoBehaviour = errors.New("it is no behaviour: neither the Informal Trace Format, nor TLC's JSON, nor what podlife check --trace writes")

// readBehaviour reads a behaviour in any of the forms.
func readBehaviour(data []byte) (Behaviour, error) {
	if len(data) > MaxBehaviour {
		return Behaviour{}, fmt.Errorf("it is longer than %d bytes", MaxBehaviour)
	}
	var form struct {
		Format         string          `json:"format"`
		States         json.RawMessage `json:"states"`
		Counterexample json.RawMessage `json:"counterexample"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return Behaviour{}, fmt.Errorf("%w: %w", errNoBehaviour, err)
	}
	switch {
	case form.Format != "":
		return ownTrace(data)
	case form.Counterexample != nil:
		t, err := tlcjson.Decode(data)
		if err != nil {
			return Behaviour{}, err
		}
		return ofValues(&t.Trace), nil
	case form.States != nil:
		t, err := itf.Decode(data)
		if err != nil {
			return Behaviour{}, err
		}
		return ofValues(t), nil
	}
	return Behaviour{}, errNoBehaviour
}

// example explores the server's steps without one guard, and gives the shortest way to what that breaks.
func example(ctx context.Context, off string) (Behaviour, error) {
	const tabs = 1
	sys, err := podruntime.System(podruntime.Constants{MaxInc: 2, MaxCrashes: 1, Off: []string{off}}, tabs)
	if err != nil {
		return Behaviour{}, err
	}
	r, err := model.Explore(ctx, sys, model.Options[podruntime.State]{MaxStates: 2_000_000})
	if err != nil {
		return Behaviour{}, err
	}
	if r.Violation == nil {
		return Behaviour{Title: off, Example: true}, nil
	}
	var steps []string
	var states []any
	for i, p := range r.Violation.Path {
		step := "initial state"
		if i > 0 {
			step = graph.Call(p.Action, p.Args)
		}
		data, err := json.Marshal(p.State.View(tabs))
		if err != nil {
			return Behaviour{}, err
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			return Behaviour{}, err
		}
		steps, states = append(steps, step), append(states, v)
	}
	b := framed(steps, states, flattenJSON)
	b.Title, b.Example, b.Violates = off, true, r.Violation.Invariant
	return b, nil
}

// ownTrace reads what podlife check --trace writes, whatever the specification.
func ownTrace(data []byte) (Behaviour, error) {
	var t struct {
		Violates string `json:"violates"`
		Steps    []struct {
			Action string   `json:"action"`
			Args   []string `json:"args"`
			State  any      `json:"state"`
		} `json:"steps"`
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&t); err != nil {
		return Behaviour{}, err
	}
	if len(t.Steps) == 0 {
		return Behaviour{}, fmt.Errorf("it has no steps")
	}
	var steps []string
	var states []any
	for i, s := range t.Steps {
		step := graph.Call(s.Action, s.Args)
		if i == 0 {
			step = "initial state"
		}
		steps, states = append(steps, step), append(states, s.State)
	}
	b := framed(steps, states, flattenJSON)
	b.Violates = t.Violates
	return b, nil
}

// ofValues shows a behaviour of a specification.
func ofValues(t *itf.Trace) Behaviour {
	var steps []string
	var states []any
	for i, s := range t.States {
		var args []string
		for _, a := range s.Args {
			args = append(args, plain(a.Value))
		}
		step := graph.Call(s.Action, args)
		switch {
		case i == 0:
			step = "initial state"
		case s.Action == "":
			step = "a step"
		}
		steps, states = append(steps, step), append(states, s)
	}
	b := framed(steps, states, func(state any, tell func(string, string)) {
		for i, v := range state.(itf.State).Values {
			flattenValue(t.Vars[i], v, tell)
		}
	})
	b.Violates = t.Violates
	return b
}

// framed makes frames of states. flatten tells the parts of one, by name.
func framed(steps []string, states []any, flatten func(state any, tell func(name, text string))) Behaviour {
	var b Behaviour
	index := map[string]int{}
	flat := make([]map[string]string, len(states))
	for i, s := range states {
		flat[i] = map[string]string{}
		flatten(s, func(name, text string) {
			if _, known := index[name]; !known {
				index[name] = 0
				b.Names = append(b.Names, name)
			}
			flat[i][name] = text
		})
	}
	slices.SortStableFunc(b.Names, func(x, y string) int { return strings.Compare(head(x), head(y)) })
	moved := make([]bool, len(b.Names))
	for i := range states {
		f := Frame{Number: i + 1, Step: steps[i]}
		for k, name := range b.Names {
			text, here := flat[i][name]
			v := Value{Text: text, Absent: !here}
			if i > 0 {
				was, before := flat[i-1][name]
				if v.Changed = was != text || before != here; v.Changed {
					moved[k] = true
					f.Change = append(f.Change, fmt.Sprintf("%s: %s → %s", name, shown(was, before), shown(text, here)))
				}
			}
			f.Values = append(f.Values, v)
		}
		b.Frames = append(b.Frames, f)
	}
	for k := range b.Names {
		if moved[k] {
			b.Lanes = append(b.Lanes, k)
		}
	}
	return b
}

func head(name string) string { first, _, _ := strings.Cut(name, "."); return first }

func shown(text string, here bool) string {
	if !here {
		return "–"
	}
	return text
}

// flattenJSON tells the leaves of a JSON value.
func flattenJSON(state any, tell func(string, string)) { flattenAny("", state, tell) }

func flattenAny(name string, v any, tell func(string, string)) {
	dotted := func(key string) string {
		if name == "" {
			return key
		}
		return name + "." + key
	}
	if m, ok := v.(map[string]any); ok {
		keys := make([]string, 0, len(m))
		for k := range m {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			flattenAny(dotted(k), m[k], tell)
		}
		return
	}
	if s, ok := v.(string); ok {
		tell(name, s)
		return
	}
	text, err := json.Marshal(v)
	if err != nil {
		text = []byte(fmt.Sprint(v))
	}
	tell(name, string(text))
}

// flattenValue tells the leaves of a value of TLA+: those of records, tuples and functions; a set is one.
func flattenValue(name string, v value.Value, tell func(string, string)) {
	switch v.Kind() {
	case value.KindTuple, value.KindRecord, value.KindFunction:
		for _, key := range value.Elements(value.Domain(v)) {
			flattenValue(name+"."+plain(key), value.Apply(v, key), tell)
		}
	default:
		tell(name, plain(v))
	}
}

// plain is a value without the quotes of a string.
func plain(v value.Value) string {
	text := v.String()
	if v.Kind() == value.KindString {
		return strings.Trim(text, `"`)
	}
	return text
}
