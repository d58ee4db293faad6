// Package podruntime is the specification tla/PodRuntime.tla as a table: same actions, same guards, same names, same order.
//
// A table works on one pod and the one client that acts ([Local]), with any number of incarnations and clients: that is what a server steps
// by. The explorer lifts it to a small number of both (system.go). Both use these very functions. It imports only model, and
// model/podlifecycle, which is what the outside sees of it (project.go), and does no I/O.
//
// Read table.go first, beside tla/PodRuntime.tla: each guard has the name that its conjunct carries there. The actions are in boot.go,
// script.go, sleep.go, attach.go and world.go, in the order of the specification; invariants.go has what must hold.
package podruntime

import (
	"slices"

	"podlife/model"
)

// Name is the table's name, which is also the name of the TLA+ module.
const Name = "PodRuntime"

// The actions of the specification.
const (
	StartBoot        = "StartBoot"
	CreateContainer  = "CreateContainer"
	StartContainer   = "StartContainer"
	LaunchFails      = "LaunchFails"
	BeginScript      = "BeginScript"
	ScriptSkips      = "ScriptSkips"
	ScriptWorks      = "ScriptWorks"
	ScriptMarks      = "ScriptMarks"
	ScriptFails      = "ScriptFails"
	ScriptSucceeded  = "ScriptSucceeded"
	ScriptFailed     = "ScriptFailed"
	ScriptGone       = "ScriptGone"
	FinishBoot       = "FinishBoot"
	EndRun           = "EndRun"
	DropReply        = "DropReply"
	BootLost         = "BootLost"
	Destroy          = "Destroy"
	IdleSleep        = "IdleSleep"
	ContainerLost    = "ContainerLost"
	BootFailed       = "BootFailed"
	TearDown         = "TearDown"
	DestroyAnswered  = "DestroyAnswered"
	Probe            = "Probe"
	AttachGuarded    = "AttachGuarded"
	Dial             = "Dial"
	DialWakes        = "DialWakes"
	DialFails        = "DialFails"
	Repair           = "Repair"
	AttachReady      = "AttachReady"
	AttachAgain      = "AttachAgain"
	AttachMoved      = "AttachMoved"
	Detach           = "Detach"
	Reconnect        = "Reconnect"
	ContainerDies    = "ContainerDies"
	MarkerRemoved    = "MarkerRemoved"
	Crash            = "Crash"
	CrashOtherRecipe = "CrashOtherRecipe"
	RecoverReady     = "RecoverReady"
	RecoverAsleep    = "RecoverAsleep"
)

// The parameters of actions: a pod, a client of it, an incarnation of it, and the pod that a probe asks. The table has one pod.
const (
	ParamPod    = "p"
	ParamClient = "c"
	ParamInc    = "n"
	ParamOther  = "q"
)

// Constants are the specification's constants, but for the pods and clients, which the table does not count.
type Constants struct {
	// MaxInc bounds the incarnations, MaxCrashes the crashes. A server, which has no bound, passes math.MaxInt.
	MaxInc     int
	MaxCrashes int
	// ImageMarked says that the image was made from a container that had been provisioned, so that it carries a marker.
	ImageMarked bool
	// Off names the guards and rules that are switched off, as "Action.guard"; none in the design that ships. [Switches] lists what can be.
	Off []string
}

// Table gives the transition system for these constants. The table shares nothing with other tables and is safe for concurrent use. A name
// in Off that is no switch has no effect; [CheckBounds] refuses it.
//
// Each guard is total: where the specification asks for an incarnation that it does not have, such as 0, the table finds one without run
// and container.
func Table(c Constants) model.Table[Local] {
	b := newBuilder(c)
	return model.Table[Local]{
		Name:       Name,
		Actions:    slices.Concat(b.boot(), b.script(), b.replies(), b.sleep(), b.attach(), b.world(), b.recovery()),
		Invariants: invariants(c),
	}
}

// Switches lists what Off can name: the guards and rules that the specification lets be switched off, in its order, as "Action.guard" and
// "Action.rule".
func Switches() []string {
	b := newBuilder(Constants{})
	for _, part := range [](func() []model.Action[Local]){b.boot, b.script, b.replies, b.sleep, b.attach, b.world, b.recovery} {
		part()
	}
	return *b.switches
}

// builder makes one table.
type builder struct {
	Constants
	off      map[string]bool
	switches *[]string // in the order asked for
}

func newBuilder(c Constants) builder {
	b := builder{Constants: c, off: map[string]bool{}, switches: new([]string)}
	for _, name := range c.Off {
		b.off[name] = true
	}
	return b
}

// rule is the specification's Rule: false where this part of an effect is switched off.
func (b builder) rule(name string) bool {
	*b.switches = append(*b.switches, name)
	return !b.off[name]
}

// guard is the specification's Guard: it can be switched off.
func (b builder) guard(action, name string, holds func(Local) bool) model.Guard[Local] {
	if !b.rule(action + "." + name) {
		holds = func(Local) bool { return true }
	}
	return fixed(name, holds)
}

// fixed is a conjunct that cannot be switched off.
func fixed(name string, holds func(Local) bool) model.Guard[Local] {
	return model.Guard[Local]{Name: name, Holds: holds}
}

// What actions are taken for, in the specification's words.
func ofPod() []string         { return []string{ParamPod} }
func ofClient() []string      { return []string{ParamPod, ParamClient} }
func ofIncarnation() []string { return []string{ParamPod, ParamInc} }

// inc is the incarnation that the action is taken for; current is that of the pod.
func (l Local) inc() Inner     { return l.Pod.At(l.N).Inner }
func (l Local) current() Inner { return l.Pod.At(l.Pod.Inc).Inner }

// put sets the incarnation that the action is taken for.
func (l Local) put(i Inner) Local {
	l.Pod = l.Pod.With(l.N, i)
	return l
}

// isRun holds where the run of incarnation n is one of these.
func isRun(name string, any ...Run) model.Guard[Local] {
	return fixed(name, func(l Local) bool { return slices.Contains(any, l.inc().Run) })
}

func becomesRun(r Run) func(Local) Local {
	return func(l Local) Local {
		i := l.inc()
		i.Run = r
		return l.put(i)
	}
}
