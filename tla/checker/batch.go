package checker

import (
	"sync/atomic"

	"podlife/tla/eval"
)

// maxCandidates bounds what a share may hold in memory. A state with more successors than that is explored by one worker, which holds none.
const maxCandidates = 1 << 16

// A share is the work on some neighbouring states of the frontier, and its result as long as nobody else may see it. Workers only find out what the states'
// successors are. Whatever ends the search or cannot be done this way is trouble: the share is then explored by one worker, and the shares after it again.
type share struct {
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

// A candidate is a successor that was not among the states when the share was begun.
type candidate struct {
	fp     uint64
	state  eval.State
	index  int64 // of the state before
	place  int64
	action int
	fresh  bool
	size   int // of its binary form, when it is fresh
}

func (sh *share) reset(p page, level, actions int) {
	sh.page, sh.level = p, level
	clear(sh.candidates)
	sh.candidates = sh.candidates[:0]
	sh.generated, sh.excluded, sh.trouble, sh.overflow, sh.exit = 0, 0, false, false, false
	sh.encoded = sh.encoded[:0]
	if sh.actions == nil {
		sh.actions = make([]int64, actions)
	}
	clear(sh.actions)
}

// exploreTogether finds and checks the successors of about n states with all workers, in three turns: each share's candidates are generated; they are
// sorted into fresh ones and repeats, in order, each worker for its own shards; the fresh ones are checked and encoded. Then the results are taken in, in order,
// up to the first share with trouble.
func (r *run) exploreTogether(n int64) *stop {
	shares := r.shares(n)
	good := r.turn(shares, (*worker).generate)
	r.crew.together(func(w *worker) { r.sortOut(w, shares[:good]) })
	checked := r.turn(shares[:good], (*worker).finish)
	for _, sh := range shares[checked:good] { // what comes after the trouble has not happened yet
		for _, c := range sh.candidates {
			if c.fresh {
				r.seen.remove(c.fp)
			}
		}
	}
	for _, sh := range shares[:checked] {
		r.takeIn(sh)
	}
	if checked == len(shares) {
		r.shareStates = min(shareStates, r.shareStates+1)
		return nil
	}
	var rest []page
	for _, sh := range shares[checked+1:] {
		rest = append(rest, sh.page)
	}
	r.frontier.putBack(rest)
	// Trouble may come in groups: start small again.
	r.batch = 0
	if shares[checked].overflow {
		r.shareStates = max(1, r.shareStates/4)
	}
	if shares[checked].exit {
		r.opt.Stats.exit.Store(false) // it will be asked for again, at the right state
	}
	return r.explore(shares[checked].page)
}

// shares takes n states off the frontier and cuts them into shares, several for each worker.
func (r *run) shares(n int64) []*share {
	size := min(r.shareStates, max(1, int(n)/(8*len(r.crew.workers))))
	used := 0
	for n > 0 {
		p := r.frontier.take(min(size, int(n)))
		n -= int64(p.count)
		if used == len(r.pool) {
			r.pool = append(r.pool, &share{})
		}
		r.pool[used].reset(p, r.level, len(r.actions))
		used++
	}
	return r.pool[:used]
}

// turn has the workers do a job on the shares, each on the next that is free, and gives the number of shares before the first with trouble.
func (r *run) turn(shares []*share, job func(*worker, *share)) int {
	var next, trouble atomic.Int64
	trouble.Store(int64(len(shares)))
	r.crew.together(func(w *worker) {
		for {
			i := next.Add(1) - 1
			if i >= trouble.Load() {
				return
			}
			if job(w, shares[i]); shares[i].trouble {
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
