package ring

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// The oracle is a slice of everything that was ever appended.
func TestARingHoldsExactlyTheNewestBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 40_000).Draw(t, "capacity")
		r, all := New(capacity), []byte(nil)
		lowest := uint64(0)
		for range rapid.IntRange(1, 60).Draw(t, "appends") {
			n := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, 30_000)).Draw(t, "n")
			b := make([]byte, n)
			for i := range b {
				b[i] = byte((len(all) + i) * 131 >> 3)
			}
			r.Append(b)
			all = append(all, b...)
			if r.Hi() != uint64(len(all)) {
				t.Fatalf("hi is %d after %d bytes", r.Hi(), len(all))
			}
			if kept := int(r.Hi() - r.Lo()); kept != min(len(all), capacity) {
				t.Fatalf("%d bytes kept of %d with capacity %d", kept, len(all), capacity)
			}
			if r.Lo() < lowest {
				t.Fatalf("lo went back from %d to %d", lowest, r.Lo())
			}
			lowest = r.Lo()
			from := rapid.Uint64Range(r.Lo(), r.Hi()).Draw(t, "from")
			got, ok := r.Range(from)
			if !ok || !bytes.Equal(got, all[from:]) {
				t.Fatalf("range from %d: ok %t, %d bytes, differs", from, ok, len(got))
			}
			dst := make([]byte, rapid.IntRange(0, 100).Draw(t, "dst"))
			m, ok := r.Read(dst, from)
			if !ok || m != min(len(dst), len(all)-int(from)) || !bytes.Equal(dst[:m], all[from:int(from)+m]) {
				t.Fatalf("read of %d from %d: %d, %t", len(dst), from, m, ok)
			}
		}
		if r.Lo() > 0 {
			if _, ok := r.Range(r.Lo() - 1); ok {
				t.Fatal("a byte that gave way is still given")
			}
		}
		if _, ok := r.Range(r.Hi() + 1); ok {
			t.Fatal("a byte that never was is given")
		}
	})
}

func TestAFullRingAllocatesNothing(t *testing.T) {
	r, b := New(100_000), make([]byte, 777)
	for range 300 {
		r.Append(b)
	}
	if n := testing.AllocsPerRun(1000, func() { r.Append(b) }); n != 0 {
		t.Errorf("%v allocations per append", n)
	}
}

func TestARingThatIsHardlyUsedIsSmall(t *testing.T) {
	r := New(1 << 20)
	r.Append([]byte("$ "))
	if len(r.buf) > startSize {
		t.Errorf("%d bytes for a prompt", len(r.buf))
	}
}
