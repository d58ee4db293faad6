package podruntime

import (
	"fmt"
	"slices"
	"strconv"

	"podlife/model"
	"podlife/model/podlifecycle"
)

// Bounds of what can be explored: a [State] has room for so much.
const (
	MaxTabs       = 3
	MaxMaxInc     = 3
	MaxMaxCrashes = 3
	room          = MaxMaxInc + 1 // so that a wrong table that goes one too far is seen by TypeOK
	most          = 255           // what a number becomes that does not fit
)

// State is one pod with up to [MaxTabs] tabs and [MaxMaxInc] incarnations, without slices, so that it can be compared. The zero State is the
// initial state. It does not know its number of tabs; those beyond are idle.
type State struct {
	ctr                           Ctr
	why                           Why
	inc, stored, settled, crashes uint8
	awake                         bool // in the store
	incs                          [room]Inner
	tabs                          [MaxTabs]smallTab
}

// smallTab is a Client in small numbers.
type smallTab struct {
	phase                 podlifecycle.Phase
	at                    At
	bootInc, attInc, term uint8
}

// Pack makes a state. What does not fit (an incarnation beyond [MaxMaxInc]+1, a number beyond 254) becomes something that violates TypeOK;
// tabs beyond [MaxTabs] panic.
func Pack(p Pod, tabs ...Client) State {
	s := State{}.withPod(p)
	for i, c := range tabs {
		s.tabs[i] = smallTab{c.Phase, c.Term.At, small(c.BootInc), small(c.AttInc), small(c.Term.Inc)}
	}
	return s
}

func small(n int) uint8 {
	if n < 0 || n > most {
		return most
	}
	return uint8(n)
}

func (s State) withPod(p Pod) State {
	s.ctr, s.why, s.awake = p.Ctr, p.Why, p.Store.Awake
	s.inc, s.stored, s.settled, s.crashes = small(p.Inc), small(p.Store.Inc), small(p.Settled), small(p.Crashes)
	s.incs = [room]Inner{}
	for _, i := range p.Incs {
		if i.N < 1 || i.N > room {
			s.inc = most
			continue
		}
		s.incs[i.N-1] = i.Inner
	}
	return s
}

// Pod gives the pod's part.
func (s State) Pod() Pod {
	p := Pod{
		Ctr: s.ctr, Inc: int(s.inc), Why: s.why, Store: Record{int(s.stored), s.awake}, Settled: int(s.settled), Crashes: int(s.crashes),
	}
	for i, inner := range s.incs {
		if inner != (Inner{}) {
			if p.Incs == nil {
				p.Incs = make([]Incarnation, 0, room)
			}
			p.Incs = append(p.Incs, Incarnation{i + 1, inner})
		}
	}
	return p
}

// Tab gives the part of the tab with this index, from 0.
func (s State) Tab(i int) Client {
	t := s.tabs[i]
	return Client{t.phase, int(t.bootInc), int(t.attInc), Term{t.at, int(t.term)}}
}

// Tabs gives the first so many tabs.
func (s State) Tabs(n int) []Client {
	tabs := make([]Client, n)
	for i := range tabs {
		tabs[i] = s.Tab(i)
	}
	return tabs
}

// PodName is what the pod of a state is called, and [podlifecycle.ClientName] its tabs.
const PodName = "p1"

