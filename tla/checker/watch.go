package checker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// The search looks at its memory between states. One evaluation can use up the machine before it gets there, so that somebody else has to look meanwhile.

// errMemory is why the context of a run is done when memory has run out in an evaluation.
var errMemory = errors.New("the memory limit was reached")

// watchEvery is short beside the time in which an evaluation can fill a machine's memory.
const watchEvery = 100 * time.Millisecond

// watchMemory ends the run's context when there is no memory left and the search has not come to look at it itself. The function that it gives ends the watch,
// and waits for that.
func (r *run) watchMemory() (end func()) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	r.ctx = ctx
	limit := r.memory.limit
	ended := make(chan struct{}) // end closes it
	var watch sync.WaitGroup
	watch.Go(func() {
		m := &meter{limit: limit}
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		last := int64(-1)
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
			}
			if looks := r.looks.Load(); looks != last {
				last = looks
			} else if !m.look() {
				cancel(fmt.Errorf("%w: one evaluation needs more than is left; %d bytes are in use, the limit is %d", errMemory, m.used, limit))
				return
			}
		}
	})
	return func() {
		close(ended)
		watch.Wait()
		cancel(nil)
	}
}

// outOfMemory says of an interrupted run that it was memory that interrupted it.
func (r *run) outOfMemory(end *stop) *stop {
	if end == nil || end.verdict != VerdictInterrupted {
		return end
	}
	if cause := context.Cause(r.ctx); errors.Is(cause, errMemory) {
		return &stop{verdict: VerdictMemory, name: end.name, span: end.span, err: cause, index: -1} // nothing is violated that a behavior could lead to
	}
	return end
}
