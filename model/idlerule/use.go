package idlerule

import "podlife/model"

// using are time and the ways of using the pod.
func (b builder) using() []model.Action[Local] {
	wake, touch, release := b.switches.Rule("Wake.clock"), b.switches.Rule("Touch.clock"), b.switches.Rule("Release.clock")
	return []model.Action[Local]{
		{
			Name:   Tick,
			Guards: []model.Guard[Local]{fixed("bounded", func(l Local) bool { return l.Now < b.MaxTime })},
			Effect: func(l Local) Local { l.Now++; return l },
		},
		{
			Name:   Wake,
			Guards: []model.Guard[Local]{isUp(), fixed("asleep", func(l Local) bool { return !l.Awake })},
			Effect: func(l Local) Local {
				l.Awake, l.Accessed = true, true
				return l.used(wake)
			},
		},
		{
			Name:   Touch,
			Guards: []model.Guard[Local]{isUp(), isAwake()},
			Effect: func(l Local) Local { return l.used(touch) },
		},
		{
			Name:   Hold,
			Guards: []model.Guard[Local]{isUp(), isAwake(), fixed("bounded", func(l Local) bool { return l.Held < b.MaxHolds })},
			Effect: func(l Local) Local {
				l.Held++
				return l.used(true)
			},
		},
		{
			Name:   Release,
			Guards: []model.Guard[Local]{fixed("held", func(l Local) bool { return l.Held > 0 })},
			Effect: func(l Local) Local {
				l.Held--
				return l.used(release)
			},
		},
	}
}

// used is that somebody uses the pod now; known is whether the server notes it.
func (l Local) used(known bool) Local {
	l.Last = l.Now
	if known {
		l.Active = l.Now
	}
	return l
}

// leasing is Extend.
func (b builder) leasing() []model.Action[Local] {
	forward, stored, wakesNothing := b.switches.Rule("Extend.forward"), b.switches.Rule("Extend.stored"), b.switches.Rule("Extend.wakesNothing")
	return []model.Action[Local]{{
		Name:   Extend,
		Params: []string{ParamFor},
		Guards: []model.Guard[Local]{isUp()},
		Effect: func(l Local) Local {
			until := l.Now + l.D
			if forward {
				until = max(until, l.Lease)
			}
			l.Lease = until
			if stored {
				l.Kept = until
			}
			l.Promised = max(l.Promised, until)
			l.Awake = l.Awake || !wakesNothing
			return l
		},
	}}
}
