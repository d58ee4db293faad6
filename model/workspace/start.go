package workspace

import "podlife/model"

// starting is how a pod comes to have a container that can be used.
func (b builder) starting() []model.Action[Local] {
	asleep := fixed("asleep", func(l Local) bool {
		p := l.pod()
		return p.State == Asleep && p.Flight == NoFlight && p.Rec.Inc < b.MaxInc
	})
	there := fixed("there", func(l Local) bool { return l.pod().Life == There })
	isStarting := fixed("starting", func(l Local) bool { return l.pod().State == Starting })
	running := fixed("running", func(l Local) bool { return l.pod().current() })
	wakesNothing, ownDisk := b.switches.Rule("Read.wakesNothing"), b.switches.Rule("Ready.ownDisk")
	return []model.Action[Local]{
		pod(Boot, func(l Local) Local { return l.starts(ByBoot) },
			fixed("known", func(l Local) bool { return l.pod().Life == There || l.pod().Life == Going }), asleep,
			model.SwitchedGuard(b.switches, Boot, "there", func(l Local) bool { return l.pod().Life == There })),
		pod(Access, func(l Local) Local { return l.starts(ByAccess) }, there, asleep,
			model.SwitchedGuard(b.switches, Access, "workspace", func(l Local) bool { return l.pod().Rec.HasHome() })),
		pod(Read, func(l Local) Local {
			if wakesNothing {
				return l
			}
			return l.starts(ByRead)
		}, there, asleep),
		pod(Launch, func(l Local) Local {
			p := &l.Pods[l.P]
			p.Flight = MadeIt
			l.volume(p.Rec.Home).There = true
			return l
		}, fixed("asked", func(l Local) bool { return l.pod().Flight == Asked }), fixed("alone", func(l Local) bool { return !l.pod().Box.Up })),
		pod(Start, func(l Local) Local {
			p := &l.Pods[l.P]
			p.Flight, p.Box = NoFlight, Box{Up: true, Inc: p.Rec.Inc, Home: p.Rec.Home}
			return l
		}, fixed("made", func(l Local) bool { return l.pod().Flight == MadeIt }),
			model.SwitchedGuard(b.switches, Start, "ownVolume", func(l Local) bool { return !l.pod().Rec.HasHome() || l.home().Ours })),
		pod(LaunchFails, func(l Local) Local {
			p := &l.Pods[l.P]
			if p.Flight == MadeIt && !l.home().Ours {
				l.volume(p.Rec.Home).There = false
			}
			p.Flight, p.State = NoFlight, Asleep
			return l
		}, fixed("launching", func(l Local) bool { return l.pod().Flight != NoFlight })),
		pod(Provision, func(l Local) Local {
			p := &l.Pods[l.P]
			p.Box.Setup, p.Box.Marker = true, p.Box.Inc
			return l
		}, isStarting, running),
		pod(Ready, func(l Local) Local {
			l.Pods[l.P].State = IsReady
			return l
		}, isStarting, running, model.SwitchedGuard(b.switches, Ready, "vouched", func(l Local) bool {
			box := l.pod().Box
			return box.Marker != 0 || !ownDisk && box.Home != 0 && l.Pods[box.Home-1].Vol.Marker != 0
		})),
	}
}

// starts is a start that somebody or something asks for.
func (l Local) starts(why Woken) Local {
	p := &l.Pods[l.P]
	p.State, p.Flight, p.Woken = Starting, Asked, why
	p.Rec.Inc++
	return l
}
