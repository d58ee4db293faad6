// Package value is what TLA+ expressions evaluate to: booleans, exact integers, strings, model values, tuples, records, functions and sets, some of the
// sets and functions lazily, because they are infinite or too large to write down.
//
// Values never change once they are made and may be shared between goroutines. Equal values have one form: a function whose
// domain is 1..n is always a *Tuple, one whose domain is a non-empty set of strings always a *Record, and an enumerated set is sorted and free of doubles.
// The order is TLC's, because CHOOSE depends on it; see compare.go, and text.go for the order of strings.
//
// Operations that a specification can get wrong (comparing a string with a number, a function outside its domain) do not return an error; they raise
// one, which Catch returns. See raise.go. It imports nothing of the project. Read first: value.go.
package value

import (
	"math/big"
	"sync/atomic"
)

// A Value is one of the types of this package. The interface is closed.
type Value interface {
	Kind() Kind
	String() string // as TLC prints it
	closed()
}

// Kind is the sort of a value.
type Kind uint8

// The kinds. A lazy set has the same kind as an enumerated one, and a lazy function is a KindFunction whatever its domain.
const (
	KindBool Kind = iota
	KindInt
	KindString
	KindModel
	KindTuple
	KindRecord
	KindFunction
	KindSet
	KindOperator // an operator as an argument; never part of another value
)

// String names the kind with its article, for messages: "a set".
func (k Kind) String() string {
	return [...]string{"a boolean", "an integer", "a string", "a model value", "a tuple", "a record", "a function", "a set", "an operator"}[k]
}

type (
	// Bool is TRUE or FALSE.
	Bool bool
	// Int is an integer that fits 64 bits. Those that do not are *Big; NewInt, NewBig and the arithmetic functions choose the form.
	Int int64
	// Big is an integer outside int64.
	Big struct{ n *big.Int }
	// Str is a string. Equal strings are usually, but not always, one pointer: compare them with Equal.
	Str struct {
		text string
		hash uint64
		rank int32 // see DeclareStrings
		id   int32 // its number in the pool, or -1
	}
	// Model is a model value. Type is the letter before "_" for a typed one ("A_x"), or 0. Two of the same name are one pointer.
	Model struct {
		Name string
		Type rune
		text *Str
		hash uint64
		id   int32
	}
	// Tuple is <<a, b>>: a function whose domain is 1..n. The empty one is also the empty function.
	Tuple struct {
		elems []Value
		memo
	}
	// Record is a function whose domain is a non-empty set of strings.
	Record struct {
		shape *Shape
		vals  []Value // in the order of shape
		memo
	}
	// Function is any other finite function.
	Function struct {
		shape *Shape
		vals  []Value // in the order of shape
		memo
	}
	// Set is an enumerated set: sorted, without doubles.
	Set struct {
		elems []Value
		memo
	}
	// Operator is an operator of Arity arguments, as an argument of another one.
	Operator struct {
		Arity int
		Apply func(args []Value) Value
	}
)

// memo is what a composite value remembers of itself once it was asked for.
type memo struct {
	hash  atomic.Uint64 // 0: not yet known
	facts atomic.Uint32
}

// Kind is KindBool.
func (Bool) Kind() Kind { return KindBool }

// Kind is KindInt.
func (Int) Kind() Kind { return KindInt }

// Kind is KindInt.
func (*Big) Kind() Kind { return KindInt }

// Kind is KindString.
func (*Str) Kind() Kind { return KindString }

// Kind is KindModel.
func (*Model) Kind() Kind { return KindModel }

// Kind is KindTuple.
func (*Tuple) Kind() Kind { return KindTuple }

// Kind is KindRecord.
func (*Record) Kind() Kind { return KindRecord }

// Kind is KindFunction.
func (*Function) Kind() Kind { return KindFunction }

// Kind is KindSet.
func (*Set) Kind() Kind { return KindSet }

// Kind is KindOperator.
func (*Operator) Kind() Kind { return KindOperator }

func (Bool) closed()      {}
func (Int) closed()       {}
func (*Big) closed()      {}
func (*Str) closed()      {}
func (*Model) closed()    {}
func (*Tuple) closed()    {}
func (*Record) closed()   {}
func (*Function) closed() {}
func (*Set) closed()      {}
func (*Operator) closed() {}

// Text is the string itself, without quotation marks.
func (s *Str) Text() string { return s.text }

// Len is the number of elements.
func (t *Tuple) Len() int { return len(t.elems) }

// At is element i, which counts from 0; the caller keeps it within the length.
func (t *Tuple) At(i int) Value { return t.elems[i] }

// Elems are the elements in order. Do not change them.
func (t *Tuple) Elems() []Value { return t.elems }

// Append is the tuple with one more element at its end.
func (t *Tuple) Append(v Value) *Tuple {
	u := makeTuple(len(t.elems) + 1)
	copy(u.elems, t.elems)
	u.elems[len(t.elems)] = v
	return u
}

// Concat is the tuple followed by the elements of another.
func (t *Tuple) Concat(u *Tuple) *Tuple {
	switch {
	case len(u.elems) == 0:
		return t
	case len(t.elems) == 0:
		return u
	}
	tooMany(len(t.elems) + len(u.elems))
	w := makeTuple(len(t.elems) + len(u.elems))
	copy(w.elems[copy(w.elems, t.elems):], u.elems)
	return w
}

// Slice is the tuple of the elements from i up to but without j, which count from 0; the caller keeps them within the length. It shares their memory.
func (t *Tuple) Slice(i, j int) *Tuple {
	if i == 0 && j == len(t.elems) {
		return t
	}
	return NewTuple(t.elems[i:j:j])
}

// Shape is the record's fields.
func (r *Record) Shape() *Shape { return r.shape }

// Len is the number of fields.
func (r *Record) Len() int { return len(r.vals) }

// At is the value of field i of the shape, which counts from 0.
func (r *Record) At(i int) Value { return r.vals[i] }

// Vals are the values of the fields, in the order of the shape. Do not change them.
func (r *Record) Vals() []Value { return r.vals }

// Len is the size of the domain.
func (f *Function) Len() int { return len(f.vals) }

// Args are the elements of the domain, sorted. Do not change them.
func (f *Function) Args() []Value { return f.shape.args }

// Vals are the values of the arguments Args, in that order. Do not change them.
func (f *Function) Vals() []Value { return f.vals }

// Len is the number of elements.
func (s *Set) Len() int { return len(s.elems) }

// At is element i in TLC's order, which counts from 0.
func (s *Set) At(i int) Value { return s.elems[i] }

// Elems are the elements, sorted. Do not change them.
func (s *Set) Elems() []Value { return s.elems }

// Big gives the integer, for reading only.
func (b *Big) Big() *big.Int { return b.n }
