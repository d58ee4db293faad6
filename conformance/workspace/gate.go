package workspace

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// point is where a server's work for a pod waits to be let through.
type point string

// The points. Between two of them the server takes one action of the table.
const (
	atMake    point = "make"    // before a volume is made
	atMade    point = "made"    // it is made, and that is not answered yet
	atLook    point = "look"    // before a launch looks for the home
	atCreate  point = "create"  // before the container is made
	atCreated point = "created" // it is made, and that is not answered yet
	atScript  point = "script"  // before the boot script does anything
	atVerdict point = "verdict" // before it says how it ended
	atRemove  point = "remove"  // before a container that has run is removed
	atKept    point = "kept"    // before a delete looks whether there is something to keep
	atVolume  point = "volume"  // before a delete removes the volume
	atDrop    point = "drop"    // a pod is forgotten: that fails, until it is let through
)

// stop is a point for a pod.
type stop struct {
	at  point
	pod int
}

var errDead = errors.New("the server has died")

// visit is one call that waits.
type visit struct {
	stop
	through chan error // what it is answered in place of being carried out; nil is that it is
}

// gates are those of one life of the server.
type gates struct {
	cut chan struct{} // closed when the server is dead

	mu      sync.Mutex // guards the following
	waiting []*visit
	armed   map[stop]bool // points at which only some calls wait
	skip    map[stop]int  // how many calls pass
}

func newGates() *gates {
	return &gates{cut: make(chan struct{}), armed: map[stop]bool{}, skip: map[stop]int{}}
}

// dead says whether the server is.
func (g *gates) dead() bool {
	select {
	case <-g.cut:
		return true
	default:
		return false
	}
}

// wait waits until it is let through. A call for a pod that nobody knows does not wait.
func (g *gates) wait(ctx context.Context, at point, pod int) error {
	if g.dead() {
		return errDead
	}
	v := &visit{stop{at, pod}, make(chan error, 1)}
	if pod == none || g.take(at, pod) {
		return nil
	}
	g.mu.Lock()
	g.waiting = append(g.waiting, v)
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.waiting = slices.DeleteFunc(g.waiting, func(w *visit) bool { return w == v })
	}()
	select {
	case err := <-v.through:
		return err
	case <-g.cut:
		return errDead
	case <-ctx.Done():
		return ctx.Err()
	}
}

// arm has calls wait at a point that only some wait at, or no more.
func (g *gates) arm(at point, pod int, on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed[stop{at, pod}] = on
}

// isArmed says so; with once it is disarmed.
func (g *gates) isArmed(at point, pod int, once bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := stop{at, pod}
	armed := g.armed[s]
	if once {
		g.armed[s] = false
	}
	return armed
}

// pass has the next calls not wait.
func (g *gates) pass(at point, pod, calls int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.skip[stop{at, pod}] = calls
}

// take says whether a call may pass, and counts it.
func (g *gates) take(at point, pod int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := stop{at, pod}
	if g.skip[s] == 0 {
		return false
	}
	g.skip[s]--
	return true
}

// has says whether a call waits at one of the points.
func (g *gates) has(pod int, points ...point) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.waiting, func(v *visit) bool { return v.pod == pod && slices.Contains(points, v.at) })
}

// open lets the call through that waits at a point, or has it answered with an error; false if there is none.
func (g *gates) open(at point, pod int, answer error) bool {
	g.mu.Lock()
	i := slices.IndexFunc(g.waiting, func(v *visit) bool { return v.stop == stop{at, pod} })
	var v *visit
	if i >= 0 {
		v = g.waiting[i]
		g.waiting = slices.Delete(g.waiting, i, i+1)
	}
	g.mu.Unlock()
	if v == nil {
		return false
	}
	v.through <- answer
	return true
}
