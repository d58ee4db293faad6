// Package auto makes a wrong build of the runtime for every guard and rule of PodRuntime that can be switched off, and judges each on the simulated engine, without Docker.
//
// A mutant has its switch off in the table that the server runs by, and loses whatever code does the same beside the table: a look before the table is asked, what is stored first, what a program in
// the container checks. Where the server never asks for what a guard refuses, the mutant asks. The driver (driver/, trial/) is built once for each, with the mutant's id compiled in and read back,
// goes through the scenarios that the mutant names, and says which invariants are broken in truth.
//
// It imports mutants, mutants/auto/trial, model, tla/diag and conformance/specs, and only its command (run/) imports it. Read this file first, then switches.go, which has an entry for every switch; judge.go has the
// verdict, report.go what is written of it.
package auto

import (
	"slices"

	"podlife/model/podruntime"
	"podlife/mutants"
)

// Mutant is one wrong build of the runtime.
type Mutant struct {
	ID     string // compiled in and read back
	Switch string // the guard or rule that it lacks, "Action.guard"
	About  string // one line: what is taken away beside the table; empty for nothing
	Edits  []mutants.Edit
	// Scenarios are what it is run through, by their names in trial.
	Scenarios []string
	// Accepted are invariants and properties that may break in the place of the one that tla/configs/registry.txt names for the switch: the same harm, seen elsewhere.
	Accepted []string
}

// switchedOff is the table of a server without one switch.
func switchedOff(name string) mutants.Edit {
	return mutants.Replace(actorFile, "MaxCrashes: math.MaxInt}", `MaxCrashes: math.MaxInt, Off: []string{"`+name+`"}}`)
}

// noContract takes away the second table, PodLifecycle, which commit asks after the first: it refuses most of what these guards do.
var noContract = mutants.Replace(actorFile, `	outside, err := p.contract.Action(was, is)
	if err != nil {
		return err
	}`, `	outside, _ := p.contract.Action(was, is)`)

// Apart gives the halves of every mutant that has two: the switch alone ("/table") and what is taken away beside the table alone ("/code"). They are no mutants to be killed. They tell what holds when
// one of the two is lost: where the first survives, the server never asks for what the guard refuses; where the second does, the table refuses in the code's place.
func Apart() []Mutant {
	var halves []Mutant
	for _, m := range switches() {
		table, code := m, m
		table.ID, table.Edits = m.Switch+"/table", []mutants.Edit{switchedOff(m.Switch)}
		code.ID = m.Switch + "/code"
		halves = append(halves, table)
		if len(m.Edits) > 0 {
			halves = append(halves, code)
		}
	}
	return halves
}

// Catalogue gives a mutant for every switch, in the table's order, and then those that take the same away in another place.
func Catalogue() []Mutant {
	all := switches()
	position := func(m Mutant) int { return slices.Index(podruntime.Switches(), m.Switch) }
	slices.SortStableFunc(all, func(a, b Mutant) int { return position(a) - position(b) })
	for i := range all {
		all[i].ID = all[i].Switch
		all[i].Edits = append([]mutants.Edit{switchedOff(all[i].Switch)}, all[i].Edits...)
	}
	return append(all, others()...)
}
