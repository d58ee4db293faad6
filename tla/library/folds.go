package library

import "podlife/tla/value"

// folds is the module Folds.
func folds(t table) {
	t.own("Folds", "MapThenFoldSet", 5, func(_ *Env, args []value.Value) value.Value {
		return mapThenFold(operator(args[0]), args[1], operator(args[2]), operator(args[3]), args[4])
	})
}

// An applied operator.
type apply = func(args []value.Value) value.Value

// mapThenFold is op(f(x), op(f(y), ... base)), where x is what choose chooses of the set, y what it chooses of the rest, and so on.
func mapThenFold(op apply, base value.Value, f, choose apply, set value.Value) value.Value {
	if set.Kind() != value.KindSet {
		wrong("MapThenFoldSet", "fifth", "a set", set)
	}
	rest := value.Normalize(set)
	var chosen []value.Value
	for len(value.Elements(rest)) > 0 {
		x := choose([]value.Value{rest})
		if !value.Member(x, rest) {
			value.Raise(value.CodeDomain, "the operator given to MapThenFoldSet as choose chooses %s, which is not an element of %s", show(x), show(rest))
		}
		chosen = append(chosen, x)
		rest = value.Normalize(value.Difference(rest, value.SetOf(x)))
	}
	result := base
	for i := len(chosen) - 1; i >= 0; i-- {
		result = op([]value.Value{f([]value.Value{chosen[i]}), result})
	}
	return result
}

// foldSet is op(z, ... op(y, op(x, base))) for the elements x, y, ... z in the order in which TLC enumerates the set.
func foldSet(operatorName, which string, op apply, base, set value.Value) value.Value {
	if set.Kind() != value.KindSet {
		wrong(operatorName, which, "a set", set)
	}
	result := base
	value.Enumerate(set, func(x value.Value) bool {
		result = op([]value.Value{x, result})
		return true
	})
	return result
}

// sum adds up f of the elements.
func sum(elems []value.Value, f func(value.Value) value.Value) value.Value {
	total := value.NewInt(0)
	for _, e := range elems {
		total = value.Add(f(e), total)
	}
	return total
}

// itself is the identity.
func itself(v value.Value) value.Value { return v }

// of makes a function of one argument of an operator of one parameter.
func of(op apply) func(value.Value) value.Value {
	return func(x value.Value) value.Value { return op([]value.Value{x}) }
}
