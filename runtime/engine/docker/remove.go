package docker

import (
	"context"
	"time"

	"github.com/docker/docker/api/types/container"

	"podlife/runtime/engine"
)

// removal is one removal under way and everybody who waits for it. err is set before done is closed.
type removal struct {
	done    chan struct{}
	err     error
	cancel  context.CancelFunc
	waiters int // guarded by Engine.mu
}

// removeTries bounds how often a removal that the daemon could not do (a busy mount, a missed exit event) is tried again.
const removeTries = 5

// Remove kills and removes a container, its disk and its anonymous volumes. Concurrent calls join one removal, so that all of them return when the name is free; the removal goes on until the last
// caller's context has ended.
func (e *Engine) Remove(ctx context.Context, id engine.ID) error {
	if !isID(id) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fail("remove", string(id), engine.Canceled, err)
	}
	r := e.joinRemoval(id)
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		e.mu.Lock()
		defer e.mu.Unlock()
		if r.waiters--; r.waiters == 0 {
			r.cancel()
			if e.removals[id] == r { // a later call begins anew instead of joining one that was given up
				delete(e.removals, id)
			}
		}
		return fail("remove", string(id), engine.Canceled, ctx.Err())
	}
}

func (e *Engine) joinRemoval(id engine.ID) *removal {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.removals[id]; r != nil {
		r.waiters++
		return r
	}
	ctx, cancel := context.WithCancel(e.background)
	r := &removal{done: make(chan struct{}), cancel: cancel, waiters: 1}
	e.removals[id] = r
	e.tasks.Go(func() {
		defer cancel()
		r.err = e.removeNow(ctx, id)
		e.mu.Lock()
		if e.removals[id] == r {
			delete(e.removals, id)
		}
		e.mu.Unlock()
		close(r.done)
	})
	return r
}

// removeNow does the removal. 404 and "removal already in progress" (B3) are success under way: somebody else, perhaps another process, is removing it, and its end is waited for.
func (e *Engine) removeNow(ctx context.Context, id engine.ID) error {
	pause := 50 * time.Millisecond
	for try := 1; ; try++ {
		err := e.cli.ContainerRemove(ctx, string(id), container.RemoveOptions{Force: true, RemoveVolumes: true})
		kind := kindOf(ctx, err)
		if kind == engine.Conflict {
			err = e.waitRemoved(ctx, id)
			kind = kindOf(ctx, err)
		}
		switch {
		case err == nil, kind == engine.NotFound:
			return nil
		case (kind == engine.Failed || kind == engine.Conflict) && try < removeTries:
			e.log.Warn("removal failed, trying again", "container", id, "err", err)
		default:
			if kind == engine.Conflict {
				kind = engine.Failed
			}
			return fail("remove", string(id), kind, err)
		}
		if serr := sleep(ctx, pause); serr != nil {
			return fail("remove", string(id), engine.Canceled, serr)
		}
		pause *= 2
	}
}

// waitRemoved waits for a removal that somebody else began. An answer without an error does not say that it worked, so the next look does.
func (e *Engine) waitRemoved(ctx context.Context, id engine.ID) error {
	// The library's goroutine gives its one answer without looking at the context, so both channels are read until there is one; the context ends the request itself.
	answer, failed := e.cli.ContainerWait(ctx, string(id), container.WaitConditionRemoved)
	select {
	case <-answer:
	case err := <-failed:
		return err
	}
	_, err := e.cli.ContainerInspect(ctx, string(id))
	if err == nil {
		return errStillThere
	}
	return err
}
