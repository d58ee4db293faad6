package podruntime

import (
	"podlife/model"
	"podlife/model/podlifecycle"
)

// boot are the actions of a boot request, up to a running container.
func (b builder) boot() []model.Action[Local] {
	return []model.Action[Local]{
		{
			Name:   StartBoot,
			Params: ofClient(),
			Guards: []model.Guard[Local]{
				b.guard(StartBoot, "known", func(l Local) bool { return l.Pod.Ctr != Unknown }),
				b.guard(StartBoot, "idle", func(l Local) bool { return l.Client.Phase == podlifecycle.Idle }),
				fixed("canWake", func(l Local) bool { return booted(l.Pod) <= b.MaxInc }),
			},
			Effect: startBoot(b.rule("StartBoot.stored")),
		},
		{
			Name:   CreateContainer,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{
				isRun("creating", RunCreate),
				b.guard(CreateContainer, "alone", func(l Local) bool { return alone(l.Pod, l.N) }),
			},
			Effect: func(l Local) Local {
				i := l.inc()
				i.Box = Container{Box: BoxCreated}
				if b.ImageMarked {
					i.Box.Marker = MarkerForeign
				}
				i.Run = RunStart
				return l.put(i)
			},
		},
		{
			Name:   StartContainer,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{
				isRun("starting", RunStart),
				fixed("created", func(l Local) bool { return l.inc().Box.Box == BoxCreated }),
			},
			Effect: func(l Local) Local {
				i := l.inc()
				i.Box.Box, i.Run = BoxRunning, RunBegin
				return l.put(i)
			},
		},
		{
			Name:   LaunchFails,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{isRun("launching", RunCreate, RunStart)},
			Effect: becomesRun(RunFailed),
		},
	}
}

// booted is the incarnation that a boot request is for: the current one, or the one that it wakes.
func booted(p Pod) int {
	if p.Awake() {
		return p.Inc
	}
	return p.Inc + 1
}

func alone(p Pod, n int) bool {
	for _, i := range p.Incs {
		if i.N != n && i.Box.Box != BoxNone {
			return false
		}
	}
	return true
}

func startBoot(stored bool) func(Local) Local {
	return func(l Local) Local {
		wake, n := !l.Pod.Awake(), booted(l.Pod)
		i := l.Pod.At(n).Inner
		switch {
		case wake:
			i.Run = RunCreate
			i.Woken = min(i.Woken+1, 2)
		case i.Run == RunNone:
			i.Run = RunBegin
		}
		if wake && stored {
			l.Pod.Store = Record{Inc: n, Awake: true}
		}
		if l.Pod.Ctr != Ready {
			l.Pod.Ctr = Provisioning
		}
		l.Pod.Inc, l.Pod.Why = n, WhyNone
		l.Pod = l.Pod.With(n, i)
		l.Client.Phase, l.Client.BootInc = podlifecycle.Booting, n
		return l
	}
}

// answers is the specification's operator Answers. A second boot of a ready pod that fails leaves it as ready as it was. The two ways exclude
// each other, so that it counts as one.
func answers(l Local) bool {
	r := l.inc().Run
	return r == RunOK || r == RunFailed && l.Pod.Ctr == Ready
}

// replies are how the pod takes the replies of boot runs.
func (b builder) replies() []model.Action[Local] {
	return []model.Action[Local]{
		{
			Name:   FinishBoot,
			Params: []string{ParamPod, ParamClient, ParamInc},
			Guards: []model.Guard[Local]{
				fixed("replied", answers),
				inPhase(podlifecycle.Booting),
				b.guard(FinishBoot, "awake", func(l Local) bool { return l.Pod.Awake() }),
				b.guard(FinishBoot, "sameInc", func(l Local) bool { return l.N == l.Pod.Inc }),
				b.guard(FinishBoot, "ownBoot", func(l Local) bool { return l.Client.BootInc == l.Pod.Inc }),
			},
			Effect: func(l Local) Local {
				l.Pod.Ctr, l.Pod.Why = Ready, WhyNone
				l.Client.Phase = podlifecycle.Believes
				return l
			},
		},
		{
			Name:   EndRun,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{
				fixed("replied", answers),
				fixed("sameInc", func(l Local) bool { return l.Pod.Current(l.N) }),
				b.guard(EndRun, "allAnswered", func(l Local) bool {
					return noTab(l, func(c Client) bool { return c.Phase == podlifecycle.Booting && c.BootInc == l.N })
				}),
			},
			Effect: becomesRun(RunNone),
		},
		{
			Name:   DropReply,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{
				isRun("between", RunCreate, RunBegin, RunOK, RunFailed, RunGone),
				b.guard(DropReply, "over", func(l Local) bool { return !l.Pod.Current(l.N) }),
			},
			Effect: becomesRun(RunNone),
		},
		{
			Name:   BootLost,
			Params: ofClient(),
			Guards: []model.Guard[Local]{
				inPhase(podlifecycle.Booting),
				b.guard(BootLost, "bootGone", func(l Local) bool { return !l.Pod.Current(l.Client.BootInc) }),
			},
			Effect: func(l Local) Local {
				l.Client.Phase = podlifecycle.Idle
				return l
			},
		},
	}
}

// inPhase holds where the client is in this phase, after which the guard is named.
func inPhase(p podlifecycle.Phase) model.Guard[Local] {
	return fixed(p.String(), func(l Local) bool { return l.Client.Phase == p })
}

func noTab(l Local, has func(Client) bool) bool {
	for _, c := range l.Tabs {
		if has(c) {
			return false
		}
	}
	return true
}
