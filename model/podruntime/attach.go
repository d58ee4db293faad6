package podruntime

import (
	"podlife/model"
	"podlife/model/podlifecycle"
)

// attach are the actions of a terminal: the probe pins it to an incarnation, the dial looks at the marker in exactly that container, and then
// the pod is asked again.
func (b builder) attach() []model.Action[Local] {
	return append(append(b.probe(), b.dial()...), b.handOver()...)
}

func (b builder) probe() []model.Action[Local] {
	return []model.Action[Local]{
		{
			Name:   Probe,
			Params: []string{ParamPod, ParamClient, ParamOther},
			Guards: []model.Guard[Local]{
				fixed("booted", func(l Local) bool {
					return l.Client.Phase == podlifecycle.Believes || l.Client.Phase == podlifecycle.Attached
				}),
				fixed("noTerminal", func(l Local) bool { return l.Client.Term.At == AtNone }),
				b.guard(Probe, "ownPod", func(l Local) bool { return !l.OtherPod }),
				fixed("ready", isReady),
			},
			Effect: func(l Local) Local {
				l.Client.Term = Term{At: AtProbed, Inc: l.Pod.Inc}
				return l
			},
		},
		{
			Name:   AttachGuarded,
			Params: ofClient(),
			Guards: []model.Guard[Local]{
				inPhase(podlifecycle.Believes),
				b.guard(AttachGuarded, "notReady", func(l Local) bool { return !isReady(l) }),
			},
			Effect: func(l Local) Local {
				l.Client.Phase, l.Client.Term = podlifecycle.Idle, Term{}
				return l
			},
		},
	}
}

func (b builder) dial() []model.Action[Local] {
	return []model.Action[Local]{
		{
			Name:   Dial,
			Params: ofClient(),
			Guards: []model.Guard[Local]{
				termAt(AtProbed),
				fixed("running", func(l Local) bool { return pinned(l).Box == BoxRunning }),
				b.guard(Dial, "marker", func(l Local) bool { return pinned(l).Marker == MarkerOwn }),
			},
			Effect: func(l Local) Local {
				l.Client.Term.At = AtDialed
				return l
			},
		},
		{
			Name:   DialWakes,
			Params: ofClient(),
			Guards: []model.Guard[Local]{
				b.wakes(),
				termAt(AtProbed),
				fixed("notRunning", func(l Local) bool { return pinned(l).Box != BoxRunning }),
			},
			Effect: func(l Local) Local {
				i := l.Pod.At(l.Client.Term.Inc).Inner
				i.Box = Container{Box: BoxRunning}
				l.Pod = l.Pod.With(l.Client.Term.Inc, i)
				l.Client.Term.At = AtDialed
				return l
			},
		},
		{
			Name:   DialFails,
			Params: ofClient(),
			Guards: []model.Guard[Local]{termAt(AtProbed)},
			Effect: nowhere,
		},
		{
			Name:   Repair,
			Params: ofPod(),
			Guards: []model.Guard[Local]{
				fixed("ready", isReady),
				fixed("noRun", func(l Local) bool { return l.current().Run == RunNone }),
				fixed("running", func(l Local) bool { return l.current().Box.Box == BoxRunning }),
				fixed("notVouched", func(l Local) bool { return l.current().Box.Marker != MarkerOwn }),
			},
			Effect: func(l Local) Local {
				i := l.current()
				i.Run = RunBegin
				l.Pod = l.Pod.With(l.Pod.Inc, i)
				return l
			},
		},
	}
}

func (b builder) handOver() []model.Action[Local] {
	return []model.Action[Local]{
		{
			Name:   AttachReady,
			Params: ofClient(),
			Guards: []model.Guard[Local]{
				inPhase(podlifecycle.Believes),
				termAt(AtDialed),
				b.guard(AttachReady, "ready", isReady),
				b.guard(AttachReady, "sameInc", samePlace),
			},
			Effect: func(l Local) Local {
				l.Client.Phase, l.Client.AttInc, l.Client.Term.At = podlifecycle.Attached, l.Client.Term.Inc, AtOpen
				return l
			},
		},
		{
			Name:   AttachAgain,
			Params: ofClient(),
			Guards: []model.Guard[Local]{
				inPhase(podlifecycle.Attached),
				termAt(AtDialed),
				b.guard(AttachAgain, "ready", isReady),
				b.guard(AttachAgain, "sameInc", samePlace),
			},
			Effect: func(l Local) Local {
				l.Client.Term.At = AtOpen
				return l
			},
		},
		{
			Name:   AttachMoved,
			Params: ofClient(),
			Guards: []model.Guard[Local]{
				termAt(AtDialed),
				fixed("moved", func(l Local) bool { return !(samePlace(l) && isReady(l)) }),
			},
			Effect: nowhere,
		},
		{
			Name:   Detach,
			Params: ofClient(),
			Guards: []model.Guard[Local]{termAt(AtOpen)},
			Effect: nowhere,
		},
		{
			Name:   Reconnect,
			Params: ofClient(),
			Guards: []model.Guard[Local]{
				inPhase(podlifecycle.Attached),
				b.guard(Reconnect, "attachGone", func(l Local) bool { return !l.Pod.Current(l.Client.AttInc) }),
			},
			Effect: func(l Local) Local {
				l.Client.Phase, l.Client.Term = podlifecycle.Believes, Term{}
				return l
			},
		},
	}
}

// wakes is the condition that a rule is off: what it guards is no part of the design that ships.
func (b builder) wakes() model.Guard[Local] {
	never := b.rule("Dial.neverWakes")
	return fixed("wakes", func(Local) bool { return !never })
}

func isReady(l Local) bool { return l.Pod.Ctr == Ready }

// samePlace is the specification's operator SamePlace: the incarnation that the terminal is pinned to is the pod's.
func samePlace(l Local) bool { return l.Client.Term.Inc == l.Pod.Inc }

// pinned is the container that the terminal is pinned to.
func pinned(l Local) Container { return l.Pod.At(l.Client.Term.Inc).Box }

// termAt holds where the terminal has come this far, after which the guard is named.
func termAt(at At) model.Guard[Local] {
	return fixed(at.String(), func(l Local) bool { return l.Client.Term.At == at })
}

// nowhere takes the terminal away.
func nowhere(l Local) Local {
	l.Client.Term = Term{}
	return l
}
