package podruntime

import "podlife/model"

// world are the actions of the world: deaths, what the user does in the container, and crashes of the server.
func (b builder) world() []model.Action[Local] {
	mayCrash := fixed("mayCrash", func(l Local) bool { return l.Pod.Crashes < b.MaxCrashes })
	return []model.Action[Local]{
		{
			Name:   ContainerDies,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{fixed("running", func(l Local) bool { return l.inc().Box.Box == BoxRunning })},
			Effect: func(l Local) Local {
				i := l.inc()
				i.Box = Container{Box: BoxDead}
				return l.put(i)
			},
		},
		{
			Name:   MarkerRemoved,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{fixed("marked", func(l Local) bool { return l.inc().Box.Marker == MarkerOwn })},
			Effect: func(l Local) Local {
				i := l.inc()
				i.Box.Marker = MarkerNone
				return l.put(i)
			},
		},
		{Name: Crash, Guards: []model.Guard[Local]{mayCrash}, Effect: forgotten},
		{Name: CrashOtherRecipe, Guards: []model.Guard[Local]{mayCrash}, Effect: func(l Local) Local {
			l = forgotten(l)
			l.Pod = l.Pod.each(otherRecipe)
			return l
		}},
	}
}

// forgotten is the specification's Forgotten, for the pod and one client: whatever the server knew is lost. A system takes it for each client.
func forgotten(l Local) Local {
	l.Pod.Ctr, l.Pod.Inc, l.Pod.Why = Unknown, 0, WhyNone
	l.Pod.Crashes++
	l.Pod = l.Pod.each(func(i *Incarnation) { i.Run, i.Tear = RunNone, TearNone })
	l.Client = Client{}
	return l
}

// otherRecipe is what becomes of a container when the server is started again with another recipe: nothing is set up by that, and its marker
// names the one before.
func otherRecipe(i *Incarnation) {
	if i.Box.Setup == SetupAll {
		i.Box.Setup = SetupPart
	}
	if i.Box.Marker == MarkerOwn {
		i.Box.Marker = MarkerEarlier
	}
}

// recovery are the two ways in which a start of the server ends: it goes by its store, and looks at the engine and the markers.
func (b builder) recovery() []model.Action[Local] {
	unknown := fixed("unknown", func(l Local) bool { return l.Pod.Ctr == Unknown })
	return []model.Action[Local]{
		{
			Name:   RecoverReady,
			Params: ofPod(),
			Guards: []model.Guard[Local]{
				unknown,
				fixed("woken", func(l Local) bool { return l.Pod.Store.Inc != 0 }),
				b.guard(RecoverReady, "storedAwake", func(l Local) bool { return l.Pod.Store.Awake }),
				fixed("running", func(l Local) bool { return l.Pod.At(l.Pod.Store.Inc).Box.Box == BoxRunning }),
				b.guard(RecoverReady, "marker", func(l Local) bool { return setUpOnce(l.Pod.At(l.Pod.Store.Inc).Box.Marker) }),
			},
			Effect: func(l Local) Local {
				l.Pod.Ctr, l.Pod.Inc, l.Pod.Why = Ready, l.Pod.Store.Inc, WhyNone
				return l
			},
		},
		{
			Name:   RecoverAsleep,
			Params: ofPod(),
			Guards: []model.Guard[Local]{
				unknown,
				b.guard(RecoverAsleep, "notReady", func(l Local) bool { return !l.Pod.Adoptable() }),
			},
			Effect: recoverAsleep(b.rule("RecoverAsleep.stored"), b.rule("RecoverAsleep.removesAll")),
		},
	}
}

// recoverAsleep has everything removed that the engine has of the pod.
func recoverAsleep(stored, removesAll bool) func(Local) Local {
	return func(l Local) Local {
		why := WhyNone
		if l.Pod.Store.Awake {
			why = WhyLost
		}
		l.Pod.Ctr, l.Pod.Inc, l.Pod.Why = Asleep, l.Pod.Store.Inc, why
		if stored {
			l.Pod.Store.Awake = false
		}
		l.Pod = l.Pod.each(func(i *Incarnation) {
			i.Tear = TearNone
			if removesAll && i.Box.Box != BoxNone {
				i.Tear = TearRemove
			}
		})
		return l
	}
}

// WorldActions are what the world does in a container, or to it: no server takes them, and one finds out of them later or never.
func WorldActions() []string {
	return []string{ScriptSkips, ScriptWorks, ScriptMarks, ScriptFails, ContainerDies, MarkerRemoved}
}
