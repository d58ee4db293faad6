package server

import (
	"context"
	"errors"
	"sync"

	"podlife/runtime/container"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
)

// homes are the volumes of an engine, which as such removes none that a container may have.
type homes struct {
	engine *simulated.Engine

	mu     sync.Mutex // guards the following
	made   map[string]pod.ID
	broken error // what every call says; nil for none
}

func (h *homes) HomeVolume(id pod.ID) string { return "t-" + string(id) + "-home" }

func (h *homes) MakeHome(_ context.Context, volume string, id pod.ID) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken == nil {
		h.made[volume] = id
	}
	return h.broken
}

func (h *homes) RemoveHome(ctx context.Context, volume string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken != nil {
		return h.broken
	}
	using, err := h.engine.List(ctx, map[string]string{container.LabelPod: string(h.made[volume])})
	if err != nil {
		return err
	}
	if len(using) > 0 {
		return errors.New("volume is in use")
	}
	delete(h.made, volume)
	return nil
}

func (h *homes) HasHome(_ context.Context, volume string) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.made[volume] != "", h.broken
}

// breakWith has every call fail, or with nil none.
func (h *homes) breakWith(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = err
}

// all gives the volumes that there are.
func (h *homes) all() (volumes []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for v := range h.made {
		volumes = append(volumes, v)
	}
	return volumes
}
