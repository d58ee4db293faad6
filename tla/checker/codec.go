package checker

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"

	"podlife/tla/eval"
	"podlife/tla/value"
)

// appendState appends the binary form of a state: each variable's value after its length. It raises for a value that has none.
func appendState(b []byte, s eval.State) []byte {
	for _, v := range s {
		at := len(b)
		b = value.Append(append(b, 0), v)
		if n := len(b) - at - 1; n < 0x80 {
			b[at] = byte(n)
		} else {
			b = slices.Replace(b, at, at+1, binary.AppendUvarint(nil, uint64(n))...)
		}
	}
	return b
}

// A reader makes states from their binary form. It remembers values that it has read, by variable, because few of a variable's values make up most states:
// reading one again takes a look at a table, and the value comes with its hash already known. It is for one goroutine.
type reader struct {
	seed      maphash.Seed
	variables []memory
}

// memory is the values of one variable that were read lately.
type memory struct {
	slots         []remembered
	looks, misses int
}

type remembered struct {
	form string
	v    value.Value
}

const (
	memorySlots = 1024 // of a variable; a power of 2
	longestForm = 4096 // bytes; longer ones are not remembered
	trialLooks  = 1 << 14
)

func newReader(variables int) *reader {
	return &reader{maphash.MakeSeed(), make([]memory, variables)}
}

// state reads what appendState wrote.
func (r *reader) state(data []byte) (eval.State, error) {
	s := make(eval.State, len(r.variables))
	for i := range s {
		n, k := binary.Uvarint(data)
		if k <= 0 || n > uint64(len(data)-k) {
			return nil, fmt.Errorf("reading a state back: it is cut off in variable %d", i)
		}
		form := data[k : k+int(n)]
		data = data[k+int(n):]
		v, err := r.value(&r.variables[i], form)
		if err != nil {
			return nil, fmt.Errorf("reading a state back: %w", err)
		}
		s[i] = v
	}
	return s, nil
}

func (r *reader) value(m *memory, form []byte) (value.Value, error) {
	// The shortest forms are read faster than found, and a variable that hardly ever has the same value twice is not worth it.
	if len(form) < 3 || len(form) > longestForm || m.looks >= trialLooks && m.misses > m.looks/4*3 {
		v, _, err := value.Decode(form)
		return v, err
	}
	if m.slots == nil {
		m.slots = make([]remembered, memorySlots)
	}
	slot := &m.slots[maphash.Bytes(r.seed, form)%memorySlots]
	m.looks++
	if slot.form == string(form) {
		return slot.v, nil
	}
	m.misses++
	v, _, err := value.Decode(form)
	if err != nil {
		return nil, err
	}
	*slot = remembered{string(form), v}
	return v, nil
}
