package workspace

import "podlife/model"

// The invariants of the specification.
const (
	TypeOK                    = "TypeOK"
	NothingLost               = "NothingLost"
	NoEmptyHome               = "NoEmptyHome"
	NoVolumeForgotten         = "NoVolumeForgotten"
	NoVolumeShared            = "NoVolumeShared"
	NoForeignHome             = "NoForeignHome"
	HomeIsThere               = "HomeIsThere"
	DeleteLeavesNothing       = "DeleteLeavesNothing"
	DeleteIsFinal             = "DeleteIsFinal"
	NoWakeByRead              = "NoWakeByRead"
	NoAttachWithoutShellSetup = "NoAttachWithoutShellSetup"
)

// claim is an implication about one pod, or one volume, in a state.
type claim struct{ given, then func(s State, i int) bool }

func (b builder) each(name string, c claim) model.Invariant[Local] {
	some := func(l Local, bad bool) bool {
		for i := range b.Pods {
			if c.given(l.State, i) && (!bad || !c.then(l.State, i)) {
				return true
			}
		}
		return false
	}
	return model.Invariant[Local]{
		Name: name, Antecedent: func(l Local) bool { return some(l, false) }, Holds: func(l Local) bool { return !some(l, true) },
	}
}

func (b builder) invariants() []model.Invariant[Local] {
	home := func(s State, i int) Volume { return s.Pods[s.Pods[i].Rec.Volume()].Vol }
	is := func(lives ...Life) func(s State, i int) bool {
		return func(s State, i int) bool {
			for _, l := range lives {
				if s.Pods[i].Rec.Life == l {
					return true
				}
			}
			return false
		}
	}
	return []model.Invariant[Local]{
		{Name: TypeOK, Holds: func(l Local) bool { return b.typeOK(l.State) }},
		b.each(NothingLost, claim{
			func(s State, v int) bool { return s.Pods[v].Vol.Data == Lost },
			func(s State, v int) bool { return s.Pods[v].Doomed || s.Pods[v].ByHand },
		}),
		b.each(NoEmptyHome, claim{
			func(s State, p int) bool { return s.Pods[p].Box.Up && s.Pods[p].Box.Home != 0 },
			func(s State, p int) bool { return s.Pods[s.Pods[p].Box.Home-1].Vol.Data != Lost },
		}),
		b.each(NoVolumeForgotten, claim{
			func(s State, v int) bool { return s.Pods[v].Vol.There },
			func(s State, v int) bool {
				for i, p := range s.Pods {
					if p.Rec.Volume() == v && is(Making, There, Going)(s, i) {
						return true
					}
				}
				return s.Pods[v].Kept
			},
		}),
		b.each(NoVolumeShared, claim{
			func(s State, p int) bool { return b.sharing(s, p, func(State, int, int) bool { return true }) },
			func(s State, p int) bool {
				return !b.sharing(s, p, func(s State, p, q int) bool { return !is(Over)(s, p) && !is(Over)(s, q) })
			},
		}),
		b.each(NoForeignHome, claim{
			func(s State, p int) bool { return s.Pods[p].Rec.HasHome() },
			func(s State, p int) bool { return b.owner(s.Pods[p].Rec.Volume()) == b.owner(p) },
		}),
		b.each(HomeIsThere, claim{
			func(s State, p int) bool { return is(There)(s, p) && s.Pods[p].Rec.HasHome() },
			func(s State, p int) bool { return home(s, p).There || s.Pods[s.Pods[p].Rec.Volume()].ByHand },
		}),
		b.each(DeleteLeavesNothing, claim{is(Over), func(s State, i int) bool {
			p := s.Pods[i]
			return !p.Box.Up && p.Flight == NoFlight && (!p.Rec.HasHome() || p.Rec.Keep || !home(s, i).There)
		}}),
		b.each(DeleteIsFinal, claim{is(Going, Over), func(s State, p int) bool { return s.Pods[p].State == Asleep }}),
		{Name: NoWakeByRead, Holds: func(l Local) bool {
			for _, p := range l.Pods {
				if p.Woken == ByRead || p.Woken == ByAccess && !p.Rec.HasHome() {
					return false
				}
			}
			return true
		}},
		b.each(NoAttachWithoutShellSetup, claim{
			func(s State, p int) bool { return s.Pods[p].Open },
			func(s State, p int) bool { return s.Pods[p].Box.Setup },
		}),
	}
}

// sharing says whether another pod has the same home, of which something holds.
func (b builder) sharing(s State, p int, holds func(s State, p, q int) bool) bool {
	for q := range b.Pods {
		if p != q && s.Pods[p].Rec.HasHome() && s.Pods[p].Rec.Home == s.Pods[q].Rec.Home && holds(s, p, q) {
			return true
		}
	}
	return false
}

func (b builder) typeOK(s State) bool {
	within := func(n, most int) bool { return n >= 0 && n <= most }
	ok := within(s.Crashes, b.MaxCrashes)
	for _, p := range s.Pods[:b.Pods] {
		ok = ok && within(p.Rec.Inc, b.MaxInc) && within(p.Rec.Home, b.Pods) && within(p.Box.Inc, b.MaxInc) && within(p.Box.Home, b.Pods) &&
			within(p.Box.Marker, b.MaxInc) && within(p.Vol.Marker, b.MaxInc) && p.Rec.Life != Unknown
	}
	return ok
}
