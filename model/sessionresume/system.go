package sessionresume

import (
	"fmt"
	"slices"
	"strconv"

	"podlife/model"
)

// Bounds of what can be explored: a [State] has room for so much.
const (
	MaxViewers     = 2
	MaxMaxSessions = 3
	MaxMaxOut      = 7
	MaxMaxConns    = 3
	room           = 16 // frames on one wire
)

// State is one tab with up to [MaxViewers] viewers, without slices, so that it can be compared. It does not know its number of viewers; those
// beyond are as the zero View.
type State struct {
	host  Host
	final [MaxMaxSessions + 1]int
	views [MaxViewers]smallView
}

type smallView struct {
	conn  Conn
	wire  [room]Frame
	len   int
	page  Page
	seen  Seen
	alone bool
}

// Pack makes a state. More viewers than [MaxViewers], or more frames on a wire than there is room for, panic.
func Pack(l Local) State {
	s := State{host: l.Host, final: l.Final}
	for i, v := range l.Views {
		small := smallView{conn: v.Conn, len: len(v.Wire), page: v.Page, seen: v.Seen, alone: v.Alone}
		if len(v.Wire) > room {
			panic("sessionresume: " + strconv.Itoa(len(v.Wire)) + " frames on a wire")
		}
		copy(small.wire[:], v.Wire)
		s.views[i] = small
	}
	return s
}

// Local gives the state of so many viewers, of which the one at place v acts.
func (s State) Local(viewers, v int) Local {
	l := Local{Host: s.host, Final: s.final, V: v, Views: make([]View, viewers)}
	for i := range l.Views {
		small := s.views[i]
		l.Views[i] = View{Conn: small.conn, Page: small.page, Seen: small.seen, Alone: small.alone}
		if small.len > 0 {
			l.Views[i].Wire = slices.Clone(small.wire[:small.len])
		}
	}
	return l
}

// ViewerName is what the viewer at a place is called, from "v1" on.
func ViewerName(i int) string { return "v" + strconv.Itoa(i+1) }

// A BoundsError says that a system is too big for a [State], or makes no sense.
type BoundsError struct {
	What          string
	Got, Min, Max int
}

func (e *BoundsError) Error() string {
	return fmt.Sprintf("%s is %d, must be between %d and %d", e.What, e.Got, e.Min, e.Max)
}

// A SwitchError says that Constants.Off names what cannot be switched off.
type SwitchError struct{ Name string }

func (e *SwitchError) Error() string {
	return fmt.Sprintf("%.60q is no guard or rule of %s that can be switched off", e.Name, Name)
}

// CheckBounds gives an error where the specification with these constants and so many viewers cannot be explored: a [*BoundsError] or a
// [*SwitchError].
func CheckBounds(c Constants, viewers int) error {
	for _, b := range []BoundsError{
		{"viewers", viewers, 1, MaxViewers},
		{"max-sessions", c.MaxSessions, 1, MaxMaxSessions},
		{"max-out", c.MaxOut, 0, MaxMaxOut},
		{"max-conns", c.MaxConns, 0, MaxMaxConns},
		{"ring", c.Ring, 1, MaxMaxOut},
		{"window", c.Window, 1, c.Ring},
	} {
		if b.Got < b.Min || b.Got > b.Max {
			return &b
		}
	}
	known := Switches()
	for _, name := range c.Off {
		if !slices.Contains(known, name) {
			return &SwitchError{Name: name}
		}
	}
	return nil
}

// System is the whole specification for so many viewers. The errors are those of [CheckBounds].
func System(c Constants, viewers int) (model.System[State], error) {
	if err := CheckBounds(c, viewers); err != nil {
		return model.System[State]{}, err
	}
	return LiftTable(Table(c), viewers), nil
}

// LiftTable makes a system of a table's actions with so many viewers. The steps come in the order of Next in the specification: the shell's,
// then for each viewer all of its own.
func LiftTable(t model.Table[Local], viewers int) model.System[State] {
	sys := model.System[State]{Name: t.Name, Init: []State{Pack(First(viewers))}}
	lift := func(a model.Action[Local], args []string, v int) {
		get := func(s State) Local { return s.Local(viewers, v) }
		sys.Steps = append(sys.Steps, model.Lift(a, args, get, func(_ State, after Local) State { return Pack(after) }))
	}
	for _, a := range t.Actions {
		if len(a.Params) == 0 {
			lift(a, nil, 0)
		}
	}
	for v := range viewers {
		for _, a := range t.Actions {
			if len(a.Params) > 0 {
				lift(a, []string{ViewerName(v)}, v)
			}
		}
	}
	for _, inv := range t.Invariants {
		lifted := model.Invariant[State]{Name: inv.Name, Holds: func(s State) bool { return inv.Holds(s.Local(viewers, 0)) }}
		if inv.Antecedent != nil {
			lifted.Antecedent = func(s State) bool { return inv.Antecedent(s.Local(viewers, 0)) }
		}
		sys.Invariants = append(sys.Invariants, lifted)
	}
	return sys
}
