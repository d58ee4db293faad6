// Package simulated is a container engine in memory: engine.Engine without containers, for tests that need every order of events, including the ones a real engine shows once a year.
//
// It imports runtime/engine and nothing else of the project. Programs are Go functions, files are a map, and failpoints hold, fail or lose single calls. There is no timer, no real I/O and no
// goroutine but one for each program that runs, all of it blocked on channels only, so it works inside a testing/synctest bubble. Read this file first, then program.go, volumes.go and failpoints.go.
package simulated

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"podlife/runtime/engine"
)

// Options say what the simulated machine holds.
type Options struct {
	// Lookup finds the program of a command line, for PID 1 as for execs; nil when there is no such command. It is called without locks held and may be called from several goroutines.
	Lookup func(argv []string) Program
	// Images are the images that are present. Nil means that every image is.
	Images []string
	// Now tells the time of events and creations. Nil means time.Now, which inside a synctest bubble is the bubble's.
	Now func() time.Time
}

// Engine is the simulated engine. Close it when the test ends.
type Engine struct {
	lookup func(argv []string) Program
	images []string
	now    func() time.Time
	wg     sync.WaitGroup // programs

	mu       sync.Mutex        // guards the following and everything inside the boxes
	tags     map[string]string // what a reference leads to where that is not the image of its own name
	boxes    map[engine.ID]*box
	volumes  map[string]*volume
	seq      int
	down     bool
	wentDown chan struct{} // closed while down
	watchers map[*watcher]bool
	holds    []*hold
	fails    map[string][]error
	calls    map[string]int
}

var _ engine.Engine = (*Engine)(nil)

// box is one container.
type box struct {
	seq    int // order of creation
	info   engine.Container
	spec   engine.Spec
	files  disk // the container's own
	drives []drive
	procs  map[int]*process
	pids   int // last PID given
}

var (
	errUnavailable = errors.New("the simulated engine is down")
	errGone        = errors.New("no such container")
)

// New makes an engine without containers.
func New(o Options) *Engine {
	e := &Engine{
		lookup: o.Lookup, images: o.Images, now: o.Now,
		boxes: map[engine.ID]*box{}, tags: map[string]string{}, volumes: map[string]*volume{}, watchers: map[*watcher]bool{}, fails: map[string][]error{}, calls: map[string]int{},
		wentDown: make(chan struct{}),
	}
	if e.lookup == nil {
		e.lookup = func([]string) Program { return nil }
	}
	if e.now == nil {
		e.now = time.Now
	}
	return e
}

// Close ends every container, makes the engine unavailable for good and waits until all programs have returned. A program that ignores its context makes it wait for ever.
func (e *Engine) Close() {
	e.Unavailable(true)
	e.mu.Lock()
	for _, b := range e.boxes {
		e.dieLocked(b, killed, false)
	}
	e.mu.Unlock()
	e.wg.Wait()
}

func fail(op, subject string, kind engine.Kind, err error) error {
	return &engine.Error{Op: op, Subject: subject, Kind: kind, Err: err}
}

// Ping answers whether the engine is up.
func (e *Engine) Ping(ctx context.Context) error {
	return e.call(ctx, "ping", "", func() error { return nil })
}

// HasImage says whether the image is among Options.Images.
func (e *Engine) HasImage(ctx context.Context, image string) (has bool, err error) {
	err = e.call(ctx, "hasimage", image, func() error {
		has = e.hasImage(image)
		return nil
	})
	return has, err
}

func (e *Engine) hasImage(image string) bool {
	return e.images == nil || slices.ContainsFunc(e.images, func(i string) bool { return i == image || e.imageIDLocked(i) == image })
}

// Image gives the image of this name, or that to which Tag has moved it.
func (e *Engine) Image(ctx context.Context, reference string) (image engine.Image, err error) {
	err = e.call(ctx, "image", reference, func() error {
		if !e.hasImage(reference) {
			return fail("image", reference, engine.ImageMissing, fmt.Errorf("no such image %q", reference))
		}
		image = engine.Image{ID: e.imageIDLocked(reference)}
		return nil
	})
	return image, err
}

// imageIDLocked is the ID of the image to which a reference leads. Each name is another image, until it is moved.
func (e *Engine) imageIDLocked(reference string) string {
	if to, moved := e.tags[reference]; moved {
		reference = to
	}
	if strings.HasPrefix(reference, "sha256:") {
		return reference // it is one
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(reference)))
}

// Tag moves a reference to the image of another name, as docker tag does. What runs stays what it is.
func (e *Engine) Tag(image, reference string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tags[reference] = image
}

