package lockstep

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"podlife/runtime/container"
	"podlife/runtime/pod"
)

// life is one server on a world, from its start to its death.
type life struct {
	manager *pod.Manager
	pod     *pod.Pod
	floor   *floor
	gated   *gated
	wire    *wire
	store   *storeWire
	clock   *clock

	end      context.CancelFunc
	owned    sync.WaitGroup // its recovery, and its watch
	recovery chan error     // has its one answer
	steps    []pod.Step     // committed; guarded by floor.hub.mu
	never    []string       // what its log says and must never; guarded by floor.hub.mu
	recipe   int
}

// born starts a server with the k-th recipe. It is held before it has looked at the engine.
func born(w World, h *hub, pumps *sync.WaitGroup, k int) (*life, error) {
	setup := w.Setup()
	ctx, end := context.WithCancel(context.Background())
	l := &life{floor: newFloor(h), clock: newClock(h), end: end, recovery: make(chan error, 1), recipe: k}
	l.wire = &wire{engine: setup.Engine, floor: l.floor, ctx: ctx, pumps: pumps, procs: map[*process]struct{}{}}
	l.store = &storeWire{store: setup.Store, floor: l.floor}
	log := slog.New(logHold{l.floor, &l.never})
	containers, err := container.New(container.Options{
		Engine: l.wire, Instance: setup.Instance, NamePrefix: setup.Prefix, Image: setup.Image, AgentPath: setup.AgentPath, Network: setup.Network,
		Recipe: w.Recipe(k), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		end()
		return nil, fmt.Errorf("start a server: %w", err)
	}
	l.gated = &gated{Containers: containers, floor: l.floor, ctx: ctx, number: map[pod.ContainerID]int{}}
	l.manager = pod.NewManager(pod.Options{
		Containers: l.gated, Store: l.store, Clock: l.clock, Logger: log, IdleTimeout: idleTimeout, OnStep: l.onStep,
	})
	l.pod = l.manager.Pod(setup.Pod)
	l.owned.Go(func() {
		err := l.manager.Recover(ctx)
		h.change(func() { l.gated.recovered = true })
		l.recovery <- err
		if err == nil {
			l.manager.Run(ctx)
		}
	})
	return l, nil
}

// onStep is called under the pod's lock.
func (l *life) onStep(s pod.Step) {
	if l.floor.isDead() {
		return // of a server that is dead and does not know it
	}
	l.floor.hub.change(func() { l.steps = append(l.steps, s) })
}

// dies ends it as kill -9 does, and waits until nothing of it runs.
func (l *life) dies() {
	close(l.floor.dead)
	l.wire.cut()
	l.end()
	l.manager.Close()
	l.owned.Wait()
	l.clock.forget()
}
