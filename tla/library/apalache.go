package library

import "podlife/tla/value"

// apalache is the module Apalache, whose operators but for the one that only a symbolic checker can evaluate are in TLA+.
func apalache(t table) {
	t.own("Apalache", "Gen", 1, func(*Env, []value.Value) value.Value {
		value.Raise(CodeUnsupported, "Gen has no value here: only the symbolic checker Apalache has values of a type that is annotated")
		return nil
	})
}
