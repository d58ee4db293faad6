// Package container makes incarnations real: it implements pod.Containers and workspace.Homes over an engine, with the agent as the process inside.
//
// It imports runtime/pod and runtime/workspace (whose interfaces it implements), runtime/engine, runtime/boot, runtime/agent and the client of runtime/host. It knows no lifecycle state: what it is asked, it does, in exactly
// the container it is given. Read this file first, then launch.go, home.go, bootrun.go, shell.go and watch.go, one for each thing it is asked; links.go has the connections to the session hosts.
package container

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// The labels that say whose a container is, or a volume. They cannot change after its creation.
const (
	LabelInstance    = "podlife.instance"
	LabelPod         = "podlife.pod"
	LabelIncarnation = "podlife.incarnation"
	LabelHome        = "podlife.home"     // on volumes that were made to be a home
	LabelStandIn     = "podlife.stand-in" // on volumes that an engine made because a home was missing
	LabelImage       = "podlife.image"    // the reference that the container was created from
)

// Options configure Containers. Engine, Instance, NamePrefix, Image and AgentPath are needed.
type Options struct {
	Engine     engine.Engine
	Instance   string // names this installation, durably: its containers carry it as a label, all others are foreign. [A-Za-z0-9_.-]{1,64}
	NamePrefix string // begins every container's name. [A-Za-z0-9][A-Za-z0-9_.-]{0,31}
	Image      string // of a pod that has none of its own
	Network    string // "bridge" (default) or "none"
	Limits     engine.Limits
	AgentPath  string // the path of the static podlife binary: on the engine's host, or with CopyAgent on this machine; see InstallAgent
	CopyAgent  bool   // put a copy into each container, for an engine that does not see this machine's files, instead of mounting the file read-only
	Recipe     boot.Recipe
	Script     string // the boot script; default boot.Script()
	// Credentials gives what the clone may need, asked for at each boot that has something to clone; nil for none. Its error fails the boot in the step repository, since a clone without what it
	// was meant to have would fail later and say less; it is shown to the user.
	Credentials func() (user, token string, err error)
	// Home gives the volume that is a pod's home, which it keeps from one incarnation to the next; ok false for a pod whose home is on its container's own disk. Nil is no pod has one. It is asked at
	// each launch, and has to answer at once.
	Home func(pod.ID) (volume string, ok bool)
	// PodImage gives the reference of a pod's own image, "" for none. Nil is no pod has one. It is asked as Home is.
	PodImage    func(pod.ID) string
	BootTimeout time.Duration // of one boot, whatever it does; default 10 minutes
	Logger      *slog.Logger  // default none
}

// DefaultBootTimeout is the BootTimeout of an Options that names none.
const DefaultBootTimeout = 10 * time.Minute

