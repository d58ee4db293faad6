package workspace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	table "podlife/model/workspace"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
	"podlife/runtime/store"
	"podlife/runtime/workspace"
)

const (
	image    = "image"
	main     = pod.ClientID("main")  // who has the terminals
	guest    = pod.ClientID("guest") // who asks for what is refused
	workFile = boot.HomePath + "/work"
	// markerCopy is where the marker is copied to in the home.
	markerCopy = boot.HomePath + "/marker"
)

// names are those of the pods.
func names() []string { return []string{"p1", "p2", "p3"} }

// world is a simulated machine, and the servers that live there one after the other. It knows nothing of the table. It has to be used inside a bubble of testing/synctest, by one goroutine.
type world struct {
	foreign  map[int]bool
	engine   *simulated.Engine
	programs *simprograms.Programs
	store    *store.Store
	clock    *clock
	gates    atomic.Pointer[gates] // of the server that lives, or lived last
	trying   atomic.Bool           // what is asked for now is what is refused

	catalogue  *workspace.Catalogue // nil: the server is down
	manager    *pod.Manager
	containers *container.Containers
	pods       [table.MostPods]known

	mu      sync.Mutex     // guards the following
	users   map[string]int // whose home a volume is, or was last
	volumes map[string]int // the number of the pod that a volume was made for, by its name
}

// known is what was learned of a pod, and what was asked for it.
type known struct {
	id        pod.ID // "": it was not created
	home      string
	deleted   bool // a delete of it was begun
	keep      bool // with deleted: its home is to be kept
	terminals []*pod.Attachment
	create    *request
	start     *request
	remove    *request
}

// request is a call that may take long.
type request struct {
	what  string
	first bool          // its answer was not looked at yet
	over  chan struct{} // closed when err is set
	err   error
}

func ask(what string, f func() error) *request {
	r := &request{what: what, first: true, over: make(chan struct{})}
	go func() {
		defer close(r.over)
		r.err = f()
	}()
	return r
}

// answered says whether it was; of no request, no.
func (r *request) answered() bool {
	if r == nil {
		return false
	}
	select {
	case <-r.over:
		return true
	default:
		return false
	}
}

func endless() context.Context { return context.Background() }

func newWorld(foreign []int, dir string) (*world, error) {
	w := &world{
		foreign: map[int]bool{}, programs: simprograms.New(), clock: &clock{now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)},
		users: map[string]int{}, volumes: map[string]int{},
	}
	for _, p := range foreign {
		w.foreign[p] = true
	}
	w.engine = simulated.New(simulated.Options{Images: []string{image}, Lookup: w.lookup})
	var err error
	if w.store, err = store.Open(endless(), filepath.Join(dir, "podlife.db")); err != nil {
		w.engine.Close()
		return nil, err
	}
	if err := w.start(); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// owner is who a pod belongs to.
func (w *world) owner(p int) string {
	if w.foreign[p] {
		return "other"
	}
	return "one"
}

// start is a start of the server.
func (w *world) start() error {
	g := newGates()
	for p := range w.pods {
		if k := &w.pods[p]; k.deleted {
			g.arm(atVolume, p, !k.keep)
			g.arm(atKept, p, k.keep)
		}
	}
	w.gates.Store(g)
	log := slog.New(slog.DiscardHandler)
	rec := &records{w.store, g, w}
	var catalogue *workspace.Catalogue
	containers, err := container.New(container.Options{
		Engine: &link{w.engine, g, w}, Instance: w.store.Instance(), NamePrefix: "ws", Image: image, AgentPath: boot.AgentPath, Logger: log, BootTimeout: 1000 * time.Hour,
		Recipe: boot.Recipe{Packages: []string{"tmux"}},
		Home:   func(id pod.ID) (string, bool) { return catalogue.Home(id) },
	})
	if err != nil {
		return err
	}
	w.containers = containers
	w.manager = pod.NewManager(pod.Options{Containers: containers, Store: rec, Clock: w.clock, Logger: log})
	catalogue = workspace.New(workspace.Options{Pods: w.manager, Store: rec, Homes: containers, Clock: w.clock, Logger: log, MostPods: 100})
	w.catalogue = catalogue
	if err := w.catalogue.Recover(endless()); err != nil {
		return err
	}
	w.settle() // what was begun may be gone on with before the pods are looked at
	return w.manager.Recover(endless())
}

