package resume

import (
	"slices"

	"podlife/model"
	"podlife/model/sessionresume"
)

type sessionTable = model.Table[sessionresume.Local]

// judge puts what is there in truth through the invariants of the table that ships.
type judge struct {
	c          sessionresume.Constants
	invariants []model.Invariant[sessionresume.Local]
	broke      []string
}

func newJudge(c sessionresume.Constants) judge {
	return judge{c: c, invariants: sessionresume.Table(c).Invariants}
}

// look notes what is broken. Nothing may be moving, and nothing held back.
func (j *judge) look(w *world, h sessionresume.Host, s *shadow) {
	for i, p := range w.pages {
		p.Alone = s.l.Views[i].Alone // who else was there is what was done, and no part of the host
	}
	l := w.local(h, 0)
	for _, inv := range j.invariants {
		if inv.Name != sessionresume.SlowHoldsUpNobody && !inv.Holds(l) {
			j.note(inv.Name)
		}
	}
	// In the table it says that the shell is read; here the shell has written a block, and somebody who has acknowledged everything is there.
	written := w.proc.blocks()
	for _, v := range l.Views {
		if !h.Over && h.Hi < written && v.Conn.At == sessionresume.On && v.Conn.Acked == h.Hi {
			j.note(sessionresume.SlowHoldsUpNobody)
		}
	}
}

func (j *judge) note(name string) {
	if !slices.Contains(j.broke, name) {
		j.broke = append(j.broke, name)
	}
}
