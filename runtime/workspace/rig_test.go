package workspace_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
	"podlife/runtime/store"
	"podlife/runtime/workspace"
)

const image = "image"

var errDisk = errors.New("the disk is broken")

// homes are volumes in memory, which can be made to fail. What they are in an engine, conformance/workspace has.
type homes struct {
	mu      sync.Mutex // guards the following
	there   map[string]pod.ID
	failing error
	foreign bool          // HasHome finds somebody else's of that name
	waits   chan struct{} // RemoveHome waits for it; nil is not
}

func (h *homes) HomeVolume(id pod.ID) string { return "home-" + string(id) }

func (h *homes) MakeHome(_ context.Context, volume string, id pod.ID) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failing == nil {
		h.there[volume] = id
	}
	return h.failing
}

func (h *homes) RemoveHome(ctx context.Context, volume string) error {
	h.mu.Lock()
	waits := h.waits
	h.mu.Unlock()
	if waits != nil {
		select {
		case <-waits:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failing == nil {
		delete(h.there, volume)
	}
	return h.failing
}

func (h *homes) HasHome(_ context.Context, volume string) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ok := h.there[volume]
	if h.foreign {
		return false, &workspace.ForeignVolumeError{Volume: volume}
	}
	return ok, nil
}

func (h *homes) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failing = err
}

// removeByHand is somebody at the engine.
func (h *homes) removeByHand(volume string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.there, volume)
}

func (h *homes) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.there)
}

// rig is a machine on which one server after the other runs.
type rig struct {
	*workspace.Catalogue
	t          *testing.T
	homes      *homes
	engine     *simulated.Engine
	store      *store.Store
	pods       *pod.Manager
	containers *container.Containers

	defaultClass workspace.Class
	images       []string // that are allowed beside the default
}

// within runs a claim in a bubble, with a server.
func within(t *testing.T, claim func(t *testing.T, r *rig)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), filepath.Join(dir, "podlife.db"))
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{t: t, homes: &homes{there: map[string]pod.ID{}}, store: s, engine: simulated.New(simulated.Options{Images: []string{image, "other", "third"}, Lookup: simprograms.New().Lookup})}
		r.start()
		claim(t, r)
		r.stop()
		r.engine.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func (r *rig) start() {
	r.t.Helper()
	log := slog.New(slog.DiscardHandler)
	var err error
	if r.containers, err = container.New(container.Options{
		Engine: r.engine, Instance: r.store.Instance(), NamePrefix: "ws", Image: image, AgentPath: boot.AgentPath, Logger: log,
		Recipe: boot.Recipe{Packages: []string{"tmux"}, UserScript: "true"}, PodImage: func(id pod.ID) string { return r.PodImage(id) },
	}); err != nil {
		r.t.Fatal(err)
	}
	r.pods = pod.NewManager(pod.Options{
		Containers: r.containers, Store: r.store, Clock: pod.SystemClock{}, Logger: log, IdleTimeout: 30 * time.Minute, Leases: r.store, MaxLease: 24 * time.Hour,
	})
	r.Catalogue = workspace.New(workspace.Options{Pods: r.pods, Store: r.store, Homes: r.homes, Clock: pod.SystemClock{}, Logger: log, MostPods: 3, DefaultClass: r.defaultClass, Image: image, AllowedImages: r.images, Engine: r.containers})
	if err := errors.Join(r.Recover(r.t.Context()), r.pods.Recover(r.t.Context())); err != nil {
		r.t.Fatal(err)
	}
}

// stop ends the server; what it has in store, engine and volumes stays.
func (r *rig) stop() {
	r.Catalogue.Close()
	r.pods.Close()
	r.containers.Close()
}

func (r *rig) create(name string, class workspace.Class) workspace.Info {
	r.t.Helper()
	i, err := r.Create(r.t.Context(), "alice", workspace.Request{Name: name, Class: class})
	if err != nil {
		r.t.Fatal(err)
	}
	return i
}

func (r *rig) boot(id pod.ID) {
	r.t.Helper()
	if _, err := r.pods.Pod(id).Boot(r.t.Context(), "tab", nil); err != nil {
		r.t.Fatal(err)
	}
}

// containersOf is how many containers the engine has of a pod.
func (r *rig) containersOf(id pod.ID) int {
	r.t.Helper()
	all, err := r.engine.List(r.t.Context(), map[string]string{container.LabelPod: string(id)})
	if err != nil {
		r.t.Fatal(err)
	}
	n := 0
	for _, c := range all {
		if c.State != engine.Removing {
			n++
		}
	}
	return n
}
