// Package sessionresume is the specification tla/SessionResume.tla as a table: same actions, same guards, same names, same order.
//
// A table works on one tab of a pod and all its viewers, one of which acts ([Local]). The explorer lifts it to a few (system.go). What is
// decided by in bytes are the functions of rules.go, which the guards here are made of. It imports only model, and does no I/O.
//
// Read table.go first, beside tla/SessionResume.tla: each guard has the name that its conjunct carries there. The actions are in shell.go,
// connect.go, send.go and viewer.go, in the order of the specification; invariants.go has what must hold.
package sessionresume

import (
	"slices"

	"podlife/model"
)

// Name is the table's name, which is also the name of the TLA+ module.
const Name = "SessionResume"

// The actions of the specification.
const (
	Produce  = "Produce"
	Exit     = "Exit"
	Replace  = "Replace"
	Ask      = "Ask"
	Resume   = "Resume"
	Reset    = "Reset"
	Drop     = "Drop"
	Send     = "Send"
	FallBack = "FallBack"
	SendExit = "SendExit"
	Ignore   = "Ignore"
	Receive  = "Receive"
	Ack      = "Ack"
)

// ParamViewer is the parameter of what is done for one viewer.
const ParamViewer = "v"

// Constants are the specification's constants, but for the viewers, which the table does not count.
type Constants struct {
	MaxSessions, MaxOut, MaxConns int // bounds of what is explored
	Ring                          int // bytes that the host keeps, at least 1
	Window                        int // bytes that a viewer may have been sent and not have acknowledged, 1 to Ring
	// Off names the guards and rules that are switched off, as "Action.guard"; none in the design that ships. [Switches] lists what can be.
	Off []string
}

// Table gives the transition system for these constants. The table shares nothing with other tables and is safe for concurrent use. A name
// in Off that is no switch has no effect; [CheckBounds] refuses it.
func Table(c Constants) model.Table[Local] {
	b := newBuilder(c)
	return model.Table[Local]{
		Name:       Name,
		Actions:    slices.Concat(b.shell(), b.connecting(), b.sending(), b.viewer()),
		Invariants: b.invariants(),
	}
}

// Switches lists what Off can name, in the specification's order.
func Switches() []string {
	b := newBuilder(Constants{})
	for _, part := range [](func() []model.Action[Local]){b.shell, b.connecting, b.sending, b.viewer} {
		part()
	}
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

func (b builder) rule(name string) bool { return b.switches.Rule(name) }

func (b builder) guard(action, name string, holds func(Local) bool) model.Guard[Local] {
	return model.SwitchedGuard(b.switches, action, name, holds)
}

// fixed is a conjunct that cannot be switched off.
func fixed(name string, holds func(Local) bool) model.Guard[Local] {
	return model.Guard[Local]{Name: name, Holds: holds}
}

func isOn() model.Guard[Local] {
	return fixed("on", func(l Local) bool { return l.view().Conn.At == On })
}
