package library

import (
	"strings"

	"podlife/tla/value"
)

// checker is the module TLC but for TLCGet and TLCSet.
func checker(t table) {
	t.volatile("TLC", "Print", 2, func(env *Env, args []value.Value) value.Value {
		env.print(args[0].String() + "  " + args[1].String())
		return args[1]
	})
	t.volatile("TLC", "PrintT", 1, func(env *Env, args []value.Value) value.Value {
		env.print(args[0].String())
		return value.Bool(true)
	})
	t.fixed("TLC", "Assert", 2, func(_ *Env, args []value.Value) value.Value {
		if holds, ok := args[0].(value.Bool); !ok || !bool(holds) {
			failed(args[0], args[1])
		}
		return args[0]
	})
	t.volatile("TLC", "JavaTime", 0, func(env *Env, _ []value.Value) value.Value {
		if env.Now == nil {
			value.Raise(CodeRefused, "JavaTime: there is no clock here")
		}
		// TLC keeps the lowest 31 bits of the time.
		return value.NewInt(env.Now().Unix() & 0x7fffffff)
	})
	t.fixed("TLC", ":>", 2, func(_ *Env, args []value.Value) value.Value {
		return value.NewFunction([]value.Value{args[0]}, []value.Value{args[1]})
	})
	t.fixed("TLC", "@@", 2, combine)
	t.fixed("TLC", "Permutations", 1, func(env *Env, args []value.Value) value.Value {
		elems := setOf("Permutations", "first", args[0])
		var all []value.Value
		permutations("Permutations", len(elems), func(order []int) {
			vals := make([]value.Value, len(order))
			for i, j := range order {
				vals[i] = elems[j]
			}
			all = append(all, value.FunctionOn(args[0], vals))
		})
		return env.Work.NewSet(all)
	})
	t.fixed("TLC", "SortSeq", 2, func(_ *Env, args []value.Value) value.Value {
		return sortSequence("SortSeq", sequence("SortSeq", "first", args[0]), args[1])
	})
	t.volatile("TLC", "RandomElement", 1, randomElement)
	t.fixed("TLC", "Any", 0, func(*Env, []value.Value) value.Value { return value.AnyValue })
	t.fixed("TLC", "ToString", 1, func(_ *Env, args []value.Value) value.Value { return value.NewString(args[0].String()) })
	t.fixed("TLC", "TLCEval", 1, func(env *Env, args []value.Value) value.Value {
		// A set that cannot be written out, Nat say, stays what it is.
		if args[0].Kind() == value.KindSet && !env.Work.IsFinite(args[0]) {
			return args[0]
		}
		return env.Work.Normalize(args[0])
	})
}

// failed raises for an Assert whose condition is not TRUE. The message of most specifications is a string, which reads better without its quotation
// marks.
func failed(condition, out value.Value) {
	message := show(out)
	if s, ok := out.(*value.Str); ok {
		message = s.Text()
	}
	if condition.Kind() != value.KindBool {
		value.Raise(CodeAssertion, "the condition of Assert is not a boolean but %s: %s; its message: %s", condition.Kind(), show(condition), message)
	}
	value.Raise(CodeAssertion, "%s", message)
}

// combine is f @@ g: where both are defined, it is f.
func combine(env *Env, args []value.Value) value.Value {
	fArgs, fVals := function("@@", "first", args[0])
	gArgs, gVals := function("@@", "second", args[1])
	switch {
	case len(gArgs) == 0:
		return args[0]
	case len(fArgs) == 0:
		return args[1]
	}
	// Both are sorted.
	all, vals := make([]value.Value, 0, len(fArgs)+len(gArgs)), make([]value.Value, 0, len(fArgs)+len(gArgs))
	for len(fArgs) > 0 && len(gArgs) > 0 {
		order := env.Work.Compare(fArgs[0], gArgs[0])
		if order <= 0 {
			all, vals = append(all, fArgs[0]), append(vals, fVals[0])
			fArgs, fVals = fArgs[1:], fVals[1:]
		} else {
			all, vals = append(all, gArgs[0]), append(vals, gVals[0])
		}
		if order >= 0 {
			gArgs, gVals = gArgs[1:], gVals[1:]
		}
	}
	all, vals = append(append(all, fArgs...), gArgs...), append(append(vals, fVals...), gVals...)
	return value.NewFunction(all, vals)
}

