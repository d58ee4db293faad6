// Package model holds transition systems as plain Go data, one action per action of a specification.
//
// It is what the server steps through, what the explorer checks and what the tests are generated from, so that the three cannot
// drift apart. It imports nothing of this module and does no I/O.
//
// Read table.go first: an [Action] is a list of named guards and a pure effect, a [Table] is a list of actions and invariants.
// explore.go then walks the states that a [System] reaches, breadth first, and counts as TLC counts.
package model

import (
	"fmt"
	"strings"
)

// Guard is one named conjunct of an action's enabling condition. The name is the one that the conjunct carries in the
// specification, and it is what users read when an action is refused.
type Guard[S any] struct {
	Name string
	// Holds reports whether the conjunct is true in s. It must be pure and must not panic for any s, also for one in which an
	// earlier guard is false.
	Holds func(s S) bool
	// Disjuncts are the branches of a guard that the specification writes as a disjunction; nil for every other guard. They do not
	// change what the guard means ([AnyOf] makes Holds out of them), only how TLC counts: see [Action.Ways].
	Disjuncts []Guard[S]
}

// AnyOf makes the guard that holds where at least one of the disjuncts does.
func AnyOf[S any](name string, disjuncts ...Guard[S]) Guard[S] {
	return Guard[S]{
		Name:      name,
		Disjuncts: disjuncts,
		Holds: func(s S) bool {
			for _, d := range disjuncts {
				if d.Holds(s) {
					return true
				}
			}
			return false
		},
	}
}

// Action is one action of the specification.
type Action[S any] struct {
	Name string
	// Params names what the action is taken for ("c" for a client's action); empty for an action of the system alone.
	Params []string
	// Guards in the order of the specification. The action is enabled where all hold.
	Guards []Guard[S]
	// Effect gives the state after the action. It is pure, and asked only where the action is enabled.
	Effect func(s S) S
}

// Enabled reports whether every guard holds in s.
func (a Action[S]) Enabled(s S) bool {
	for _, g := range a.Guards {
		if !g.Holds(s) {
			return false
		}
	}
	return true
}

// Ways counts how often TLC generates the action's successor from s: 0 where the action is not enabled, else 1, times the number of
// true disjuncts of each guard that is a disjunction. TLC splits an action at every disjunction in it, so that two true disjuncts
// are two (equal) successors. An implication or an IF is not split.
func (a Action[S]) Ways(s S) int {
	ways := 1
	for _, g := range a.Guards {
		ways *= g.ways(s)
		if ways == 0 {
			return 0
		}
	}
	return ways
}

func (g Guard[S]) ways(s S) int {
	n := 0
	if g.Disjuncts == nil {
		if g.Holds(s) {
			n = 1
		}
		return n
	}
	for _, d := range g.Disjuncts {
		n += d.ways(s)
	}
	return n
}

// FalseGuards names, in the specification's order, every guard that is false in s. It is empty exactly where the action is enabled.
func (a Action[S]) FalseGuards(s S) []string {
	var names []string
	for _, g := range a.Guards {
		if !g.Holds(s) {
			names = append(names, g.Name)
		}
	}
	return names
}

// Invariant is a state predicate that must hold in every reachable state.
type Invariant[S any] struct {
	Name string
	// Antecedent is the left side of an invariant of the form "P implies Q". An explorer counts where it is true: an invariant
	// whose antecedent is never reached says nothing. Nil means that the invariant is no implication.
	Antecedent func(s S) bool
	// Holds is the whole predicate, the implication included.
	Holds func(s S) bool
}

// Table is a transition system as data.
type Table[S any] struct {
	Name       string
	Actions    []Action[S]
	Invariants []Invariant[S]
}

// Action finds an action by name. The error is an [*UnknownActionError].
func (t Table[S]) Action(name string) (Action[S], error) {
	for _, a := range t.Actions {
		if a.Name == name {
			return a, nil
		}
	}
	return Action[S]{}, &UnknownActionError{Table: t.Name, Action: name}
}

// Take takes one step: it gives the state after the named action, or s unchanged and an error, which is a [*NotEnabledError] where
// the action's guards refuse and an [*UnknownActionError] where the table has no such action.
func (t Table[S]) Take(action string, s S) (S, error) {
	a, err := t.Action(action)
	if err != nil {
		return s, err
	}
	if falses := a.FalseGuards(s); len(falses) > 0 {
		return s, &NotEnabledError{Action: action, FalseGuards: falses}
	}
	return a.Effect(s), nil
}

// NotEnabledError says that an action was refused, and by which guards.
type NotEnabledError struct {
	Action      string
	FalseGuards []string // every guard that was false, in the specification's order; never empty
}

func (e *NotEnabledError) Error() string {
	return fmt.Sprintf("%s is not enabled: false guards: %s", e.Action, strings.Join(e.FalseGuards, ", "))
}

// UnknownActionError says that a table has no action of that name.
type UnknownActionError struct {
	Table  string
	Action string
}

func (e *UnknownActionError) Error() string {
	return fmt.Sprintf("table %s has no action %q", e.Table, e.Action)
}
