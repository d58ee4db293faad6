package spec

import (
	"path/filepath"
	"strings"

	"podlife/tla/checker"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/itf"
)

// Trace is a counterexample for itf.Write and tlcjson.Write: its states, the actions with their arguments and places, and the constants to which the
// configuration gives values. violates is the name of what the behaviour violates, or "".
func (s *Spec) Trace(states []checker.TraceState, violates string) *itf.Trace {
	t := &itf.Trace{Vars: s.Program.Variables(), Loop: itf.NoLoop, Source: s.Path, Violates: violates}
	if len(states) > 0 { // without a state, there is no place for them
		for _, c := range s.Config.Constants {
			if c.Module == "" && c.Args == nil {
				t.Params = append(t.Params, itf.Binding{Name: c.Name.Text, Value: c.Value})
			}
		}
	}
	for _, x := range states {
		state := itf.State{Values: x.State}
		if x.Action != nil {
			state.Action = x.Action.Name
			state.Location = LocationOf(x.Action)
			for i, v := range x.Args {
				state.Args = append(state.Args, itf.Binding{Name: x.Action.Params[i], Value: v})
			}
		}
		t.States = append(t.States, state)
	}
	return t
}

// LocationOf is where an action stands, as TLC tells it.
func LocationOf(a *eval.Action) itf.Location {
	if !a.Span.Known() {
		return itf.Location{}
	}
	l := itf.Location{Module: moduleOf(a)}
	l.BeginLine, l.BeginColumn = a.Span.Source.Position(a.Span.Start)
	l.EndLine, l.EndColumn = lastOf(a.Span)
	return l
}

// lastOf is the place of a span's last character.
func lastOf(s diag.Span) (line, column int) {
	line, column = s.Source.Position(s.End)
	if column > 1 {
		return line, column - 1
	}
	return s.Source.Position(s.End - 1)
}

func moduleOf(a *eval.Action) string {
	if a.Definition != nil {
		return a.Definition.Source().Module
	}
	return strings.TrimSuffix(filepath.Base(a.Span.Source.Name), ".tla")
}
