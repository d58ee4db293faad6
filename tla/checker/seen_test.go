package checker

import (
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// The fingerprint table does what a map does, whatever is inserted and removed in which order.
func TestSeenIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, model := newSeen(), map[uint64]bool{}
		var all []uint64
		// Few shards and few homes, so that keys collide and wrap around the end of a table.
		key := rapid.Custom(func(t *rapid.T) uint64 {
			top := rapid.SampledFrom([]uint64{0, 1, 0x7f, 0xff}).Draw(t, "top")
			return top<<56 | rapid.SampledFrom([]uint64{0, 1, 0x80_0000_0000_0000, 0xff_ffff_ffff_ff00}).Draw(t, "middle") + rapid.Uint64Range(0, 255).Draw(t, "low")
		})
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(all) > 0 && rapid.IntRange(0, 3).Draw(t, "op") == 0 {
				i := rapid.IntRange(0, len(all)-1).Draw(t, "victim")
				s.remove(all[i])
				delete(model, all[i])
				all = append(all[:i], all[i+1:]...)
			} else {
				fp := nonzero(key.Draw(t, "fp"))
				if s.insert(fp) == model[fp] {
					t.Fatalf("insert(%#x): was it there before? The model says %t", fp, model[fp])
				}
				if !model[fp] {
					model[fp] = true
					all = append(all, fp)
				}
			}
			if s.size() != int64(len(model)) {
				t.Fatalf("size %d, want %d", s.size(), len(model))
			}
			for fp := range model {
				if !s.has(fp) {
					t.Fatalf("%#x is lost", fp)
				}
			}
			for range 3 {
				fp := nonzero(key.Draw(t, "other"))
				if s.has(fp) != model[fp] {
					t.Fatalf("has(%#x) = %t, want %t", fp, !model[fp], model[fp])
				}
			}
		}
	})
}

// Several goroutines fill the table, each its own shards, while none reads; then all read.
func TestSeenInTurns(t *testing.T) {
	const workers, n = 4, 20000
	s := newSeen()
	fps := make([]uint64, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range fps {
		fps[i] = r.Uint64()
	}
	copy(fps[n/2:], fps[:n/4]) // a quarter is there twice
	var wg sync.WaitGroup
	fresh := make([]int, workers)
	for w := range workers {
		wg.Go(func() {
			for _, fp := range fps {
				if shard(fp)%workers == w && s.insert(fp) {
					fresh[w]++
				}
			}
		})
	}
	wg.Wait()
	total := 0
	for _, k := range fresh {
		total += k
	}
	if total != n-n/4 || s.size() != int64(total) {
		t.Errorf("%d were new and %d are there, want %d", total, s.size(), n-n/4)
	}
	for range workers {
		wg.Go(func() {
			for _, fp := range fps {
				if !s.has(fp) {
					t.Errorf("%#x is lost", fp)
				}
			}
		})
	}
	wg.Wait()
	if per := float64(s.bytes()) / float64(s.size()); per > 8/0.7*1.5+1 {
		t.Errorf("%.1f bytes for each fingerprint", per)
	}
}

func TestZeroFingerprint(t *testing.T) {
	s := newSeen()
	if s.has(0) || !s.insert(0) || s.insert(0) || !s.has(0) {
		t.Error("the fingerprint 0 is not treated as a fingerprint")
	}
}
