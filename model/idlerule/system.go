package idlerule

import (
	"fmt"
	"slices"
	"strconv"

	"podlife/model"
)

// most bounds the constants of what can be explored.
const most = 64

// A BoundsError says that a system is too big to be explored, or makes no sense.
type BoundsError struct {
	What     string
	Got, Min int
}

func (e *BoundsError) Error() string {
	return fmt.Sprintf("%s is %d, must be between %d and %d", e.What, e.Got, e.Min, most)
}

// A SwitchError says that Constants.Off names what cannot be switched off.
type SwitchError struct{ Name string }

func (e *SwitchError) Error() string {
	return fmt.Sprintf("%.60q is no guard or rule of %s that can be switched off", e.Name, Name)
}

// CheckBounds gives an error where the specification with these constants cannot be explored: a [*BoundsError] or a [*SwitchError].
func CheckBounds(c Constants) error {
	for _, b := range []BoundsError{
		{"max-time", c.MaxTime, 0}, {"idle", c.Idle, 1}, {"max-lease", c.MaxLease, 1}, {"max-holds", c.MaxHolds, 0}, {"max-crashes", c.MaxCrashes, 0},
	} {
		if b.Got < b.Min || b.Got > most {
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
	return LiftTable(Table(c), c.MaxLease), nil
}

// LiftTable makes a system of a table's actions, in which leases are asked for from 1 to so many ticks. The steps come in the order of Next in the specification.
func LiftTable(t model.Table[Local], maxLease int) model.System[State] {
	sys := model.System[State]{Name: t.Name, Init: []State{First()}}
	lift := func(a model.Action[Local], args []string, d int) {
		get := func(s State) Local { return Local{State: s, D: d} }
		sys.Steps = append(sys.Steps, model.Lift(a, args, get, func(_ State, after Local) State { return after.State }))
	}
	for _, a := range t.Actions {
		if len(a.Params) == 0 {
			lift(a, nil, 0)
			continue
		}
		for d := 1; d <= maxLease; d++ {
			lift(a, []string{strconv.Itoa(d)}, d)
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
