package eval

import (
	"podlife/tla/value"
)

// maxGroup bounds the group of a symmetry: 10! permutations.
const maxGroup = 3_628_800

// symmetry evaluates the sets of permutations and closes them under composition.
func (e *Evaluator) symmetry() ([]Permutation, error) {
	if len(e.p.symmetrySets) == 0 {
		return nil, nil
	}
	g := newGroup()
	var generators []Permutation
	for _, u := range e.p.symmetrySets {
		err := e.run(u, nil, nil, func(m *machine, f *frame) {
			v := u.value(m, f)
			if v.Kind() != value.KindSet {
				fail(nil, CodeEvaluation, "the symmetry %s has to be a set of permutations, and is %s", u.name, brief(v))
			}
			for _, elem := range m.work.Elements(v) {
				generators = append(generators, permutationOf(u.name, elem))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for _, p := range generators {
		g.add(p)
	}
	// Each new member, followed by each generator, may be another one.
	for i := 0; i < len(g.members); i++ {
		if err := e.m.protect(e.m.interrupt); err != nil {
			return nil, err
		}
		for _, p := range generators {
			g.add(compose(g.members[i], p))
		}
		if len(g.members) > maxGroup {
			return nil, &Error{Code: CodeEvaluation, Message: "the symmetry has too many permutations"}
		}
	}
	return g.members, nil
}

// permutationOf reads a function that maps model values to each other.
func permutationOf(name string, v value.Value) Permutation {
	p := Permutation{}
	seen := map[*value.Model]bool{}
	for _, arg := range value.Elements(value.Domain(v)) {
		from, ok := arg.(*value.Model)
		to, ok2 := value.Apply(v, arg).(*value.Model)
		if !ok || !ok2 || seen[to] {
			fail(nil, CodeEvaluation, "the symmetry %s has an element that is no permutation of model values: %s", name, brief(v))
		}
		seen[to] = true
		if from != to {
			p[from] = to
		}
	}
	for from := range p {
		if !seen[from] {
			fail(nil, CodeEvaluation, "the symmetry %s has an element that is no permutation of model values: %s", name, brief(v))
		}
	}
	return p
}

// compose is first p, then q.
func compose(p, q Permutation) Permutation {
	r := Permutation{}
	put := func(from, to *value.Model) {
		if from != to {
			r[from] = to
		}
	}
	for from, mid := range p {
		to, ok := q[mid]
		if !ok {
			to = mid
		}
		put(from, to)
	}
	for from, to := range q {
		if _, ok := p[from]; !ok {
			put(from, to)
		}
	}
	return r
}

// A group collects permutations, each once, without the identity.
type group struct {
	members []Permutation
	known   map[uint64][]int
}

func newGroup() *group { return &group{known: map[uint64][]int{}} }

func (g *group) add(p Permutation) {
	if len(p) == 0 {
		return
	}
	var h uint64
	for from, to := range p {
		h += value.Hash(from)*31 ^ value.Hash(to)
	}
	for _, i := range g.known[h] {
		if samePermutation(g.members[i], p) {
			return
		}
	}
	g.known[h] = append(g.known[h], len(g.members))
	g.members = append(g.members, p)
}

func samePermutation(p, q Permutation) bool {
	if len(p) != len(q) {
		return false
	}
	for from, to := range p {
		if q[from] != to {
			return false
		}
	}
	return true
}
