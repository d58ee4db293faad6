// Package workspace has the named pods of the server's users, and the volumes of their homes: which there are, how one is created, found, started by an access, and deleted so that nothing is left of it.
//
// What happens between a start and a stop is runtime/pod's, by PodRuntime; here each pod has a life from create to delete, by the table of model/workspace (tla/Workspace.tla), and no step is taken that
// it refuses. It imports model and runtime/pod. Read this file first, then create.go, access.go, delete.go and recover.go.
package workspace

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"podlife/model"
	"podlife/model/workspace"
	"podlife/runtime/pod"
)

// Class is what becomes of a pod's files when it stops.
type Class string

// The classes.
const (
	Ephemeral Class = "ephemeral" // they are wiped
	Workspace Class = "workspace" // those of its home stay, on a volume
)

// Classes are all of them.
func Classes() []Class { return []Class{Ephemeral, Workspace} }

// DefaultName is the name of the pod that every user has without creating it. It is ephemeral, and is never deleted.
const DefaultName = pod.DefaultName

// Record is what must survive a crash of the server about one named pod.
type Record struct {
	ID     pod.ID // used once: whoever creates a pod of the same name again gets another
	Owner  string
	Name   string // unique among its owner's. [a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?
	Class  Class
	Life   workspace.Life // Making, There or Going
	Home   string         // the volume of its home; "" for an ephemeral one
	Keep   bool           // with Going: the volume is kept
	Labels map[string]string
	// IdleTimeout is the pod's own; 0 is the server's.
	IdleTimeout time.Duration
	Image       string // the reference of the pod's own; "" is the server's
	CreatedAt   time.Time
}

// Kept is a volume that a delete has kept for its owner.
type Kept struct {
	Volume string
	Owner  string
	Pod    string // the name of the pod whose home it was
	KeptAt time.Time
}

// Store keeps records. Implemented by runtime/store. Each call is durable when it returns nil, and does all of what it says or nothing.
type Store interface {
	NamedPods(ctx context.Context) ([]Record, error)
	KeptVolumes(ctx context.Context) ([]Kept, error)
	// SaveNamed writes one record; where adopt names a kept volume, it is no longer one. ErrNoVolume if there is none of this name and owner.
	SaveNamed(ctx context.Context, r Record, adopt string) error
	// DropNamed forgets a pod, its incarnations and its lease; kept is the volume that stays, nil for none.
	DropNamed(ctx context.Context, id pod.ID, kept *Kept) error
	// DropKept forgets a kept volume.
	DropKept(ctx context.Context, volume string) error
}

// Homes makes and removes the volumes of homes. Implemented by runtime/container. Any call may fail with *pod.UnseenError.
type Homes interface {
	// HomeVolume is the one function that derives the name of the volume that is made for a pod.
	HomeVolume(id pod.ID) string
	// MakeHome makes a volume; one that was made for this pod before is success.
	MakeHome(ctx context.Context, volume string, id pod.ID) error
	// RemoveHome removes it with all that is in it; one that is not there is success. *VolumeInUseError while a container has it, *ForeignVolumeError for one that was not made to be a home.
	RemoveHome(ctx context.Context, volume string) error
	// HasHome says whether it is there. *ForeignVolumeError for one that was not made to be a home.
	HasHome(ctx context.Context, volume string) (bool, error)
}

// Options is what a Catalogue needs. All are required but those that say what they are when they are left out.
type Options struct {
	Pods   *pod.Manager
	Store  Store
	Homes  Homes
	Clock  pod.Clock
	Logger *slog.Logger
	// MostPods is how many named pods an owner may have, kept volumes not counted; 0 is a server on which there are the default pods only.
	MostPods int
	// DefaultClass is that of a pod which is created without one; "" is Ephemeral.
	DefaultClass Class
	// Image is the reference of the image of every pod that has none of its own.
	Image string
	// AllowedImages are the references that a pod may have of its own, Image among them; none is Image alone.
	AllowedImages []string
	// Engine says what is known of images; nil is nothing.
	Engine Images
}

// Catalogue is which pods there are. Its methods may be called from any goroutine.
type Catalogue struct {
	o      Options
	table  model.Table[workspace.Local]
	base   context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu     sync.Mutex // guards the following, and what is in an entry
	byID   map[pod.ID]*entry
	kept   map[string]Kept // by volume
	closed bool

	removing map[string]int // of the kept volumes: how many calls remove it at this moment
}

