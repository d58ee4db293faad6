package value

import (
	"testing"
)

type stopped struct{}

// stops tells whether an operation that gets a Work looks at it.
func stops(t *testing.T, do func(w *Work)) {
	t.Helper()
	defer func() {
		if r := recover(); r != (stopped{}) {
			t.Errorf("ended with %v, not by Stop", r)
		}
	}()
	looks := 0
	do(&Work{Stop: func() {
		if looks++; looks == 100 {
			panic(stopped{})
		}
	}})
}

// paths is a value with 2^n ways through it.
func paths(n int, at Value) Value {
	for range n {
		at = TupleOf(at, at)
	}
	return at
}

func TestOperationsStop(t *testing.T) {
	many := Interval(NewInt(1), NewInt(60))
	subsets := Powerset(many)
	for name, do := range map[string]func(w *Work){
		"equal":         func(w *Work) { w.Equal(paths(200, NewInt(1)), paths(200, NewInt(1))) },
		"compare":       func(w *Work) { w.Compare(paths(200, NewInt(1)), paths(200, NewInt(1))) },
		"normalize":     func(w *Work) { w.Normalize(paths(200, Union(subsets, SetOf(SetOf())))) },
		"subset":        func(w *Work) { w.Subset(subsets, Filter(Powerset(many), func(Value) bool { return true })) },
		"union":         func(w *Work) { w.Member(NewInt(99), UnionOf(subsets)) },
		"functions":     func(w *Work) { w.Enumerate(FunctionSet(many, many), func(Value) bool { return true }) },
		"filtered":      func(w *Work) { w.Elements(Filter(subsets, func(Value) bool { return false })) },
		"long interval": func(w *Work) { w.Enumerate(Interval(NewInt(0), NewInt(1<<60)), func(Value) bool { return true }) },
		"sort": func(w *Work) {
			elems := make([]Value, 1_000_000)
			for i := range elems {
				elems[i] = TupleOf(NewInt(int64(i*7919%1_000_003)), NewInt(1))
			}
			w.NewSet(elems)
		},
	} {
		t.Run(name, func(t *testing.T) { stops(t, do) })
	}
}
