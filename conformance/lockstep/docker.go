package lockstep

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"podlife/model/podruntime"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// DockerOptions are those of a world on Docker, or any other engine whose containers are real.
type DockerOptions struct {
	Engine    engine.Engine
	Kill      func(ctx context.Context, id engine.ID) error // kill -9 of PID 1, which an engine.Engine has no call for: see [Killer]
	Image     string                                        // with sh, base64, tmux and git in it
	Repo      string                                        // URL that can be cloned from inside
	AgentPath string                                        // of a static podlife binary, on the engine's host
	Store     pod.Store                                     // one in memory if it is nil
}

// Docker is a world of real containers. Every boot runs the real script by the real agent; its user script waits for files, and its request and its result are held on their way.
type Docker struct {
	o     DockerOptions
	setup Setup

	mu       sync.Mutex // guards the following
	recipe   boot.Recipe
	k        int
	scripts  map[int]*heldBoot // the newest of each incarnation
	consoles map[engine.ID]*console
	begun    chan struct{} // closed, and made anew, when one begins
}

var _ World = (*Docker)(nil)

// NewDocker gives a world of its own on the engine: its containers carry a name and an instance that nobody else has. The name has the form of those of conformance/harness, which removes what a process
// that is gone has left.
func NewDocker(o DockerOptions) *Docker {
	name := fmt.Sprintf("plconf-%d-%s-s%s", os.Getpid(), startTime(), strings.ToLower(rand.Text()[:4]))
	if o.Store == nil {
		o.Store = NewStore()
	}
	d := &Docker{o: o, scripts: map[int]*heldBoot{}, consoles: map[engine.ID]*console{}, begun: make(chan struct{})}
	d.setup = Setup{
		Engine: heldBoots{o.Engine, d}, Store: o.Store, Instance: name, Prefix: name, Image: o.Image, AgentPath: o.AgentPath, Network: "none", Pod: podruntime.PodName,
	}
	return d
}

// startTime is when this process was started: field 22 of /proc/self/stat. Its number can be given to another later.
func startTime() string {
	stat, err := os.ReadFile("/proc/self/stat")
	_, rest, _ := strings.Cut(string(stat), ") ")
	if fields := strings.Fields(rest); err == nil && len(fields) >= 20 {
		return fields[19]
	}
	return "0" // which no process has
}

// Setup implements World.
func (d *Docker) Setup() Setup { return d.setup }

// userScript is what the k-th recipe runs last. The names of files are those of inside.
const userScript = `d=/root/lockstep; g=/run/lockstep; mkdir -p $d $g
go() { while [ ! -e $g/$1 ]; do [ ! -e $g/fail ] || exit 7; sleep 0.02; done; }
[ -e $d/part ] || { go part; touch $d/part; }
[ -e $d/all-%[1]d ] || { go all; touch $d/all-%[1]d; }
go mark
`

// Recipe implements World.
func (d *Docker) Recipe(k int) boot.Recipe {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.k = k
	d.recipe = boot.Recipe{
		Packages: []string{"tmux", "git"}, Repo: boot.Repo{URL: d.o.Repo, Dir: fmt.Sprintf("/root/recipe%d", k)}, UserScript: fmt.Sprintf(userScript, k),
	}.WithDefaults()
	return d.recipe
}

// Settle implements World: nobody can tell when nothing moves any more on a real engine. What the server does in a moment it has mostly done after it.
func (d *Docker) Settle() bool {
	time.Sleep(5 * time.Millisecond)
	return false
}

// Cannot implements World.
func (d *Docker) Cannot(Place, Step) bool { return false }

// Reply implements World.
func (d *Docker) Reply(n int) {
	if s := d.script(n); s != nil {
		s.close(s.reply)
	}
}

// Died implements World.
func (d *Docker) Died() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.scripts {
		s.close(s.reply)
	}
}

func (d *Docker) script(n int) *heldBoot {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.scripts[n]
}

// Close implements World.
func (d *Docker) Close() error {
	d.Died()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	list, err := d.o.Engine.List(ctx, map[string]string{container.LabelInstance: d.setup.Instance})
	for _, c := range list {
		err = errors.Join(err, d.o.Engine.Remove(ctx, c.ID))
	}
	d.leave()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.scripts {
		s.lost()
		if err == nil {
			<-s.gone // its container is removed
		}
	}
	return err
}

// Take implements World.
func (d *Docker) Take(ctx context.Context, action string, n int) error {
	if action == podruntime.BeginScript {
		return d.begins(ctx, n)
	}
	id, err := d.id(ctx, n)
	if err != nil {
		return err
	}
	s := d.script(n)
	switch action {
	case podruntime.ContainerDies:
		return d.dies(ctx, id, s)
	case podruntime.MarkerRemoved:
		return d.sh(ctx, id, "rm "+boot.MarkerPath)
	}
	if s == nil {
		return fmt.Errorf("no script was begun in incarnation %d", n)
	}
	switch action {
	case podruntime.ScriptFails:
		if s.fails() {
			return wait(ctx, "the script's result", s.told)
		}
		if err := d.sh(ctx, id, "touch /run/lockstep/fail"); err != nil {
			return err
		}
		return wait(ctx, "the script's result", s.told)
	case podruntime.ScriptWorks:
		next, file := "part", "part"
		seen, err := d.look(ctx, id, n)
		if err != nil {
			return err
		}
		if seen.Setup != podruntime.SetupNone {
			next, file = "all", fmt.Sprintf("all-%d", d.k)
		}
		s.close(s.start)
		// Those before it are allowed too: a script of a later recipe may have found them done, or not.
		return d.sh(ctx, id, "mkdir -p /run/lockstep && touch /run/lockstep/part /run/lockstep/"+next+
			"; i=0; until [ -e /root/lockstep/"+file+" ]; do i=$((i+1)); [ $i -lt 1000 ] || exit 1; sleep 0.02; done")
	}
	if action == podruntime.ScriptMarks {
		if err := d.sh(ctx, id, "mkdir -p /run/lockstep && touch /run/lockstep/part /run/lockstep/all /run/lockstep/mark"); err != nil {
			return err
		}
	}
	s.close(s.start)
	return wait(ctx, "the script's result", s.told)
}

// begins waits until the server's request for a boot is there, which is held.
func (d *Docker) begins(ctx context.Context, n int) error {
	for {
		d.mu.Lock()
		s, begun := d.scripts[n], d.begun
		d.mu.Unlock()
		if s != nil && s.fresh() {
			return nil
		}
		if err := wait(ctx, "the script", begun); err != nil {
			return err
		}
	}
}

// dies kills a container, and waits until the engine knows.
func (d *Docker) dies(ctx context.Context, id engine.ID, s *heldBoot) error {
	if err := d.o.Kill(ctx, id); err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		c, err := d.o.Engine.Inspect(ctx, id)
		switch {
		case err != nil:
			return err
		case c.State != engine.Running:
			if s != nil {
				s.lost()
			}
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("container %.12s runs after kill -9", id)
		}
	}
}

func (d *Docker) id(ctx context.Context, n int) (engine.ID, error) {
	list, err := d.o.Engine.List(ctx, map[string]string{container.LabelInstance: d.setup.Instance, container.LabelIncarnation: strconv.Itoa(n)})
	if err != nil {
		return "", err
	}
	if len(list) != 1 {
		return "", fmt.Errorf("the engine has %d containers of incarnation %d", len(list), n)
	}
	return list[0].ID, nil
}
