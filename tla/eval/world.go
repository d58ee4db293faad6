package eval

import (
	"slices"

	"podlife/tla/library"
	"podlife/tla/value"
)

// SetLevel says how deep in the search what is evaluated next is, the initial states being level 1: TLCGet("level").
func (e *Evaluator) SetLevel(level int) { e.level = int64(level) }

// CopyRegisters gives the evaluator what TLCSet has set in another one: TLC's workers start with what assumptions and initial states have set.
func (e *Evaluator) CopyRegisters(from *Evaluator) {
	old := e.m.lib.Registers
	e.m.lib.Registers = from.m.lib.Registers.Copy()
	e.p.mu.Lock()
	defer e.p.mu.Unlock()
	for i, r := range e.p.registers {
		if r == old {
			e.p.registers[i] = e.m.lib.Registers
		}
	}
}

func (e *Evaluator) close() {
	e.p.mu.Lock()
	defer e.p.mu.Unlock()
	e.p.registers = slices.DeleteFunc(e.p.registers, func(r *library.Registers) bool { return r == e.m.lib.Registers })
}

// workerRegisters are those of all evaluators, for TLCGet("all").
func (p *Program) workerRegisters() []*library.Registers {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*library.Registers(nil), p.registers...)
}

// SetTrace gives the behavior up to the current state to the operator Trace of TLCExt; nil: it is not known.
func (e *Evaluator) SetTrace(trace func() []State) { e.history = trace }

// SetCounterExample gives the counterexample to the operator of that name in TLCExt, for postconditions; nil: there is none.
func (e *Evaluator) SetCounterExample(f func() value.Value) { e.example = f }

// Intermediate is how many states between the two parts of an A \cdot B were generated so far. TLC adds them to the generated states.
func (e *Evaluator) Intermediate() int64 { return e.m.intermediate }

// ExitRequested tells whether TLCSet("exit", TRUE) was evaluated.
func (e *Evaluator) ExitRequested() bool { return e.exit }

func (e *Evaluator) requestExit() {
	e.exit = true
	if e.p.opt.Exit != nil {
		e.p.opt.Exit()
	}
}

func (e *Evaluator) stat(name string) (value.Value, bool) {
	switch name {
	case "level":
		if e.level > 0 {
			return value.NewInt(e.level), true
		}
	case "action":
		if e.m.action != nil {
			return e.actionValue(e.m.action), true
		}
	}
	if e.p.opt.Stat != nil {
		if v := e.p.opt.Stat(name); v != nil {
			return v, true
		}
	}
	switch name {
	case "config":
		return e.configValue(), true
	}
	return nil, false
}

// configValue is TLCGet("config"), as far as it makes sense here. The checker may say more.
func (e *Evaluator) configValue() value.Value {
	deadlock := e.p.config.CheckDeadlock == nil || *e.p.config.CheckDeadlock
	fields := map[string]value.Value{
		"mode": value.NewString("bfs"), "deadlock": value.Bool(deadlock), "worker": value.NewInt(1), "depth": value.NewInt(-1), "traces": value.NewInt(-1),
		"seed": value.NewInt(e.p.opt.Seed), "fingerprint": value.NewInt(0),
	}
	var names []string
	for n := range fields {
		names = append(names, n)
	}
	shape := value.ShapeOf(names...)
	vals := make([]value.Value, len(names))
	for n, v := range fields {
		vals[shape.Index(n)] = v
	}
	return value.NewRecord(shape, vals)
}

// actionValue describes an action to a specification: [name |-> ..., location |-> ...].
func (e *Evaluator) actionValue(a *Action) value.Value {
	shape := value.ShapeOf("name", "location")
	vals := make([]value.Value, 2)
	vals[shape.Index("name")] = value.NewString(a.Name)
	vals[shape.Index("location")] = value.NewString(a.Span.String())
	return value.NewRecord(shape, vals)
}

func (e *Evaluator) trace() value.Value {
	if e.history == nil {
		return nil
	}
	states := e.history()
	out := make([]value.Value, len(states))
	for i, s := range states {
		out[i] = e.p.StateValue(s)
	}
	return value.NewTuple(out)
}

func (e *Evaluator) counterExample() value.Value {
	if e.example == nil {
		return nil
	}
	return e.example()
}

// StateValue is a state as a record of its variables.
func (p *Program) StateValue(s State) value.Value {
	if len(s) == 0 {
		return value.EmptyTuple()
	}
	shape := value.ShapeOf(p.variables...)
	vals := make([]value.Value, len(s))
	for i, name := range p.variables {
		vals[shape.Index(name)] = s[i]
	}
	return value.NewRecord(shape, vals)
}

func (e *Evaluator) definitionByName(name string) (value.Value, bool) {
	_, d := lookup(e.p.module, name)
	if d == nil || len(d.Params) > 0 {
		return nil, false
	}
	u := e.p.expressionOf(d)
	m := e.m
	f := m.frame(u.unit)
	v := u.value(m, f)
	m.release(u.unit, f)
	return v, true
}
