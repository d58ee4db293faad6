package value

// Orbits gives values their hashes under all permutations of a group at once, without making the permuted values. A value that no permutation changes
// has its own Hash. In the others the parts whose order depends on the permutation, elements of sets and arguments of functions, are added up, so that
// nothing has to be sorted; that hash is another one than Hash, but as good: it is a function of the permuted value, and values that differ have
// different ones but for a probability of about 2^-64.
//
// It is for one goroutine.
type Orbits struct {
	size   int
	images [][]uint64 // by number of the model value: the hashes of what becomes of it; nil: every permutation leaves it as it is
	rows   []*orbitRows
	lo, hi int      // the permutations under way
	total  []uint64 // what Blocks hands out

	// The hashes of values that were asked for before, in the place that their Hash gives them; no places when they would take too much.
	known  []knownOrbit
	hashes []uint64 // size for each place
}

// orbitRows is room for what is being computed at one depth of a value.
type orbitRows struct{ sum, arg []uint64 }

type knownOrbit struct {
	hash uint64 // of the value; 0: the place is free
	same bool   // no permutation changes it
}

const (
	orbitBlock = 1 << 10 // permutations that are looked at together at most
	orbitWords = 1 << 15 // hashes that are remembered at most
)

// NewOrbits makes the orbits of the identity and these permutations. Model values that are not in a map stay.
func NewOrbits(group []map[*Model]*Model) *Orbits {
	o := &Orbits{size: len(group) + 1}
	o.total = make([]uint64, min(o.size, orbitBlock))
	for i, p := range group {
		for from, to := range p {
			if from != to {
				o.image(from)[i+1] = to.hash
			}
		}
	}
	if o.size <= orbitBlock {
		n := 1
		for n*2*o.size <= orbitWords {
			n *= 2
		}
		o.known, o.hashes = make([]knownOrbit, n), make([]uint64, n*o.size)
	}
	return o
}

// image is the hashes of what becomes of a model value, which at first is itself.
func (o *Orbits) image(m *Model) []uint64 {
	for len(o.images) <= int(m.id) {
		o.images = append(o.images, nil)
	}
	if o.images[m.id] == nil {
		row := make([]uint64, o.size)
		for i := range row {
			row[i] = m.hash
		}
		o.images[m.id] = row
	}
	return o.images[m.id]
}

// Blocks calls a function with each part of the group, in order: the values under permutation first+i are to be taken into hs[i], by Step. Permutation 0 is
// the identity, and i+1 the i-th that NewOrbits was given.
func (o *Orbits) Blocks(each func(hs []uint64, first int)) {
	for o.lo = 0; o.lo < o.size; o.lo = o.hi {
		o.hi = min(o.size, o.lo+orbitBlock)
		hs := o.total[:o.hi-o.lo]
		clear(hs)
		each(hs, o.lo)
	}
}

// Step takes a value into the hashes that Blocks gave. Lazy values are normalised first; infinite ones raise.
func (o *Orbits) Step(hs []uint64, v Value) {
	row, same := o.of(v, 0)
	stepAll(hs, row, same)
}

// of is the hashes of a value under the permutations under way, until the next call at this depth; nil and its one hash when no permutation changes it.
func (o *Orbits) of(v Value, depth int) (row []uint64, same uint64) {
	if m, ok := v.(*Model); ok {
		if int(m.id) < len(o.images) && o.images[m.id] != nil {
			return o.images[m.id][o.lo:o.hi], 0
		}
		return nil, m.hash
	}
	facts := factsOf(v, 0)
	h := hash(v, depth)
	if facts&factModels == 0 {
		return nil, h
	}
	if facts&factPlain == 0 {
		v = Normalize(v)
	}
	tooDeep(depth)
	if o.known == nil {
		return o.compute(v, depth), h
	}
	i := int(h % uint64(len(o.known)))
	k, kept := &o.known[i], o.hashes[i*o.size:(i+1)*o.size]
	if k.hash != h {
		row := o.compute(v, depth)
		*k = knownOrbit{h, row == nil}
		copy(kept, row)
	}
	if k.same {
		return nil, h
	}
	return kept, 0
}

// compute is the hashes of a composite value, nil when no permutation changes it.
func (o *Orbits) compute(v Value, depth int) []uint64 {
	switch v := v.(type) {
	case *Tuple:
		return o.list(seedTuple^uint64(len(v.elems)), v.elems, depth)
	case *Record:
		return o.list(v.shape.hash, v.vals, depth)
	case *Set:
		return o.set(v.elems, depth)
	case *Function:
		for _, arg := range v.shape.args {
			if row, _ := o.of(arg, depth+1); row != nil {
				return o.function(v, depth)
			}
		}
		return o.list(v.shape.hash, v.vals, depth)
	}
	return nil
}

// list is the hashes of parts that stay where they are.
func (o *Orbits) list(seed uint64, elems []Value, depth int) []uint64 {
	var sum []uint64
	h := seed // of the parts before the first that a permutation changes
	for _, e := range elems {
		row, same := o.of(e, depth+1)
		switch {
		case sum != nil:
			stepAll(sum, row, same)
		case row == nil:
			h = step(h, same)
		default:
			sum = o.at(depth).sum
			for i, part := range row {
				sum[i] = step(h, part)
			}
		}
	}
	mixAll(sum, 0)
	return sum
}

// set is the hashes of parts without an order.
func (o *Orbits) set(elems []Value, depth int) []uint64 {
	var sum []uint64
	rest := seedSet ^ uint64(len(elems)) // with the parts that no permutation changes
	for _, e := range elems {
		row, same := o.of(e, depth+1)
		switch {
		case row == nil:
			rest += same
		case sum == nil:
			sum = o.at(depth).sum
			copy(sum, row)
		default:
			for i, part := range row {
				sum[i] += part
			}
		}
	}
	mixAll(sum, rest)
	return sum
}

// function is the hashes of a function whose arguments a permutation changes.
func (o *Orbits) function(f *Function, depth int) []uint64 {
	sum, pair := o.at(depth).sum, o.at(depth).arg
	clear(sum)
	for i, arg := range f.shape.args {
		clear(pair)
		row, same := o.of(arg, depth+1)
		stepAll(pair, row, same)
		row, same = o.of(f.vals[i], depth+1)
		stepAll(pair, row, same)
		for j, h := range pair {
			sum[j] += mix(h)
		}
	}
	mixAll(sum, seedFunction^uint64(len(f.vals)))
	return sum
}

// at is the room for a depth.
func (o *Orbits) at(depth int) orbitRows {
	for len(o.rows) <= depth {
		o.rows = append(o.rows, nil)
	}
	if o.rows[depth] == nil {
		n := min(o.size, orbitBlock)
		o.rows[depth] = &orbitRows{make([]uint64, n), make([]uint64, n)}
	}
	n := o.hi - o.lo
	r := o.rows[depth]
	return orbitRows{r.sum[:n], r.arg[:n]}
}

// stepAll takes one more part into each hash: that of the row, or the same for all when there is none.
func stepAll(hs, row []uint64, same uint64) {
	if row == nil {
		for i, h := range hs {
			hs[i] = step(h, same)
		}
		return
	}
	row = row[:len(hs)]
	for i, h := range hs {
		hs[i] = step(h, row[i])
	}
}

func mixAll(hs []uint64, more uint64) {
	for i, h := range hs {
		hs[i] = mix(h + more)
	}
}
