package sessionresume

import (
	"math/bits"
	"slices"

	"podlife/model"
)

// The invariants of the specification.
const (
	TypeOK            = "TypeOK"
	OneSession        = "OneSession"
	ExactlyOnce       = "ExactlyOnce"
	EpochIsTrue       = "EpochIsTrue"
	ExitComesLast     = "ExitComesLast"
	WindowIsKept      = "WindowIsKept"
	AloneLosesNothing = "AloneLosesNothing"
	SlowHoldsUpNobody = "SlowHoldsUpNobody"
)

func (b builder) invariants() []model.Invariant[Local] {
	notStalled := b.guard(Produce, "notStalled", b.notStalled())
	all := func(holds func(Local, View) bool) func(Local) bool {
		return func(l Local) bool { return !slices.ContainsFunc(l.Views, func(v View) bool { return !holds(l, v) }) }
	}
	one := func(holds func(Local, View) bool) func(Local) bool {
		return func(l Local) bool { return slices.ContainsFunc(l.Views, func(v View) bool { return holds(l, v) }) }
	}
	hasSession := func(_ Local, v View) bool { return v.Seen.Sessions>>1 != 0 }
	alone := func(_ Local, v View) bool { return v.Conn.At == On && v.Alone }
	keepsUp := func(l Local) bool {
		return !l.Host.Over && l.Host.Hi < b.MaxOut && one(func(l Local, v View) bool {
			return v.Conn.At == On && KeepsUp(int64(l.Host.Hi), int64(v.Conn.Acked), int64(b.Window))
		})(l)
	}
	return []model.Invariant[Local]{
		{Name: TypeOK, Holds: b.typeOK},
		{Name: OneSession, Holds: all(func(_ Local, v View) bool { return bits.OnesCount8(v.Seen.Sessions) <= 1 && v.Seen.Sessions&1 == 0 })},
		{Name: ExactlyOnce, Holds: all(func(_ Local, v View) bool { return !v.Seen.Disorder })},
		{Name: EpochIsTrue, Antecedent: one(hasSession), Holds: all(func(_ Local, v View) bool {
			return v.Seen.Sessions>>1 == 0 || v.Seen.Sessions&^1 == 1<<v.Page.Epoch
		})},
		{
			Name: ExitComesLast, Antecedent: one(func(_ Local, v View) bool { return v.Page.Exited }),
			Holds: all(func(l Local, v View) bool {
				for s := 1; s < len(l.Final); s++ {
					if v.Page.Exited && v.Seen.Sessions&(1<<s) != 0 && v.Page.Have != l.Final[s] {
						return false
					}
				}
				return true
			}),
		},
		{
			Name: WindowIsKept, Antecedent: one(func(_ Local, v View) bool { return v.Conn.At == On }),
			Holds: all(func(_ Local, v View) bool { return v.Conn.At != On || v.Conn.Sent-v.Conn.Acked <= b.Window }),
		},
		{
			Name: AloneLosesNothing, Antecedent: one(alone),
			Holds: all(func(l Local, v View) bool { return !alone(l, v) || InRing(int64(v.Conn.Sent), int64(l.Host.Lo)) }),
		},
		{Name: SlowHoldsUpNobody, Antecedent: keepsUp, Holds: func(l Local) bool { return !keepsUp(l) || notStalled.Holds(l) }},
	}
}

func (b builder) typeOK(l Local) bool {
	h := l.Host
	within := func(n, least, most int) bool { return n >= least && n <= most }
	if !within(h.Session, 1, b.MaxSessions) || !within(h.Epoch, 1, b.MaxSessions) || !within(h.Lo, 0, b.MaxOut) || !within(h.Hi, 0, b.MaxOut) {
		return false
	}
	for _, final := range l.Final[1:] {
		if !within(final, 0, b.MaxOut) {
			return false
		}
	}
	return !slices.ContainsFunc(l.Views, func(v View) bool {
		c := v.Conn
		fits := within(c.N, 0, b.MaxConns) && within(c.Sent, 0, b.MaxOut) && within(c.Acked, 0, b.MaxOut) && within(v.Page.Epoch, 0, b.MaxSessions)
		return !fits || int(v.Seen.Sessions)>>(b.MaxSessions+1) != 0 || slices.ContainsFunc(v.Wire, func(f Frame) bool {
			return !within(f.Conn, 1, b.MaxConns) || !within(f.Epoch, 1, b.MaxSessions) || !within(f.At, 0, b.MaxOut) || !within(f.Session, 0, b.MaxSessions)
		})
	})
}
