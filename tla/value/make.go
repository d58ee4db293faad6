package value

import (
	"math/big"
	"slices"
)

// The composite values up to some size are made together with the room for their parts, so that making one takes one allocation.
type (
	tuple1 struct {
		Tuple
		room [1]Value
	}
	tuple2 struct {
		Tuple
		room [2]Value
	}
	tuple4 struct {
		Tuple
		room [4]Value
	}
	tuple8 struct {
		Tuple
		room [8]Value
	}
	record1 struct {
		Record
		room [1]Value
	}
	record2 struct {
		Record
		room [2]Value
	}
	record4 struct {
		Record
		room [4]Value
	}
	record6 struct {
		Record
		room [6]Value
	}
	record9 struct {
		Record
		room [9]Value
	}
	record12 struct {
		Record
		room [12]Value
	}
	function3 struct {
		Function
		room [3]Value
	}
	function6 struct {
		Function
		room [6]Value
	}
	set1 struct {
		Set
		room [1]Value
	}
	set2 struct {
		Set
		room [2]Value
	}
	set4 struct {
		Set
		room [4]Value
	}
	set8 struct {
		Set
		room [8]Value
	}
)

func makeTuple(n int) *Tuple {
	switch {
	case n == 0:
		return emptyTuple
	case n == 1:
		t := &tuple1{}
		t.elems = t.room[:]
		return &t.Tuple
	case n == 2:
		t := &tuple2{}
		t.elems = t.room[:]
		return &t.Tuple
	case n <= 4:
		t := &tuple4{}
		t.elems = t.room[:n:n]
		return &t.Tuple
	case n <= 8:
		t := &tuple8{}
		t.elems = t.room[:n:n]
		return &t.Tuple
	}
	return &Tuple{elems: make([]Value, n)}
}

func makeRecord(shape *Shape) *Record {
	switch n := len(shape.args); {
	case n <= 1:
		r := &record1{}
		r.shape, r.vals = shape, r.room[:n:n]
		return &r.Record
	case n == 2:
		r := &record2{}
		r.shape, r.vals = shape, r.room[:n:n]
		return &r.Record
	case n <= 4:
		r := &record4{}
		r.shape, r.vals = shape, r.room[:n:n]
		return &r.Record
	case n <= 6:
		r := &record6{}
		r.shape, r.vals = shape, r.room[:n:n]
		return &r.Record
	case n <= 9:
		r := &record9{}
		r.shape, r.vals = shape, r.room[:n:n]
		return &r.Record
	case n <= 12:
		r := &record12{}
		r.shape, r.vals = shape, r.room[:n:n]
		return &r.Record
	default:
		return &Record{shape: shape, vals: make([]Value, n)}
	}
}

func makeFunction(shape *Shape) *Function {
	switch n := len(shape.args); {
	case n <= 3:
		f := &function3{}
		f.shape, f.vals = shape, f.room[:n:n]
		return &f.Function
	case n <= 6:
		f := &function6{}
		f.shape, f.vals = shape, f.room[:n:n]
		return &f.Function
	default:
		return &Function{shape: shape, vals: make([]Value, n)}
	}
}

func makeSet(n int) *Set {
	switch {
	case n == 0:
		return emptySet
	case n == 1:
		s := &set1{}
		s.elems = s.room[:]
		return &s.Set
	case n == 2:
		s := &set2{}
		s.elems = s.room[:]
		return &s.Set
	case n <= 4:
		s := &set4{}
		s.elems = s.room[:n:n]
		return &s.Set
	case n <= 8:
		s := &set8{}
		s.elems = s.room[:n:n]
		return &s.Set
	}
	return &Set{elems: make([]Value, n)}
}

// The values that are made once. They are never written to, but for their memo.
var (
	emptyTuple = &Tuple{}
	emptySet   = &Set{}
	booleans   = &Set{elems: []Value{Bool(false), Bool(true)}}
	smallInts  = func() (t [1280]Value) {
		for i := range t {
			t[i] = Int(i - 256)
		}
		return t
	}()
)

// NewInt gives an integer; the small ones without an allocation.
func NewInt(n int64) Value {
	if n >= -256 && n < 1024 {
		return smallInts[n+256]
	}
	return Int(n)
}

// NewBig gives an integer of any size up to MaxBits. It keeps n, which must not change any more.
func NewBig(n *big.Int) Value {
	if n.IsInt64() {
		return NewInt(n.Int64())
	}
	if n.BitLen() > MaxBits {
		Raise(CodeTooLarge, "an integer of more than %d bits", MaxBits)
	}
	return &Big{n}
}

// EmptySet is {}.
func EmptySet() *Set { return emptySet }

