package workspace

import "podlife/model"

// deleting is how a pod comes to its end.
func (b builder) deleting() []model.Action[Local] {
	stored, keeps := b.switches.Rule("Delete.stored"), b.switches.Rule("Gone.keeps")
	going := fixed("going", func(l Local) bool { return l.pod().Life == Going })
	return []model.Action[Local]{
		{
			Name:   Delete,
			Params: []string{ParamPod, ParamKeep},
			Guards: []model.Guard[Local]{fixed("there", func(l Local) bool { return l.pod().Life == Making || l.pod().Life == There })},
			Effect: func(l Local) Local {
				p := &l.Pods[l.P]
				p.Life, p.Rec.Keep, p.State, p.Open = Going, l.Keep, Asleep, false
				if stored {
					p.Rec.Life = Going
				}
				if p.Rec.HasHome() && !l.Keep {
					l.Pods[p.Rec.Volume()].Doomed = true
				}
				return l
			},
		},
		pod(RemoveVolume, func(l Local) Local {
			v := l.volume(l.pod().Rec.Home)
			*v = v.removed()
			return l
		}, going, fixed("workspace", func(l Local) bool { return l.pod().Rec.HasHome() }),
			fixed("unused", func(l Local) bool { return !l.pod().Rec.HasHome() || !l.used(l.pod().Rec.Volume()) }),
			fixed("left", func(l Local) bool { return l.home().There }),
			model.SwitchedGuard(b.switches, RemoveVolume, "notKept", func(l Local) bool { return !l.pod().Rec.Keep })),
		pod(Gone, func(l Local) Local {
			p := &l.Pods[l.P]
			p.Life, p.Rec.Life = Over, Over
			if p.Rec.HasHome() && p.Rec.Keep && keeps && l.home().There {
				l.Pods[p.Rec.Volume()].Kept = true
			}
			return l
		}, going,
			model.SwitchedGuard(b.switches, Gone, "container", func(l Local) bool { return l.pod().Flight == NoFlight && !l.pod().Box.Up }),
			model.SwitchedGuard(b.switches, Gone, "volume", func(l Local) bool { return !l.pod().Rec.HasHome() || l.pod().Rec.Keep || !l.home().There })),
	}
}
