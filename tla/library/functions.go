package library

import "podlife/tla/value"

// functions is the module Functions.
func functions(t table) {
	t.own("Functions", "Restrict", 2, func(_ *Env, args []value.Value) value.Value { return restrict(args[0], args[1]) })
	t.own("Functions", "Range", 1, func(env *Env, args []value.Value) value.Value {
		_, vals := function("Range", "first", args[0])
		return env.Work.NewSet(append([]value.Value(nil), vals...))
	})
	t.fixed("Functions", "IsInjective", 1, func(_ *Env, args []value.Value) value.Value {
		_, vals := function("IsInjective", "first", args[0])
		return value.Bool(allDifferent(vals))
	})
	t.fixed("Functions", "AntiFunction", 1, func(_ *Env, args []value.Value) value.Value {
		fArgs, fVals := function("AntiFunction", "first", args[0])
		if !allDifferent(fVals) {
			// TLC fails too, though the definition chooses one of the arguments.
			value.Raise(value.CodeDuplicate, "AntiFunction of a function that has one value more than once: %s", show(args[0]))
		}
		return value.NewFunction(append([]value.Value(nil), fVals...), append([]value.Value(nil), fArgs...))
	})
	t.fixed("Functions", "FoldFunction", 3, func(_ *Env, args []value.Value) value.Value {
		return foldFunction("FoldFunction", operator(args[0]), args[1], args[2])
	})
	t.fixed("Functions", "FoldFunctionOnSet", 4, func(_ *Env, args []value.Value) value.Value {
		if !isFunction(args[2]) {
			wrong("FoldFunctionOnSet", "third", "a function", args[2])
		}
		return foldFunctionOnSet("FoldFunctionOnSet", "fourth", operator(args[0]), args[1], args[2], args[3])
	})
	t.own("Functions", "SumFunction", 1, func(_ *Env, args []value.Value) value.Value {
		_, vals := function("SumFunction", "first", args[0])
		return sum(vals, itself)
	})
	t.own("Functions", "SumFunctionOnSet", 2, func(env *Env, args []value.Value) value.Value {
		if !isFunction(args[0]) {
			wrong("SumFunctionOnSet", "first", "a function", args[0])
		}
		return sum(setOf("SumFunctionOnSet", "second", args[1]), func(x value.Value) value.Value { return env.Work.Apply(args[0], x) })
	})
}

// isFunction tells whether v is a function, finite or not.
func isFunction(v value.Value) bool {
	switch v.Kind() {
	case value.KindTuple, value.KindRecord, value.KindFunction:
		return true
	}
	return false
}

// restrict is f on the elements of a set, all of which have to be in its domain.
func restrict(f, set value.Value) value.Value {
	if !isFunction(f) {
		wrong("Restrict", "first", "a function", f)
	}
	elems := setOf("Restrict", "second", set)
	vals := make([]value.Value, len(elems))
	for i, e := range elems {
		vals[i] = value.Apply(f, e)
	}
	return value.FunctionOn(set, vals)
}

// few is up to how many values are compared pair by pair.
const few = 16

// allDifferent tells whether no value is there twice.
func allDifferent(vals []value.Value) bool {
	if len(vals) > few {
		return value.NewSet(append([]value.Value(nil), vals...)).Len() == len(vals)
	}
	for i, v := range vals {
		for _, w := range vals[i+1:] {
			if value.Equal(v, w) {
				return false
			}
		}
	}
	return true
}

// foldFunction is op(z, ... op(y, op(x, base))) for the values x, y, ... z, in the order of the arguments.
func foldFunction(name string, op apply, base, f value.Value) value.Value {
	_, vals := function(name, "third", f)
	result := base
	for _, v := range vals {
		result = op([]value.Value{v, result})
	}
	return result
}

// foldFunctionOnSet is foldFunction for the arguments in a set, in the order in which TLC enumerates it.
func foldFunctionOnSet(name, which string, op apply, base, f, set value.Value) value.Value {
	return foldSet(name, which, func(args []value.Value) value.Value {
		return op([]value.Value{value.Apply(f, args[0]), args[1]})
	}, base, set)
}
