package docker

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"

	"podlife/runtime/engine"
)

// startRetryPause gives the daemon time to finish its own clean-up after a failed start.
const startRetryPause = 200 * time.Millisecond

// Start runs a created container. Only MaxStarts of them are under way at once; the others wait their turn, bounded by their contexts.
//
// A start that fails because something of that name "already exists" found a leftover of an earlier life of the daemon (B17): it is cleaned up where the API can, and tried once more.
func (e *Engine) Start(ctx context.Context, id engine.ID) error {
	if !isID(id) {
		return fail("start", string(id), engine.NotFound, errNoID)
	}
	select {
	case e.starts <- struct{}{}:
		defer func() { <-e.starts }()
	case <-ctx.Done():
		return fail("start", string(id), engine.Canceled, ctx.Err())
	}
	err := e.cli.ContainerStart(ctx, string(id), container.StartOptions{})
	if err != nil && strings.Contains(err.Error(), "already exists") {
		e.log.Warn("start met a leftover, trying once more", "container", id, "err", err)
		e.dropEndpoint(ctx, err)
		if serr := sleep(ctx, startRetryPause); serr != nil {
			return fail("start", string(id), engine.Canceled, serr)
		}
		err = e.cli.ContainerStart(ctx, string(id), container.StartOptions{})
	}
	if err == nil {
		return nil
	}
	kind := kindOf(ctx, err)
	switch kind {
	case engine.NotFound, engine.Conflict, engine.Invalid:
		kind = e.whyNotStarted(ctx, id, kind)
	}
	return fail("start", string(id), kind, err)
}

// whyNotStarted tells a container that is gone from one whose start failed: the daemon answers 404 also for a missing network, 400 for a command that is not there, 409 for a removal under way.
func (e *Engine) whyNotStarted(ctx context.Context, id engine.ID, answered engine.Kind) engine.Kind {
	c, err := e.Inspect(ctx, id)
	switch {
	case err == nil && c.State == engine.Removing:
		return engine.NotFound
	case err == nil:
		return engine.Failed
	case engine.KindOf(err) == engine.NotFound:
		return engine.NotFound
	case answered == engine.NotFound:
		return engine.KindOf(err)
	default:
		return engine.Failed
	}
}

var staleEndpoint = regexp.MustCompile(`endpoint with name (\S+) already exists in network (\S+)`)

// dropEndpoint removes a network endpoint that outlived its container, if that is what the error is about. Its failure shows as the failure of the second start.
func (e *Engine) dropEndpoint(ctx context.Context, start error) {
	m := staleEndpoint.FindStringSubmatch(start.Error())
	if m == nil {
		return
	}
	if err := e.cli.NetworkDisconnect(ctx, strings.TrimRight(m[2], ".:"), m[1], true); err != nil && !errors.Is(err, context.Canceled) {
		e.log.Warn("stale network endpoint not removed", "endpoint", m[1], "err", err)
	}
}
