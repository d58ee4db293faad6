package lockstep

import (
	"context"
	"io"
	"sync"

	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// launchKey is the key of a launch in its context.
type launchKey struct{}

// launch is one call of Launch. Once its start has failed the engine fails to remove what was made too, as one with a full disk may: that is left for the teardown.
type launch struct {
	n      int
	failed bool // written by the goroutine that launches, and read by it alone
}

// wire is between one life of the server and the engine. When that life is over, nothing that it still does takes effect; but a boot that runs in a container goes on, as it does until the end of its
// connection has come to it.
type wire struct {
	engine engine.Engine
	floor  *floor
	ctx    context.Context // ends with the life
	pumps  *sync.WaitGroup // of the world: they end with the boots

	mu    sync.Mutex // guards the following
	procs map[*process]struct{}
}

var _ engine.Engine = (*wire)(nil)

func dead(op, subject string) error {
	return &engine.Error{Op: op, Subject: subject, Kind: engine.Unavailable, Err: errDead}
}

// call is the way of every call.
func (w *wire) call(ctx context.Context, op, subject string, do func(context.Context) error) error {
	if w.floor.isDead() {
		return dead(op, subject)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.ctx, cancel)()
	if err := do(ctx); err != nil || !w.floor.isDead() {
		return err
	}
	return dead(op, subject)
}

// Ping asks whether the engine is up.
func (w *wire) Ping(ctx context.Context) error { return w.call(ctx, "ping", "", w.engine.Ping) }

// HasImage asks for an image.
func (w *wire) HasImage(ctx context.Context, image string) (has bool, err error) {
	err = w.call(ctx, "hasimage", image, func(ctx context.Context) (err error) {
		has, err = w.engine.HasImage(ctx, image)
		return err
	})
	return has, err
}

// Image looks at an image.
func (w *wire) Image(ctx context.Context, reference string) (image engine.Image, err error) {
	err = w.call(ctx, "image", reference, func(ctx context.Context) (err error) {
		image, err = w.engine.Image(ctx, reference)
		return err
	})
	return image, err
}

// Create makes a container.
func (w *wire) Create(ctx context.Context, spec engine.Spec) (id engine.ID, err error) {
	err = w.call(ctx, "create", spec.Name, func(ctx context.Context) (err error) {
		id, err = w.engine.Create(ctx, spec)
		return err
	})
	return id, err
}

// Start starts one, when the path says so, or fails.
func (w *wire) Start(ctx context.Context, id engine.ID) error {
	l, _ := ctx.Value(launchKey{}).(*launch)
	if l == nil {
		return w.call(ctx, "start", string(id), func(ctx context.Context) error { return w.engine.Start(ctx, id) })
	}
	if err := w.floor.arrive(ctx, atStart, l.n, ""); err != nil {
		if w.floor.isDead() {
			return dead("start", string(id))
		}
		l.failed = true
		return &engine.Error{Op: "start", Subject: string(id), Kind: engine.Failed, Err: err}
	}
	return w.call(ctx, "start", string(id), func(ctx context.Context) error { return w.engine.Start(ctx, id) })
}

// leaves says whether this is the clean-up of a launch that has failed.
func leaves(ctx context.Context) bool {
	l, _ := ctx.Value(launchKey{}).(*launch)
	return l != nil && l.failed
}

// Exec starts a process.
func (w *wire) Exec(ctx context.Context, id engine.ID, spec engine.ExecSpec) (engine.Process, error) {
	boots := len(spec.Command) > 2 && spec.Command[2] == "boot"
	living := ctx
	if boots {
		living = context.WithoutCancel(ctx)
	}
	var started engine.Process
	err := w.call(ctx, "exec", string(id), func(context.Context) (err error) {
		started, err = w.engine.Exec(living, id, spec)
		return err
	})
	if started == nil {
		return nil, err
	}
	p := &process{Process: started, w: w}
	if boots {
		p.pump()
	}
	w.mu.Lock()
	w.procs[p] = struct{}{}
	w.mu.Unlock()
	if w.floor.isDead() {
		p.end()
		return nil, dead("exec", string(id))
	}
	return p, nil
}

// Inspect looks at one.
func (w *wire) Inspect(ctx context.Context, id engine.ID) (c engine.Container, err error) {
	err = w.call(ctx, "inspect", string(id), func(ctx context.Context) (err error) {
		c, err = w.engine.Inspect(ctx, id)
		return err
	})
	return c, err
}

// List lists.
func (w *wire) List(ctx context.Context, labels map[string]string) (cs []engine.Container, err error) {
	if leaves(ctx) {
		return nil, &engine.Error{Op: "list", Kind: engine.Failed, Err: errRefused}
	}
	err = w.call(ctx, "list", "", func(ctx context.Context) (err error) {
		cs, err = w.engine.List(ctx, labels)
		return err
	})
	return cs, err
}

// Remove removes one.
func (w *wire) Remove(ctx context.Context, id engine.ID) error {
	return w.call(ctx, "remove", string(id), func(ctx context.Context) error { return w.engine.Remove(ctx, id) })
}

// MakeVolume makes a volume.
func (w *wire) MakeVolume(ctx context.Context, name string, labels map[string]string) error {
	return w.call(ctx, "makevolume", name, func(ctx context.Context) error { return w.engine.MakeVolume(ctx, name, labels) })
}

// Volume looks at one.
func (w *wire) Volume(ctx context.Context, name string) (v engine.Volume, err error) {
	err = w.call(ctx, "volume", name, func(ctx context.Context) (err error) {
		v, err = w.engine.Volume(ctx, name)
		return err
	})
	return v, err
}

// Volumes lists them.
func (w *wire) Volumes(ctx context.Context, labels map[string]string) (vs []engine.Volume, err error) {
	err = w.call(ctx, "volumes", "", func(ctx context.Context) (err error) {
		vs, err = w.engine.Volumes(ctx, labels)
		return err
	})
	return vs, err
}

// RemoveVolume removes one.
func (w *wire) RemoveVolume(ctx context.Context, name string) error {
	return w.call(ctx, "removevolume", name, func(ctx context.Context) error { return w.engine.RemoveVolume(ctx, name) })
}

// Watch is not asked for: what the server is told of the engine's events comes from the path.
func (w *wire) Watch(ctx context.Context, _ map[string]string, _ func(), _ func(engine.Event)) error {
	<-ctx.Done()
	return nil
}

// cut ends the connections, when this life is over.
func (w *wire) cut() {
	w.mu.Lock()
	procs := w.procs
	w.procs = map[*process]struct{}{}
	w.mu.Unlock()
	for p := range procs {
		p.end()
	}
}

// process is a process whose connection ends with its server, but for that of a boot: that alone is not noticed in the container.
type process struct {
	engine.Process
	w   *wire
	out *io.PipeReader // of a boot
}

// pump reads a boot's output for as long as it runs, whoever listens.
func (p *process) pump() {
	out, in := io.Pipe()
	p.out = out
	p.w.pumps.Go(func() {
		_, err := io.Copy(in, p.Process)
		if p.w.floor.isDead() {
			_, err = io.Copy(io.Discard, p.Process)
		}
		_ = in.CloseWithError(err) // never fails
	})
}

// end is what becomes of it when its server dies.
func (p *process) end() {
	if p.out != nil {
		_ = p.out.CloseWithError(errDead) // never fails
		return
	}
	_ = p.Process.Close() // a connection that ends, whatever is said of it
}

// Read reads; what a dead server would read is nothing.
func (p *process) Read(b []byte) (int, error) {
	if p.w.floor.isDead() {
		return 0, dead("read", "")
	}
	if p.out != nil {
		return p.out.Read(b)
	}
	return p.Process.Read(b)
}

// Write writes, as long as the server lives.
func (p *process) Write(b []byte) (int, error) {
	if p.w.floor.isDead() {
		return 0, dead("write", "")
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
	if p.w.floor.isDead() {
		return nil
	}
	p.w.mu.Lock()
	delete(p.w.procs, p)
	p.w.mu.Unlock()
	if p.out != nil {
		_ = p.out.CloseWithError(engine.ErrClosed) // never fails
	}
	return p.Process.Close()
}

// storeWire is between one life of the server and the store.
type storeWire struct {
	store pod.Store
	floor *floor

	mu     sync.Mutex // guards the following
	refuse bool       // nothing can be stored now
	saves  int        // that took effect
}

// Load gives all records.
func (s *storeWire) Load(ctx context.Context) ([]pod.Record, error) {
	if s.floor.isDead() {
		return nil, errDead
	}
	return s.store.Load(ctx)
}

// Save stores one.
func (s *storeWire) Save(ctx context.Context, r pod.Record) error {
	if s.floor.isDead() {
		return errDead
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse {
		return errRefused
	}
	err := s.store.Save(ctx, r)
	if err == nil {
		s.saves++
	}
	return err
}

// refusing sets whether everything is refused, and count gives how many saves took effect.
func (s *storeWire) refusing(refuse bool) { s.mu.Lock(); defer s.mu.Unlock(); s.refuse = refuse }
func (s *storeWire) count() int           { s.mu.Lock(); defer s.mu.Unlock(); return s.saves }
