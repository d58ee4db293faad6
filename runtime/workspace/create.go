package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"podlife/model/workspace"
	"podlife/runtime/pod"
)

// Request is what a pod is to be.
type Request struct {
	Name  string
	Class Class  // "" is Options.DefaultClass, and with Adopt Workspace
	Adopt string // a volume that is kept for the owner, which becomes its home
	// IdleTimeout is after how long with nobody in it the pod sleeps: 0 for the server's, else MinIdle to MaxIdle.
	IdleTimeout time.Duration
	Image       string            // the reference of its own image, one of those that are allowed; "" is the server's, whatever that is at each start
	Labels      map[string]string // at most MostLabels; keys [A-Za-z0-9][A-Za-z0-9_./-]{0,62}, values up to 128 bytes of printable UTF-8
}

// MostLabels is how many labels a pod may have.
const MostLabels = 16

var (
	namePattern  = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)
	labelPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_./-]{0,62}$`)
)

// ValidName says whether a pod may have this name.
func ValidName(name string) bool { return namePattern.MatchString(name) }

func (r Request) check() error {
	switch {
	case !ValidName(r.Name):
		return &InvalidError{"name", fmt.Sprintf("%.60q is not up to 40 of a-z, 0-9 and -, neither end a dash", r.Name)}
	case r.Class != Ephemeral && r.Class != Workspace:
		return &InvalidError{"class", fmt.Sprintf("%.60q is none of ephemeral and workspace", r.Class)}
	case r.Adopt != "" && r.Class != Workspace:
		return &InvalidError{"class", "has to be workspace for a pod that adopts a volume"}
	}
	return errors.Join(checkIdle(r.IdleTimeout), checkLabels(r.Labels))
}

// The bounds of a pod's own idle timeout.
const (
	MinIdle = time.Minute
	MaxIdle = 24 * time.Hour
)

func checkIdle(d time.Duration) error {
	if d != 0 && (d < MinIdle || d > MaxIdle || d%time.Millisecond != 0) {
		return &InvalidError{"idle_timeout", fmt.Sprintf("is %s, has to be between %s and %s, or 0 for the server's", d, MinIdle, MaxIdle)}
	}
	return nil
}

func checkLabels(labels map[string]string) error {
	if len(labels) > MostLabels {
		return &InvalidError{"labels", fmt.Sprintf("are %d, at most %d are allowed", len(labels), MostLabels)}
	}
	for k, v := range labels {
		if !labelPattern.MatchString(k) {
			return &InvalidError{"labels", fmt.Sprintf("have the key %.80q, which does not match %s", k, labelPattern)}
		}
		if len(v) > 128 || strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }) {
			return &InvalidError{"labels", fmt.Sprintf("have a value of %q that is longer than 128 bytes, or has control characters", k)}
		}
	}
	return nil
}

// Create makes a pod (actions CreateEphemeral, CreateWorkspace with MakeVolume and Made, or Adopt), and answers when it can be used. What is meant is stored before anything is made.
//
// Errors: *InvalidError, *ImageError, ErrNameTaken, *TooManyError, ErrNoVolume, *VolumeGoneError, *ForeignVolumeError, *pod.StoreError, which leaves everything as it was, ErrGoing when the pod was deleted meanwhile, ErrClosed,
// *pod.UnseenError when a volume to adopt cannot be looked at, and, when the context ends before the volume is made, *TroubleError or its error: the pod is there then, and its volume is tried on.
func (c *Catalogue) Create(ctx context.Context, owner string, r Request) (Info, error) {
	if r.Class == "" {
		r.Class = c.o.DefaultClass
		if r.Adopt != "" {
			r.Class = Workspace
		}
	}
	if err := errors.Join(r.check(), c.checkImage(r.Image)); err != nil {
		return Info{}, err
	}
	if r.Adopt != "" {
		// Said before anything else is looked at: what is another owner's must not be told from what is not there.
		if !c.keeps(owner, r.Adopt) { //model:guard Adopt.owner
			return Info{}, ErrNoVolume
		}
		there, err := c.o.Homes.HasHome(ctx, r.Adopt)
		if err != nil {
			return Info{}, err
		}
		if !there {
			return Info{}, &VolumeGoneError{r.Adopt}
		}
	}
	e, err := c.add(ctx, owner, r)
	if err != nil {
		return Info{}, err
	}
	select {
	case <-e.made:
	case <-ctx.Done():
		return Info{}, c.troubled(e, "make", ctx.Err())
	case <-c.base.Done():
		return Info{}, ErrClosed
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.rec.Life != workspace.There {
		return Info{}, ErrGoing
	}
	return c.info(e, c.o.Pods.Pod(e.rec.ID)), nil
}

// keeps says whether a volume is kept for an owner.
func (c *Catalogue) keeps(owner, volume string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.kept[volume]
	return ok && k.Owner == owner
}

// add stores a pod, and lets its volume be made.
func (c *Catalogue) add(ctx context.Context, owner string, r Request) (*entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if r.Name == DefaultName || c.find(owner, r.Name) != nil {
		return nil, ErrNameTaken
	}
	if n := c.count(owner); n >= c.o.MostPods {
		return nil, &TooManyError{c.o.MostPods}
	}
	e := &entry{made: make(chan struct{}), gone: make(chan struct{}), rec: Record{
		ID: newID(r.Name), Owner: owner, Name: r.Name, Class: r.Class, Labels: maps.Clone(r.Labels), IdleTimeout: r.IdleTimeout, Image: r.Image, CreatedAt: c.o.Clock.Now().Truncate(time.Millisecond),
	}}
	action, l := workspace.CreateEphemeral, e.local(pod.Status{})
	if r.Class == Workspace {
		action = workspace.CreateWorkspace
		e.rec.Home = c.o.Homes.HomeVolume(e.rec.ID) //model:guard CreateWorkspace.ownVolume
	}
	if r.Adopt != "" {
		action, l.V = workspace.Adopt, c.keptFor(owner, r.Adopt, &l)
		e.rec.Home = r.Adopt
	}
	after, err := c.takes(action, l)
	if err != nil {
		if r.Adopt != "" {
			return nil, ErrNoVolume // not kept, or not kept for this owner: the two are not told apart
		}
		return nil, err
	}
	e.rec.Life = after.Pods[self].Rec.Life
	if err := c.o.Store.SaveNamed(ctx, e.rec, r.Adopt); err != nil { //model:guard CreateWorkspace.stored
		return nil, &pod.StoreError{Err: fmt.Errorf("the pod %s: %w", r.Name, err)}
	}
	delete(c.kept, r.Adopt) //model:guard Adopt.once
	c.put(e)
	if e.rec.Life == workspace.There {
		e.vol = workspace.Volume{There: e.rec.Home != "", Ours: e.rec.Home != ""}
		close(e.made)
		return e, nil
	}
	c.o.Pods.Pod(e.rec.ID).RefuseBoots(ErrMaking)
	c.goWork(func() { c.makeVolume(e) })
	return e, nil
}

// keptFor puts a volume into a state of the table, as kept if it is and nobody removes it at this moment, and gives its number there. c.mu is held.
func (c *Catalogue) keptFor(owner, volume string, l *workspace.Local) int {
	k, ok := c.kept[volume]
	ok = ok && c.removing[volume] == 0
	n := other
	if ok && k.Owner != owner {
		n = foreign
	}
	l.Pods[n].Kept, l.Pods[n].Vol = ok, workspace.Volume{There: ok, Ours: ok}
	return n
}

// count is how many named pods an owner has. c.mu is held.
func (c *Catalogue) count(owner string) int {
	n := 0
	for _, e := range c.byID {
		if e.rec.Owner == owner {
			n++
		}
	}
	return n
}

// newID gives an identity that no pod had before. What is behind the dot has 50 random bits; no user's name, which is the identity of a default pod, has a dot.
func newID(name string) pod.ID { return pod.ID(name + "." + strings.ToLower(rand.Text()[:10])) }

// makeVolume is MakeVolume and Made, tried until it is done, or somebody deletes the pod.
func (c *Catalogue) makeVolume(e *entry) {
	defer close(e.made)
	for wait := firstPause; ; wait = min(2*wait, lastPause) {
		err := c.o.Homes.MakeHome(c.base, e.rec.Home, e.rec.ID)
		if err == nil { //model:guard Made.volume
			err = c.isMade(e)
		}
		c.mu.Lock()
		going := e.rec.Life != workspace.Making
		e.trouble = ""
		if err != nil {
			e.trouble = err.Error()
		}
		c.mu.Unlock()
		if going || c.base.Err() != nil {
			return
		}
		c.o.Logger.Warn("could not make the volume of a pod's home; trying again", "pod", string(e.rec.ID), "volume", e.rec.Home, "err", err)
		if !c.pause(wait) {
			return
		}
	}
}

// isMade is MakeVolume, whose volume is there by now, and Made; nothing for a pod that was deleted meanwhile.
func (c *Catalogue) isMade(e *entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := e.local(pod.Status{})
	if l.Pods[self].Life != workspace.Making {
		e.vol = workspace.Volume{There: true, Ours: true}
		return nil
	}
	l, err := c.takes(workspace.MakeVolume, l)
	if err == nil {
		l, err = c.takes(workspace.Made, l)
	}
	if err != nil {
		return err
	}
	made := e.rec
	made.Life = l.Pods[self].Rec.Life
	if err := c.o.Store.SaveNamed(c.base, made, ""); err != nil {
		return &pod.StoreError{Err: err}
	}
	e.rec, e.vol = made, l.Pods[self].Vol
	c.o.Pods.Pod(e.rec.ID).RefuseBoots(nil)
	return nil
}

// The pauses before a volume is tried again: the first, which doubles, and the longest.
const (
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

// pause waits; false when the catalogue is closed.
func (c *Catalogue) pause(d time.Duration) bool {
	over := make(chan struct{})
	stop := c.o.Clock.AfterFunc(d, func() { close(over) })
	defer stop()
	select {
	case <-over:
		return true
	case <-c.base.Done():
		return false
	}
}

// troubled says what has kept a caller waiting.
func (c *Catalogue) troubled(e *entry, op string, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.trouble == "" {
		return err
	}
	return &TroubleError{Op: op, Volume: e.rec.Home, Err: fmt.Errorf("%s", e.trouble)}
}
