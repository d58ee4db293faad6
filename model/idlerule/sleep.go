package idlerule

import "podlife/model"

// sleeping are the idle sleep and every other.
func (b builder) sleeping() []model.Action[Local] {
	guards := append([]model.Guard[Local]{isUp(), isAwake()}, b.due()...)
	keepsLease := b.switches.Rule("Sleep.keepsLease")
	return []model.Action[Local]{
		{
			Name:   Sweep,
			Guards: guards,
			Effect: func(l Local) Local {
				l.Early = l.Early || l.TooEarly(b.Idle)
				return l.asleep()
			},
		},
		{
			Name:   Sleep,
			Guards: []model.Guard[Local]{isAwake()},
			Effect: func(l Local) Local {
				if !keepsLease {
					l.Lease = longAgo
				}
				return l.asleep()
			},
		},
	}
}

// due are the guards of Sweep that can be switched off.
func (b builder) due() []model.Guard[Local] {
	return []model.Guard[Local]{
		model.SwitchedGuard(b.switches, Sweep, "idle", func(l Local) bool { return l.Now >= l.Active+b.Idle }),
		model.SwitchedGuard(b.switches, Sweep, "lease", func(l Local) bool { return l.Now >= l.Lease }),
		model.SwitchedGuard(b.switches, Sweep, "noHold", func(l Local) bool { return l.Held == 0 }),
	}
}

func (l Local) asleep() Local {
	l.Awake, l.Accessed, l.Held = false, false, 0
	return l
}