// permutations calls visit with each order of 0..n-1, in lexicographical order, first 0, 1, 2. visit must not keep or change the slice.
func permutations(op string, n int, visit func(order []int)) {
	total := value.NewInt(1)
	for i := 2; i <= n; i++ {
		total = value.Mul(total, value.NewInt(int64(i)))
		limit(op, total)
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for {
		visit(order)
		// The last place where the order still rises gets the next larger number that stands behind it.
		i := n - 2
		for i >= 0 && order[i] > order[i+1] {
			i--
		}
		if i < 0 {
			return
		}
		j := n - 1
		for order[j] < order[i] {
			j--
		}
		order[i], order[j] = order[j], order[i]
		for l, r := i+1, n-1; l < r; l, r = l+1, r-1 {
			order[l], order[r] = order[r], order[l]
		}
	}
}

// sortSequence sorts by inserting each element, in turn, before all elements at the end of what is sorted so far that it has to precede. That is
// TLC's way; for an operator that is no order, the result depends on it.
func sortSequence(op string, elems []value.Value, before value.Value) value.Value {
	apply := operator(before)
	sorted := make([]value.Value, 0, len(elems))
	for _, e := range elems {
		at := len(sorted)
		for at > 0 {
			result := apply([]value.Value{e, sorted[at-1]})
			goes, ok := result.(value.Bool)
			if !ok {
				value.Raise(value.CodeType, "the operator given to %s has to give a boolean, but gives %s: %s", op, result.Kind(), show(result))
			}
			if !goes {
				break
			}
			at--
		}
		sorted = append(sorted, nil)
		copy(sorted[at+1:], sorted[at:])
		sorted[at] = e
	}
	return value.NewTuple(sorted)
}

// registers is TLCGet and TLCSet of the module TLC, and TLCGetOrDefault of TLCExt.
func registers(t table) {
	t.volatile("TLC", "TLCGet", 1, func(env *Env, args []value.Value) value.Value {
		if v, ok := env.get(args[0]); ok {
			return v
		}
		value.Raise(CodeUndefined, "TLCGet(%s): nothing has been set there, and it is no name of the checker's", show(args[0]))
		return nil
	})
	t.volatile("TLC", "TLCSet", 2, tlcSet)
	t.volatile("TLCExt", "TLCGetOrDefault", 2, func(env *Env, args []value.Value) value.Value {
		switch key := args[0].(type) {
		case value.Int:
			if v, ok := env.registers().Number(int64(key)); ok {
				return v
			}
		case *value.Str:
			if v, ok := env.registers().Name(key.Text()); ok && strings.HasPrefix(key.Text(), namedRegister) {
				return v
			}
		}
		return args[1]
	})
}

// The registers and properties that have names, by what their names start with.
const (
	namedRegister = "s:"
	property      = "-D"
)

func (env *Env) registers() *Registers {
	if env.Registers == nil {
		value.Raise(CodeRefused, "TLCGet and TLCSet: there are no registers here")
	}
	return env.Registers
}

// get is TLCGet.
func (env *Env) get(i value.Value) (v value.Value, ok bool) {
	switch i := i.(type) {
	case value.Int:
		if i < 0 {
			break
		}
		return env.registers().Number(int64(i))
	case *value.Str:
		name := i.Text()
		switch {
		case name == "all":
			return allRegisters(env, (*Registers).numbers, (*Registers).Number, value.NewInt), true
		case name == "all:named":
			return allRegisters(env, (*Registers).names, (*Registers).Name, func(n string) value.Value { return value.NewString(n) }), true
		case strings.HasPrefix(name, namedRegister):
			return env.registers().Name(name)
		case strings.HasPrefix(name, property):
			if v, ok := env.registers().Name(name); ok {
				return v, true
			}
			return i, true // TLC gives the name of a property that is not set
		case env.Stat != nil:
			return env.Stat(name)
		}
		return nil, false
	}
	wrong("TLCGet", "first", "a natural number or a name of the checker's", i)
	return nil, false
}

func tlcSet(env *Env, args []value.Value) value.Value {
	done := value.Bool(true)
	switch i := args[0].(type) {
	case value.Int:
		if i < 0 {
			break
		}
		env.registers().SetNumber(int64(i), env.Work.Normalize(args[1]))
		return done
	case *value.Str:
		name := i.Text()
		switch {
		case name == "exit":
			if args[1] == value.Bool(true) && env.Exit != nil {
				env.Exit()
			}
			return done
		case name == "pause":
			if args[1] == value.Bool(true) {
				value.Raise(CodeUnsupported, `TLCSet("pause", TRUE): there is nobody who could go on`)
			}
			return done
		case strings.HasPrefix(name, namedRegister):
			env.registers().SetName(name, env.Work.Normalize(args[1]))
			return done
		case strings.HasPrefix(name, property):
			env.registers().SetName(name, value.NewString(args[1].String()))
			return done
		}
	}
	wrong("TLCSet", "first", `a natural number, "exit", or a name that starts with "s:"`, args[0])
	return nil
}

// allRegisters is what all evaluators have in the registers that the first of them has set: a function to sequences.
func allRegisters[K any](env *Env, set func(*Registers) []K, get func(*Registers, K) (value.Value, bool), arg func(K) value.Value) value.Value {
	if env.Workers == nil {
		value.Raise(CodeRefused, `TLCGet("all"): the registers of the other workers are not known here`)
	}
	workers := env.Workers()
	if len(workers) == 0 {
		return value.EmptyTuple()
	}
	var args, vals []value.Value
	for _, k := range set(workers[0]) {
		each := make([]value.Value, len(workers))
		for i, w := range workers {
			v, ok := get(w, k)
			if !ok {
				value.Raise(CodeUndefined, "TLCGet(\"all\"): worker %d has not set register %s", i+1, show(arg(k)))
			}
			each[i] = v
		}
		args, vals = append(args, arg(k)), append(vals, value.NewTuple(each))
	}
	return value.NewFunction(args, vals)
}
