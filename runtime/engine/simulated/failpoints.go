package simulated

import (
	"context"
	"sync"

	"podlife/runtime/engine"
)

// Failpoints name calls by operation: ping, hasimage, create, start, exec, inspect, list, remove, makevolume, volume, volumes, removevolume, watch and wait. The subject of a call is the container's
// id; for create the name, for hasimage the image, for makevolume, volume and removevolume the volume's name, for ping, list, volumes and watch nothing.

// hold stops one call.
type hold struct {
	op       string
	match    func(subject string) bool
	after    bool
	entered  chan struct{}
	released chan struct{}
}

// FailNext lets the next call of an operation fail with err before it has any effect; an error that is no *engine.Error is wrapped as Failed. Several add up, first in, first out.
func (e *Engine) FailNext(op string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fails[op] = append(e.fails[op], err)
}

// Hold stops the next call of an operation whose subject matches (nil matches all) before it takes effect, until release is called, which may be done more than once, or the call's context ends,
// which is Canceled without effect. The channel is closed when the call has arrived.
func (e *Engine) Hold(op string, match func(subject string) bool) (release func(), entered <-chan struct{}) {
	return e.hold(op, match, false)
}

// HoldAfter is Hold after the call took effect (or failed) and before it answers: a late reply. A call whose context ends meanwhile is Canceled; what it did stays done, but for a Create.
func (e *Engine) HoldAfter(op string, match func(subject string) bool) (release func(), entered <-chan struct{}) {
	return e.hold(op, match, true)
}

func (e *Engine) hold(op string, match func(string) bool, after bool) (func(), <-chan struct{}) {
	h := &hold{op: op, match: match, after: after, entered: make(chan struct{}), released: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.holds = append(e.holds, h)
	return sync.OnceFunc(func() { close(h.released) }), h.entered
}

// Kill lets PID 1 of a running or paused container die by itself, as after kill -9: exit code 137. False if there is none.
func (e *Engine) Kill(id engine.ID) bool { return e.kill(id, false) }

// KillOOM is Kill for lack of memory.
func (e *Engine) KillOOM(id engine.ID) bool { return e.kill(id, true) }

func (e *Engine) kill(id engine.ID, oom bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.boxes[id]
	if b == nil || !b.alive() {
		return false
	}
	e.dieLocked(b, killed, oom)
	return true
}

// Pause suspends a running container: Inspect says Paused, Exec is NotRunning, and the programs inside neither read nor write their streams. A Go function cannot be frozen, so they go on between. False
// if it does not run.
func (e *Engine) Pause(id engine.ID) bool {
	return e.change(id, engine.Running, engine.Paused) && e.freeze(id, true)
}

// Unpause resumes a paused container. False if it is not paused.
func (e *Engine) Unpause(id engine.ID) bool {
	return e.change(id, engine.Paused, engine.Running) && e.freeze(id, false)
}

// freeze suspends, or resumes, the streams of every process of a container.
func (e *Engine) freeze(id engine.ID, frozen bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := e.boxes[id]; b != nil {
		for _, p := range b.procs {
			for _, s := range []*pipe{p.stdin, p.stdout} {
				s.update(func() { s.frozen = frozen })
			}
		}
	}
	return true
}

func (e *Engine) change(id engine.ID, from, to engine.State) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.boxes[id]
	if b == nil || b.info.State != from {
		return false
	}
	b.info.State = to
	return true
}

// Unavailable takes the daemon down or up. While it is down every call is Unavailable; going down breaks all watches and cuts the streams of all processes. Containers and programs go on.
func (e *Engine) Unavailable(down bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.down == down {
		return
	}
	e.down = down
	if !down {
		e.wentDown = make(chan struct{})
		return
	}
	close(e.wentDown)
	for w := range e.watchers {
		w.broken = true
		w.wakeUp()
	}
	for _, b := range e.boxes {
		for _, p := range b.procs {
			p.detach(errUnavailable)
		}
	}
}

// Calls says how often an operation was called so far, whatever became of it.
func (e *Engine) Calls(op string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls[op]
}

// Spec gives the spec that a container was created from; false if there is no such container.
func (e *Engine) Spec(id engine.ID) (engine.Spec, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := e.boxes[id]; b != nil {
		return cloneSpec(b.spec), true
	}
	return engine.Spec{}, false
}

// call is the way of every engine call: its failpoints, its effect under the lock, and the hold of its reply.
func (e *Engine) call(ctx context.Context, op, subject string, effect func() error) error {
	if err := e.enter(ctx, op, subject); err != nil {
		return err
	}
	e.mu.Lock()
	err := e.failpointLocked(op, subject)
	if err == nil {
		err = effect()
	}
	e.mu.Unlock()
	if lerr := e.stop(ctx, op, subject, true); lerr != nil {
		return lerr
	}
	return err
}

// enter counts the call and holds it before its effect.
func (e *Engine) enter(ctx context.Context, op, subject string) error {
	e.mu.Lock()
	e.calls[op]++
	e.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fail(op, subject, engine.Canceled, err)
	}
	return e.stop(ctx, op, subject, false)
}

// stop waits at the first hold that matches, if there is one.
func (e *Engine) stop(ctx context.Context, op, subject string, after bool) error {
	h := e.takeHold(op, subject, after)
	if h == nil {
		return nil
	}
	close(h.entered)
	select {
	case <-h.released:
		return nil
	case <-ctx.Done():
		return fail(op, subject, engine.Canceled, ctx.Err())
	}
}

func (e *Engine) takeHold(op, subject string, after bool) *hold {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, h := range e.holds {
		if h.op == op && h.after == after && (h.match == nil || h.match(subject)) {
			e.holds = append(e.holds[:i:i], e.holds[i+1:]...)
			return h
		}
	}
	return nil
}

// failpointLocked says whether the call has to fail, because a test or the daemon says so.
func (e *Engine) failpointLocked(op, subject string) error {
	if e.down {
		return fail(op, subject, engine.Unavailable, errUnavailable)
	}
	fs := e.fails[op]
	if len(fs) == 0 {
		return nil
	}
	e.fails[op] = fs[1:]
	if engine.KindOf(fs[0]) != "" {
		return fs[0]
	}
	return fail(op, subject, engine.Failed, fs[0])
}
