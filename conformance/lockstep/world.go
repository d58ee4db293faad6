package lockstep

import (
	"context"

	"podlife/model/podruntime"
	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// World is what a crash of the server leaves: an engine with its containers and a store, and in the containers boot scripts that take a step when they are told to. A world has one pod. It is for one
// run, and is closed after it.
type World interface {
	// Setup is what every server on it is started with. It does not change.
	Setup() Setup
	// Recipe is that of the k-th recipe, from 0: each wants something that those before it have not done. The world then looks for what this one wants.
	Recipe(k int) boot.Recipe
	// Look gives the containers of the pod by incarnation, as they are.
	Look(ctx context.Context) (map[int]podruntime.Container, error)
	// Take is an action of the world (podruntime.WorldActions) in, or to, the container of incarnation n; done when it returns. BeginScript waits until the script that the server has begun is there.
	Take(ctx context.Context, action string, n int) error
	// Reply lets the exit of the script in the container of incarnation n come to the server.
	Reply(n int)
	// Died is told when a server has died: nobody waits for the scripts in the containers any more.
	Died()
	// Type types into a terminal whose container runs, and wants its shell to say that it is in a container that is set up.
	Type(ctx context.Context, a *pod.Attachment) error
	// Settle waits until nothing moves any more, and says true, if the world can tell that.
	Settle() bool
	// Cannot says whether this world cannot be brought to a step that a server can be brought to.
	Cannot(p Place, step Step) bool
	// Close ends and removes everything. No server lives on it any more.
	Close() error
}

// Setup is what a server is started with.
type Setup struct {
	Engine    engine.Engine
	Store     pod.Store
	Instance  string
	Prefix    string // of container names
	Image     string
	AgentPath string
	Network   string
	Pod       pod.ID
}
