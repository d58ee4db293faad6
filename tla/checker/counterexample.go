package checker

import (
	"slices"

	"podlife/tla/eval"
	"podlife/tla/value"
)

// counterExample is the behavior that was found, in the form that TLCExt's operator CounterExample has: [state |-> {<<1, s>>, ...}, action |-> {<<<<1, s>>, a, <<2, t>>>>,
// ...}], both empty when nothing was found.
func (r *run) counterExample() value.Value {
	var states, actions []value.Value
	for i, s := range r.behavior {
		shown := s.Alias
		if shown == nil {
			shown = r.program.StateValue(s.State)
		}
		states = append(states, value.TupleOf(value.NewInt(int64(i+1)), shown))
		if i > 0 && s.Action != nil {
			actions = append(actions, value.TupleOf(states[i-1], actionValue(s.Action, s.Args), states[i]))
		}
	}
	return record(map[string]value.Value{"state": value.NewSet(states), "action": value.NewSet(actions)})
}

// actionValue describes an action: its name, its location and, where it has parameters, their names and values.
func actionValue(a *eval.Action, args []value.Value) value.Value {
	fields := map[string]value.Value{"name": value.NewString(a.Name), "location": location(a)}
	if len(a.Params) > 0 && len(args) == len(a.Params) && !slices.Contains(args, nil) {
		context := map[string]value.Value{}
		names := make([]value.Value, len(args))
		for i, arg := range args {
			context[a.Params[i]] = arg
			names[i] = value.NewString(a.Params[i])
		}
		fields["context"], fields["parameters"] = record(context), value.NewTuple(names)
	}
	return record(fields)
}

func location(a *eval.Action) value.Value {
	fields := map[string]value.Value{"module": value.NewString("")}
	if a.Definition != nil {
		fields["module"] = value.NewString(a.Definition.Module)
	}
	for name, offset := range map[string]int{"begin": a.Span.Start, "end": max(a.Span.Start, a.Span.End-1)} {
		line, column := 0, 0
		if a.Span.Known() {
			line, column = a.Span.Source.Position(offset)
		}
		fields[name+"Line"], fields[name+"Column"] = value.NewInt(int64(line)), value.NewInt(int64(column))
	}
	return record(fields)
}

func record(fields map[string]value.Value) value.Value {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	shape := value.ShapeOf(names...)
	vals := make([]value.Value, len(names))
	for name, v := range fields {
		vals[shape.Index(name)] = v
	}
	return value.NewRecord(shape, vals)
}
