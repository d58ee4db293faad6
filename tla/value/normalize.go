package value

import "sync/atomic"

// What memo.facts remembers of a composite value.
const (
	factsKnown uint32 = 1 << iota
	factPlain         // no lazy value is inside, so that it is its own normal form
	factModels        // there are model values inside
)

// factsOf tells what is inside a value.
func (w *Work) factsOf(v Value, depth int) uint32 {
	switch v := v.(type) {
	case Bool, Int, *Big, *Str:
		return factPlain
	case *Range:
		return factPlain
	case *Model:
		return factPlain | factModels
	case *Tuple:
		return v.memo.learn(w, &v.memo.facts, depth, v.elems, nil)
	case *Set:
		return v.memo.learn(w, &v.memo.facts, depth, v.elems, nil)
	case *Record:
		return v.memo.learn(w, &v.memo.facts, depth, v.vals, nil)
	case *Function:
		return v.memo.learn(w, &v.memo.facts, depth, v.vals, v.shape.args)
	}
	return factModels // lazy: there may be
}

func (m *memo) learn(w *Work, facts *atomic.Uint32, depth int, a, b []Value) uint32 {
	if f := facts.Load(); f != 0 {
		return f
	}
	tooDeep(depth)
	w.Spend(len(a) + len(b))
	plain, models := factPlain, uint32(0)
	for _, list := range [...][]Value{a, b} {
		for _, e := range list {
			f := w.factsOf(e, depth+1)
			plain &= f
			models |= f & factModels
		}
	}
	f := factsKnown | plain | models
	facts.Store(f)
	return f
}

// Normalize gives the value without anything lazy inside: what a state may hold. An interval stays one. Infinite sets, and functions on such, raise.
func (w *Work) Normalize(v Value) Value { return w.normalize(v, 0) }

func (w *Work) normalize(v Value, depth int) Value {
	if w.factsOf(v, 0)&factPlain != 0 {
		return v
	}
	tooDeep(depth)
	switch v := v.(type) {
	case *Tuple:
		return &Tuple{elems: w.normalizeAll(v.elems, depth)}
	case *Record:
		return &Record{shape: v.shape, vals: w.normalizeAll(v.vals, depth)}
	case *Function:
		return functionOf(w.normalizeAll(v.shape.args, depth), w.normalizeAll(v.vals, depth))
	case *Set:
		return &Set{elems: w.normalizeAll(v.elems, depth)} // the order is that of the normal forms already
	case *Lambda:
		return w.normalize(v.normal(w), depth+1)
	case lazySet:
		return w.normalize(v.normal(w), depth+1)
	case Infinite:
		Raise(CodeNotEnumerable, "the infinite set %s cannot be written out, as the value of a variable must be", v)
	}
	Raise(CodeType, "%s is not a value", v.Kind())
	return nil
}

func (w *Work) normalizeAll(elems []Value, depth int) []Value {
	w.Spend(len(elems))
	out := make([]Value, len(elems))
	for i, e := range elems {
		out[i] = w.normalize(e, depth+1)
	}
	return out
}
