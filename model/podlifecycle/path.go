package podlifecycle

import (
	"fmt"
	"maps"

	"podlife/model"
	"podlife/model/trace"
)

// Trace is a path through the specification, as it is kept in a file.
type Trace = trace.Trace[View]

// TraceOf makes a trace of a counterexample.
func TraceOf(c Constants, clients int, v model.Violation[State]) Trace {
	t := Trace{
		Table:     Name,
		Constants: map[string]any{"Clients": clients, "MaxInc": c.MaxInc, "GuardedAttach": c.GuardedAttach},
		Violates:  v.Invariant,
	}
	for _, p := range v.Path {
		t.Steps = append(t.Steps, trace.Step[View]{Action: p.Action, Args: p.Args, State: p.State.View(clients)})
	}
	return t
}

// StepError says at which step a trace is not what the table does.
type StepError struct {
	Step   int // index in Trace.Steps
	Reason string
	Cause  error // what [model.Table.Take] said; may be nil
}

func (e *StepError) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("step %d: %s: %v", e.Step, e.Reason, e.Cause)
	}
	return fmt.Sprintf("step %d: %s", e.Step, e.Reason)
}

func (e *StepError) Unwrap() error { return e.Cause }

// CheckTrace steps a table through a trace: it must start in the initial state, every action must be enabled, and every state be the
// one that the table reaches. The error is a [*StepError].
func CheckTrace(table model.Table[Local], t Trace) error {
	for i, step := range t.Steps {
		if i == 0 {
			if err := checkInitial(step.State); err != nil {
				return &StepError{Step: 0, Reason: err.Error()}
			}
			continue
		}
		got, err := takeStep(table, t.Steps[i-1].State, step)
		if err != nil {
			return &StepError{Step: i, Reason: "the table refuses", Cause: err}
		}
		if got.Ctr != step.State.Ctr || got.Inc != step.State.Inc || !maps.Equal(got.Client, step.State.Client) {
			return &StepError{Step: i, Reason: fmt.Sprintf("%s leads to %+v, the trace says %+v", step.Action, got, step.State)}
		}
	}
	return nil
}

func checkInitial(v View) error {
	initial := v.Ctr == Asleep && v.Inc == 0 && len(v.Client) > 0
	for _, c := range v.Client {
		initial = initial && c == Client{}
	}
	if !initial {
		return fmt.Errorf("not the initial state: %+v", v)
	}
	return nil
}

// takeStep gives the state after a step from v.
func takeStep(table model.Table[Local], v View, step trace.Step[View]) (View, error) {
	action, err := table.Action(step.Action)
	if err != nil {
		return v, err
	}
	if len(step.Args) != len(action.Params) {
		return v, fmt.Errorf("%s takes %d arguments, not %d", step.Action, len(action.Params), len(step.Args))
	}
	local, who := Local{Pod: Pod{Ctr: v.Ctr, Inc: v.Inc}}, ""
	if len(step.Args) > 0 {
		who = step.Args[0]
		c, ok := v.Client[who]
		if !ok {
			return v, fmt.Errorf("there is no client %.40q", who)
		}
		local.Client = c
	}
	local, err = table.Take(step.Action, local)
	if err != nil {
		return v, err
	}
	after := View{Ctr: local.Pod.Ctr, Inc: local.Pod.Inc, Client: maps.Clone(v.Client)}
	if who != "" {
		after.Client[who] = local.Client
	}
	return after, nil
}
