package faults

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// errDead is what a server that has died is told by engine and store: nothing of it reaches them any more, and nothing comes back.
var errDead = errors.New("the server has died")

// errAway is what a server is told while the engine is out of reach.
var errAway = errors.New("the engine is away")

// Wire is between one life of the server and the world. When it is cut, nothing that this server still does takes effect, as after kill -9: calls do nothing, and the connections to processes end.
type Wire struct {
	m    *Machine
	tape *Tape
	life int
	dead atomic.Bool
	cut  chan struct{} // closed when it is dead
	ctx  context.Context
	end  context.CancelFunc // of the calls under way

	mu       sync.Mutex // guards the following
	procs    map[*process]struct{}
	away     bool          // the engine cannot be reached
	wentAway chan struct{} // closed while it is away
}

var _ engine.Engine = (*Wire)(nil)

func newWire(m *Machine, tape *Tape, life int) *Wire {
	w := &Wire{m: m, tape: tape, life: life, cut: make(chan struct{}), procs: map[*process]struct{}{}, wentAway: make(chan struct{})}
	w.ctx, w.end = context.WithCancel(context.Background())
	return w
}

// Away takes the engine out of this server's reach, or back. Calls fail, and connections to processes and events end; containers go on.
func (w *Wire) Away(away bool) {
	w.mu.Lock()
	if w.away == away || w.procs == nil {
		w.mu.Unlock()
		return
	}
	w.away = away
	if !away {
		w.wentAway = make(chan struct{})
		w.mu.Unlock()
		return
	}
	close(w.wentAway)
	procs := w.procs
	w.procs = map[*process]struct{}{}
	w.mu.Unlock()
	for p := range procs {
		_ = p.Process.Close() // a connection that ends, whatever is said of it
	}
}

// reach says whether the engine can be reached, and gives what is closed when it cannot be any more.
func (w *Wire) reach() (lost <-chan struct{}, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wentAway, !w.away
}

// Cut is the server's death.
func (w *Wire) Cut() {
	if w.dead.Swap(true) {
		return
	}
	close(w.cut)
	w.end()
	w.mu.Lock()
	procs := w.procs
	w.procs = nil
	w.mu.Unlock()
	for p := range procs {
		_ = p.Process.Close() // a connection that ends, whatever is said of it
	}
}

// moment passes one, and reports whether the server has outlived it.
func (w *Wire) moment(name string) (alive bool) {
	if w.dead.Load() {
		return false
	}
	if w.tape.moment(name) {
		w.Cut()
		return false
	}
	return true
}

func (w *Wire) deadErr(op, subject string) error {
	return &engine.Error{Op: op, Subject: subject, Kind: engine.Unavailable, Err: errDead}
}

