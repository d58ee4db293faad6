package resume

import (
	"fmt"
	"slices"

	"podlife/model/sessionresume"
)

// A Difference says what of the host is not as the table has it.
type Difference struct {
	After     Op
	What      string
	Got, Want string
}

func (e *Difference) Error() string {
	return fmt.Sprintf("after %s %s is %s, and the table says %s", e.After, e.What, e.Got, e.Want)
}

// A BrokenError says which invariants are broken in truth.
type BrokenError struct {
	After      Op
	Invariants []string
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("after %s these are broken: %v", e.After, e.Invariants)
}

// compare holds the host, and what each page was told and shows, against the table.
func (r *Run) compare(h sessionresume.Host, viewers int) *Difference {
	want := r.shadow.l
	differ := func(what string, got, want any) *Difference {
		if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
			return &Difference{What: what, Got: g, Want: w}
		}
		return nil
	}
	if d := differ("the host", h, want.Host); d != nil {
		return d
	}
	on := 0
	for _, v := range want.Views {
		if v.Conn.At == sessionresume.On {
			on++
		}
	}
	if d := differ("the number of viewers", viewers, on); d != nil {
		return d
	}
	if r.world.held {
		return nil
	}
	for i, p := range r.world.pages {
		v, name := want.Views[i], sessionresume.ViewerName(i)
		for _, d := range []*Difference{
			differ("the connection of "+name, p.Conn, v.Conn),
			differ("what is under way to "+name, p.Wire, r.shadow.mine(i)),
			differ("what "+name+" knows", p.Page, v.Page),
			differ("what "+name+" shows", p.Seen, v.Seen),
			r.let(i),
		} {
			if d != nil {
				return d
			}
		}
	}
	return nil
}

// let compares what a page was told when it was let in.
func (r *Run) let(i int) *Difference {
	p, v := r.world.pages[i], r.shadow.l.Views[i]
	if v.Conn.At != sessionresume.On {
		return nil
	}
	want := r.shadow.let[i]
	got := letIn{Reset: p.told.Reset, Epoch: r.world.known(p.told.Epoch), From: int(p.told.From / Block), Lo: int(p.told.Lo / Block), Hi: int(p.told.Hi / Block), Over: !p.told.Running}
	if got != want {
		return &Difference{What: "how " + sessionresume.ViewerName(i) + " was let in", Got: fmt.Sprintf("%+v", got), Want: fmt.Sprintf("%+v", want)}
	}
	return nil
}

// receive has a page take the first frame that has come to it. The effect is the table's: what a page does is no part of the host.
func (w *world) receive(table sessionTable, v int) error {
	l := w.local(sessionresume.Host{}, v)
	if len(l.Views[v].Wire) == 0 {
		return nil // the table says that there is something: that is a difference, which is found next
	}
	l, err := table.Take(sessionresume.Receive, l)
	if err != nil {
		return err
	}
	w.pages[v].View = l.Views[v]
	return nil
}

// local gives what is there in truth as a state of the table.
func (w *world) local(h sessionresume.Host, acts int) sessionresume.Local {
	l := sessionresume.Local{Host: h, V: acts}
	for _, p := range w.pages {
		v := p.View
		v.Wire = slices.Clone(v.Wire)
		l.Views = append(l.Views, v)
	}
	for n, final := range w.final {
		if n < len(l.Final) {
			l.Final[n] = final
		}
	}
	return l
}
