package sessionresume

import "podlife/model"

// connecting are the actions by which a viewer connects and loses its connection.
func (b builder) connecting() []model.Action[Local] {
	asked := fixed("asked", func(l Local) bool { return l.view().Conn.At == Asked })
	resumable := b.resumable()
	return []model.Action[Local]{
		{
			Name:   Ask,
			Params: []string{ParamViewer},
			Guards: []model.Guard[Local]{
				fixed("off", func(l Local) bool { return l.view().Conn.At == Off }),
				fixed("bounded", func(l Local) bool { return l.view().Conn.N < b.MaxConns }),
			},
			Effect: func(l Local) Local { return l.with(func(v *View) { v.Conn = Conn{N: v.Conn.N + 1, At: Asked} }) },
		},
		{
			Name:   Resume,
			Params: []string{ParamViewer},
			Guards: []model.Guard[Local]{asked, fixed("resumable", resumable)},
			Effect: func(l Local) Local { return l.connect(l.view().Page.Have) },
		},
		{
			Name:   Reset,
			Params: []string{ParamViewer},
			Guards: []model.Guard[Local]{asked, fixed("notResumable", func(l Local) bool { return !resumable(l) })},
			Effect: func(l Local) Local { return l.connect(l.Host.Hi).send(ResetTo, l.Host.Hi, 0) },
		},
		{
			Name:   Drop,
			Params: []string{ParamViewer},
			Guards: []model.Guard[Local]{fixed("connected", func(l Local) bool { return l.view().Conn.At != Off })},
			Effect: func(l Local) Local { return l.with(func(v *View) { v.Conn = Conn{N: v.Conn.N} }) },
		},
	}
}

// resumable is the specification's operator Resumable.
func (b builder) resumable() func(Local) bool {
	sameEpoch := b.guard(Resume, "sameEpoch", func(l Local) bool { return SameEpoch(l.view().Page.Epoch, l.Host.Epoch) })
	inRing := b.guard(Resume, "inRing", func(l Local) bool { return InRing(int64(l.view().Page.Have), int64(l.Host.Lo)) })
	return func(l Local) bool { return sameEpoch.Holds(l) && inRing.Holds(l) && l.view().Page.Have <= l.Host.Hi }
}

// connect gives the acting viewer its connection, from a byte on.
func (l Local) connect(from int) Local {
	others := false
	for i, v := range l.Views {
		others = others || i != l.V && v.Conn.At == On
	}
	return l.each(func(i int, v *View) {
		if i != l.V {
			v.Alone = v.Alone && v.Conn.At != On
			return
		}
		v.Conn.At, v.Conn.Sent, v.Conn.Acked = On, from, from
		v.Alone = !others
	})
}

// send puts a frame on the acting viewer's wire.
func (l Local) send(kind Kind, at, session int) Local {
	return l.with(func(v *View) {
		v.Wire = v.append(Frame{Conn: v.Conn.N, Kind: kind, Epoch: l.Host.Epoch, At: at, Session: session})
	})
}
