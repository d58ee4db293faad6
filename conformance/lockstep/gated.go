package lockstep

import (
	"context"
	"errors"
	"sync"

	"podlife/runtime/container"
	"podlife/runtime/pod"
)

// errRefused is the cause of every failure that a path makes.
var errRefused = errors.New("refused by the path")

// gated is the world below the pods, real in all but that its calls are held until the path goes on.
type gated struct {
	*container.Containers
	floor *floor
	ctx   context.Context // ends with the life

	// Guarded by floor.hub.mu.
	recovered bool                    // Recover has looked
	blind     int                     // how many looks for the marker fail, as those of an engine that is away
	number    map[pod.ContainerID]int // the incarnation of each container
	onList    func([]pod.Found)
	onDied    func(pod.ContainerID)
}

var _ pod.Containers = (*gated)(nil)

// Launch implements pod.Containers.
func (g *gated) Launch(ctx context.Context, inc pod.Incarnation) (pod.ContainerID, error) {
	id, err := g.Containers.Launch(context.WithValue(ctx, launchKey{}, &launch{n: inc.Inc}), inc)
	if err == nil {
		g.name(id, inc.Inc)
	}
	return id, err
}

func (g *gated) name(id pod.ContainerID, n int) {
	g.floor.hub.change(func() { g.number[id] = n })
}

// numberOf gives a container's incarnation; 0 if it is not known.
func (g *gated) numberOf(id pod.ContainerID) (n int) {
	g.floor.hub.look(func() { n = g.number[id] })
	return n
}

// Provisioned implements pod.Containers.
func (g *gated) Provisioned(ctx context.Context, c pod.ContainerID, inc pod.Incarnation) error {
	blind := false
	g.floor.hub.look(func() {
		if g.blind > 0 {
			g.blind--
			blind = true
		}
	})
	if blind {
		return &pod.UnseenError{Err: errRefused}
	}
	return g.Containers.Provisioned(ctx, c, inc)
}

// Shell implements pod.Containers.
func (g *gated) Shell(ctx context.Context, c pod.ContainerID, inc pod.Incarnation, req pod.ShellRequest) (pod.Shell, error) {
	if err := g.floor.arrive(ctx, beforeShell, inc.Inc, req.Attempt); err != nil {
		return nil, &pod.UnseenError{Err: err}
	}
	s, err := g.Containers.Shell(ctx, c, inc, req)
	if err != nil {
		return nil, err
	}
	if err := g.floor.arrive(ctx, afterShell, inc.Inc, req.Attempt); err != nil {
		return nil, &pod.UnseenError{Err: errors.Join(err, s.Close())}
	}
	return &located{Shell: s, n: g.numberOf(c)}, nil
}

// located is a shell of which is known in whose container it was started.
type located struct {
	pod.Shell
	n int
}

// Remove implements pod.Containers.
func (g *gated) Remove(ctx context.Context, c pod.ContainerID) error {
	if err := g.floor.arrive(ctx, atRemove, g.numberOf(c), ""); err != nil {
		return &pod.UnseenError{Err: err}
	}
	return g.Containers.Remove(ctx, c)
}

// List implements pod.Containers.
func (g *gated) List(ctx context.Context) ([]pod.Found, error) {
	at := atRecoverNow
	g.floor.hub.look(func() {
		if g.recovered {
			at = atList
		}
	})
	if err := g.floor.arrive(ctx, at, 0, ""); err != nil {
		return nil, &pod.UnseenError{Err: err}
	}
	found, err := g.Containers.List(ctx)
	for _, f := range found {
		g.name(f.Container, f.Incarnation.Inc)
	}
	return found, err
}

// Watch keeps what the server wants to be told by; it is the path that tells it.
func (g *gated) Watch(ctx context.Context, onList func([]pod.Found), onDied func(pod.ContainerID)) {
	g.floor.hub.change(func() { g.onList, g.onDied = onList, onDied })
	select {
	case <-ctx.Done():
	case <-g.ctx.Done():
	}
}

// counted is a store of which nothing is known but that it keeps records: it is enough where the store's own durability is not what is asked.
type counted struct {
	mu      sync.Mutex // guards the following
	records map[pod.ID]pod.Record
}

// NewStore gives a store in memory that refuses what the real one refuses.
func NewStore() pod.Store { return &counted{records: map[pod.ID]pod.Record{}} }

// Load gives all records.
func (s *counted) Load(context.Context) ([]pod.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []pod.Record
	for _, r := range s.records {
		all = append(all, r)
	}
	return all, nil
}

// Save keeps one.
func (s *counted) Save(ctx context.Context, r pod.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.records[r.Pod].Inc > r.Inc:
		return pod.ErrOlderRecord
	}
	s.records[r.Pod] = r
	return nil
}
