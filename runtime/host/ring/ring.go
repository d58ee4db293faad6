// Package ring keeps the newest bytes of a stream that never ends, addressed by their offset in the stream: byte 0 is the first that was ever appended, and no offset is used twice.
//
// It imports nothing of the project and does no I/O. There is this one file to read.
package ring

import "fmt"

// startSize is what a ring takes at first, in bytes. It doubles as the stream grows, up to its capacity, and from then on appending allocates nothing.
const startSize = 16 << 10

// Ring holds the bytes [Lo, Hi) of a stream, at most its capacity of them. It is not safe for use by several goroutines at once.
type Ring struct {
	buf    []byte // the byte with offset o is at o modulo its length
	lo, hi uint64
	max    int
}

// New gives an empty ring of a capacity in bytes. It panics for one below 1.
func New(capacity int) *Ring {
	if capacity < 1 {
		panic(fmt.Sprintf("ring: capacity %d", capacity))
	}
	return &Ring{buf: make([]byte, min(capacity, startSize)), max: capacity}
}

// Lo is the offset of the oldest byte that is still there; Hi of the next that will be appended.
func (r *Ring) Lo() uint64 { return r.lo }

// Hi is the number of bytes that were ever appended.
func (r *Ring) Hi() uint64 { return r.hi }

// Cap is the capacity in bytes.
func (r *Ring) Cap() int { return r.max }

// Append adds b to the end; the oldest bytes give way. It keeps no reference to b.
func (r *Ring) Append(b []byte) {
	r.grow(len(b))
	if over := len(b) - len(r.buf); over > 0 { // more than fits: the beginning of b counts, but is not kept
		r.hi += uint64(over)
		b = b[over:]
		r.lo = r.hi
	}
	at := int(r.hi % uint64(len(r.buf)))
	n := copy(r.buf[at:], b)
	copy(r.buf, b[n:])
	r.hi += uint64(len(b))
	if r.hi-r.lo > uint64(len(r.buf)) {
		r.lo = r.hi - uint64(len(r.buf))
	}
}

// grow makes room for n more bytes, as far as the capacity goes.
func (r *Ring) grow(n int) {
	need := int(r.hi-r.lo) + n
	if need <= len(r.buf) || len(r.buf) == r.max {
		return
	}
	size := len(r.buf)
	for size < need && size < r.max {
		size = min(2*size, r.max)
	}
	wider := &Ring{buf: make([]byte, size), max: r.max, lo: r.lo, hi: r.lo}
	first, second := r.parts(r.lo, int(r.hi-r.lo))
	wider.Append(first)
	wider.Append(second)
	*r = *wider
}

// Read copies bytes from the offset on into dst, as many as fit and are there. ok is false, and nothing is copied, when the byte at from is not there any more or Hi has not come so far.
func (r *Ring) Read(dst []byte, from uint64) (n int, ok bool) {
	if from < r.lo || from > r.hi {
		return 0, false
	}
	first, second := r.parts(from, min(len(dst), int(r.hi-from)))
	n = copy(dst, first)
	return n + copy(dst[n:], second), true
}

// Range gives a copy of everything from the offset on. ok as with Read.
func (r *Ring) Range(from uint64) (b []byte, ok bool) {
	if from < r.lo || from > r.hi {
		return nil, false
	}
	b = make([]byte, r.hi-from)
	r.Read(b, from)
	return b, true
}

// parts gives the n bytes from the offset on, which may wrap around the end of the buffer.
func (r *Ring) parts(from uint64, n int) (first, second []byte) {
	at := int(from % uint64(len(r.buf)))
	if at+n <= len(r.buf) {
		return r.buf[at : at+n], nil
	}
	return r.buf[at:], r.buf[:at+n-len(r.buf)]
}
