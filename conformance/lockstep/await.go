package lockstep

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// await waits until something holds that is looked at with the hub's lock held. A *Difference says that it never does.
func (r *runner) await(ctx context.Context, what string, holds func() bool) error {
	exact := r.w.Settle()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		ok := false
		var changed chan struct{}
		r.hub.look(func() { ok, changed = holds(), r.hub.ch })
		if ok {
			return nil
		}
		if exact {
			return r.never(what)
		}
		select {
		case <-changed:
		case <-limit.C:
			return r.never(what)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *runner) never(what string) error {
	seen := "it is not there"
	r.hub.look(func() {
		var at []string
		for _, h := range r.life.floor.held {
			at = append(at, strings.TrimSpace(fmt.Sprintf("%s %d %s", h.at, h.n, h.session)))
		}
		if len(at) > 0 {
			seen += "; held: " + strings.Join(at, ", ")
		}
		if steps := r.life.steps[r.folded:]; len(steps) > 0 {
			seen += "; committed: " + namesOf(steps)
		}
	})
	return &Difference{Lines: []Line{{what, "it comes", seen}}}
}

// release waits for what is held at a point, and lets it go on.
func (r *runner) release(ctx context.Context, at point, n int, session string, err error) error {
	var h *held
	if werr := r.await(ctx, fmt.Sprintf("%s (%d)", at, n), func() bool { h = r.life.floor.find(at, n, session); return h != nil }); werr != nil {
		return werr
	}
	r.hub.change(func() { r.life.floor.drop(h) })
	h.free(err)
	return nil
}

// committed waits until the server has committed this action, for this client and incarnation where they are named, since this group began.
func (r *runner) committed(ctx context.Context, action string, client string, n int) error {
	what := Step{action, client, n}.String()
	return r.await(ctx, "commit of "+what, func() bool {
		for _, s := range r.life.steps[r.folded:] {
			if s.Action == action && (client == "" || string(s.Client) == client) && (n == 0 || s.Inc == n) {
				return true
			}
		}
		return false
	})
}
