package workspace

import "podlife/model"

// using is what is done in a container.
func (b builder) using() []model.Action[Local] {
	open := fixed("open", func(l Local) bool { return l.pod().Open })
	hasHome := fixed("workspace", func(l Local) bool { return l.pod().Box.Home != 0 })
	return []model.Action[Local]{
		pod(Attach, func(l Local) Local {
			l.Pods[l.P].Open = true
			return l
		}, fixed("ready", func(l Local) bool { return l.pod().State == IsReady }), fixed("running", func(l Local) bool { return l.pod().current() })),
		pod(Write, func(l Local) Local {
			l.volume(l.pod().Box.Home).Data = Work
			return l
		}, open, hasHome),
		pod(CopyMarker, func(l Local) Local {
			l.volume(l.pod().Box.Home).Marker = l.pod().Box.Marker
			return l
		}, open, hasHome),
	}
}

// stopping is how a container goes, and its disk with it.
func (b builder) stopping() []model.Action[Local] {
	up := fixed("up", func(l Local) bool { return !l.Down })
	keepsVolume := b.switches.Rule("TearDown.keepsVolume")
	return []model.Action[Local]{
		pod(Stop, func(l Local) Local {
			p := &l.Pods[l.P]
			p.State, p.Open = Asleep, false
			return l
		}, fixed("awake", func(l Local) bool { return l.pod().State != Asleep })),
		pod(TearDown, func(l Local) Local {
			p := &l.Pods[l.P]
			if home := p.Box.Home; !keepsVolume && home != 0 {
				v := l.volume(home)
				*v = v.removed()
			}
			p.Box = Box{}
			return l
		}, up, fixed("left", func(l Local) bool { return l.pod().Box.Up }),
			fixed("over", func(l Local) bool { return !l.pod().current() || l.pod().State == Asleep })),
	}
}
