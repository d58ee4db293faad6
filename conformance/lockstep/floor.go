package lockstep

import (
	"context"
	"errors"
	"strings"
	"sync"
)

// errDead is what a server that has died is told by engine and store: nothing of it reaches them any more.
var errDead = errors.New("the server has died")

// hub is one lock for all that a run looks at, and a way to wait for a change of it.
type hub struct {
	mu sync.Mutex // guards what the owners say that it guards
	ch chan struct{}
}

func newHub() *hub { return &hub{ch: make(chan struct{})} }

// change does something with the lock held, and wakes who waits.
func (h *hub) change(do func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	do()
	close(h.ch)
	h.ch = make(chan struct{})
}

// look reads something with the lock held.
func (h *hub) look(read func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	read()
}

// point is a place at which a server's goroutine is held until the path goes on.
type point string

const (
	atRunBegins  point = "a boot run begins"      // before it asks whether it may make the container
	atStart      point = "start of the container" // it is made, and not started
	atLaunched   point = "a boot run has its container"
	atReply      point = "a boot run replies" // before the pod takes the reply
	beforeShell  point = "before the shell"
	afterShell   point = "after the shell"
	atRemove     point = "removal of the container"
	atList       point = "list of the containers"
	atRecoverNow point = "list of the containers for the recovery"
)

// held is one goroutine of the server that waits.
type held struct {
	at      point
	n       int    // the incarnation, or 0
	session string // of a shell
	freed   chan error
}

// free lets it go on: with an error, where what it was about to do is to fail.
func (h *held) free(err error) { h.freed <- err }

// floor is where one life of the server is held.
type floor struct {
	hub  *hub
	dead chan struct{} // closed when this life is over

	held []*held // guarded by hub.mu
	open bool    // guarded by hub.mu: nothing is held
}

func newFloor(h *hub) *floor { return &floor{hub: h, dead: make(chan struct{})} }

// arrive waits until the path goes on; its error is that with which the call is to fail.
func (f *floor) arrive(ctx context.Context, at point, n int, session string) error {
	h := &held{at: at, n: n, session: session, freed: make(chan error, 1)}
	passes := false
	f.hub.change(func() {
		passes = f.open
		if !passes {
			f.held = append(f.held, h)
		}
	})
	if passes {
		return nil
	}
	defer f.hub.change(func() { f.drop(h) })
	select {
	case err := <-h.freed:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-f.dead:
		return errDead
	}
}

// drop forgets one. hub.mu is held.
func (f *floor) drop(h *held) {
	for i := range f.held {
		if f.held[i] == h {
			f.held = append(f.held[:i], f.held[i+1:]...)
			return
		}
	}
}

// find gives who is held at a point: of incarnation n, unless that is 0, and of a session that begins so. hub.mu is held.
func (f *floor) find(at point, n int, session string) *held {
	for _, h := range f.held {
		if h.at == at && (n == 0 || h.n == n) && strings.HasPrefix(h.session, session) {
			return h
		}
	}
	return nil
}

// isDead says whether this life is over.
func (f *floor) isDead() bool {
	select {
	case <-f.dead:
		return true
	default:
		return false
	}
}