// Create makes a container, and the volumes that it names and that are not there. If the caller's context ends before it is told, the container is removed again.
func (e *Engine) Create(ctx context.Context, spec engine.Spec) (id engine.ID, err error) {
	if err := spec.Validate(); err != nil {
		return "", fail("create", spec.Name, engine.Invalid, err)
	}
	err = e.call(ctx, "create", spec.Name, func() error {
		if !e.hasImage(spec.Image) {
			return fail("create", spec.Name, engine.ImageMissing, fmt.Errorf("no such image %q", spec.Image))
		}
		for _, b := range e.boxes {
			if b.info.Name == spec.Name {
				return fail("create", spec.Name, engine.Conflict, fmt.Errorf("the name is taken by container %s", b.info.ID))
			}
		}
		e.seq++
		id = engine.ID(fmt.Sprintf("sim%09d", e.seq))
		e.boxes[id] = &box{
			seq:    e.seq,
			info:   engine.Container{ID: id, Name: spec.Name, Image: spec.Image, ImageID: e.imageIDLocked(spec.Image), Labels: maps.Clone(spec.Labels), State: engine.Created, Created: e.now()},
			spec:   cloneSpec(spec),
			files:  disk{},
			drives: e.drivesLocked(spec.Volumes),
			procs:  map[int]*process{},
		}
		e.emitLocked(e.boxes[id], engine.Made)
		return nil
	})
	if err != nil && id != "" {
		e.mu.Lock()
		e.removeLocked(id)
		e.mu.Unlock()
		id = ""
	}
	return id, err
}

// Start runs PID 1.
func (e *Engine) Start(ctx context.Context, id engine.ID) error {
	spec, _ := e.Spec(id)
	program := e.lookup(spec.Command)
	return e.call(ctx, "start", string(id), func() error {
		b := e.boxes[id]
		switch {
		case b == nil:
			return fail("start", string(id), engine.NotFound, errGone)
		case b.info.State == engine.Running:
			return nil
		case b.info.State == engine.Paused:
			return fail("start", string(id), engine.Failed, errors.New("the container is paused"))
		}
		if program == nil {
			return fail("start", string(id), engine.Failed, fmt.Errorf("%q: executable file not found", b.spec.Command[0]))
		}
		b.info.State, b.info.ExitCode, b.info.OOMKilled, b.pids = engine.Running, 0, false, 0
		p := e.newProcess(b, engine.ExecSpec{Command: b.spec.Command})
		p.detach(errNobody) // PID 1 has neither input nor a reader
		e.run(p, program)
		return nil
	})
}

// Inspect looks at one container.
func (e *Engine) Inspect(ctx context.Context, id engine.ID) (c engine.Container, err error) {
	err = e.call(ctx, "inspect", string(id), func() error {
		b := e.boxes[id]
		if b == nil {
			return fail("inspect", string(id), engine.NotFound, errGone)
		}
		c = b.copy()
		return nil
	})
	return c, err
}

// List gives the containers with these labels in the order of their creation.
func (e *Engine) List(ctx context.Context, labels map[string]string) (cs []engine.Container, err error) {
	err = e.call(ctx, "list", "", func() error {
		boxes := slices.SortedFunc(maps.Values(e.boxes), func(a, b *box) int { return a.seq - b.seq })
		for _, b := range boxes {
			if carries(b.info.Labels, labels) {
				cs = append(cs, b.copy())
			}
		}
		return nil
	})
	return cs, err
}

// Remove ends and removes a container.
func (e *Engine) Remove(ctx context.Context, id engine.ID) error {
	return e.call(ctx, "remove", string(id), func() error {
		e.removeLocked(id)
		return nil
	})
}

func (e *Engine) removeLocked(id engine.ID) {
	b := e.boxes[id]
	if b == nil {
		return
	}
	e.dieLocked(b, killed, false)
	b.info.State = engine.Removing // for whoever still holds the box
	delete(e.boxes, id)
	e.emitLocked(b, engine.Removed)
}

// dieLocked ends PID 1 and with it every process.
func (e *Engine) dieLocked(b *box, code int, oom bool) {
	if !b.alive() {
		return
	}
	b.info.State, b.info.ExitCode, b.info.OOMKilled = engine.Exited, code, oom
	for _, pid := range slices.Sorted(maps.Keys(b.procs)) {
		e.endLocked(b.procs[pid], killed)
	}
	e.emitLocked(b, engine.Died)
}

// alive says whether the container has its processes.
func (b *box) alive() bool { return b.info.State == engine.Running || b.info.State == engine.Paused }

func (b *box) copy() engine.Container {
	c := b.info
	c.Labels = maps.Clone(c.Labels)
	return c
}

func cloneSpec(s engine.Spec) engine.Spec {
	s.Command, s.Env, s.Labels = slices.Clone(s.Command), slices.Clone(s.Env), maps.Clone(s.Labels)
	s.Mounts, s.Copies, s.Volumes = slices.Clone(s.Mounts), slices.Clone(s.Copies), slices.Clone(s.Volumes)
	return s
}

func carries(got, want map[string]string) bool {
	for k, v := range want {
		if g, ok := got[k]; !ok || g != v {
			return false
		}
	}
	return true
}