var (
	instancePattern = pattern(`^[A-Za-z0-9_.-]{1,64}$`)
	prefixPattern   = pattern(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$`)
)

// pattern is an expression that is compiled when it is needed first: the program starts for many things that need none.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Containers implements pod.Containers. Its methods may be called from any goroutine.
type Containers struct {
	o      Options
	fresh  freshSet
	links  links
	images *images
	recipe string // the hash of o.Recipe with o.Script
	log    *slog.Logger
}

var _ pod.Containers = (*Containers)(nil)

// New checks the options: a setting that can only fail is refused here, as a *boot.InvalidError where it is the recipe's or the script's.
func New(o Options) (*Containers, error) {
	switch {
	case o.Engine == nil:
		return nil, errors.New("container: no engine")
	case !instancePattern().MatchString(o.Instance):
		return nil, fmt.Errorf("container: instance %q does not match %s", o.Instance, instancePattern())
	case !prefixPattern().MatchString(o.NamePrefix):
		return nil, fmt.Errorf("container: name prefix %q does not match %s", o.NamePrefix, prefixPattern())
	case o.Image == "":
		return nil, errors.New("container: no image")
	case o.AgentPath == "":
		return nil, errors.New("container: no path of the agent's binary")
	case o.BootTimeout < 0:
		return nil, fmt.Errorf("container: boot timeout %s", o.BootTimeout)
	}
	if err := boot.Validate(o.Recipe); err != nil {
		return nil, fmt.Errorf("container: %w", err)
	}
	if o.Network == "" {
		o.Network = "bridge"
	}
	if o.BootTimeout == 0 {
		o.BootTimeout = DefaultBootTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Script == "" {
		o.Script = boot.Script()
	}
	if err := boot.ValidateScript(o.Script); err != nil {
		return nil, fmt.Errorf("container: %w", err)
	}
	o.Recipe = o.Recipe.WithDefaults()
	return &Containers{o: o, recipe: o.Recipe.HashWith(o.Script), log: o.Logger, images: newImages(o.Engine, map[string]string{LabelInstance: o.Instance})}, nil
}

// Close ends the connections to the containers' session hosts. The sessions live on; terminals that are open end, and no new one can be opened.
func (c *Containers) Close() { c.links.close() }

// RecipeHash gives the hash that the markers of this configuration name.
func (c *Containers) RecipeHash() string { return c.recipe }

// Name gives the one name of an incarnation's container. The number has no dash, so no two incarnations of any two pods share a name.
func (c *Containers) Name(inc pod.Incarnation) string {
	return fmt.Sprintf("%s-%s-%d", c.o.NamePrefix, inc.Pod, inc.Inc)
}

func (c *Containers) labels(inc pod.Incarnation) map[string]string {
	return map[string]string{LabelInstance: c.o.Instance, LabelPod: string(inc.Pod), LabelIncarnation: strconv.Itoa(inc.Inc)}
}

func (c *Containers) ours() map[string]string { return map[string]string{LabelInstance: c.o.Instance} }

// marker is what a container's marker has to say for an incarnation.
func (c *Containers) marker(inc pod.Incarnation) boot.Marker {
	return boot.Marker{Pod: string(inc.Pod), Incarnation: inc.Inc, Recipe: c.recipe}
}

// Remove ends the container and its disk; see pod.Containers.
func (c *Containers) Remove(ctx context.Context, id pod.ContainerID) error {
	c.fresh.forget(id)
	err := c.o.Engine.Remove(ctx, engine.ID(id))
	c.links.end(id)
	return typed(err)
}

// List gives every container of this server; see pod.Containers. One whose labels make no sense is given with incarnation 0, which no record can name.
func (c *Containers) List(ctx context.Context) ([]pod.Found, error) {
	list, err := c.o.Engine.List(ctx, c.ours())
	if err != nil {
		return nil, typed(err)
	}
	c.images.note(list)
	found := make([]pod.Found, 0, len(list))
	for _, e := range list {
		if e.State == engine.Removing {
			continue // it is as good as gone, and nothing is left to be done about it
		}
		inc := pod.Incarnation{Pod: pod.ID(e.Labels[LabelPod])}
		if n, err := strconv.Atoi(e.Labels[LabelIncarnation]); err == nil && n > 0 && strconv.Itoa(n) == e.Labels[LabelIncarnation] {
			inc.Inc = n
		}
		// A paused one keeps its disk and its processes: it runs, only not now.
		found = append(found, pod.Found{Incarnation: inc, Container: pod.ContainerID(e.ID), Running: e.State == engine.Running || e.State == engine.Paused})
	}
	return found, nil
}

// hostname makes a host name of a pod's: letters, digits and dashes, at most 63, neither end a dash.
func hostname(p pod.ID) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, string(p))
	name = strings.Trim(name[:min(len(name), 63)], "-")
	if name == "" {
		return "pod"
	}
	return name
}

// Alive says whether the container still has its processes; see pod.Containers.
func (c *Containers) Alive(ctx context.Context, id pod.ContainerID) (bool, error) {
	err := c.running(ctx, id)
	var g *pod.GoneError
	if errors.As(err, &g) {
		return false, nil
	}
	return err == nil, err
}

// running is nil for a container that runs or is paused, a GoneError for one that certainly does not, and another error when that cannot be seen.
func (c *Containers) running(ctx context.Context, id pod.ContainerID) error {
	_, err := c.look(ctx, id)
	return err
}

// look gives the state of a container that has its processes: Running or Paused. Nothing but this look takes a container for gone.
func (c *Containers) look(ctx context.Context, id pod.ContainerID) (engine.State, error) {
	e, err := c.o.Engine.Inspect(ctx, engine.ID(id))
	switch {
	case engine.KindOf(err) == engine.NotFound:
		return "", &pod.GoneError{Err: err}
	case err != nil:
		return "", typed(err)
	case e.State == engine.Running || e.State == engine.Paused:
		return e.State, nil
	case e.OOMKilled:
		return "", &pod.GoneError{Err: errors.New("the container ran out of memory")}
	}
	return "", &pod.GoneError{Err: fmt.Errorf("the container is %s, exit code %d", e.State, e.ExitCode)}
}

// why turns what an engine said about a process in a container into what a pod can act on. That nothing can run there now, or that the process is not known, does not say that the container is
// gone: a paused one has its disk and its processes, and one that a look finds running was paused a moment ago. So it is looked at, and what lives is unseen.
func (c *Containers) why(ctx context.Context, id pod.ContainerID, err error) error {
	switch engine.KindOf(err) {
	case engine.NotFound, engine.NotRunning:
	default:
		return typed(err)
	}
	state, lerr := c.look(ctx, id)
	switch {
	case lerr != nil:
		return lerr
	case state == engine.Paused:
		return &pod.UnseenError{Err: fmt.Errorf("the container is paused: %w", err)}
	}
	return &pod.UnseenError{Err: err}
}

// typed turns an engine's error into an UnseenError where it says that nothing could be seen, and leaves every other as it is.
func typed(err error) error {
	if unseen(err) {
		return &pod.UnseenError{Err: err}
	}
	return err
}

func unseen(err error) bool {
	kind := engine.KindOf(err)
	return kind == engine.Unavailable || kind == engine.Canceled
}
