// Package podlifecycle is the specification tla/PodLifecycle.tla as a table: same actions, same guards, same names, same order.
//
// A table works on one pod and the one client that acts ([Local]). The explorer lifts it to N clients (system.go), the server
// steps any number of clients with it; both use these very functions. It imports only model and model/trace, and does no I/O.
//
// Read table.go first, beside tla/PodLifecycle.tla: each guard has the name that its conjunct carries there.
package podlifecycle

import "podlife/model"

// Name is the table's name, which is also the name of the TLA+ module.
const Name = "PodLifecycle"

// The actions of the specification.
const (
	StartBoot           = "StartBoot"
	FinishBoot          = "FinishBoot"
	BootLost            = "BootLost"
	AttachReady         = "AttachReady"
	AttachWakesFresh    = "AttachWakesFresh"
	AttachAwakeNotReady = "AttachAwakeNotReady"
	AttachGuarded       = "AttachGuarded"
	Reconnect           = "Reconnect"
	Sleep               = "Sleep"
)

// The invariants of the specification.
const (
	TypeOK                    = "TypeOK"
	NoAttachWithoutShellSetup = "NoAttachWithoutShellSetup"
	BootIdempotent            = "BootIdempotent"
)

// Constants are the specification's constants, but for the clients, which the table does not count.
type Constants struct {
	// MaxInc bounds the incarnations. A server, which has no bound, passes math.MaxInt.
	MaxInc int
	// GuardedAttach is the design that ships. False is the design with the bug: an attach wakes the container by itself.
	GuardedAttach bool
}

// Table gives the transition system for these constants. The table shares nothing with other tables and is safe for concurrent use.
func Table(c Constants) model.Table[Local] {
	return model.Table[Local]{Name: Name, Actions: actions(c), Invariants: invariants(c)}
}

func guard(name string, holds func(Local) bool) model.Guard[Local] {
	return model.Guard[Local]{Name: name, Holds: holds}
}

// awake is the specification's operator Awake.
func awake(p Pod) bool { return p.Ctr != Asleep }

// gone is the specification's operator Gone, a disjunction: the incarnation that a client holds on to is no longer there.
func gone(name string, held func(Client) int) model.Guard[Local] {
	return model.AnyOf(name,
		guard("asleep", func(s Local) bool { return !awake(s.Pod) }),
		guard("otherInc", func(s Local) bool { return held(s.Client) != s.Pod.Inc }),
	)
}

