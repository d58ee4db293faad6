package library

import "podlife/tla/value"

// relation is the closures of the module Relation, by Warshall's algorithm.
func relation(t table) {
	t.own("Relation", "TransitiveClosure", 2, func(_ *Env, args []value.Value) value.Value {
		m := matrixOf("TransitiveClosure", args[0], args[1])
		m.close()
		return m.value()
	})
	t.own("Relation", "ReflexiveTransitiveClosure", 2, func(_ *Env, args []value.Value) value.Value {
		m := matrixOf("ReflexiveTransitiveClosure", args[0], args[1])
		m.close()
		m.reflexive()
		return m.value()
	})
	t.own("Relation", "IsConnected", 2, func(_ *Env, args []value.Value) value.Value {
		m := matrixOf("IsConnected", args[0], args[1])
		m.close()
		m.reflexive()
		for _, row := range m.related {
			for _, related := range row {
				if !related {
					return value.Bool(false)
				}
			}
		}
		return value.Bool(true)
	})
}

// A matrix is a relation on the elements of a set.
type matrix struct {
	elems   []value.Value
	related [][]bool
}

func newMatrix(op string, elems []value.Value) *matrix {
	n := value.NewInt(int64(len(elems)))
	limit(op, value.Mul(n, n))
	m := &matrix{elems: elems, related: make([][]bool, len(elems))}
	for i := range m.related {
		m.related[i] = make([]bool, len(elems))
	}
	return m
}

// matrixOf reads a function from pairs to booleans.
func matrixOf(op string, r, set value.Value) *matrix {
	if !isFunction(r) {
		wrong(op, "first", "a function", r)
	}
	m := newMatrix(op, setOf(op, "second", set))
	for i, x := range m.elems {
		for j, y := range m.elems {
			m.related[i][j] = boolean(op, "first", value.Apply(r, value.TupleOf(x, y)))
		}
	}
	return m
}

// close relates what a way of several steps relates.
func (m *matrix) close() {
	for k := range m.elems {
		for i := range m.elems {
			if !m.related[i][k] {
				continue
			}
			for j, related := range m.related[k] {
				m.related[i][j] = m.related[i][j] || related
			}
		}
	}
}

func (m *matrix) reflexive() {
	for i := range m.elems {
		m.related[i][i] = true
	}
}

// value is the relation as a function from pairs to booleans.
func (m *matrix) value() value.Value {
	var args, vals []value.Value
	for i, x := range m.elems {
		for j, y := range m.elems {
			args, vals = append(args, value.TupleOf(x, y)), append(vals, value.Bool(m.related[i][j]))
		}
	}
	return value.NewFunction(args, vals)
}
