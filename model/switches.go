package model

import "slices"

// Switches are the guards and rules of one table that can be switched off, as a specification has them in Guard("Action.guard", condition) and Rule("Action.rule"). A table that is being made asks for each by its name.
type Switches struct {
	off   map[string]bool
	names []string
}

// NewSwitches gives them with these switched off.
func NewSwitches(off []string) *Switches {
	s := &Switches{off: map[string]bool{}}
	for _, name := range off {
		s.off[name] = true
	}
	return s
}

// Names lists those that were asked for, each once, in that order.
func (s *Switches) Names() []string { return slices.Clone(s.names) }

// Rule is the specification's Rule: false where this part of an effect is switched off.
func (s *Switches) Rule(name string) bool {
	if !slices.Contains(s.names, name) {
		s.names = append(s.names, name)
	}
	return !s.off[name]
}

// SwitchedGuard is the specification's Guard: a guard that can be switched off, by the name of its action and its own.
func SwitchedGuard[S any](s *Switches, action, name string, holds func(S) bool) Guard[S] {
	if !s.Rule(action + "." + name) {
		holds = func(S) bool { return true }
	}
	return Guard[S]{Name: name, Holds: holds}
}
