package value

import (
	"slices"
	"sync"
)

// A Shape is the domain of a record or of another function, sorted, shared by all functions that have it. Equal shapes are mostly one pointer.
type Shape struct {
	args    []Value
	texts   []*Str // the arguments, when all are strings and there is at least one
	set     Value  // the domain as a set: a *Range when the arguments are several consecutive integers, or else a *Set
	first   int64  // the first argument of consecutive integers
	isRange bool
	hash    uint64
	id      int32 // its number, or -1
}

// What the shapes that are remembered are bounded by; others are equal by their arguments only.
const (
	maxShapes    = 1 << 16 // their number
	maxShapeArgs = 1 << 10 // the arguments of one
)

// shapes remembers shapes by the hash of their arguments. Like the pool of strings, it is a cache.
type shapes struct {
	mu       sync.RWMutex
	byHash   map[uint64]*Shape
	numbered table[Shape]
}

var domains = &shapes{byHash: map[uint64]*Shape{}}

// ShapeOf gives the shape of records with these fields, in any order. A name given twice raises CodeDuplicate.
func ShapeOf(names ...string) *Shape {
	args := make([]Value, len(names))
	for i, n := range names {
		args[i] = NewString(n)
	}
	slices.SortFunc(args, func(a, b Value) int { return compareText(a.(*Str), b.(*Str)) })
	for i := 1; i < len(args); i++ {
		if equalText(args[i-1].(*Str), args[i].(*Str)) {
			Raise(CodeDuplicate, "the field %s is given twice", args[i].(*Str).text)
		}
	}
	return shapeOf(args)
}

// shapeOf gives the shape of sorted arguments without doubles, which it keeps.
func shapeOf(args []Value) *Shape {
	h := hashAll(seedFunction, args, 0)
	domains.mu.RLock()
	s := domains.byHash[h]
	domains.mu.RUnlock()
	if s != nil && s.has(args) {
		return s
	}
	for i, a := range args {
		if factsOf(a, 0)&factPlain == 0 {
			args = slices.Clone(args)
			args[i] = Normalize(a) // others will share the shape
		}
	}
	made := makeShape(args, h)
	if s != nil || len(args) > maxShapeArgs {
		return made // the domains are of the same hash, of which the first stays; or it would keep too much alive
	}
	domains.mu.Lock()
	defer domains.mu.Unlock()
	if s := domains.byHash[h]; s != nil && s.has(args) {
		return s
	}
	if domains.numbered.len() < maxShapes && domains.byHash[h] == nil {
		made.id = int32(domains.numbered.len())
		domains.byHash[h] = made
		domains.numbered.add(made)
	}
	return made
}

func makeShape(args []Value, h uint64) *Shape {
	s := &Shape{args: args, hash: h, id: -1}
	s.set = &Set{elems: args}
	if first, ok := consecutive(args); ok {
		s.first, s.isRange = first, true
		if len(args) > 1 { // TLC's domain of k :> v is {k}
			s.set = &Range{lo: first, hi: first + int64(len(args)) - 1}
		}
		return s
	}
	if len(args) == 0 {
		return s
	}
	texts := make([]*Str, len(args))
	for i, a := range args {
		t, ok := a.(*Str)
		if !ok {
			return s
		}
		texts[i] = t
	}
	s.texts = texts
	return s
}

// consecutive tells whether the arguments are the integers from first on.
func consecutive(args []Value) (first int64, ok bool) {
	for i, a := range args {
		n, ok := a.(Int)
		if !ok || i > 0 && int64(n) != first+int64(i) {
			return 0, false
		}
		if i == 0 {
			first = int64(n)
		}
	}
	return first, len(args) > 0
}

func (s *Shape) has(args []Value) bool {
	if len(s.args) != len(args) {
		return false
	}
	if len(args) == 0 || &s.args[0] == &args[0] {
		return true
	}
	for i, a := range args {
		if !same(s.args[i], a) {
			return false
		}
	}
	return true
}

// same is equality of any two values, those that TLC does not compare being different.
func same(a, b Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	if s, ok := a.(*Str); ok {
		return equalText(s, b.(*Str))
	}
	if a == b {
		return true
	}
	equal := false
	return Catch(func() { equal = Equal(a, b) }) == nil && equal
}

// Len is the number of fields or arguments.
func (s *Shape) Len() int { return len(s.args) }

// Names are the fields of a record's shape, in TLC's order; nil for another function's.
func (s *Shape) Names() []string {
	if s.texts == nil {
		return nil
	}
	names := make([]string, len(s.texts))
	for i, t := range s.texts {
		names[i] = t.text
	}
	return names
}

// Name is field i of a record's shape, which counts from 0.
func (s *Shape) Name(i int) string { return s.texts[i].text }

// Index is the place of a field, or -1.
func (s *Shape) Index(name string) int {
	for i, t := range s.texts {
		if t.text == name {
			return i
		}
	}
	return -1
}

// indexText is Index for a string value.
func (s *Shape) indexText(name *Str) int {
	for i, t := range s.texts {
		if t == name {
			return i
		}
	}
	if name.id >= 0 {
		return -1 // what is in the pool is equal to nothing outside it
	}
	return s.Index(name.text)
}

// index is the place of an argument, or -1. It raises for one that TLC does not compare with those there are.
func (s *Shape) index(x Value) int {
	if s.isRange {
		switch n := x.(type) {
		case Int:
			if i := int64(n) - s.first; i >= 0 && i < int64(len(s.args)) {
				return int(i)
			}
			return -1
		case *Big:
			return -1
		}
		Raise(CodeType, "a function of integers was applied to %s %s", x.Kind(), brief(x))
	}
	if t, ok := x.(*Str); ok && s.texts != nil {
		return s.indexText(t)
	}
	return search(s.args, x)
}