// crash ends the server, and leaves everything else as it is.
func (w *world) crash() {
	close(w.gates.Load().cut)
	w.catalogue.Close()
	w.manager.Close()
	for p := range w.pods {
		k := &w.pods[p]
		k.closeTerminals()
		k.create, k.start, k.remove = nil, nil, nil
	}
	w.containers.Close()
	w.clock.forget()
	w.settle()
	w.catalogue, w.manager, w.containers = nil, nil, nil
}

func (k *known) closeTerminals() {
	for _, a := range k.terminals {
		_ = a.Close() // it may have ended; what it says of that is no matter
	}
	k.terminals = nil
}

// close ends everything.
func (w *world) close() error {
	if w.catalogue != nil {
		w.crash()
	}
	w.engine.Close()
	return w.store.Close()
}

// settle waits until nothing moves. What polls the engine has a moment for it.
func (w *world) settle() {
	synctest.Wait()
	time.Sleep(time.Millisecond)
	synctest.Wait()
}

// again lets so much time pass that what was refused is tried again.
func (w *world) again() {
	w.settle()
	w.clock.advance(31 * time.Second)
	w.settle()
}

// learn finds out which identity and which home a new pod has.
func (w *world) learn(p int) error {
	info, _, err := w.catalogue.Get(w.owner(p), names()[p])
	if err != nil {
		return err
	}
	k := &w.pods[p]
	k.id, k.home = info.ID, info.Home
	w.mu.Lock()
	defer w.mu.Unlock()
	if k.home == "" {
		return nil
	}
	w.users[k.home] = p
	if _, ok := w.volumes[k.home]; !ok {
		w.volumes[k.home] = p
	}
	return nil
}

// user is whose home a volume is; none is nobody's.
func (w *world) user(volume string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p, ok := w.users[volume]; ok {
		return p
	}
	return none
}

// madeFor is the number of the pod that a volume was made for; none of one that is unknown.
func (w *world) madeFor(volume string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p, ok := w.volumes[volume]; ok {
		return p
	}
	return none
}

// volumeOf is the name of the volume that was made for a pod.
func (w *world) volumeOf(p int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, n := range w.volumes {
		if n == p {
			return name
		}
	}
	return ""
}

// containersOf gives a pod's containers.
func (w *world) containersOf(p int) ([]engine.Container, error) {
	all, err := w.engine.List(endless(), nil)
	var of []engine.Container
	for _, c := range all {
		if podOf(pod.ID(c.Labels[container.LabelPod])) == p {
			of = append(of, c)
		}
	}
	return of, err
}

func (w *world) hasContainer(p int) bool {
	all, err := w.containersOf(p)
	return err == nil && len(all) > 0
}

// box gives the container of a pod that has run, and its files.
func (w *world) box(p int) (engine.Container, *simulated.Files, error) {
	all, err := w.containersOf(p)
	if err != nil {
		return engine.Container{}, nil, err
	}
	for _, c := range all {
		if c.State != engine.Created {
			files, _ := w.engine.Files(c.ID)
			return c, files, nil
		}
	}
	return engine.Container{}, nil, fmt.Errorf("%s has no container", names()[p])
}

// actor is the actor of a pod.
func (w *world) actor(p int) *pod.Pod { return w.manager.Pod(w.pods[p].id) }

// below is a file's name below the home.
func below(name string) string { return strings.TrimPrefix(name, boot.HomePath+"/") }