// EmptyTuple is <<>>, the empty function.
func EmptyTuple() *Tuple { return emptyTuple }

// Booleans is BOOLEAN.
func Booleans() *Set { return booleans }

// NewTuple gives <<elems...>>. It keeps the slice, which must not change any more.
func NewTuple(elems []Value) *Tuple {
	if len(elems) == 0 {
		return emptyTuple
	}
	return &Tuple{elems: elems}
}

// TupleOf is NewTuple with a copy of its arguments, in one allocation up to eight.
func TupleOf(elems ...Value) *Tuple {
	t := makeTuple(len(elems))
	copy(t.elems, elems)
	return t
}

// NewRecord gives a record. The values are in the order of the shape, which has at least one field; it keeps the slice. The record without
// fields is EmptyTuple.
func NewRecord(shape *Shape, vals []Value) *Record {
	if len(vals) != len(shape.args) || shape.texts == nil {
		Raise(CodeInternal, "%d values for a record of %d fields", len(vals), shape.Len())
	}
	return &Record{shape: shape, vals: vals}
}

// RecordOf is NewRecord with a copy of its values, in one allocation up to twelve.
func RecordOf(shape *Shape, vals ...Value) *Record {
	if len(vals) != len(shape.args) || shape.texts == nil {
		Raise(CodeInternal, "%d values for a record of %d fields", len(vals), shape.Len())
	}
	r := makeRecord(shape)
	copy(r.vals, vals)
	return r
}

// NewFunction gives the function that maps args[i] to vals[i], in its one form: a *Tuple, a *Record or a *Function. The arguments may come in any order;
// one given twice raises CodeDuplicate, unless with equal values. It keeps both slices.
func NewFunction(args, vals []Value) Value {
	if len(args) != len(vals) {
		Raise(CodeInternal, "%d values for %d arguments", len(vals), len(args))
	}
	tooMany(len(args))
	if !isSorted(args) {
		args, vals = sortPairs(args, vals)
	}
	return functionOf(args, vals)
}

// FunctionOn gives the function on a set whose value for element i of Elements(domain) is vals[i]. It keeps vals.
func FunctionOn(domain Value, vals []Value) Value {
	if r, ok := domain.(*Range); ok && r.lo == 1 && int64(len(vals)) == r.hi {
		return NewTuple(vals)
	}
	args := Elements(domain)
	if len(args) != len(vals) {
		Raise(CodeInternal, "%d values for %d arguments", len(vals), len(args))
	}
	return functionOf(args, vals)
}

// functionOf is NewFunction for sorted arguments without doubles.
func functionOf(args, vals []Value) Value {
	if len(args) == 0 {
		return emptyTuple
	}
	if first, ok := args[0].(Int); ok && first == 1 {
		if _, ok := consecutive(args); ok {
			return &Tuple{elems: vals}
		}
	}
	return ofShape(shapeOf(args), vals)
}

// ofShape gives the function of a shape that is not empty and not 1..n.
func ofShape(s *Shape, vals []Value) Value {
	if s.texts != nil {
		return &Record{shape: s, vals: vals}
	}
	return &Function{shape: s, vals: vals}
}

func sortPairs(args, vals []Value) (a, v []Value) {
	order := make([]int, len(args))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return Compare(args[i], args[j]) })
	a, v = make([]Value, 0, len(args)), make([]Value, 0, len(vals))
	for _, i := range order {
		if n := len(a); n > 0 && Compare(a[n-1], args[i]) == 0 {
			if !Equal(v[n-1], vals[i]) {
				Raise(CodeDuplicate, "the function has two values for the argument %s", brief(args[i]))
			}
			continue
		}
		a, v = append(a, args[i]), append(v, vals[i])
	}
	return a, v
}

// NewSet gives {elems...}, sorted and without doubles. It raises for elements that TLC does not compare, and keeps the slice.
func NewSet(elems []Value) *Set {
	tooMany(len(elems))
	if len(elems) == 0 {
		return emptySet
	}
	return &Set{elems: sortElems(elems)}
}

// SetOf is NewSet with a copy of its arguments, in one allocation up to eight.
func SetOf(elems ...Value) *Set {
	tooMany(len(elems))
	s := makeSet(len(elems))
	copy(s.elems, elems)
	if sorted := sortElems(s.elems); len(sorted) != len(elems) {
		s.elems = sorted
	}
	return s
}

// SetOfSorted gives the set of elements that are sorted, without doubles, which the caller vouches for. It keeps the slice.
func SetOfSorted(elems []Value) *Set {
	if len(elems) == 0 {
		return emptySet
	}
	return &Set{elems: elems}
}
