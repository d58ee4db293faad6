package podruntime

import (
	"podlife/model"
	"podlife/model/podlifecycle"
)

// The state invariants of the specification. Its action properties (ReadyIsKept, AttachIsCurrent) and what must happen in the end are there
// alone.
const (
	TypeOK                    = "TypeOK"
	NoAttachWithoutShellSetup = "NoAttachWithoutShellSetup"
	BootIdempotent            = "BootIdempotent"
	ReadyMeansProvisioned     = "ReadyMeansProvisioned"
	MarkerMeansProvisioned    = "MarkerMeansProvisioned"
	OneContainerPerPod        = "OneContainerPerPod"
	NoContainerUnowned        = "NoContainerUnowned"
	DestroyedStaysDestroyed   = "DestroyedStaysDestroyed"
	NoSleepUnderAttach        = "NoSleepUnderAttach"
	StoreAgrees               = "StoreAgrees"
	NoBootForgotten           = "NoBootForgotten"
	IncarnationsIncrease      = "IncarnationsIncrease"
	ReplyNamesItsIncarnation  = "ReplyNamesItsIncarnation"
	NoCrossAttach             = "NoCrossAttach"
)

// invariants are those of a pod and one client. They hold of a pod with its tabs where they hold with each of them.
func invariants(c Constants) []model.Invariant[Local] {
	return append(ofTruth(c), ofServer()...)
}

// always is an invariant that is no implication.
func always(name string, holds func(Local) bool) model.Invariant[Local] {
	return model.Invariant[Local]{Name: name, Holds: holds}
}

func implies(name string, antecedent, consequent func(Local) bool) model.Invariant[Local] {
	return model.Invariant[Local]{
		Name:       name,
		Antecedent: antecedent,
		Holds:      func(l Local) bool { return !antecedent(l) || consequent(l) },
	}
}

// everyInc is an invariant of the form "for every incarnation, P implies Q". Incarnations that are not in Incs satisfy it: P is false for
// them.
func everyInc(name string, antecedent, consequent func(Pod, Incarnation) bool) model.Invariant[Local] {
	return model.Invariant[Local]{
		Name: name,
		Antecedent: func(l Local) bool {
			for _, i := range l.Pod.Incs {
				if antecedent(l.Pod, i) {
					return true
				}
			}
			return false
		},
		Holds: func(l Local) bool {
			for _, i := range l.Pod.Incs {
				if antecedent(l.Pod, i) && !consequent(l.Pod, i) {
					return false
				}
			}
			return true
		},
	}
}

func believes(c Client) bool {
	return c.Phase == podlifecycle.Believes || c.Phase == podlifecycle.Attached
}

// ofTruth are the invariants that say what is the case in the containers.
func ofTruth(c Constants) []model.Invariant[Local] {
	exists := func(_ Pod, i Incarnation) bool { return i.Box.Box != BoxNone }
	return []model.Invariant[Local]{
		always(TypeOK, func(l Local) bool { return typeOK(c, l) }),
		implies(NoAttachWithoutShellSetup,
			func(l Local) bool { return l.Client.Term.At == AtOpen && pinned(l).Box == BoxRunning },
			func(l Local) bool { return pinned(l).Setup == SetupAll }),
		implies(BootIdempotent,
			func(l Local) bool { return believes(l.Client) && l.Pod.Current(l.Client.BootInc) },
			isReady),
		implies(ReadyMeansProvisioned,
			isReady,
			func(l Local) bool { return l.current().Done }),
		everyInc(MarkerMeansProvisioned,
			func(_ Pod, i Incarnation) bool { return i.Box.Box == BoxRunning && i.Box.Marker == MarkerOwn },
			func(_ Pod, i Incarnation) bool { return i.Box.Setup == SetupAll }),
		always(OneContainerPerPod, func(l Local) bool {
			containers := 0
			for _, i := range l.Pod.Incs {
				if exists(l.Pod, i) {
					containers++
				}
			}
			return containers <= 1
		}),
		everyInc(NoContainerUnowned,
			func(p Pod, i Incarnation) bool { return p.Ctr != Unknown && exists(p, i) },
			func(p Pod, i Incarnation) bool { return p.Current(i.N) || i.Tear == TearRemove }),
		model.Invariant[Local]{
			Name:       DestroyedStaysDestroyed,
			Antecedent: func(l Local) bool { return l.Pod.Settled > 0 },
			Holds: func(l Local) bool {
				for _, i := range l.Pod.Incs {
					if i.N <= l.Pod.Settled && exists(l.Pod, i) {
						return false
					}
				}
				return true
			},
		},
	}
}

// ofServer are the invariants that say what the server makes of it.
func ofServer() []model.Invariant[Local] {
	return []model.Invariant[Local]{
		implies(NoSleepUnderAttach,
			func(l Local) bool { return l.Pod.Why == WhyIdle },
			func(l Local) bool {
				open := l.Client.Term.At == AtOpen && samePlace(l)
				return !open && l.current().Run == RunNone
			}),
		implies(StoreAgrees,
			func(l Local) bool { return l.Pod.Ctr != Unknown },
			func(l Local) bool { return l.Pod.Store == Record{Inc: l.Pod.Inc, Awake: l.Pod.Awake()} }),
		implies(NoBootForgotten,
			func(l Local) bool {
				return l.Client.Phase == podlifecycle.Booting && l.Pod.Current(l.Client.BootInc)
			},
			func(l Local) bool { return l.Pod.At(l.Client.BootInc).Run != RunNone }),
		always(IncarnationsIncrease, func(l Local) bool {
			for _, i := range l.Pod.Incs {
				if i.Woken > 1 {
					return false
				}
			}
			return true
		}),
		implies(ReplyNamesItsIncarnation,
			func(l Local) bool { return believes(l.Client) },
			func(l Local) bool { return l.Pod.At(l.Client.BootInc).Done }),
		// A terminal of the table is in the client's own pod: see Local.OtherPod.
		implies(NoCrossAttach,
			func(l Local) bool { return l.Client.Term.At == AtOpen },
			func(Local) bool { return true }),
	}
}

func typeOK(c Constants, l Local) bool {
	inRange := func(n int) bool { return 0 <= n && n <= c.MaxInc }
	p, t := l.Pod, l.Client
	ok := p.Ctr <= Ready && p.Why <= WhyFailed && inRange(p.Inc) && inRange(p.Store.Inc) && inRange(p.Settled) &&
		0 <= p.Crashes && p.Crashes <= c.MaxCrashes &&
		t.Phase <= podlifecycle.Attached && inRange(t.BootInc) && inRange(t.AttInc) && t.Term.At <= AtOpen && inRange(t.Term.Inc)
	for _, i := range p.Incs {
		ok = ok && 1 <= i.N && i.N <= c.MaxInc && i.Run <= RunGone && i.Tear <= TearRemove && i.Woken <= 2 &&
			i.Box.Box <= BoxDead && i.Box.Setup <= SetupAll && i.Box.Marker <= MarkerForeign && i.Box.Script <= ScriptBad
	}
	return ok
}
