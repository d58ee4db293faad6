// Package config reads the configuration of a model, the .cfg file beside a specification, as TLC does.
//
// The language is TLC's (Specifying Systems, 14.7.1, and what TLC reads beyond it): sections that start with a keyword, "Name = value" and "Name <- Definition" lines for
// constants, comments as in TLA+. Where TLC's reader stops silently, at a character that it does not know, Parse gives an error; beyond TLC it reads negative and big numbers and
// names such as "I!Inv" in every section. Whether the names mean anything is for package eval to find out.
//
// It imports diag (places and errors) and value (constants of a configuration). Read first: config.go.
package config

import (
	"podlife/tla/diag"
	"podlife/tla/value"
)

// A Config is what a .cfg file says. Each name carries its place, so that an error about it can point there.
type Config struct {
	Source            *diag.Source
	Specification     *Name // SPECIFICATION; excludes Init and Next
	Init, Next        *Name
	Constants         []Constant // C = value
	Overrides         []Override // C <- D
	Invariants        []Name
	Properties        []Name
	Constraints       []Name
	ActionConstraints []Name
	Symmetry          []Name
	View              *Name
	Alias             *Name
	PostCondition     []Name
	CheckDeadlock     *bool          // nil: not said, which means TRUE
	Models            []*value.Model // every model value of the configuration, in order of appearance, each once
	// Warnings are about lines without effect, such as a constant that is given two values; TLC passes over them in silence.
	Warnings diag.List

	deadlock diag.Span // of the value of CHECK_DEADLOCK
}

// A Name is an identifier of the configuration and where it stands.
type Name struct {
	Text string
	Span diag.Span
}

// A Constant is "Name = Value", or, with Module, "Name = [Module] Value" (only for the module of that name). Args is for "Op(a, b) = Value" lines:
// one line of the table of an operator constant.
type Constant struct {
	Name   Name
	Module string
	Args   []value.Value
	Value  value.Value
}

// An Override is "Name <- By", or, with Module, "Name <-[Module] By".
type Override struct {
	Name   Name
	Module string
	By     Name
}
