package podlifecycle

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"podlife/model"
)

// Counts are the size of a state graph as TLC counts it; see [model.Result] for each.
type Counts struct {
	Generated, Distinct, Depth int
}

// ViolatedError says that [Count] met a state in which an invariant does not hold. [model.Explore] finds the way there.
type ViolatedError struct {
	Invariant string
	State     State
}

func (e *ViolatedError) Error() string { return "invariant " + e.Invariant + " is violated" }

// Count explores a system of many millions of states, for its size and the verdict only: no paths, no edges by action. It gives
// exactly the counts of [model.Explore], several times as fast and in some 16 bytes a state. The table is asked for every local
// state (see tabulate.go); c must be what the table was made of. It checks every invariant of the table; the errors are
// [*BoundsError], [*ViolatedError] and that of ctx. workers below 1 is one.
func Count(ctx context.Context, t model.Table[Local], maxInc, clients, workers int) (Counts, error) {
	if err := CheckBounds(Constants{MaxInc: maxInc}, clients); err != nil {
		return Counts{}, err
	}
	tab, err := tabulate(t, maxInc)
	if err != nil {
		return Counts{}, err
	}
	c := &counting{tab: tab, clients: clients, seen: newStateSet(1 << 16)}
	for _, a := range t.Actions {
		c.maxBranch += 1
		if len(a.Params) > 0 {
			c.maxBranch += clients - 1
		}
	}
	for range max(workers, 1) {
		c.workers = append(c.workers, &worker{counting: c})
	}
	return c.run(ctx)
}

// batchSize is how many states of a level are expanded before the set may grow: big enough that the workers seldom wait for each
// other, small enough that the set need not have room for much more than there is.
const batchSize = 1 << 16

// counting is one run: breadth first, a level at a time, each level in batches that the workers share.
type counting struct {
	tab       *tabulation
	clients   int
	maxBranch int // a state has at most so many successors
	seen      *stateSet
	workers   []*worker

	batch []State      // what the workers expand now
	next  atomic.Int64 // index in batch of the next chunk that no worker has
}

// worker counts on its own, and is added up when the batch is done.
type worker struct {
	*counting
	generated int
	found     []State // new ones
	violated  *ViolatedError

	pending []uint64 // successors that are not yet looked up
	touched uint64   // keeps the loads in flush alive
}

func (c *counting) run(ctx context.Context) (Counts, error) {
	counts := Counts{Generated: 1, Distinct: 1, Depth: 1}
	first := State(0)
	c.seen.add(uint64(first))
	if inv := c.firstViolated(first); inv != nil {
		return counts, inv
	}
	var spare []State
	for level := []State{first}; ; counts.Depth++ {
		next := spare[:0]
		for rest := level; len(rest) > 0; {
			if err := ctx.Err(); err != nil {
				return counts, err
			}
			n := min(len(rest), batchSize)
			c.batch, rest = rest[:n], rest[n:]
			c.seen.reserve(counts.Distinct + n*c.maxBranch)
			c.expandBatch()
			for _, w := range c.workers {
				counts.Generated += w.generated
				counts.Distinct += len(w.found)
				next = append(next, w.found...)
				w.generated, w.found = 0, w.found[:0]
				if w.violated != nil {
					return counts, w.violated
				}
			}
		}
		if len(next) == 0 {
			return counts, nil
		}
		level, spare = next, level
	}
}

// expandBatch lets the workers empty c.batch and waits for them.
func (c *counting) expandBatch() {
	c.next.Store(0)
	var wg sync.WaitGroup
	for _, w := range c.workers {
		wg.Go(w.expandChunks)
	}
	wg.Wait()
}

func (w *worker) expandChunks() {
	const chunk = 512
	for {
		end := int(w.next.Add(chunk))
		start := end - chunk
		if start >= len(w.batch) {
			return
		}
		for _, s := range w.batch[start:min(end, len(w.batch))] {
			w.expand(uint64(s))
		}
		w.flush()
	}
}

func (w *worker) expand(s uint64) {
	for i := range w.clients {
		for _, to := range w.tab.client[getLocal(s, i)] {
			w.reach(putLocal(s, i, uint64(to.local)), to.ways)
		}
	}
	for _, to := range w.tab.system[s&podMask] {
		w.reach(s&^podMask|uint64(to.local)&podMask, to.ways)
	}
}

func (w *worker) reach(s uint64, ways uint32) {
	w.generated += int(ways)
	w.pending = append(w.pending, s)
	if len(w.pending) >= pendingSize {
		w.flush()
	}
}

// pendingSize is how many successors are looked up together. The set is far bigger than the processor's caches, and nearly all of
// the time goes into waiting for memory: loads that do not depend on each other wait together.
const pendingSize = 128

// flush looks the pending successors up: first touches the slot of each, then adds each.
func (w *worker) flush() {
	for _, s := range w.pending {
		w.touched ^= w.seen.peek(s)
	}
	for _, s := range w.pending {
		if !w.seen.add(s) {
			continue
		}
		w.found = append(w.found, State(s))
		if v := w.firstViolated(State(s)); v != nil && w.violated == nil {
			w.violated = v
		}
	}
	w.pending = w.pending[:0]
}

// firstViolated looks up the first invariant that does not hold.
func (c *counting) firstViolated(s State) *ViolatedError {
	first := int8(-1)
	for i := range c.clients {
		if v := c.tab.violates[getLocal(uint64(s), i)]; v >= 0 && (first < 0 || v < first) {
			first = v
		}
	}
	if first < 0 {
		return nil
	}
	return &ViolatedError{Invariant: c.tab.invariants[first], State: s}
}

// stateSet is a set of packed states for several goroutines: open addressing, linear probing, at most 3/4 full, no removal.
type stateSet struct {
	slots []uint64 // a state plus 1; 0 is empty
	shift uint     // 64 - log2(len(slots))
}

func newStateSet(size int) *stateSet {
	set := &stateSet{slots: make([]uint64, 1), shift: 64}
	set.reserve(size)
	return set
}

// reserve makes room for n states in all. No other method may run meanwhile.
func (set *stateSet) reserve(n int) {
	size, shift := len(set.slots), set.shift
	for n > size/4*3 {
		size, shift = size*2, shift-1
	}
	if size == len(set.slots) {
		return
	}
	old := set.slots
	set.slots, set.shift = make([]uint64, size), shift
	for _, slot := range old {
		if slot != 0 {
			set.add(slot - 1)
		}
	}
}

// add reports whether s was new. It never fills the last slot: reserve comes first.
func (set *stateSet) add(s uint64) bool {
	mask := uint64(len(set.slots) - 1)
	key := s + 1
	for at := mix(s) >> set.shift; ; at = (at + 1) & mask {
		slot := &set.slots[at]
		switch atomic.LoadUint64(slot) {
		case key:
			return false
		case 0:
			if atomic.CompareAndSwapUint64(slot, 0, key) {
				return true
			}
			if atomic.LoadUint64(slot) == key {
				return false
			}
		}
	}
}

// peek loads the slot where the search for s begins.
func (set *stateSet) peek(s uint64) uint64 { return atomic.LoadUint64(&set.slots[mix(s)>>set.shift]) }

// mix spreads a state over the upper bits.
func mix(s uint64) uint64 {
	s ^= s >> 29
	s *= 0xbf58476d1ce4e5b9
	s ^= s >> 32
	return s * 0x94d049bb133111eb
}

// String gives the counts as TLC prints them.
func (c Counts) String() string {
	return fmt.Sprintf("%d states generated, %d distinct, depth %d", c.Generated, c.Distinct, c.Depth)
}