// entry is one named pod.
type entry struct {
	rec     Record
	vol     workspace.Volume // what is known of its volume
	trouble string           // why the last try to make or remove its volume failed; "" for none
	made    chan struct{}    // closed when its volume was made, or is no longer going to be
	gone    chan struct{}    // closed when it is gone
	left    string           // the volume that was kept of it; set before gone is closed
}

// Info is what there is to know of a pod.
type Info struct {
	ID        pod.ID
	Owner     string
	Name      string
	Class     Class
	Life      workspace.Life
	Home      string // the volume of its home; "" for none
	Labels    map[string]string
	Image     string    // the reference of which its next start makes the container
	CreatedAt time.Time // zero for the default pod
	Trouble   string    // why its volume could not be made or removed so far, which is tried on; "" for none
	Status    pod.Status
}

// New gives a catalogue without pods; call Recover before anything else, and before the pods' own.
func New(o Options) *Catalogue {
	if o.DefaultClass == "" {
		o.DefaultClass = Ephemeral
	}
	c := &Catalogue{o: o, byID: map[pod.ID]*entry{}, kept: map[string]Kept{}, removing: map[string]int{}}
	c.table = workspace.Table(workspace.Constants{Pods: workspace.MostPods, Foreign: []int{foreign}, MaxInc: unbounded, MaxCrashes: unbounded})
	c.base, c.cancel = context.WithCancel(context.Background())
	return c
}

// Close stops all background work and waits for it. What was begun is gone on with by the next start.
func (c *Catalogue) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.work.Wait()
}

// goWork runs f in the background until it ends; false once the catalogue is closed. c.mu is held.
func (c *Catalogue) goWork(f func()) bool {
	if c.closed {
		return false
	}
	c.work.Add(1)
	go func() {
		defer c.work.Done()
		f()
	}()
	return true
}

// Get gives an owner's pod. ErrNoPod.
func (c *Catalogue) Get(owner, name string) (Info, *pod.Pod, error) {
	if name == DefaultName {
		p := c.o.Pods.Pod(pod.ID(owner))
		return Info{ID: p.ID(), Owner: owner, Name: DefaultName, Class: Ephemeral, Life: workspace.There, Image: c.o.Image, Status: p.Status()}, p, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.find(owner, name)
	if e == nil {
		return Info{}, nil, ErrNoPod
	}
	p := c.o.Pods.Pod(e.rec.ID)
	return c.info(e, p), p, nil
}

// List gives an owner's pods by name, the default one too.
func (c *Catalogue) List(owner string) []Info {
	first, _, _ := c.Get(owner, DefaultName) // which is always there
	all := []Info{first}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.byID {
		if e.rec.Owner == owner {
			all = append(all, c.info(e, c.o.Pods.Pod(e.rec.ID)))
		}
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Kept gives the volumes that are kept for an owner, by name.
func (c *Catalogue) Kept(owner string) []Kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := []Kept{}
	for _, k := range c.kept {
		if k.Owner == owner {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b Kept) int { return strings.Compare(a.Volume, b.Volume) })
	return all
}

// Home gives the volume of a pod's home, for whoever makes its containers; ok is false for a pod that has none.
func (c *Catalogue) Home(id pod.ID) (volume string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byID[id]; e != nil && e.rec.Home != "" {
		return e.rec.Home, true
	}
	return "", false
}

// put adds a pod to the catalogue. c.mu is held.
func (c *Catalogue) put(e *entry) *pod.Pod {
	c.byID[e.rec.ID] = e
	p := c.o.Pods.Pod(e.rec.ID)
	p.BelongsTo(e.rec.Owner, e.rec.Name)
	if e.rec.Home != "" {
		p.KeepsHome()
	}
	p.SetIdleTimeout(e.rec.IdleTimeout)
	p.RefuseWakes(c.checkImage(e.rec.Image))
	return p
}

// find gives an owner's pod; nil for none. c.mu is held.
func (c *Catalogue) find(owner, name string) *entry {
	for _, e := range c.byID {
		if e.rec.Owner == owner && e.rec.Name == name {
			return e
		}
	}
	return nil
}

// info is what there is to know of a pod. c.mu is held.
func (c *Catalogue) info(e *entry, p *pod.Pod) Info {
	r := e.rec
	return Info{ID: r.ID, Owner: r.Owner, Name: r.Name, Class: r.Class, Life: r.Life, Home: r.Home, Labels: r.Labels, Image: cmp.Or(r.Image, c.o.Image), CreatedAt: r.CreatedAt, Trouble: e.trouble, Status: p.Status()}
}
