package library

import "podlife/tla/value"

// finiteSets is the module FiniteSets.
func finiteSets(t table) {
	t.fixed("FiniteSets", "IsFiniteSet", 1, func(env *Env, args []value.Value) value.Value {
		if args[0].Kind() != value.KindSet {
			wrong("IsFiniteSet", "first", "a set", args[0])
		}
		return value.Bool(env.Work.IsFinite(args[0]))
	})
	t.fixed("FiniteSets", "Cardinality", 1, func(env *Env, args []value.Value) value.Value {
		if args[0].Kind() != value.KindSet {
			wrong("Cardinality", "first", "a set", args[0])
		}
		return env.Work.Cardinality(args[0])
	})
}
