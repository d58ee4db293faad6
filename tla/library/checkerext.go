package library

import "podlife/tla/value"

// checkerExt is the module TLCExt but for TLCGetOrDefault, which is beside TLCGet.
func checkerExt(t table) {
	t.add("TLCExt", "AssertError", 2, Operator{Volatile: true, Lazy: assertError})
	t.volatile("TLCExt", "Trace", 0, func(env *Env, _ []value.Value) value.Value {
		if env.Trace != nil {
			if v := env.Trace(); v != nil {
				return v
			}
		}
		value.Raise(CodeUnsupported, "Trace: there is no current state here, or the states before it are not known")
		return nil
	})
	t.volatile("TLCExt", "CounterExample", 0, func(env *Env, _ []value.Value) value.Value {
		if env.CounterExample != nil {
			if v := env.CounterExample(); v != nil {
				return v
			}
		}
		return value.RecordOf(value.ShapeOf("state", "action"), value.EmptySet(), value.EmptySet())
	})
	t.fixed("TLCExt", "ToTrace", 1, toTrace)
	t.fixed("TLCExt", "TLCModelValue", 1, func(_ *Env, args []value.Value) value.Value {
		return value.NewModel(text("TLCModelValue", "first", args[0]))
	})
	t.add("TLCExt", "TLCDefer", 1, Operator{Volatile: true, Lazy: func(env *Env, args []func() value.Value) value.Value {
		if env.Defer != nil {
			env.Defer(func() { args[0]() })
		}
		return value.Bool(true)
	}})
	t.volatile("TLCExt", "PickSuccessor", 1, func(_ *Env, args []value.Value) value.Value {
		if !boolean("PickSuccessor", "first", args[0]) {
			value.Raise(CodeUnsupported, "PickSuccessor(FALSE): there is nobody who could choose the step")
		}
		return value.Bool(true)
	})
	t.fixed("TLCExt", "TLCFP", 1, func(env *Env, args []value.Value) value.Value {
		// TLC too gives 32 bits; the fingerprints themselves are not TLC's.
		return value.NewInt(int64(int32(env.Work.Hash(args[0]))))
	})
	t.volatile("TLCExt", "TLCEvalDefinition", 1, func(env *Env, args []value.Value) value.Value {
		name := text("TLCEvalDefinition", "first", args[0])
		if env.Definition == nil {
			value.Raise(CodeUnsupported, "TLCEvalDefinition(%q): definitions cannot be found by name here", name)
		}
		v, ok := env.Definition(name)
		if !ok {
			value.Raise(CodeUndefined, "TLCEvalDefinition(%q): the root module has no definition of that name without parameters", name)
		}
		return v
	})
}

// assertError tells whether evaluating its second argument fails with the message that is the first. Messages here are not TLC's, so that after a failure
// the answer is not known unless they happen to be the same.
func assertError(_ *Env, args []func() value.Value) value.Value {
	err := value.Catch(func() { args[1]() })
	if err == nil {
		return value.Bool(false)
	}
	want := text("AssertError", "first", args[0]())
	if err.Error() == want {
		return value.Bool(true)
	}
	value.Raise(CodeUnsupported, "AssertError expects an error of TLC's with the message %q; there is an error, but its message here is %q", want, err)
	return nil
}

// toTrace is the states of a counterexample by their positions.
func toTrace(_ *Env, args []value.Value) value.Value {
	states := setOf("ToTrace", "first", field("ToTrace", "first", record("ToTrace", "first", args[0]), "state"))
	var positions, found []value.Value
	for _, s := range states {
		pair, ok := sequenceOf(s)
		if !ok || len(pair) != 2 {
			wrong("ToTrace", "first", "a counterexample, whose states are pairs of a position and a state", args[0])
		}
		positions, found = append(positions, pair[0]), append(found, pair[1])
	}
	return value.NewFunction(positions, found)
}

// toolbox is the module Toolbox: its trace is known to a trace explorer only, which overrides it.
func toolbox(t table) {
	t.own("Toolbox", "_TETrace", 0, func(*Env, []value.Value) value.Value {
		value.Raise(CodeUnsupported, "_TETrace has no value: it is overridden by whoever explores a trace")
		return nil
	})
}
