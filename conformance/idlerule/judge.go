package idlerule

import (
	"slices"

	"podlife/model"
	"podlife/model/idlerule"
)

// judge puts what is there in truth through the invariants of the table that ships. What somebody did, and was answered, it was told; what became of it, it looks at.
type judge struct {
	c          idlerule.Constants
	invariants []model.Invariant[idlerule.Local]
	s          idlerule.State // the truth; Active is not known to it, and is as Last
	half       bool           // the server that is being started finds a boot that nobody ended
	broke      []string
}

func newJudge(c idlerule.Constants) judge {
	c.Off = nil
	return judge{c: c, invariants: idlerule.Table(c).Invariants, s: idlerule.First()}
}

// answered is an answer of Extend.
func (j *judge) answered(until int) { j.s.Promised = max(j.s.Promised, until) }

// lost is that the pod will not be awake for want of a boot that came to an end.
func (j *judge) lost() { j.half = true }

// look notes what is broken after something was done. Nothing may be moving.
func (j *judge) look(w *world, o Op) error {
	before := j.s
	id, err := w.container()
	if err != nil {
		return err
	}
	kept, err := w.kept()
	if err != nil {
		return err
	}
	s := &j.s
	s.Kept = w.ticks(kept)
	asked := false // somebody has had it sleep
	switch o.Kind {
	case Tick:
		s.Now++
	case Wake, WakeSlowly:
		s.Accessed, s.Last = true, s.Now
	case Touch, HoldTerminal, HoldProgram, HoldBoot, Release:
		s.Last = s.Now
	case Recover:
		s.Last, asked = s.Now, j.half
	case Destroy, Lose:
		asked = true
	}
	s.Up, s.Awake = w.pod != nil, id != ""
	if before.Awake && !s.Awake {
		s.Early = s.Early || !asked && before.TooEarly(j.c.Idle)
		s.Accessed = false
	}
	s.Held = len(w.holds)
	if s.Lease = 0; w.pod != nil {
		s.Lease = s.Promised // what has run out nobody asks for
		if until := w.pod.Status().LeaseUntil; !until.IsZero() || s.Now < s.Promised {
			s.Lease = w.ticks(until)
		}
	}
	s.Active = s.Last
	for _, inv := range j.invariants {
		if inv.Name != idlerule.TypeOK && inv.Name != idlerule.SleepsWhenDue && !inv.Holds(idlerule.Local{State: *s}) {
			j.note(inv.Name)
		}
	}
	if s.Up && s.Awake && !s.TooEarly(j.c.Idle) && !w.clock.due() {
		j.note(idlerule.SleepsWhenDue)
	}
	if !idlerule.Forward(before, *s) {
		j.note(idlerule.LeaseForward)
	}
	return nil
}

func (j *judge) note(name string) {
	if !slices.Contains(j.broke, name) {
		j.broke = append(j.broke, name)
	}
}
