package checker

import "math/bits"

const (
	shardBits = 8
	shards    = 1 << shardBits
)

// seen is the set of fingerprints of the states so far: 256 tables with open addressing, one for each value of the upper 8 bits of a fingerprint.
//
// It has no locks. Reading from several goroutines is safe while nobody inserts, and inserting from several is safe as long as no two of them insert into the same
// shard at a time. A table is filled to at most 7/10 and then grows by half, so that a fingerprint takes 11 to 17 bytes, and never more than one table of the 256 is there twice.
type seen struct {
	tables [shards]table
}

// A table keeps its keys in ascending order but for what collides: a key's home is proportional to the key, and it is stored there or in the next free
// place after it. 0 is a free place.
type table struct {
	keys []uint64
	used int
}

func newSeen() *seen { return &seen{} }

// shard is the number of the table that a fingerprint belongs to.
func shard(fp uint64) int { return int(fp >> (64 - shardBits)) }

// nonzero moves the one fingerprint that means "free".
func nonzero(fp uint64) uint64 {
	if fp == 0 {
		return 1
	}
	return fp
}

// home is where the search for a fingerprint starts, in a table of n places.
func home(fp uint64, n int) int {
	hi, _ := bits.Mul64(fp<<shardBits, uint64(n))
	return int(hi)
}

// has tells whether a fingerprint is there.
func (s *seen) has(fp uint64) bool {
	fp = nonzero(fp)
	t := &s.tables[shard(fp)]
	if t.used == 0 {
		return false
	}
	for i := home(fp, len(t.keys)); ; {
		switch t.keys[i] {
		case fp:
			return true
		case 0:
			return false
		}
		if i++; i == len(t.keys) {
			i = 0
		}
	}
}

// insert adds a fingerprint and tells whether it is new.
func (s *seen) insert(fp uint64) bool {
	fp = nonzero(fp)
	t := &s.tables[shard(fp)]
	if t.used >= len(t.keys)/10*7 {
		t.grow()
	}
	i := home(fp, len(t.keys))
	for t.keys[i] != 0 {
		if t.keys[i] == fp {
			return false
		}
		if i++; i == len(t.keys) {
			i = 0
		}
	}
	t.keys[i] = fp
	t.used++
	return true
}

func (t *table) grow() {
	old := t.keys
	t.keys = make([]uint64, max(20, (len(old)+len(old)/2)/10*10))
	for _, fp := range old {
		if fp == 0 {
			continue
		}
		i := home(fp, len(t.keys))
		for t.keys[i] != 0 {
			if i++; i == len(t.keys) {
				i = 0
			}
		}
		t.keys[i] = fp
	}
}

// remove takes a fingerprint out that is there.
func (s *seen) remove(fp uint64) {
	fp = nonzero(fp)
	t := &s.tables[shard(fp)]
	n := len(t.keys)
	i := home(fp, n)
	for t.keys[i] != fp {
		i = (i + 1) % n
	}
	// Close the gap, so that what was stored further on because of it is found again: a key moves back into the gap unless its home lies after the gap.
	for j := (i + 1) % n; t.keys[j] != 0; j = (j + 1) % n {
		fromHome := (j - home(t.keys[j], n) + n) % n
		fromGap := (j - i + n) % n
		if fromHome >= fromGap {
			t.keys[i] = t.keys[j]
			i = j
		}
	}
	t.keys[i] = 0
	t.used--
}

// size is the number of fingerprints.
func (s *seen) size() int64 {
	n := 0
	for i := range s.tables {
		n += s.tables[i].used
	}
	return int64(n)
}

// bytes is the memory that the tables take.
func (s *seen) bytes() int64 {
	n := 0
	for i := range s.tables {
		n += len(s.tables[i].keys) * 8
	}
	return int64(n)
}
