package podruntime

import "podlife/model"

// script are the actions of the boot script inside the container, which goes on when the server dies, and of the run that waits for it.
func (b builder) script() []model.Action[Local] {
	return append(b.inside(), b.waited()...)
}

// inside are the steps inside the container.
func (b builder) inside() []model.Action[Local] {
	on := fixed("on", func(l Local) bool { return l.inc().Box.Script == ScriptOn })
	return []model.Action[Local]{
		{
			Name:   BeginScript,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{
				isRun("beginning", RunBegin),
				fixed("running", func(l Local) bool { return l.inc().Box.Box == BoxRunning }),
			},
			Effect: func(l Local) Local {
				i := l.inc()
				i.Box.Script, i.Run = ScriptOn, RunScript
				return l.put(i)
			},
		},
		{
			Name:   ScriptSkips,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{
				on,
				fixed("marked", func(l Local) bool { return l.inc().Box.Marker != MarkerNone }),
				b.guard(ScriptSkips, "ownMarker", func(l Local) bool { return l.inc().Box.Marker == MarkerOwn }),
			},
			Effect: becomesScript(ScriptOK),
		},
		{
			Name:   ScriptWorks,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{
				on,
				fixed("notAll", func(l Local) bool { return l.inc().Box.Setup != SetupAll }),
			},
			Effect: scriptWorks,
		},
		{
			Name:   ScriptMarks,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{
				on,
				fixed("notMarked", func(l Local) bool { return l.inc().Box.Marker != MarkerOwn }),
				b.guard(ScriptMarks, "allDone", func(l Local) bool { return l.inc().Box.Setup == SetupAll }),
			},
			Effect: func(l Local) Local {
				i := l.inc()
				i.Box.Marker, i.Box.Script = MarkerOwn, ScriptOK
				return l.put(i)
			},
		},
		{
			Name:   ScriptFails,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{on},
			Effect: becomesScript(ScriptBad),
		},
	}
}

// waited are how the exit of the script arrives at the run.
func (b builder) waited() []model.Action[Local] {
	return []model.Action[Local]{
		{
			Name:   ScriptSucceeded,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{
				isRun("waiting", RunScript),
				fixed("exited", func(l Local) bool { s := l.inc().Box.Script; return s == ScriptOK || s == ScriptBad }),
				b.guard(ScriptSucceeded, "exitZero", func(l Local) bool { return l.inc().Box.Script == ScriptOK }),
			},
			Effect: becomesRun(RunOK),
		},
		{
			Name:   ScriptFailed,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{
				isRun("waiting", RunScript),
				fixed("exitNonZero", func(l Local) bool { return l.inc().Box.Script == ScriptBad }),
			},
			Effect: becomesRun(RunFailed),
		},
		{
			Name:   ScriptGone,
			Params: ofIncarnation(),
			Guards: []model.Guard[Local]{
				isRun("waiting", RunBegin, RunScript),
				b.guard(ScriptGone, "reallyGone", func(l Local) bool { return l.inc().Box.Box != BoxRunning }),
			},
			Effect: becomesRun(RunGone),
		},
	}
}

func becomesScript(s Script) func(Local) Local {
	return func(l Local) Local {
		i := l.inc()
		i.Box.Script = s
		return l.put(i)
	}
}

// scriptWorks does one of the steps, or the last of them.
func scriptWorks(l Local) Local {
	i := l.inc()
	if i.Box.Setup == SetupNone {
		i.Box.Setup = SetupPart
	} else {
		i.Box.Setup, i.Done = SetupAll, true
	}
	return l.put(i)
}
