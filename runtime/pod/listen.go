package pod

import "sync"

// skippedNote stands where a slow listener missed pieces of the log.
const skippedNote = "[... output skipped ...]\n"

// listener is one caller's queue of progress. The boot's own goroutine only ever appends to it, so that a caller that does not keep up loses log lines and nobody else loses time.
type listener struct {
	news chan struct{} // room for one; sent by the run, received by the caller

	mu      sync.Mutex // guards the following
	queue   []Progress // at most historySize, and the steps beyond it
	skipped bool       // a note stands at the end of the queue already
}

func (l *listener) add(pr Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	full := len(l.queue) >= historySize
	switch {
	case len(l.queue) >= 2*historySize:
		return // steps come from inside the container, which may be hostile: they are bounded too
	case !full:
		l.skipped = false
	case pr.Step != "":
		// Steps are few, and each matters.
	case l.skipped:
		return
	default:
		l.skipped = true
		pr = Progress{Log: skippedNote}
	}
	l.queue = append(l.queue, pr)
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// drain hands over everything that waits.
func (l *listener) drain(f func(Progress)) {
	l.mu.Lock()
	queue := l.queue
	l.queue = nil
	l.mu.Unlock()
	for _, pr := range queue {
		f(pr)
	}
}

// publish keeps a piece of progress and tells the listeners, in order. It never waits for one.
func (r *run) publish(pr Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.history) == historySize {
		r.history = r.history[1:]
	}
	r.history = append(r.history, pr)
	for l := range r.listeners {
		l.add(pr)
	}
}

// listen begins with everything that is kept of what was published so far.
func (r *run) listen() *listener {
	l := &listener{news: make(chan struct{}, 1)}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, pr := range r.history {
		l.add(pr)
	}
	r.listeners[l] = struct{}{}
	return l
}

func (r *run) leave(l *listener) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.listeners, l)
}
