package podruntime

import "podlife/model"

// fallAsleep is the specification's FallAsleep: what cannot be stored does not happen, and the container goes after that.
func fallAsleep(l Local, why Why, stored bool) Local {
	l.Pod.Ctr, l.Pod.Why = Asleep, why
	if stored {
		l.Pod.Store.Awake = false
	}
	i := l.current()
	i.Tear = TearRemove
	l.Pod = l.Pod.With(l.Pod.Inc, i)
	return l
}

// sleep are the ways to fall asleep, and what follows.
func (b builder) sleep() []model.Action[Local] {
	return append(b.fall(), b.after()...)
}

func (b builder) fall() []model.Action[Local] {
	awake := func(l Local) bool { return l.Pod.Awake() }
	falls := func(action string, why Why) func(Local) Local {
		stored := b.rule(action + ".stored")
		return func(l Local) Local { return fallAsleep(l, why, stored) }
	}
	return []model.Action[Local]{
		{
			Name:   Destroy,
			Params: ofPod(),
			Guards: []model.Guard[Local]{b.guard(Destroy, "awake", awake)},
			Effect: falls(Destroy, WhyDestroy),
		},
		{
			Name:   IdleSleep,
			Params: ofPod(),
			Guards: []model.Guard[Local]{
				fixed("awake", awake),
				b.guard(IdleSleep, "noTerminal", func(l Local) bool {
					return noTab(l, func(c Client) bool { return c.Term.At == AtOpen })
				}),
				b.guard(IdleSleep, "noRun", func(l Local) bool { return l.current().Run == RunNone }),
			},
			Effect: falls(IdleSleep, WhyIdle),
		},
		{
			Name:   ContainerLost,
			Params: ofPod(),
			Guards: []model.Guard[Local]{
				fixed("awake", awake),
				fixed("launched", func(l Local) bool { return launched(l.current().Run) }),
				b.guard(ContainerLost, "reallyDead", func(l Local) bool { return l.current().Box.Box != BoxRunning }),
			},
			Effect: falls(ContainerLost, WhyLost),
		},
		{
			Name:   BootFailed,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{
				isRun("failed", RunFailed, RunGone),
				b.guard(BootFailed, "sameInc", func(l Local) bool { return l.N == l.Pod.Inc }),
				fixed("awake", awake),
				b.guard(BootFailed, "notReady", func(l Local) bool { return l.inc().Run != RunFailed || l.Pod.Ctr != Ready }),
			},
			Effect: bootFailed(b.rule("BootFailed.stored")),
		},
	}
}

func launched(r Run) bool { return r != RunCreate && r != RunStart }

func bootFailed(stored bool) func(Local) Local {
	return func(l Local) Local {
		why := WhyFailed
		if l.inc().Run == RunGone {
			why = WhyLost
		}
		l = fallAsleep(l, why, stored)
		i := l.inc()
		i.Run = RunNone
		return l.put(i)
	}
}

// after are the removal, and the answer to a call of destroy.
func (b builder) after() []model.Action[Local] {
	return []model.Action[Local]{
		{
			Name:   TearDown,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{
				fixed("decided", func(l Local) bool { return l.inc().Tear == TearRemove }),
				b.guard(TearDown, "launched", func(l Local) bool { return launched(l.inc().Run) }),
			},
			Effect: func(l Local) Local {
				i := l.inc()
				i.Box, i.Tear = Container{}, TearNone
				return l.put(i)
			},
		},
		{
			Name:   DestroyAnswered,
			Params: ofPod(),
			Guards: []model.Guard[Local]{
				b.guard(DestroyAnswered, "asleep", func(l Local) bool { return l.Pod.Ctr == Asleep }),
				b.guard(DestroyAnswered, "removed", func(l Local) bool { return removed(l.Pod) }),
				fixed("new", func(l Local) bool { return l.Pod.Settled != l.Pod.Inc }),
			},
			Effect: func(l Local) Local {
				l.Pod.Settled = l.Pod.Inc
				return l
			},
		},
	}
}

func removed(p Pod) bool {
	for _, i := range p.Incs {
		if i.Tear != TearNone {
			return false
		}
	}
	return true
}
