// Package simprograms is what runs inside the containers of the simulated engine: the agent's commands, over simulated files, so that pods live from boot to shell without Docker.
//
// The check of the marker and the session host are the real ones; the boot script's steps write small files that stand for what the real ones make, in the script's order, and can be held, failed and slowed by tests.
// It imports runtime/agent, runtime/boot, runtime/host and runtime/engine/simulated, and only tests import it. Read this file first, then boot.go, host.go and shell.go.
package simprograms

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"podlife/runtime/agent"
	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
)

// The files that stand for what a boot makes. The repository's is <Dir>/.git/HEAD, the marker is the real one.
const (
	Multiplexer = "/usr/bin/tmux"
	Hook        = "/root/.bashrc"
	UserRuns    = "/root/user_script_runs" // grows by one byte for each run of the user script
)

// Step is one step of one boot, as holds and failures see it.
type Step struct {
	Pod         string
	Incarnation int
	Container   engine.ID
	Name        string // one of boot.Steps
}

// Programs is the set of programs of one simulated machine. Its methods may be called from any goroutine.
type Programs struct {
	mu    sync.Mutex // guards the following
	holds []*hold
	fails []failure
	slow  map[string]time.Duration
	gate  func(Step) <-chan struct{}
	runs  map[engine.ID]chan struct{} // holds one token while a boot runs in the container
	hosts map[engine.ID]*running      // the session hosts
}

type hold struct {
	match    func(Step) bool
	entered  chan struct{}
	released chan struct{}
}

type failure struct {
	match func(Step) bool
	code  int
	log   string
}

// New makes a set of programs. Its Lookup goes into simulated.Options.
func New() *Programs {
	return &Programs{slow: map[string]time.Duration{}, runs: map[engine.ID]chan struct{}{}, hosts: map[engine.ID]*running{}}
}

// Lookup finds the agent's commands by their command line; every other command is not there.
func (ps *Programs) Lookup(argv []string) simulated.Program {
	if len(argv) < 3 || argv[0] != boot.AgentPath || argv[1] != "agent" {
		return nil
	}
	switch argv[2] {
	case "init":
		return ps.init
	case "relay":
		return ps.relay
	case "boot":
		return ps.boot
	case "check":
		return check
	}
	return nil
}

// Hold stops the next step that matches (nil matches all) after it was told as started and before it takes effect, until release is called or its boot ends. The channel is closed when a step has
// arrived.
func (ps *Programs) Hold(match func(Step) bool) (release func(), entered <-chan struct{}) {
	h := &hold{match: match, entered: make(chan struct{}), released: make(chan struct{})}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.holds = append(ps.holds, h)
	return sync.OnceFunc(func() { close(h.released) }), h.entered
}

// Gate is asked at every step from now on, before holds are; a step waits until the channel that it gives is closed, or its boot ends. nil is no gate. It must return at once and not call back.
func (ps *Programs) Gate(of func(Step) <-chan struct{}) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.gate = of
}

// Fail lets the next step that matches (nil matches all) print log and fail with a code.
func (ps *Programs) Fail(match func(Step) bool, code int, log string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.fails = append(ps.fails, failure{match: match, code: code, log: log})
}

// Slow lets every later run of the named step take d longer.
func (ps *Programs) Slow(step string, d time.Duration) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.slow[step] = d
}

// before does what tests asked for a step: it waits, and gives the failure that the step has to have, if any.
func (ps *Programs) before(ctx context.Context, s Step) (*failure, error) {
	ps.mu.Lock()
	d := ps.slow[s.Name]
	h := take(&ps.holds, func(h *hold) bool { return h.match == nil || h.match(s) })
	f := take(&ps.fails, func(f failure) bool { return f.match == nil || f.match(s) })
	gate := ps.gate
	ps.mu.Unlock()
	if gate != nil {
		if open := gate(s); open != nil {
			select {
			case <-open:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if h != nil {
		close((*h).entered)
		select {
		case <-(*h).released:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return f, nil
}

// take removes the first element that fits and gives it.
func take[T any](list *[]T, fits func(T) bool) *T {
	i := slices.IndexFunc(*list, fits)
	if i < 0 {
		return nil
	}
	found := (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return &found
}

// files is a simulated container's disk as the agent's check sees it.
type files struct{ f *simulated.Files }

// ReadFile implements agent.Files.
func (f files) ReadFile(name string, limit int) ([]byte, error) {
	data, err := f.f.Read(name)
	return data[:min(len(data), limit+1)], err
}

func check(_ context.Context, p *simulated.Proc) int {
	var want boot.Marker
	c := &cobra.Command{}
	agent.WantFlags(c, &want)
	if err := c.ParseFlags(p.Argv[3:]); err != nil {
		return 1
	}
	return agent.RunCheck(files{p.Files}, boot.MarkerPath, want, p.Stdout)
}

// Setup is what is really on a container's disk, whatever its marker says.
type Setup struct {
	Multiplexer, Repo, Hook, Marker bool
}

// Provisioned says that nothing is missing.
func (s Setup) Provisioned() bool { return s == Setup{true, true, true, true} }

// Inside looks at a container's disk for the recipe's setup. A recipe without a repository has that part at once.
func Inside(f *simulated.Files, recipe boot.Recipe) Setup {
	recipe = recipe.WithDefaults()
	return Setup{
		Multiplexer: has(f, Multiplexer), Repo: recipe.Repo.URL == "" || has(f, recipe.Repo.Dir+"/.git/HEAD"), Hook: has(f, Hook), Marker: has(f, boot.MarkerPath),
	}
}

func has(f *simulated.Files, name string) bool {
	_, err := f.Read(name)
	return err == nil
}

// errNotStarted is for a request that no boot can be run for.
var errNotStarted = errors.New("no boot request on standard input")
