package trace

import (
	"encoding/json"
	"fmt"
)

// tlcForm is what "-dumpTrace json" writes: the states, numbered from 1, and between each two of them the action. TLC may add fields
// (it did), so only the states are read strictly.
type tlcForm struct {
	Counterexample struct {
		State  []json.RawMessage `json:"state"`  // [number, state]
		Action []json.RawMessage `json:"action"` // [[number, state], action, [number, state]]
	} `json:"counterexample"`
}

type tlcAction struct {
	Name     string `json:"name"`
	Location struct {
		Module string `json:"module"`
	} `json:"location"`
	Context    map[string]any `json:"context"`    // the values of the parameters; missing where there are none
	Parameters []string       `json:"parameters"` // their names, in order
}

// readTLC reads TLC's form. TLC writes neither the constants nor the invariant into it, so both stay unknown. Counterexamples that
// are no path (a lasso, of a liveness property) and older forms that do not name the actions are refused.
func readTLC[S any](data []byte) (Trace[S], error) {
	var f tlcForm
	if err := json.Unmarshal(data, &f); err != nil {
		return Trace[S]{}, &FormatError{Where: "counterexample", Problem: "not TLC's form", Cause: err}
	}
	var t Trace[S]
	for i, raw := range f.Counterexample.State {
		where := fmt.Sprintf("counterexample.state[%d]", i)
		s, err := tlcState[S](raw, i+1)
		if err != nil {
			return Trace[S]{}, &FormatError{Where: where, Problem: "not a numbered state", Cause: err}
		}
		t.Steps = append(t.Steps, Step[S]{State: s})
	}
	if len(t.Steps) == 0 {
		return Trace[S]{}, &FormatError{Where: "counterexample.state", Problem: "empty"}
	}
	if got, want := len(f.Counterexample.Action), len(t.Steps)-1; got != want {
		return Trace[S]{}, &FormatError{Where: "counterexample.action", Problem: fmt.Sprintf("%d actions between %d states, want %d", got, want+1, want)}
	}
	for i, raw := range f.Counterexample.Action {
		where := fmt.Sprintf("counterexample.action[%d]", i)
		action, err := tlcStep(raw, i+1)
		if err != nil {
			return Trace[S]{}, &FormatError{Where: where, Problem: "not an action between two states", Cause: err}
		}
		step := &t.Steps[i+1]
		step.Action, t.Table = action.Name, action.Location.Module
		for _, p := range action.Parameters {
			arg, ok := action.Context[p].(string)
			if !ok {
				return Trace[S]{}, &FormatError{Where: where, Problem: fmt.Sprintf("the value of parameter %.40q is no model value", p)}
			}
			step.Args = append(step.Args, arg)
		}
	}
	return t, checkSteps(t.Steps)
}

// tlcState reads [number, state].
func tlcState[S any](raw json.RawMessage, want int) (S, error) {
	var s S
	var pair []json.RawMessage
	if err := json.Unmarshal(raw, &pair); err != nil {
		return s, err
	}
	if len(pair) != 2 {
		return s, fmt.Errorf("%d elements, want a number and a state", len(pair))
	}
	if err := tlcNumber(pair[0], want); err != nil {
		return s, err
	}
	return s, strict(pair[1], &s)
}

// tlcStep reads [[number, state], action, [number, state]] and checks that it leads from the state numbered from to the next.
func tlcStep(raw json.RawMessage, from int) (tlcAction, error) {
	var triple []json.RawMessage
	if err := json.Unmarshal(raw, &triple); err != nil {
		return tlcAction{}, err
	}
	if len(triple) != 3 {
		return tlcAction{}, fmt.Errorf("%d elements, want a state, an action and a state", len(triple))
	}
	for i, want := range map[int]int{0: from, 2: from + 1} {
		var pair []json.RawMessage
		if err := json.Unmarshal(triple[i], &pair); err != nil {
			return tlcAction{}, err
		}
		if len(pair) != 2 {
			return tlcAction{}, fmt.Errorf("%d elements, want a number and a state", len(pair))
		}
		if err := tlcNumber(pair[0], want); err != nil {
			return tlcAction{}, err
		}
	}
	var a tlcAction
	if err := json.Unmarshal(triple[1], &a); err != nil {
		return tlcAction{}, err
	}
	if a.Name == "" {
		return tlcAction{}, fmt.Errorf("the action has no name")
	}
	return a, nil
}

func tlcNumber(raw json.RawMessage, want int) error {
	var n int
	if err := json.Unmarshal(raw, &n); err != nil {
		return err
	}
	if n != want {
		return fmt.Errorf("state number %d, want %d", n, want)
	}
	return nil
}