func actions(c Constants) []model.Action[Local] {
	ofClient := []string{"c"}
	// Guards that several actions share, under the one name that they have in each.
	inPhase := func(p Phase) model.Guard[Local] {
		return guard(p.String(), func(s Local) bool { return s.Client.Phase == p })
	}
	unguarded := guard("unguarded", func(Local) bool { return !c.GuardedAttach })

	return []model.Action[Local]{
		{
			Name:   StartBoot,
			Params: ofClient,
			Guards: []model.Guard[Local]{
				inPhase(Idle),
				guard("canWake", func(s Local) bool { return awake(s.Pod) || s.Pod.Inc < c.MaxInc }),
			},
			Effect: func(s Local) Local {
				if !awake(s.Pod) {
					s.Pod.Inc++
				}
				// Ready stays ready: the marker makes the script a no-op.
				if s.Pod.Ctr != Ready {
					s.Pod.Ctr = Provisioning
				}
				s.Client.Phase, s.Client.BootInc = Booting, s.Pod.Inc
				return s
			},
		},
		{
			Name:   FinishBoot,
			Params: ofClient,
			Guards: []model.Guard[Local]{
				inPhase(Booting),
				guard("awake", func(s Local) bool { return awake(s.Pod) }),
				guard("sameInc", func(s Local) bool { return s.Client.BootInc == s.Pod.Inc }),
			},
			Effect: func(s Local) Local {
				s.Pod.Ctr, s.Client.Phase = Ready, Believes
				return s
			},
		},
		{
			Name:   BootLost,
			Params: ofClient,
			Guards: []model.Guard[Local]{
				inPhase(Booting),
				gone("bootGone", func(c Client) int { return c.BootInc }),
			},
			Effect: func(s Local) Local {
				s.Client.Phase = Idle
				return s
			},
		},
		{
			Name:   AttachReady,
			Params: ofClient,
			Guards: []model.Guard[Local]{
				inPhase(Believes),
				guard("ready", func(s Local) bool { return s.Pod.Ctr == Ready }),
			},
			Effect: attach,
		},
		{
			Name:   AttachWakesFresh,
			Params: ofClient,
			Guards: []model.Guard[Local]{
				unguarded,
				inPhase(Believes),
				guard("asleep", func(s Local) bool { return !awake(s.Pod) }),
				guard("belowMaxInc", func(s Local) bool { return s.Pod.Inc < c.MaxInc }),
			},
			Effect: func(s Local) Local {
				s.Pod = Pod{Ctr: Fresh, Inc: s.Pod.Inc + 1}
				return attach(s)
			},
		},
		{
			Name:   AttachAwakeNotReady,
			Params: ofClient,
			Guards: []model.Guard[Local]{
				unguarded,
				inPhase(Believes),
				guard("awakeNotReady", func(s Local) bool { return s.Pod.Ctr == Fresh || s.Pod.Ctr == Provisioning }),
			},
			Effect: attach,
		},
		{
			Name:   AttachGuarded,
			Params: ofClient,
			Guards: []model.Guard[Local]{
				guard("guarded", func(Local) bool { return c.GuardedAttach }),
				inPhase(Believes),
				guard("notReady", func(s Local) bool { return s.Pod.Ctr != Ready }),
			},
			Effect: func(s Local) Local {
				s.Client.Phase = Idle
				return s
			},
		},
		{
			Name:   Reconnect,
			Params: ofClient,
			Guards: []model.Guard[Local]{
				inPhase(Attached),
				gone("attachGone", func(c Client) int { return c.AttInc }),
			},
			Effect: func(s Local) Local {
				s.Client.Phase = Believes
				return s
			},
		},
		{
			Name: Sleep,
			Guards: []model.Guard[Local]{
				guard("awake", func(s Local) bool { return awake(s.Pod) }),
			},
			Effect: func(s Local) Local {
				s.Pod.Ctr = Asleep
				return s
			},
		},
	}
}

// attach is the effect that the three attaching actions share: the client's terminal is in the current incarnation.
func attach(s Local) Local {
	s.Client.Phase, s.Client.AttInc = Attached, s.Pod.Inc
	return s
}

func invariants(c Constants) []model.Invariant[Local] {
	inRange := func(n int) bool { return 0 <= n && n <= c.MaxInc }
	implies := func(name string, antecedent func(Local) bool) model.Invariant[Local] {
		return model.Invariant[Local]{
			Name:       name,
			Antecedent: antecedent,
			Holds:      func(s Local) bool { return !antecedent(s) || s.Pod.Ctr == Ready },
		}
	}
	return []model.Invariant[Local]{
		{
			Name: TypeOK,
			Holds: func(s Local) bool {
				return s.Pod.Ctr <= Ready && inRange(s.Pod.Inc) &&
					s.Client.Phase <= Attached && inRange(s.Client.BootInc) && inRange(s.Client.AttInc)
			},
		},
		implies(NoAttachWithoutShellSetup, func(s Local) bool {
			return s.Client.Phase == Attached && awake(s.Pod) && s.Client.AttInc == s.Pod.Inc
		}),
		implies(BootIdempotent, func(s Local) bool {
			return (s.Client.Phase == Believes || s.Client.Phase == Attached) && awake(s.Pod) && s.Client.BootInc == s.Pod.Inc
		}),
	}
}
