package linear

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/anishathalye/porcupine"
)

// recorder is a history that grows. Its time is a count of what was asked and answered: it orders as a clock does, and two moments are never the same.
type recorder struct {
	clock atomic.Int64

	mu  sync.Mutex // guards the following
	ops []porcupine.Operation
}

func (r *recorder) now() int64 { return r.clock.Add(1) }

// add notes an operation that is over now, or of which nobody knows whether it is.
func (r *recorder) add(thread int, in Input, out Output, call int64) {
	r.at(thread, in, out, call, r.now())
}

// at notes an operation with the moment of its answer.
func (r *recorder) at(thread int, in Input, out Output, call, ret int64) {
	if out.Word == Unknown {
		ret = never
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = append(r.ops, porcupine.Operation{ClientId: thread, Input: in, Call: call, Output: out, Return: ret})
}

// lives is the server's life and death, so that every operation is known to have met one life: while it is dead nobody asks it, and it is started when nobody waits for the dead one any more.
type lives struct {
	mu      sync.Mutex // guards the following
	n       int        // deaths so far
	down    bool
	changed chan struct{} // closed when it is up again; made when it goes down
	calls   int           // under way
	quiet   chan struct{} // closed when none is; made when somebody waits for that
}

// enter waits for a living server, and gives its number.
func (l *lives) enter() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.down {
		changed := l.changed
		l.mu.Unlock()
		<-changed
		l.mu.Lock()
	}
	l.calls++
	return l.n
}

// leave ends what enter began, and says whether the server is dying: an answer that comes now may be none.
func (l *lives) leave() (dying bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls--
	if l.calls == 0 && l.quiet != nil {
		close(l.quiet)
		l.quiet = nil
	}
	return l.down
}

// die lets no call in any more, kills the server, and waits until no call is under way. It gives the life that ended.
func (l *lives) die(kill func() error) (int, error) {
	l.mu.Lock()
	l.down, l.changed = true, make(chan struct{})
	n := l.n
	l.mu.Unlock()
	err := kill()
	l.mu.Lock()
	var quiet chan struct{}
	if l.calls > 0 {
		l.quiet = make(chan struct{})
		quiet = l.quiet
	}
	l.mu.Unlock()
	if quiet != nil {
		<-quiet
	}
	return n, err
}

// revive lets calls in again.
func (l *lives) revive() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	l.down = false
	close(l.changed)
}

// dice is a source of random numbers for many goroutines.
type dice struct {
	mu     sync.Mutex // guards the following
	source *rand.Rand
}

func newDice(seed, stream uint64) *dice { return &dice{source: rand.New(rand.NewPCG(seed, stream))} }

// below gives a number from 0 to n-1.
func (d *dice) below(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.source.IntN(n)
}
