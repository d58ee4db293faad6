// Package workspace is the specification tla/Workspace.tla as a table: same actions, same guards, same names, same order.
//
// It is a few pods, their volumes and their server; a volume has the number of the pod that it was made for. It imports only model, and does no I/O.
//
// Read table.go first, beside tla/Workspace.tla: each guard has the name that its conjunct carries there. The actions are in create.go, start.go, use.go, delete.go and world.go; state.go has the state,
// invariants.go what must hold.
package workspace

import (
	"slices"

	"podlife/model"
)

// Name is the table's name, which is also the name of the TLA+ module.
const Name = "Workspace"

// The actions of the specification.
const (
	CreateEphemeral = "CreateEphemeral"
	CreateWorkspace = "CreateWorkspace"
	Adopt           = "Adopt"
	MakeVolume      = "MakeVolume"
	Made            = "Made"
	Boot            = "Boot"
	Access          = "Access"
	Read            = "Read"
	Launch          = "Launch"
	Start           = "Start"
	LaunchFails     = "LaunchFails"
	Provision       = "Provision"
	Ready           = "Ready"
	Attach          = "Attach"
	Write           = "Write"
	CopyMarker      = "CopyMarker"
	Stop            = "Stop"
	TearDown        = "TearDown"
	Delete          = "Delete"
	RemoveVolume    = "RemoveVolume"
	Gone            = "Gone"
	RemovedByHand   = "RemovedByHand"
	Crash           = "Crash"
	Recover         = "Recover"
)

// The parameters of actions: the pod, a volume, and whether it is kept.
const (
	ParamPod    = "p"
	ParamVolume = "v"
	ParamKeep   = "keep"
)

// Constants are the specification's constants.
type Constants struct {
	Pods       int   // how many, up to [MostPods]; bound of what is explored
	Foreign    []int // those of them that are another owner's, counted from 0
	MaxInc     int   // bound of what is explored
	MaxCrashes int   // likewise
	// Off names the guards and rules that are switched off, as "Action.guard"; none in the design that ships. [Switches] lists what can be.
	Off []string
}

// Table gives the transition system for these constants. The table shares nothing with other tables and is safe for concurrent use. A name in Off that is no switch has no effect; [CheckBounds] refuses it.
func Table(c Constants) model.Table[Local] {
	b := newBuilder(c)
	return model.Table[Local]{Name: Name, Actions: b.actions(), Invariants: b.invariants()}
}

// Switches lists what Off can name, in the specification's order.
func Switches() []string {
	b := newBuilder(Constants{})
	b.actions()
	return b.switches.Names()
}

// builder makes one table.
type builder struct {
	Constants
	switches *model.Switches
}

func newBuilder(c Constants) builder {
	return builder{Constants: c, switches: model.NewSwitches(c.Off)}
}

func (b builder) actions() []model.Action[Local] {
	return slices.Concat(b.creating(), b.starting(), b.using(), b.stopping(), b.deleting(), b.world())
}

// owner tells owners apart.
func (b builder) owner(p int) bool { return slices.Contains(b.Foreign, p) }

// fixed is a conjunct that cannot be switched off.
func fixed(name string, holds func(Local) bool) model.Guard[Local] {
	return model.Guard[Local]{Name: name, Holds: holds}
}

// pod is an action that is taken for a pod.
func pod(name string, effect func(Local) Local, guards ...model.Guard[Local]) model.Action[Local] {
	return model.Action[Local]{Name: name, Params: []string{ParamPod}, Guards: guards, Effect: effect}
}
