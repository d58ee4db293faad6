package value

import (
	"slices"
	"sync"
)

// A Permutation maps model values to model values, one to one. It may be used by several goroutines.
type Permutation struct {
	to     []*Model // by number of the model value; nil: itself
	shapes sync.Map // *Shape to *permuted: what it makes of the domains that it met
}

// permuted is a domain after a permutation: the value of its argument i was that of argument from[i] before.
type permuted struct {
	shape *Shape
	from  []int32
}

// NewPermutation makes a permutation. Model values that are not in the map stay. A map that is no permutation raises CodeType.
func NewPermutation(m map[*Model]*Model) *Permutation {
	p := &Permutation{}
	reached := make(map[*Model]bool, len(m))
	for from, to := range m {
		if _, ok := m[to]; !ok || reached[to] {
			Raise(CodeType, "not a permutation of model values: %s goes to %s", from.Name, to.Name)
		}
		reached[to] = true
		if from == to {
			continue
		}
		for len(p.to) <= int(from.id) {
			p.to = append(p.to, nil)
		}
		p.to[from.id] = to
	}
	return p
}

func (p *Permutation) of(m *Model) *Model {
	if int(m.id) < len(p.to) {
		if to := p.to[m.id]; to != nil {
			return to
		}
	}
	return m
}

// Permute gives the value with its model values permuted: v itself when that changes nothing. Lazy values are normalised first.
func Permute(v Value, p *Permutation) Value { return permute(v, p, 0) }

func permute(v Value, p *Permutation, depth int) Value {
	f := factsOf(v, 0)
	if f&factModels == 0 {
		return v
	}
	if f&factPlain == 0 {
		v = Normalize(v)
	}
	tooDeep(depth)
	switch v := v.(type) {
	case *Model:
		return p.of(v)
	case *Tuple:
		if elems := permuteAll(v.elems, p, depth); elems != nil {
			return &Tuple{elems: elems}
		}
	case *Record:
		if vals := permuteAll(v.vals, p, depth); vals != nil {
			return &Record{shape: v.shape, vals: vals}
		}
	case *Set:
		if elems := permuteAll(v.elems, p, depth); elems != nil {
			return NewSet(elems)
		}
	case *Function:
		to := p.domain(v.shape, depth)
		if to == nil {
			if vals := permuteAll(v.vals, p, depth); vals != nil {
				return &Function{shape: v.shape, vals: vals}
			}
			return v
		}
		g := makeFunction(to.shape)
		for i, from := range to.from {
			g.vals[i] = permute(v.vals[from], p, depth+1)
		}
		return g
	}
	return v
}

// domain is what becomes of a domain, or nil when it stays as it is.
func (p *Permutation) domain(s *Shape, depth int) *permuted {
	if known, ok := p.shapes.Load(s); ok {
		return known.(*permuted)
	}
	var to *permuted
	if args := permuteAll(s.args, p, depth); args != nil {
		to = &permuted{from: make([]int32, len(args))}
		for i := range to.from {
			to.from[i] = int32(i)
		}
		// One to one: no two arguments become the same.
		slices.SortFunc(to.from, func(i, j int32) int { return Compare(args[i], args[j]) })
		sorted := make([]Value, len(args))
		for i, from := range to.from {
			sorted[i] = args[from]
		}
		to.shape = shapeOf(sorted)
	}
	if s.id >= 0 {
		p.shapes.Store(s, to)
	}
	return to
}

// permuteAll is nil when nothing changes.
func permuteAll(elems []Value, p *Permutation, depth int) []Value {
	var out []Value
	for i, e := range elems {
		to := permute(e, p, depth+1)
		if out == nil && to != e {
			out = make([]Value, len(elems))
			copy(out, elems[:i])
		}
		if out != nil {
			out[i] = to
		}
	}
	return out
}
