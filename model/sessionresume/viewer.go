package sessionresume

import (
	"slices"

	"podlife/model"
)

// viewer are the actions of a viewer.
func (b builder) viewer() []model.Action[Local] {
	arrives := fixed("arrives", func(l Local) bool { return len(l.view().Wire) > 0 })
	mine := b.guard(Receive, "thisConnection", func(l Local) bool {
		v := l.view()
		return len(v.Wire) > 0 && v.Wire[0].Conn == v.Conn.N && v.Conn.At != Off
	})
	return []model.Action[Local]{
		{
			Name:   Ignore,
			Params: []string{ParamViewer},
			Guards: []model.Guard[Local]{arrives, fixed("notMine", func(l Local) bool { return !mine.Holds(l) })},
			Effect: func(l Local) Local { return l.with(func(v *View) { v.first() }) },
		},
		{
			Name:   Receive,
			Params: []string{ParamViewer},
			Guards: []model.Guard[Local]{arrives, mine},
			Effect: func(l Local) Local { return l.with(receive) },
		},
		{
			Name:   Ack,
			Params: []string{ParamViewer},
			Guards: []model.Guard[Local]{
				isOn(),
				fixed("sameEpoch", func(l Local) bool { return SameEpoch(l.view().Page.Epoch, l.Host.Epoch) }),
				fixed("news", func(l Local) bool { return l.view().Conn.Acked < l.view().Page.Have }),
			},
			Effect: func(l Local) Local { return l.with(func(v *View) { v.Conn.Acked = v.Page.Have }) },
		},
	}
}

// first takes the first frame off the wire; false if there is none.
func (v *View) first() (f Frame, ok bool) {
	if len(v.Wire) == 0 {
		return f, false
	}
	f, v.Wire = v.Wire[0], slices.Clone(v.Wire[1:])
	return f, true
}

// receive takes the first frame.
func receive(v *View) {
	f, ok := v.first()
	if !ok {
		return
	}
	if f.Kind == ResetTo {
		v.Page, v.Seen = Page{Epoch: f.Epoch, Have: f.At}, Seen{}
		return
	}
	v.Seen.Sessions |= 1 << f.Session
	v.Seen.Disorder = v.Seen.Disorder || f.At != v.Page.Have
	if f.Kind == Exited {
		v.Page.Exited = true
	} else {
		v.Page.Have++
	}
}
