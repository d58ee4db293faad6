package workspace

import "podlife/model"

// world is what nobody asks for.
func (b builder) world() []model.Action[Local] {
	keepsVolumes := b.switches.Rule("Recover.keepsVolumes")
	return []model.Action[Local]{
		{
			Name:   RemovedByHand,
			Params: []string{ParamVolume},
			Guards: []model.Guard[Local]{
				fixed("there", func(l Local) bool { return l.Pods[l.V].Vol.There }), fixed("once", func(l Local) bool { return !l.Pods[l.V].ByHand }),
				fixed("unused", func(l Local) bool { return !l.used(l.V) }),
			},
			Effect: func(l Local) Local {
				p := &l.Pods[l.V]
				p.Vol, p.ByHand = p.Vol.removed(), true
				return l
			},
		},
		{
			Name: Crash,
			Guards: []model.Guard[Local]{
				fixed("up", func(l Local) bool { return !l.Down }), fixed("bounded", func(l Local) bool { return l.Crashes < b.MaxCrashes }),
			},
			Effect: func(l Local) Local {
				l.Down = true
				l.Crashes++
				for i := range l.Pods[:b.Pods] {
					p := &l.Pods[i]
					p.Life, p.State, p.Flight, p.Open = Unknown, Asleep, NoFlight, false
				}
				return l
			},
		},
		{
			Name:   Recover,
			Guards: []model.Guard[Local]{fixed("down", func(l Local) bool { return l.Down })},
			Effect: func(l Local) Local {
				mounted := l.State
				l.Down = false
				for i := range l.Pods[:b.Pods] {
					p := &l.Pods[i]
					p.Life, p.State = p.Rec.Life, Asleep
					if p.Rec.Life == There && p.Box.Up && p.Box.Marker != 0 {
						p.State = IsReady
					}
					if !keepsVolumes && !mounted.used(i) {
						p.Vol = p.Vol.removed()
					}
				}
				return l
			},
		},
	}
}
