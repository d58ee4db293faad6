package lockstep

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"podlife/model/podruntime"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
)

// SimulatedOptions are those of a world in memory.
type SimulatedOptions struct {
	// Settle waits until nothing moves any more: testing/synctest's Wait, for a world that is made inside a bubble. Nil: only what must happen is waited for.
	Settle func()
	// ImageMarked is the specification's constant: the image carries a marker of somebody else.
	ImageMarked bool
	// Store is one in memory if it is nil.
	Store pod.Store
}

// Simulated is a world in memory.
type Simulated struct {
	o        SimulatedOptions
	engine   *simulated.Engine
	programs *simprograms.Programs
	setup    Setup

	mu      sync.Mutex // guards the following
	recipe  boot.Recipe
	scripts map[int]*script // the newest of each incarnation
	begun   chan struct{}   // closed, and made anew, when one begins
}

// script is one run of the boot command in a container.
type script struct {
	start   chan struct{}            // closed when it may look at the marker
	gates   map[string]chan struct{} // of its steps: closed when it may do it
	arrived map[string]chan struct{} // of its steps: closed when it is about to do it
	reply   chan struct{}            // closed when its result may be told
	end     context.CancelFunc       // ends what it does, as a signal from outside does

	mu    sync.Mutex // guards the following
	state podruntime.Script
	told  chan struct{} // closed when it has a result
	shut  map[chan struct{}]bool
}

var _ World = (*Simulated)(nil)

// NewSimulated gives a world in memory.
func NewSimulated(o SimulatedOptions) *Simulated {
	w := &Simulated{o: o, programs: simprograms.New(), scripts: map[int]*script{}, begun: make(chan struct{})}
	if o.Store == nil {
		w.o.Store = NewStore()
	}
	w.programs.Gate(w.gate)
	w.engine = simulated.New(simulated.Options{Lookup: w.lookup})
	w.setup = Setup{Engine: w.engine, Store: w.o.Store, Instance: "lockstep", Prefix: "lockstep", Image: "image", AgentPath: "/agent", Pod: podruntime.PodName}
	if o.ImageMarked {
		w.setup.Engine = markedImage{w.engine}
	}
	return w
}

// Setup implements World.
func (w *Simulated) Setup() Setup { return w.setup }

// Recipe implements World. The repository's folder is what each wants for itself.
func (w *Simulated) Recipe(k int) boot.Recipe {
	w.mu.Lock()
	defer w.mu.Unlock()
	dir := fmt.Sprintf("/root/recipe%d", k)
	w.recipe = boot.Recipe{Packages: []string{"tmux", "git"}, Repo: boot.Repo{URL: "file:///srv" + dir + ".git", Dir: dir}, UserScript: "true"}.WithDefaults()
	return w.recipe
}

// Settle implements World.
func (w *Simulated) Settle() bool {
	if w.o.Settle == nil {
		return false
	}
	w.o.Settle()
	return true
}

// Cannot implements World.
func (w *Simulated) Cannot(Place, Step) bool { return false }

// Close implements World.
func (w *Simulated) Close() error {
	w.Died()
	w.engine.Close()
	return nil
}

// markedImage is an engine whose image carries the marker of another pod.
type markedImage struct{ *simulated.Engine }

// Create makes a container of it.
func (m markedImage) Create(ctx context.Context, spec engine.Spec) (engine.ID, error) {
	id, err := m.Engine.Create(ctx, spec)
	if err != nil {
		return id, err
	}
	files, ok := m.Files(id)
	if !ok {
		return id, nil // removed since
	}
	return id, files.Write(boot.MarkerPath, boot.Marker{Pod: "another", Incarnation: 1, Recipe: "other"}.Format())
}

// lookup gives the agent's programs, and holds a boot.
func (w *Simulated) lookup(argv []string) simulated.Program {
	program := w.programs.Lookup(argv)
	if program == nil || argv[2] != "boot" {
		return program
	}
	return func(ctx context.Context, p *simulated.Proc) int { return w.boot(ctx, p, program) }
}

func (w *Simulated) boot(living context.Context, p *simulated.Proc, program simulated.Program) int {
	ctx, end := context.WithCancel(living)
	defer end()
	s := newScript(end)
	n, _ := strconv.Atoi(p.Container.Labels[container.LabelIncarnation]) // the server's own label
	w.mu.Lock()
	before := w.scripts[n]
	w.scripts[n] = s
	close(w.begun)
	w.begun = make(chan struct{})
	w.mu.Unlock()
	if before != nil {
		before.end() // of a server that is dead: its connection has ended by now
		before.close(before.reply)
	}
	proc := *p
	proc.Stdout = &results{s: s, living: living, p: p}
	select {
	case <-s.start:
		return program(ctx, &proc)
	case <-ctx.Done():
	}
	result := boot.Event{Result: &boot.Result{Step: boot.StepScript, ExitCode: 143, Detail: "ended from outside"}}
	if err := json.NewEncoder(proc.Stdout).Encode(result); err != nil {
		return 137
	}
	return 1
}

func newScript(end context.CancelFunc) *script {
	s := &script{
		start: make(chan struct{}), gates: map[string]chan struct{}{}, arrived: map[string]chan struct{}{}, reply: make(chan struct{}), end: end,
		state: podruntime.ScriptOn, told: make(chan struct{}), shut: map[chan struct{}]bool{},
	}
	for _, name := range boot.Steps() {
		s.gates[name], s.arrived[name] = make(chan struct{}), make(chan struct{})
	}
	return s
}

// close closes one of its channels, once.
func (s *script) close(c chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.shut[c] {
		s.shut[c] = true
		close(c)
	}
}

// results is a boot's output. It holds the result back.
type results struct {
	s      *script
	living context.Context // of the process
	p      *simulated.Proc
}

// Write writes one event.
func (r *results) Write(b []byte) (int, error) {
	if bytes.HasPrefix(b, []byte(`{"result"`)) {
		var e boot.Event
		if err := json.Unmarshal(b, &e); err != nil {
			return 0, err
		}
		r.s.mu.Lock()
		r.s.state = podruntime.ScriptBad
		if e.Result.OK {
			r.s.state = podruntime.ScriptOK
		}
		r.s.mu.Unlock()
		r.s.close(r.s.told)
		select {
		case <-r.s.reply:
		case <-r.living.Done():
		}
	}
	return r.p.Stdout.Write(b)
}

// gate is asked at every step of every boot.
func (w *Simulated) gate(step simprograms.Step) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.scripts[step.Incarnation]
	s.close(s.arrived[step.Name])
	return s.gates[step.Name]
}

// Reply implements World.
func (w *Simulated) Reply(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.scripts[n]; s != nil {
		s.close(s.reply)
	}
}

// Died implements World.
func (w *Simulated) Died() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.scripts {
		s.close(s.reply)
	}
}
