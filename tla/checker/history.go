package checker

import (
	"encoding/binary"
	"slices"
)

// blockSize is how many records of a history are packed together.
const blockSize = 1024

// history says how each state was first reached. States are numbered in the order of the search, so that the number of the state before, in this order,
// never falls: a record is the difference to the last one's, and the successor's place among all that were generated from it. That takes about two bytes a state.
//
// The first states are the initial ones; for them the place is that among all generated initial states.
type history struct {
	initial int64 // how many states are initial
	count   int64
	parent  int64 // of the last record
	base    int64 // the parent before the first open record
	blocks  []block
	open    []byte // the records of the last block, which is not among blocks yet
	size    int64  // bytes in blocks
}

// A block is blockSize records.
type block struct {
	parent int64 // of the record before the first
	data   []byte
}

func newHistory() *history { return &history{open: make([]byte, 0, blockSize*4)} }

// addInitial numbers an initial state.
func (h *history) addInitial(place int64) {
	h.initial++
	h.add(0, place)
}

// add numbers a state that was reached from the given one.
func (h *history) add(parent, place int64) {
	if h.count%blockSize == 0 && h.count > 0 {
		h.close()
	}
	h.open = binary.AppendUvarint(h.open, uint64(parent-h.parent))
	h.open = binary.AppendUvarint(h.open, uint64(place))
	h.parent = parent
	h.count++
}

func (h *history) close() {
	h.blocks = append(h.blocks, block{h.base, slices.Clone(h.open)})
	h.size += int64(len(h.open))
	h.open, h.base = h.open[:0], h.parent
}

// of gives the record of a state; initial tells that it has no parent.
func (h *history) of(index int64) (parent, place int64, initial bool) {
	b := block{h.base, h.open}
	if i := int(index / blockSize); i < len(h.blocks) {
		b = h.blocks[i]
	}
	parent = b.parent
	data := b.data
	for k := int64(0); k <= index%blockSize; k++ {
		delta, n := binary.Uvarint(data)
		p, m := binary.Uvarint(data[n:])
		parent += int64(delta)
		place = int64(p)
		data = data[n+m:]
	}
	return parent, place, index < h.initial
}

// path gives the places that lead to a state: that of the initial state, and that of the successor for each step from there.
func (h *history) path(index int64) []int64 {
	var places []int64
	for {
		parent, place, initial := h.of(index)
		places = append(places, place)
		if initial {
			slices.Reverse(places)
			return places
		}
		index = parent
	}
}

func (h *history) bytes() int64 { return h.size + int64(cap(h.open)) + int64(cap(h.blocks))*32 }
