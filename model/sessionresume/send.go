package sessionresume

import "podlife/model"

// sending are the actions by which output gets to a viewer.
func (b builder) sending() []model.Action[Local] {
	return []model.Action[Local]{
		{
			Name:   Send,
			Params: []string{ParamViewer},
			Guards: []model.Guard[Local]{
				isOn(),
				fixed("more", func(l Local) bool { return l.view().Conn.Sent < l.Host.Hi }),
				b.guard(Send, "inWindow", func(l Local) bool {
					return InWindow(int64(l.view().Conn.Sent), int64(l.view().Conn.Acked), int64(b.Window))
				}),
				b.guard(Send, "inRing", func(l Local) bool { return InRing(int64(l.view().Conn.Sent), int64(l.Host.Lo)) }),
			},
			Effect: func(l Local) Local {
				sent, session := l.view().Conn.Sent, 0
				if InRing(int64(sent), int64(l.Host.Lo)) {
					session = l.Host.Session
				}
				return l.send(Data, sent, session).with(func(v *View) { v.Conn.Sent++ })
			},
		},
		{
			Name:   FallBack,
			Params: []string{ParamViewer},
			Guards: []model.Guard[Local]{
				isOn(),
				fixed("fellOut", func(l Local) bool { return !InRing(int64(l.view().Conn.Sent), int64(l.Host.Lo)) }),
			},
			Effect: func(l Local) Local {
				return l.send(ResetTo, l.Host.Hi, 0).with(func(v *View) { v.Conn.Sent, v.Conn.Acked = l.Host.Hi, l.Host.Hi })
			},
		},
		{
			Name:   SendExit,
			Params: []string{ParamViewer},
			Guards: []model.Guard[Local]{
				isOn(),
				fixed("over", func(l Local) bool { return l.Host.Over }),
				fixed("notTold", func(l Local) bool { return !l.view().Conn.Told }),
				b.guard(SendExit, "allSent", func(l Local) bool { return l.view().Conn.Sent == l.Host.Hi }),
			},
			Effect: func(l Local) Local {
				return l.send(Exited, l.Host.Hi, l.Host.Session).with(func(v *View) { v.Conn.Told = true })
			},
		},
	}
}
