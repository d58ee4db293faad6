package idlerule

import (
	"slices"

	"podlife/model"
)

// The invariants of the specification, and its property of steps, which the table does not have: [Forward] is it.
const (
	TypeOK        = "TypeOK"
	LeaseKept     = "LeaseKept"
	NoEarlySleep  = "NoEarlySleep"
	NoWake        = "NoWake"
	SleepsWhenDue = "SleepsWhenDue"
	LeaseForward  = "LeaseForward"
)

// Forward is LeaseForward of the step from one state to another.
func Forward(before, after State) bool { return after.Kept >= before.Kept }

func (b builder) invariants() []model.Invariant[Local] {
	due := b.due()
	isUp := func(l Local) bool { return l.Up }
	isAwake := func(l Local) bool { return l.Awake }
	isDue := func(l Local) bool { return l.Up && l.Awake && !l.TooEarly(b.Idle) }
	return []model.Invariant[Local]{
		{Name: TypeOK, Holds: b.typeOK},
		{Name: LeaseKept, Antecedent: isUp, Holds: func(l Local) bool { return !l.Up || l.Lease == l.Promised }},
		{Name: NoEarlySleep, Holds: func(l Local) bool { return !l.Early }},
		{Name: NoWake, Antecedent: isAwake, Holds: func(l Local) bool { return !l.Awake || l.Accessed }},
		{Name: SleepsWhenDue, Antecedent: isDue, Holds: func(l Local) bool {
			return !isDue(l) || !slices.ContainsFunc(due, func(g model.Guard[Local]) bool { return !g.Holds(l) })
		}},
	}
}

func (b builder) typeOK(l Local) bool {
	within := func(n, most int) bool { return n >= 0 && n <= most }
	moment := b.MaxTime + b.MaxLease
	return within(l.Now, b.MaxTime) && within(l.Held, b.MaxHolds) && within(l.Crashes, b.MaxCrashes) &&
		within(l.Active, l.Now) && within(l.Last, l.Now) && within(l.Lease, moment) && within(l.Kept, moment) && within(l.Promised, moment)
}
