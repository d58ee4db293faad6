package value

import "encoding/binary"

// A hash has 64 bits and is the same in every process. Values that differ have the same hash with a probability of about 2^-64, as long as nobody chooses
// them for it: among n different values, there is a pair with a probability of about n*n / 2^65, which is 0.00003 for a thousand million. Equal values
// have equal hashes, whatever their form.

const (
	seedFalse    = 0x9e3779b97f4a7c15
	seedTrue     = 0xd1b54a32d192ed03
	seedInt      = 0x8cb92ba72f3d8dd7
	seedBig      = 0xabc98388fb8fac03
	seedModel    = 0x2545f4914f6cdd1d
	seedTuple    = 0xbf58476d1ce4e5b9
	seedFunction = 0x94d049bb133111eb
	seedSet      = 0xff51afd7ed558ccd
	seedInfinite = 0xc4ceb9fe1a85ec53
	multiplier   = 0x9fb21c651e98df25
)

// mix is a bijection on 64 bits in which every bit of x changes about half of the result's.
func mix(x uint64) uint64 {
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	return x
}

// step takes one more part into a hash. For a given part it is a bijection, so that a difference once there is not lost.
func step(h, part uint64) uint64 {
	h = (h ^ part) * multiplier
	return h ^ h>>29
}

func hashText(s string) uint64 {
	h := uint64(len(s)) * seedTrue
	b := []byte(s)
	for len(b) >= 8 {
		h = step(h, mix(binary.LittleEndian.Uint64(b)))
		b = b[8:]
	}
	if len(b) > 0 {
		var last [8]byte
		copy(last[:], b)
		h = step(h, mix(binary.LittleEndian.Uint64(last[:])^seedModel))
	}
	return mix(h)
}

func (w *Work) hashAll(seed uint64, elems []Value, depth int) uint64 {
	w.Spend(len(elems))
	h := seed ^ uint64(len(elems))
	for _, e := range elems {
		h = step(h, w.hash(e, depth))
	}
	return mix(h)
}

// Hash is a 64-bit hash of a value, well mixed, for use as a fingerprint. Lazy values are normalised first; infinite ones raise.
func (w *Work) Hash(v Value) uint64 { return w.hash(v, 0) }

func (w *Work) hash(v Value, depth int) uint64 {
	switch v := v.(type) {
	case Int:
		return mix(uint64(v) + seedInt)
	case *Str:
		return v.hash
	case Bool:
		if v {
			return seedTrue
		}
		return seedFalse
	case *Model:
		return v.hash
	case *Record:
		h := v.memo.hash.Load()
		if h == 0 {
			h = v.memo.keep(w.hashFunction(v.shape, v.vals, depth+1))
		}
		return h
	case *Tuple:
		h := v.memo.hash.Load()
		if h == 0 {
			tooDeep(depth)
			h = v.memo.keep(w.hashAll(seedTuple, v.elems, depth+1))
		}
		return h
	case *Set:
		h := v.memo.hash.Load()
		if h == 0 {
			tooDeep(depth)
			h = v.memo.keep(w.hashAll(seedSet, v.elems, depth+1))
		}
		return h
	case *Function:
		h := v.memo.hash.Load()
		if h == 0 {
			h = v.memo.keep(w.hashFunction(v.shape, v.vals, depth+1))
		}
		return h
	case *Big:
		h := uint64(seedBig)
		for _, w := range v.n.Bits() {
			h = step(h, mix(uint64(w)))
		}
		return mix(h ^ uint64(v.n.Sign()))
	case *Range:
		return v.fingerprint(w)
	case *Lambda:
		return w.hash(v.normal(w), depth+1)
	case lazySet:
		return w.hash(v.normal(w), depth+1)
	case Infinite:
		Raise(CodeNotEnumerable, "the infinite set %s has no fingerprint", v)
	case *Operator:
		Raise(CodeType, "an operator is not a value")
	}
	Raise(CodeType, "not a value: %T", v)
	return 0
}

func (w *Work) hashFunction(shape *Shape, vals []Value, depth int) uint64 {
	tooDeep(depth)
	w.Spend(len(vals))
	h := shape.hash
	for _, e := range vals {
		h = step(h, w.hash(e, depth))
	}
	return mix(h)
}

// keep remembers a hash; 0, which stands for "unknown", becomes 1.
func (m *memo) keep(h uint64) uint64 {
	if h == 0 {
		h = 1
	}
	m.hash.Store(h)
	return h
}
