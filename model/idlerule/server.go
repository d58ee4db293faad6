package idlerule

import "podlife/model"

// server are its death and its start.
func (b builder) server() []model.Action[Local] {
	lease, clock := b.switches.Rule("Recover.lease"), b.switches.Rule("Recover.clock")
	return []model.Action[Local]{
		{
			Name:   Crash,
			Guards: []model.Guard[Local]{isUp(), fixed("bounded", func(l Local) bool { return l.Crashes < b.MaxCrashes })},
			Effect: func(l Local) Local {
				l.Up, l.Held, l.Active, l.Lease = false, 0, longAgo, longAgo
				l.Crashes++
				return l
			},
		},
		{
			Name:   Recover,
			Guards: []model.Guard[Local]{fixed("down", func(l Local) bool { return !l.Up })},
			Effect: func(l Local) Local {
				l.Up, l.Lease, l.Active = true, longAgo, longAgo
				if lease {
					l.Lease = l.Kept
				}
				return l.used(clock)
			},
		},
	}
}
