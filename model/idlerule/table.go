// Package idlerule is the specification tla/IdleRule.tla as a table: same actions, same guards, same names, same order.
//
// It is one pod and its server; moments are numbers of ticks. It imports only model, and does no I/O.
//
// Read table.go first, beside tla/IdleRule.tla: each guard has the name that its conjunct carries there. The actions are in use.go, sleep.go and server.go; state.go has the state, invariants.go what
// must hold.
package idlerule

import (
	"slices"

	"podlife/model"
)

// Name is the table's name, which is also the name of the TLA+ module.
const Name = "IdleRule"

// The actions of the specification.
const (
	Tick    = "Tick"
	Wake    = "Wake"
	Touch   = "Touch"
	Hold    = "Hold"
	Release = "Release"
	Extend  = "Extend"
	Sweep   = "Sweep"
	Sleep   = "Sleep"
	Crash   = "Crash"
	Recover = "Recover"
)

// ParamFor is the parameter of Extend: for how many ticks.
const ParamFor = "d"

// Constants are the specification's constants.
type Constants struct {
	MaxTime    int // bound of what is explored
	Idle       int // the idle timeout, at least 1
	MaxLease   int // the longest lease, from the moment at which it is asked for; at least 1
	MaxHolds   int // bound of what is explored
	MaxCrashes int // likewise
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
	return slices.Concat(b.using(), b.leasing(), b.sleeping(), b.server())
}

// fixed is a conjunct that cannot be switched off.
func fixed(name string, holds func(Local) bool) model.Guard[Local] {
	return model.Guard[Local]{Name: name, Holds: holds}
}

func isUp() model.Guard[Local]    { return fixed("up", func(l Local) bool { return l.Up }) }
func isAwake() model.Guard[Local] { return fixed("awake", func(l Local) bool { return l.Awake }) }
