package sessionresume

import (
	"slices"

	"podlife/model"
)

// shell are the actions of the shell.
func (b builder) shell() []model.Action[Local] {
	runs := fixed("runs", func(l Local) bool { return !l.Host.Over })
	notStalled := b.guard(Produce, "notStalled", b.notStalled())
	fresh := b.rule("Replace.freshEpoch")
	return []model.Action[Local]{
		{
			Name:   Produce,
			Guards: []model.Guard[Local]{runs, fixed("bounded", func(l Local) bool { return l.Host.Hi < b.MaxOut }), notStalled},
			Effect: func(l Local) Local {
				l.Host.Hi++
				if l.Host.Hi > l.Host.Lo+b.Ring {
					l.Host.Lo++
				}
				if l.Host.Session < len(l.Final) {
					l.Final[l.Host.Session] = l.Host.Hi
				}
				return l
			},
		},
		{
			Name:   Exit,
			Guards: []model.Guard[Local]{runs},
			Effect: func(l Local) Local {
				l.Host.Over = true
				return l
			},
		},
		{
			Name:   Replace,
			Guards: []model.Guard[Local]{fixed("bounded", func(l Local) bool { return l.Host.Session < b.MaxSessions })},
			Effect: func(l Local) Local {
				l.Host = Host{Session: l.Host.Session + 1, Epoch: l.Host.Epoch}
				if fresh {
					l.Host.Epoch = l.Host.Session
				}
				return l.each(func(_ int, v *View) { v.Conn = Conn{N: v.Conn.N} })
			},
		},
	}
}

// notStalled: nobody is connected, or one of those who are keeps up; all of them, where Produce.anyOne is switched off.
func (b builder) notStalled() func(Local) bool {
	anyOne := b.rule("Produce.anyOne")
	return func(l Local) bool {
		off := func(v View) bool { return v.Conn.At != On }
		lags := func(v View) bool { return !KeepsUp(int64(l.Host.Hi), int64(v.Conn.Acked), int64(b.Window)) }
		if !anyOne {
			return !slices.ContainsFunc(l.Views, func(v View) bool { return !off(v) && lags(v) })
		}
		one := slices.ContainsFunc(l.Views, func(v View) bool { return !off(v) && !lags(v) })
		return one || !slices.ContainsFunc(l.Views, func(v View) bool { return !off(v) })
	}
}