// A BoundsError says that a system is too big for a [State], or makes no sense.
type BoundsError struct {
	What          string // "tabs", "max-inc" or "max-crashes"
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

// CheckBounds gives an error where the specification with these constants and this number of tabs cannot be explored: a [*BoundsError] or
// a [*SwitchError].
func CheckBounds(c Constants, tabs int) error {
	for _, b := range []BoundsError{
		{"tabs", tabs, 1, MaxTabs},
		{"max-inc", c.MaxInc, 0, MaxMaxInc},
		{"max-crashes", c.MaxCrashes, 0, MaxMaxCrashes},
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

// System is the whole specification for one pod and so many tabs. The errors are those of [CheckBounds].
func System(c Constants, tabs int) (model.System[State], error) {
	if err := CheckBounds(c, tabs); err != nil {
		return model.System[State]{}, err
	}
	return LiftTable(Table(c), c.MaxInc, tabs), nil
}

// LiftTable makes a system of a table's actions, with the incarnations from 1 to maxInc and so many tabs (bounded as by [CheckBounds], else
// it panics). The steps come in the order of Next in the specification: what a tab does, tab by tab, then what there is for an
// incarnation, then what there is for the pod alone, then the rest; in each part in the table's order. An invariant holds where it does
// for each tab, and its antecedent is reached where it is for one.
func LiftTable(t model.Table[Local], maxInc, tabs int) model.System[State] {
	if err := CheckBounds(Constants{MaxInc: maxInc}, tabs); err != nil {
		panic("podruntime: " + err.Error())
	}
	l := lift{tabs: tabs}
	for i := range tabs {
		for _, a := range t.Actions {
			if slices.Contains(a.Params, ParamClient) {
				l.ofTab(a, i, maxInc)
			}
		}
	}
	for n := 1; n <= maxInc; n++ {
		for _, a := range t.Actions {
			if slices.Equal(a.Params, ofIncarnation()) {
				l.ofAll(a, []string{PodName, strconv.Itoa(n)}, n)
			}
		}
	}
	for _, params := range [][]string{ofPod(), nil} {
		for _, a := range t.Actions {
			if slices.Equal(a.Params, params) {
				l.ofAll(a, []string{PodName}[:len(params)], 0)
			}
		}
	}
	sys := model.System[State]{Name: t.Name, Init: []State{{}}, Steps: l.steps}
	for _, inv := range t.Invariants {
		sys.Invariants = append(sys.Invariants, liftInvariant(inv, tabs))
	}
	return sys
}

// lift collects steps.
type lift struct {
	tabs  int
	steps []model.Step[State]
}

// ofTab adds what the tab with this index does: with each incarnation, where the action has one.
func (l *lift) ofTab(a model.Action[Local], tab, maxInc int) {
	args := []string{PodName, podlifecycle.ClientName(tab)}
	if slices.Contains(a.Params, ParamOther) {
		args = append(args, PodName)
	}
	first, last := 0, 0
	if slices.Contains(a.Params, ParamInc) {
		first, last = 1, maxInc
	}
	for n := first; n <= last; n++ {
		with := args
		if n > 0 {
			with = append(slices.Clip(args), strconv.Itoa(n))
		}
		get := func(s State) Local { return Local{Pod: s.Pod(), Client: s.Tab(tab), N: n} }
		put := func(s State, after Local) State {
			s = s.withPod(after.Pod)
			s.tabs[tab] = Pack(Pod{}, after.Client).tabs[0]
			return s
		}
		l.steps = append(l.steps, model.Lift(a, with, get, put))
	}
}

// ofAll adds an action that no single tab takes. Its effect is taken for each tab beside the same pod: most leave the tab as it is, a crash
// forgets it. What it does to the pod does not depend on the tab.
func (l *lift) ofAll(a model.Action[Local], args []string, n int) {
	tabs := l.tabs
	get := func(s State) Local { return Local{Pod: s.Pod(), Tabs: s.Tabs(tabs), N: n} }
	step := model.Lift(a, args, get, func(s State, _ Local) State { return s })
	step.Effect = func(s State) State {
		before := get(s)
		var pod Pod
		for i := range before.Tabs {
			local := before
			local.Client = before.Tabs[i]
			after := a.Effect(local)
			pod = after.Pod
			s.tabs[i] = Pack(Pod{}, after.Client).tabs[0]
		}
		return s.withPod(pod)
	}
	l.steps = append(l.steps, step)
}

func liftInvariant(inv model.Invariant[Local], tabs int) model.Invariant[State] {
	lifted := model.Invariant[State]{Name: inv.Name}
	lifted.Holds = func(s State) bool {
		pod := s.Pod()
		for i := range tabs {
			if !inv.Holds(Local{Pod: pod, Client: s.Tab(i)}) {
				return false
			}
		}
		return true
	}
	if inv.Antecedent != nil {
		lifted.Antecedent = func(s State) bool {
			pod := s.Pod()
			for i := range tabs {
				if inv.Antecedent(Local{Pod: pod, Client: s.Tab(i)}) {
					return true
				}
			}
			return false
		}
	}
	return lifted
}
