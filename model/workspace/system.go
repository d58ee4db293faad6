package workspace

import (
	"fmt"
	"slices"
	"strconv"

	"podlife/model"
)

// most bounds the constants of what can be explored.
const most = 9

// A BoundsError says that a system is too big to be explored, or makes no sense.
type BoundsError struct {
	What           string
	Got, Min, Most int
}

func (e *BoundsError) Error() string {
	return fmt.Sprintf("%s is %d, must be between %d and %d", e.What, e.Got, e.Min, e.Most)
}

// A SwitchError says that Constants.Off names what cannot be switched off.
type SwitchError struct{ Name string }

func (e *SwitchError) Error() string {
	return fmt.Sprintf("%.60q is no guard or rule of %s that can be switched off", e.Name, Name)
}

// CheckBounds gives an error where the specification with these constants cannot be explored: a [*BoundsError] or a [*SwitchError].
func CheckBounds(c Constants) error {
	bounds := []BoundsError{{"pods", c.Pods, 1, MostPods}, {"max-inc", c.MaxInc, 0, most}, {"max-crashes", c.MaxCrashes, 0, most}}
	for _, p := range c.Foreign {
		bounds = append(bounds, BoundsError{"foreign", p, 0, c.Pods - 1})
	}
	for _, b := range bounds {
		if b.Got < b.Min || b.Got > b.Most {
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

// System is the whole specification. The errors are those of [CheckBounds].
func System(c Constants) (model.System[State], error) {
	if err := CheckBounds(c); err != nil {
		return model.System[State]{}, err
	}
	return LiftTable(Table(c), c.Pods), nil
}

// PodName is how pod n of the specification is called, and its volume: p1 is the first.
func PodName(n int) string { return "p" + strconv.Itoa(n+1) }

// LiftTable makes a system of a table's actions, for so many pods. The steps come in the order of Next in the specification.
func LiftTable(t model.Table[Local], pods int) model.System[State] {
	sys := model.System[State]{Name: t.Name, Init: []State{First()}}
	lift := func(a model.Action[Local], args []string, at Local) {
		get := func(s State) Local { at.State = s; return at }
		sys.Steps = append(sys.Steps, model.Lift(a, args, get, func(_ State, after Local) State { return after.State }))
	}
	for p := range pods {
		for _, a := range t.Actions {
			switch {
			case slices.Equal(a.Params, []string{ParamPod}):
				lift(a, []string{PodName(p)}, Local{P: p})
			case slices.Equal(a.Params, []string{ParamVolume}):
				lift(a, []string{PodName(p)}, Local{V: p})
			case slices.Equal(a.Params, []string{ParamPod, ParamVolume}):
				for v := range pods {
					lift(a, []string{PodName(p), PodName(v)}, Local{P: p, V: v})
				}
			case slices.Equal(a.Params, []string{ParamPod, ParamKeep}):
				for _, keep := range []bool{false, true} {
					lift(a, []string{PodName(p), strconv.FormatBool(keep)}, Local{P: p, Keep: keep})
				}
			}
		}
	}
	for _, a := range t.Actions {
		if len(a.Params) == 0 {
			lift(a, nil, Local{})
		}
	}
	for _, inv := range t.Invariants {
		lifted := model.Invariant[State]{Name: inv.Name, Holds: func(s State) bool { return inv.Holds(Local{State: s}) }}
		if inv.Antecedent != nil {
			lifted.Antecedent = func(s State) bool { return inv.Antecedent(Local{State: s}) }
		}
		sys.Invariants = append(sys.Invariants, lifted)
	}
	return sys
}
