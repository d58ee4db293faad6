package checker

import (
	"encoding/binary"
	"slices"

	"podlife/tla/eval"
)

const (
	pageStates = 256     // states in a page at most
	pageBytes  = 1 << 16 // a page with more is closed
)

// A page is some of the frontier's states, one after the other, in the binary form of values: nothing in it is for the garbage collector to look at. Each
// state comes after its length.
type page struct {
	data  []byte
	count int
	first int64 // index of the first state
}

// frontier is the queue of states whose successors are to be looked for. One level is taken from while the next is added to.
type frontier struct {
	level   []page // of the current level, what is left of it
	next    []page
	open    page  // the last page of the next level; its data are reused
	left    int64 // states in level
	waiting int64 // states in all
	size    int64 // bytes in level and next

	// The pages of the first keep states of the search are kept in kept.
	keep     int64
	kept     []page
	keptSize int64 // bytes in kept; a sum at each level would cost more than the search where levels are small
}

// add puts a state at the end of the next level.
func (f *frontier) add(index int64, state []byte) {
	if f.open.count == pageStates || f.open.count > 0 && len(f.open.data)+len(state) > pageBytes {
		f.close()
	}
	if f.open.count == 0 {
		f.open.first = index
	}
	f.open.data = binary.AppendUvarint(f.open.data, uint64(len(state)))
	f.open.data = append(f.open.data, state...)
	f.open.count++
	f.waiting++
}

// close moves the open page to the next level.
func (f *frontier) close() {
	if f.open.count == 0 {
		return
	}
	p := page{slices.Clone(f.open.data), f.open.count, f.open.first}
	f.next = append(f.next, p)
	f.size += int64(len(p.data))
	if p.first < f.keep {
		f.kept = append(f.kept, p)
		f.keptSize += int64(len(p.data))
	}
	f.open = page{data: f.open.data[:0]}
}

// advance makes the next level the current one, which must be empty. It tells whether there is anything in it.
func (f *frontier) advance() bool {
	f.close()
	f.level, f.next = f.next, nil
	f.left = f.waiting
	return f.left > 0
}

// take cuts up to n states off the front of the current level, all from one page.
func (f *frontier) take(n int) page {
	p := &f.level[0]
	out := p.cut(n)
	f.waiting -= int64(out.count)
	f.left -= int64(out.count)
	f.size -= int64(len(out.data))
	if p.count == 0 {
		p.data = nil
		f.level = f.level[1:]
	}
	return out
}

// putBack returns pages that were taken to the front of the current level.
func (f *frontier) putBack(pages []page) {
	f.level = slices.Insert(f.level, 0, pages...)
	for _, p := range pages {
		f.waiting += int64(p.count)
		f.left += int64(p.count)
		f.size += int64(len(p.data))
	}
}

func (f *frontier) bytes() int64 {
	return f.size + f.keptSize + int64(cap(f.open.data)) + int64(cap(f.level)+cap(f.next)+cap(f.kept))*40
}

// cut takes up to n states off the front of a page.
func (p *page) cut(n int) page {
	n = min(n, p.count)
	end := 0
	for range n {
		size, k := binary.Uvarint(p.data[end:])
		end += k + int(size)
	}
	out := page{p.data[:end:end], n, p.first}
	p.data, p.count, p.first = p.data[end:], p.count-n, p.first+int64(n)
	return out
}

// pop takes the first state off a page.
func (p *page) pop(r *reader) (eval.State, error) {
	size, k := binary.Uvarint(p.data)
	data := p.data[k : k+int(size)]
	p.data, p.count, p.first = p.data[k+int(size):], p.count-1, p.first+1
	return r.state(data)
}
