package tlcjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"podlife/tla/itf"
)

// Read reads what Write or TLC wrote. Fields that are not known are passed over, since TLC may add some; all else that is not in the form is
// a *FormatError, and so is a field "itf" that tells of another behaviour. An error of r is passed on.
func Read(r io.Reader) (*Trace, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("tlcjson: %w", err)
	}
	if len(data) > MaxBytes {
		return nil, &FormatError{Problem: fmt.Sprintf("longer than %d bytes", MaxBytes)}
	}
	return Decode(data)
}

// Decode is Read of a text in memory.
func Decode(data []byte) (*Trace, error) {
	var f fileForm
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, &FormatError{Problem: "not the JSON that TLC writes", Cause: err}
	}
	states := f.Counterexample.State
	if len(states) == 0 || len(states) > MaxStates {
		return nil, &FormatError{Where: "counterexample.state", Problem: fmt.Sprintf("has %d states, want 1 to %d", len(states), MaxStates)}
	}
	t := &Trace{Trace: itf.Trace{Vars: f.Vars, Loop: itf.NoLoop}, Lossy: true}
	for i, raw := range states {
		if err := t.addState(i, raw); err != nil {
			return nil, err
		}
	}
	for i, raw := range f.Counterexample.Action {
		if err := t.addStep(i, raw); err != nil {
			return nil, err
		}
	}
	if got, want := len(f.Counterexample.Action), len(states)-1; got < want {
		return nil, &FormatError{Where: "counterexample.action", Problem: fmt.Sprintf("%d steps between %d states", got, len(states))}
	}
	if f.ITF != nil {
		return t, t.useExact(f.ITF)
	}
	return t, nil
}

// numbered reads [number, {variable: value}]; the number counts from 1, the result from 0.
func numbered(where string, raw json.RawMessage) (number int, vars json.RawMessage, err error) {
	var pair []json.RawMessage
	if err := json.Unmarshal(raw, &pair); err != nil || len(pair) != 2 {
		return 0, nil, &FormatError{Where: where, Problem: "not a number and a state", Cause: err}
	}
	if err := json.Unmarshal(pair[0], &number); err != nil {
		return 0, nil, &FormatError{Where: where, Problem: "has no number", Cause: err}
	}
	return number - 1, pair[1], nil
}

func (t *Trace) addState(i int, raw json.RawMessage) error {
	where := fmt.Sprintf("counterexample.state[%d]", i)
	number, vars, err := numbered(where, raw)
	if err != nil {
		return err
	}
	if number != i {
		return &FormatError{Where: where, Problem: fmt.Sprintf("has the number %d, want %d", number+1, i+1)}
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(vars, &fields); err != nil {
		return &FormatError{Where: where, Problem: "not a state", Cause: err}
	}
	s := itf.State{}
	for _, name := range t.Vars {
		raw, ok := fields[name]
		if !ok {
			return &FormatError{Where: where, Problem: fmt.Sprintf("%.40q has no value", name)}
		}
		v, err := decode(where+"."+name, raw)
		if err != nil {
			return err
		}
		s.Values = append(s.Values, v)
	}
	for name := range fields {
		if !slices.Contains(t.Vars, name) {
			return &FormatError{Where: where, Problem: fmt.Sprintf("%.40q is not among the variables", name)}
		}
	}
	t.States = append(t.States, s)
	t.states = append(t.states, fields)
	return nil
}

// addStep reads [state, action, state]: from each state to the next, and perhaps from the last one back.
func (t *Trace) addStep(i int, raw json.RawMessage) error {
	where := fmt.Sprintf("counterexample.action[%d]", i)
	var triple []json.RawMessage
	if err := json.Unmarshal(raw, &triple); err != nil || len(triple) != 3 {
		return &FormatError{Where: where, Problem: "not a state, an action and a state", Cause: err}
	}
	var ends [2]int
	for j, k := range []int{0, 2} {
		number, vars, err := numbered(where, triple[k])
		if err != nil {
			return err
		}
		if number < 0 || number >= len(t.states) {
			return &FormatError{Where: where, Problem: fmt.Sprintf("state %d is not there", number+1)}
		}
		if !t.isWritten(number, vars) {
			return &FormatError{Where: where, Problem: fmt.Sprintf("has another state %d than the states", number+1)}
		}
		ends[j] = number
	}
	var a actionForm
	if err := json.Unmarshal(triple[1], &a); err != nil {
		return &FormatError{Where: where, Problem: "not an action", Cause: err}
	}
	s := itf.Step{Action: a.Name}
	if a.Location != nil {
		s.Location = *a.Location
	}
	for _, name := range a.Parameters {
		raw, ok := a.Context[name]
		if !ok {
			return &FormatError{Where: where, Problem: fmt.Sprintf("the parameter %.40q has no value", name)}
		}
		v, err := decode(where+"."+name, raw)
		if err != nil {
			return err
		}
		s.Args = append(s.Args, itf.Binding{Name: name, Value: v})
	}
	last := len(t.States) - 1
	switch {
	case ends[0] == i && ends[1] == i+1:
		t.States[i+1].Step = s
	case ends[0] == last && i == last && ends[1] <= last:
		t.Loop, t.Closing = ends[1], s
	default:
		return &FormatError{Where: where, Problem: fmt.Sprintf("leads from state %d to state %d", ends[0]+1, ends[1]+1)}
	}
	return nil
}

// isWritten tells whether a state within a step is the numbered one.
func (t *Trace) isWritten(i int, vars json.RawMessage) bool {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(vars, &fields) != nil || len(fields) != len(t.states[i]) {
		return false
	}
	for name, raw := range t.states[i] {
		if !bytes.Equal(compact(raw), compact(fields[name])) {
			return false
		}
	}
	return true
}

func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return nil
	}
	return b.Bytes()
}

// useExact takes the behaviour of the field "itf", after it has been held against what was read.
func (t *Trace) useExact(raw json.RawMessage) error {
	exact, err := itf.Decode(raw)
	if err != nil {
		return &FormatError{Where: "itf", Problem: "not a behaviour", Cause: err}
	}
	differs := func(what string) error {
		return &FormatError{Where: "itf", Problem: "another behaviour than the counterexample: " + what}
	}
	if !slices.Equal(exact.Vars, t.Vars) || len(exact.States) != len(t.States) || exact.Loop != t.Loop {
		return differs("variables, number of states or loop")
	}
	for i, s := range exact.States {
		same, err := t.Is(i, s.Values)
		if err != nil {
			return &FormatError{Where: "itf", Problem: fmt.Sprintf("states[%d]", i), Cause: err}
		}
		if !same {
			return differs(fmt.Sprintf("states[%d]", i))
		}
		if s.Action != t.States[i].Action {
			return differs(fmt.Sprintf("the action of states[%d]", i))
		}
	}
	t.Trace, t.Lossy = *exact, false
	return nil
}
