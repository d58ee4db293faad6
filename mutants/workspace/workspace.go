// Package workspace makes a wrong server for every guard and rule of Workspace, and judges each by the lockstep of conformance/workspace.
//
// A mutant is the driver (driver/), built with the changed source of runtime/workspace, runtime/container or runtime/store under it and the mutant's id compiled in. It goes through the scenario of its guard, and
// must break what tla/configs/registry.txt names for the configuration without the same guard: seen in containers, volumes and the store, not by the table. That the table differs too is told beside it. Where the
// server takes a step by the table as well, the table of the mutant is without the guard.
//
// It imports mutants and mutants/rule; nothing imports it. Read this file first, then catalogue.go; mutants/rule has the verdict.
package workspace

import (
	"podlife/model/workspace"
	"podlife/mutants"
	"podlife/mutants/rule"
)

// Subject is the server's named pods.
func Subject() rule.Subject {
	return rule.Subject{Spec: "Workspace", Driver: "./mutants/workspace/driver", ResultsFile: "mutants-workspace.json"}
}

// besides are the mutants that are wrong in another way than to lack one guard, with what they must break.
func besides() map[string]string {
	return map[string]string{derivedTwice: workspace.NoVolumeForgotten, tooEarly: workspace.DeleteLeavesNothing}
}

// derivedTwice is the mutant whose launch derives the name of the home anew, and does not look what it gets.
const derivedTwice = "HomeVolume.derivedTwice"

// tooEarly is the mutant whose start goes on with a delete before it is known which containers there are: it was so once.
const tooEarly = "Recover.deleteWaits"

const (
	accessFile    = "runtime/workspace/access.go"
	catalogueFile = "runtime/workspace/workspace.go"
	createFile    = "runtime/workspace/create.go"
	deleteFile    = "runtime/workspace/delete.go"
	recoverFile   = "runtime/workspace/recover.go"
	namedFile     = "runtime/store/named.go"
	schemaFile    = "runtime/store/schema.go"
	containerFile = "runtime/container/container.go"
	homeFile      = "runtime/container/home.go"
	launchFile    = "runtime/container/launch.go"
	verdictFile   = "runtime/container/bootrun.go"
	simBoot       = "runtime/container/simprograms/boot.go"
	simShell      = "runtime/container/simprograms/host.go"
)

// switchedOff is the table of a server without one guard.
func switchedOff(name string) mutants.Edit {
	return mutants.Replace(catalogueFile, "MaxCrashes: unbounded}", `MaxCrashes: unbounded, Off: []string{"`+name+`"}}`)
}

// sharedHomes takes away what the store does besides: no two pods have the same home.
func sharedHomes() mutants.Edit {
	return mutants.Replace(schemaFile, "home       TEXT UNIQUE,", "home       TEXT,")
}

// unseenHomes has no launch look at the home.
func unseenHomes() []mutants.Edit {
	return []mutants.Edit{
		mutants.Replace(launchFile, "	if err := c.lookHome(ctx, home.Name); err != nil { //model:guard Start.ownVolume\n		return \"\", false, err\n	}\n", ""),
		mutants.Replace(launchFile, "	err = c.lookHome(ctx, home.Name) //model:guard Start.ownVolume\n", ""),
	}
}