// call is the way of every engine call: two moments, and the tape's fault between them.
func (w *Wire) call(ctx context.Context, op, subject string, do func(context.Context) error) error {
	if !w.moment("before " + op) {
		return w.deadErr(op, subject)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(w.ctx, cancel)
	defer stop()
	if d := w.tape.slow(); d > 0 && !w.wait(ctx, d) {
		return &engine.Error{Op: op, Subject: subject, Kind: engine.Canceled, Err: context.Cause(ctx)}
	}
	fault := w.tape.fault(op)
	if fault != nil && !fault.Lost {
		return fault.err(subject)
	}
	if _, ok := w.reach(); !ok {
		return &engine.Error{Op: op, Subject: subject, Kind: engine.Unavailable, Err: errAway}
	}
	err := do(ctx)
	if !w.moment("after " + op) {
		return w.deadErr(op, subject)
	}
	if fault != nil {
		return fault.err(subject)
	}
	return err
}

func (w *Wire) wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Ping asks whether the engine is up.
func (w *Wire) Ping(ctx context.Context) error {
	return w.call(ctx, "ping", "", w.m.Engine.Ping)
}

// HasImage asks for an image.
func (w *Wire) HasImage(ctx context.Context, image string) (has bool, err error) {
	err = w.call(ctx, "hasimage", image, func(ctx context.Context) (err error) {
		has, err = w.m.Engine.HasImage(ctx, image)
		return err
	})
	return has, err
}

// Image looks at an image.
func (w *Wire) Image(ctx context.Context, reference string) (image engine.Image, err error) {
	err = w.call(ctx, "image", reference, func(ctx context.Context) (err error) {
		image, err = w.m.Engine.Image(ctx, reference)
		return err
	})
	return image, err
}

// Create makes a container, and notes the number that it carries.
func (w *Wire) Create(ctx context.Context, spec engine.Spec) (id engine.ID, err error) {
	err = w.call(ctx, "create", spec.Name, func(ctx context.Context) (err error) {
		id, err = w.m.Engine.Create(ctx, spec)
		if err == nil {
			w.m.Truth.created(spec.Labels, w.life)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return id, nil
}

// Start starts one.
func (w *Wire) Start(ctx context.Context, id engine.ID) error {
	return w.call(ctx, "start", string(id), func(ctx context.Context) error { return w.m.Engine.Start(ctx, id) })
}

// Exec starts a process. Its streams live as long as its caller's context, and end with the wire.
func (w *Wire) Exec(ctx context.Context, id engine.ID, spec engine.ExecSpec) (engine.Process, error) {
	var started engine.Process
	err := w.call(ctx, "exec", string(id), func(context.Context) (err error) {
		started, err = w.m.Engine.Exec(ctx, id, spec)
		return err
	})
	if started == nil {
		return nil, err
	}
	p := &process{Process: started, w: w}
	w.mu.Lock()
	if w.procs != nil {
		w.procs[p] = struct{}{}
	}
	w.mu.Unlock()
	if _, ok := w.reach(); !ok && err == nil {
		err = &engine.Error{Op: "exec", Subject: string(id), Kind: engine.Unavailable, Err: errAway}
	}
	if w.dead.Load() || err != nil {
		_ = started.Close() // its server is dead, or was never told of it
		if err == nil {
			err = w.deadErr("exec", string(id))
		}
		return nil, err
	}
	return p, nil
}

// Inspect looks at one.
func (w *Wire) Inspect(ctx context.Context, id engine.ID) (c engine.Container, err error) {
	err = w.call(ctx, "inspect", string(id), func(ctx context.Context) (err error) {
		c, err = w.m.Engine.Inspect(ctx, id)
		return err
	})
	return c, err
}

// List lists.
func (w *Wire) List(ctx context.Context, labels map[string]string) (cs []engine.Container, err error) {
	err = w.call(ctx, "list", "", func(ctx context.Context) (err error) {
		cs, err = w.m.Engine.List(ctx, labels)
		return err
	})
	if err != nil {
		return nil, err
	}
	return cs, nil
}

// Remove removes one.
func (w *Wire) Remove(ctx context.Context, id engine.ID) error {
	return w.call(ctx, "remove", string(id), func(ctx context.Context) error { return w.m.Engine.Remove(ctx, id) })
}

// MakeVolume makes a volume.
func (w *Wire) MakeVolume(ctx context.Context, name string, labels map[string]string) error {
	return w.call(ctx, "makevolume", name, func(ctx context.Context) error { return w.m.Engine.MakeVolume(ctx, name, labels) })
}

// Volume looks at one.
func (w *Wire) Volume(ctx context.Context, name string) (v engine.Volume, err error) {
	err = w.call(ctx, "volume", name, func(ctx context.Context) (err error) {
		v, err = w.m.Engine.Volume(ctx, name)
		return err
	})
	return v, err
}

// Volumes lists them.
func (w *Wire) Volumes(ctx context.Context, labels map[string]string) (vs []engine.Volume, err error) {
	err = w.call(ctx, "volumes", "", func(ctx context.Context) (err error) {
		vs, err = w.m.Engine.Volumes(ctx, labels)
		return err
	})
	if err != nil {
		return nil, err
	}
	return vs, nil
}

// RemoveVolume removes one.
func (w *Wire) RemoveVolume(ctx context.Context, name string) error {
	return w.call(ctx, "removevolume", name, func(ctx context.Context) error { return w.m.Engine.RemoveVolume(ctx, name) })
}

// Watch follows the events. It has no moments of its own: what the server does about an event has.
func (w *Wire) Watch(ctx context.Context, labels map[string]string, onReady func(), onEvent func(engine.Event)) error {
	if w.dead.Load() {
		return w.deadErr("watch", "")
	}
	lost, ok := w.reach()
	if !ok {
		return &engine.Error{Op: "watch", Kind: engine.Unavailable, Err: errAway}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(w.ctx, cancel)
	defer stop()
	over := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		select {
		case <-lost:
			cancel()
		case <-over:
		}
	})
	err := w.m.Engine.Watch(ctx, labels, onReady, onEvent)
	close(over)
	waiting.Wait()
	return err
}

// process is a process whose connection ends with its server.
type process struct {
	engine.Process
	w *Wire
}

// Read reads; what a dead server would read is nothing.
func (p *process) Read(b []byte) (int, error) {
	if p.w.dead.Load() {
		return 0, p.w.deadErr("read", "")
	}
	return p.Process.Read(b)
}

// Write writes, as long as the server lives.
func (p *process) Write(b []byte) (int, error) {
	if p.w.dead.Load() {
		return 0, p.w.deadErr("write", "")
	}
	return p.Process.Write(b)
}

// Wait waits for the exit code, which is an answer of the engine like others.
func (p *process) Wait(ctx context.Context) (code int, err error) {
	err = p.w.call(ctx, "wait", "", func(ctx context.Context) (err error) {
		code, err = p.Process.Wait(ctx)
		return err
	})
	return code, err
}

// Close ends the connection.
func (p *process) Close() error {
	p.w.mu.Lock()
	delete(p.w.procs, p)
	p.w.mu.Unlock()
	return p.Process.Close()
}

// storeWire is the wire to the store.
type storeWire struct {
	*Wire
	store pod.Store
}

// Load gives all records.
func (w storeWire) Load(ctx context.Context) (all []pod.Record, err error) {
	if !w.moment("before load") {
		return nil, errDead
	}
	all, err = w.store.Load(ctx)
	if !w.moment("after load") {
		return nil, errDead
	}
	return all, err
}

// Save stores one, and notes what is stored.
func (w storeWire) Save(ctx context.Context, r pod.Record) error {
	if !w.moment("before save") {
		return errDead
	}
	if fault := w.tape.fault(Save); fault != nil {
		return fault.err(string(r.Pod))
	}
	err := w.store.Save(ctx, r)
	if err == nil {
		w.m.Truth.saved(r)
	}
	if !w.moment("after save") {
		return errDead
	}
	return err
}
