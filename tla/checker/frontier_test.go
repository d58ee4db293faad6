package checker

import "testing"

// The bytes are those of all pages, the kept ones included, also after they have been taken from the queue.
func TestFrontierKnowsItsBytes(t *testing.T) {
	f := &frontier{keep: 500}
	for level := range 3 {
		for i := range 400 {
			f.add(int64(400*level+i), make([]byte, i))
		}
		f.advance()
		var kept, queued int64
		for _, p := range f.kept {
			kept += int64(len(p.data))
		}
		for _, p := range f.level {
			queued += int64(len(p.data))
		}
		if want := kept + queued + int64(cap(f.open.data)) + int64(cap(f.level)+cap(f.kept))*40; f.bytes() != want || kept == 0 || queued == 0 {
			t.Errorf("level %d: %d bytes, want %d, of which %d are kept and %d queued", level, f.bytes(), want, kept, queued)
		}
		for f.left > 0 {
			f.take(7)
		}
	}
}
