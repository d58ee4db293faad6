package harness

import (
	"context"
	"fmt"
	"strings"

	"podlife/conformance/tab"
	"podlife/runtime/client"
	"podlife/runtime/engine"
)

// World is a running server with an engine under it that can be looked at, and disturbed, without the server.
type World interface {
	// Kind is "docker" or "simulated".
	Kind() string
	// URL is the server's base address.
	URL() string
	// NewUser gives a user that nobody was given before, whose pod has never been woken.
	NewUser(ctx context.Context) (User, error)
	// Containers gives every container of a user's pod that the engine has, running or not, by the engine's own list.
	Containers(ctx context.Context, user string) ([]engine.Container, error)
	// Inside looks into a running container.
	Inside(ctx context.Context, id engine.ID) (Inside, error)
	// OpenGate lets the boot in this container, and every later one, finish: the boot script's last step before the marker waits for it.
	OpenGate(ctx context.Context, id engine.ID) error
	// Kill ends PID 1, as a crash of the container does.
	Kill(ctx context.Context, id engine.ID) error
	// Remove takes the container away behind the server's back.
	Remove(ctx context.Context, id engine.ID) error
	// WipeSetup deletes, inside the container, marker, hook and clone: what a broken disk or a careless user does.
	WipeSetup(ctx context.Context, id engine.ID) error
	// Prober asks a terminal's shell what it is, in the words that this world's shells know.
	Prober() *tab.Prober
	// Log gives the end of the server's log, for the report of a failure.
	Log() string
}

// User is somebody with a pod.
type User struct {
	Name   string
	Token  string
	Client *client.Client
}

// The place of everything that a boot sets up with the harness's recipe.
const (
	RepoDir    = "/root/example"
	RepoOrigin = "/srv/example.git"
	RepoURL    = "file://" + RepoOrigin
	GateFile   = "/run/podlife-gate"
	Image      = "podlife/test:bookworm"
)

// GateScript is the user script of the harness's recipe: it waits until the test opens the gate, so that the test decides when a boot finishes. After 5 minutes it gives up.
const GateScript = `n=0
until [ -e ` + GateFile + ` ]; do
	n=$((n + 1))
	[ "$n" -le 6000 ] || exit 75
	sleep 0.05
done
`

// Inside is what processes in a container found there. Nothing of it is taken from a label, a log or the server.
type Inside struct {
	Multiplexer bool   // tmux is there and keeps a session
	Interactive bool   // an interactive login shell reads the hook
	Hook        bool   // the start file has the block, once
	Repo        bool   // the clone is there, with the files of its commit, at the commit that its origin has
	Head        string // the clone's commit; empty when there is none
	Marker      Marker
}

// Marker is the marker's content, as the harness reads it by itself.
type Marker struct {
	Whole       bool // it is there and has every line
	Pod         string
	Incarnation int
	Recipe      string
}

// Provisioned says whether everything that a boot sets up is there.
func (i Inside) Provisioned() bool { return len(i.Missing()) == 0 }

// Missing names what is not there.
func (i Inside) Missing() []string {
	var m []string
	for _, part := range []struct {
		there bool
		name  string
	}{
		{i.Multiplexer, "multiplexer"}, {i.Interactive, "interactive shell with the hook"}, {i.Hook, "hook"}, {i.Repo, "repository"}, {i.Marker.Whole, "marker"},
	} {
		if !part.there {
			m = append(m, part.name)
		}
	}
	return m
}

// String says it in one line.
func (i Inside) String() string {
	if i.Provisioned() {
		return fmt.Sprintf("provisioned, marker of %s incarnation %d, repository at %.12s", i.Marker.Pod, i.Marker.Incarnation, i.Head)
	}
	return "not provisioned, missing: " + strings.Join(i.Missing(), ", ")
}
