package workspace

import "podlife/model"

// creating is how a pod comes to be there.
func (b builder) creating() []model.Action[Local] {
	isNew := fixed("new", func(l Local) bool { return l.pod().Life == New })
	making := fixed("making", func(l Local) bool { return l.pod().Life == Making })
	stored, ownVolume := b.switches.Rule("CreateWorkspace.stored"), b.switches.Rule("CreateWorkspace.ownVolume")
	owner := model.SwitchedGuard(b.switches, Adopt, "owner", func(l Local) bool { return b.owner(l.V) == b.owner(l.P) })
	once := b.switches.Rule("Adopt.once")
	return []model.Action[Local]{
		pod(CreateEphemeral, func(l Local) Local {
			p := &l.Pods[l.P]
			p.Life, p.Rec.Life = There, There
			return l
		}, isNew),
		pod(CreateWorkspace, func(l Local) Local {
			p := &l.Pods[l.P]
			p.Life, p.Rec.Home = Making, l.P+1
			if !ownVolume {
				p.Rec.Home = 1
			}
			if stored {
				p.Rec.Life = Making
			}
			return l
		}, isNew),
		{
			Name:   Adopt,
			Params: []string{ParamPod, ParamVolume},
			Guards: []model.Guard[Local]{isNew, fixed("kept", func(l Local) bool { return l.Pods[l.V].Kept && l.Pods[l.V].Vol.There }), owner},
			Effect: func(l Local) Local {
				p := &l.Pods[l.P]
				p.Life, p.Rec.Life, p.Rec.Home = There, There, l.V+1
				if once {
					l.Pods[l.V].Kept = false
				}
				return l
			},
		},
		pod(MakeVolume, func(l Local) Local {
			if v := l.volume(l.pod().Rec.Home); !v.There {
				*v = Volume{There: true, Ours: true}
			}
			return l
		}, making),
		pod(Made, func(l Local) Local {
			p := &l.Pods[l.P]
			p.Life, p.Rec.Life = There, There
			return l
		}, making, model.SwitchedGuard(b.switches, Made, "volume", func(l Local) bool { return l.home().There })),
	}
}
