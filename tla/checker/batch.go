package checker

import (
	"sync/atomic"

	"podlife/tla/eval"
)

// maxCandidates bounds what a unit may hold in memory. A state with more successors than that is explored by one worker, which holds none.
const maxCandidates = 1 << 16

// A unit is the work on some neighbouring states of the frontier, and its result as long as nobody else may see it. Workers only find out what the states'
// successors are. Whatever ends the search or cannot be done this way is trouble: the unit is then explored by one worker, and the units after it again.
type unit struct {
	page       page
	level      int // of its states
	candidates []candidate
	generated  int64
	excluded   int64
	actions    []int64 // generated successors by action
	trouble    bool
	overflow   bool   // the trouble is maxCandidates
	exit       bool   // the trouble is TLCSet("exit", TRUE)
	encoded    []byte // the candidates that were fresh, one after the other
}

// A candidate is a successor that was not among the states when the unit was begun.
type candidate struct {
	fp     uint64
	state  eval.State
	index  int64 // of the state before
	place  int64
	action int
	fresh  bool
	size   int // of its binary form, when it is fresh
}

func (u *unit) reset(p page, level, actions int) {
	u.page, u.level = p, level
	clear(u.candidates)
	u.candidates = u.candidates[:0]
	u.generated, u.excluded, u.trouble, u.overflow, u.exit = 0, 0, false, false, false
	u.encoded = u.encoded[:0]
	if u.actions == nil {
		u.actions = make([]int64, actions)
	}
	clear(u.actions)
}

// exploreTogether finds and checks the successors of about n states with all workers, in three turns: each unit's candidates are generated; they are
// sorted into fresh ones and repeats, in order, each worker for its own shards; the fresh ones are checked and encoded. Then the results are taken in, in order,
// up to the first unit with trouble.
func (r *run) exploreTogether(n int64) *stop {
	units := r.units(n)
	good := r.turn(units, (*worker).generate)
	r.crew.together(func(w *worker) { r.sortOut(w, units[:good]) })
	checked := r.turn(units[:good], (*worker).finish)
	for _, u := range units[checked:good] { // what comes after the trouble has not happened yet
		for _, c := range u.candidates {
			if c.fresh {
				r.seen.remove(c.fp)
			}
		}
	}
	for _, u := range units[:checked] {
		r.takeIn(u)
	}
	if checked == len(units) {
		r.unitStates = min(unitStates, r.unitStates+1)
		return nil
	}
	var rest []page
	for _, u := range units[checked+1:] {
		rest = append(rest, u.page)
	}
	r.frontier.putBack(rest)
	// Trouble may come in groups: start small again.
	r.batch = 0
	if units[checked].overflow {
		r.unitStates = max(1, r.unitStates/4)
	}
	if units[checked].exit {
		r.opt.Stats.exit.Store(false) // it will be asked for again, at the right state
	}
	return r.explore(units[checked].page)
}

// units takes n states off the frontier and cuts them into units, several for each worker.
func (r *run) units(n int64) []*unit {
	size := min(r.unitStates, max(1, int(n)/(8*len(r.crew.workers))))
	used := 0
	for n > 0 {
		p := r.frontier.take(min(size, int(n)))
		n -= int64(p.count)
		if used == len(r.pool) {
			r.pool = append(r.pool, &unit{})
		}
		r.pool[used].reset(p, r.level, len(r.actions))
		used++
	}
	return r.pool[:used]
}

// turn has the workers do a job on the units, each on the next that is free, and gives the number of units before the first with trouble.
func (r *run) turn(units []*unit, job func(*worker, *unit)) int {
	var next, trouble atomic.Int64
	trouble.Store(int64(len(units)))
	r.crew.together(func(w *worker) {
		for {
			i := next.Add(1) - 1
			if i >= trouble.Load() {
				return
			}
			if job(w, units[i]); units[i].trouble {
				for {
					first := trouble.Load()
					if i >= first || trouble.CompareAndSwap(first, i) {
						break
					}
				}
			}
		}
	})
	return int(trouble.Load())
}
