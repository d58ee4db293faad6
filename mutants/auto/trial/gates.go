package trial

import (
	"context"
	"slices"
	"sync"

	"podlife/runtime/container"
	"podlife/runtime/pod"
)

// point is a place at which a call of the server into the world below can be held.
type point string

const (
	beforeLaunch point = "before launch"
	afterLaunch  point = "after launch"
	afterBoot    point = "after boot" // a boot's reply that is on its way
	afterShell   point = "after shell"
	beforeRemove point = "before remove"
)

// gate holds the next call at a point, for any incarnation.
type gate struct {
	at      point
	entered chan struct{} // closed when a call has arrived
	opened  chan struct{}
	open    func() // safe to call more than once
}

// gated is the world below the pods, real in all but that its calls can be held, and that a shell says which container it is in.
type gated struct {
	*container.Containers

	mu    sync.Mutex // guards the following
	gates []*gate
}

var _ pod.Containers = (*gated)(nil)

// hold puts up a gate.
func (g *gated) hold(at point) *gate {
	h := &gate{at: at, entered: make(chan struct{}), opened: make(chan struct{})}
	h.open = sync.OnceFunc(func() { close(h.opened) })
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gates = append(g.gates, h)
	return h
}

func (g *gated) pass(ctx context.Context, at point) {
	g.mu.Lock()
	i := slices.IndexFunc(g.gates, func(h *gate) bool { return h.at == at })
	if i < 0 {
		g.mu.Unlock()
		return
	}
	h := g.gates[i]
	g.gates = slices.Delete(g.gates, i, i+1)
	g.mu.Unlock()
	close(h.entered)
	select {
	case <-h.opened:
	case <-ctx.Done():
	}
}

// Launch implements pod.Containers.
func (g *gated) Launch(ctx context.Context, inc pod.Incarnation) (pod.ContainerID, error) {
	g.pass(ctx, beforeLaunch)
	id, err := g.Containers.Launch(ctx, inc)
	g.pass(ctx, afterLaunch)
	return id, err
}

// Boot implements pod.Containers.
func (g *gated) Boot(ctx context.Context, c pod.ContainerID, inc pod.Incarnation, progress func(pod.Progress)) error {
	err := g.Containers.Boot(ctx, c, inc, progress)
	g.pass(ctx, afterBoot)
	return err
}

// Shell implements pod.Containers.
func (g *gated) Shell(ctx context.Context, c pod.ContainerID, inc pod.Incarnation, req pod.ShellRequest) (pod.Shell, error) {
	s, err := g.Containers.Shell(ctx, c, inc, req)
	g.pass(ctx, afterShell)
	if err != nil {
		return nil, err
	}
	return &located{Shell: s, container: c}, nil
}

// Remove implements pod.Containers.
func (g *gated) Remove(ctx context.Context, c pod.ContainerID) error {
	g.pass(ctx, beforeRemove)
	return g.Containers.Remove(ctx, c)
}

// located is a shell of which is known where it was started.
type located struct {
	pod.Shell
	container pod.ContainerID
}
