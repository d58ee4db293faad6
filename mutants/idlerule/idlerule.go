// Package idlerule makes a wrong server for every guard and rule of IdleRule, and judges each by the lockstep of conformance/idlerule.
//
// A mutant is the driver (driver/), built with the changed source of runtime/pod or runtime/store under it and the mutant's id compiled in. It goes through the scenario of its guard, and must break what
// tla/configs/registry.txt names for the configuration without the same guard: seen in containers, store and answers, not by the table. That the table differs too is told beside it.
//
// It imports mutants and mutants/rule; nothing imports it. Read this file first; mutants/rule has the verdict.
package idlerule

import (
	"podlife/mutants"
	"podlife/mutants/rule"
)

// Subject is the server's pods.
func Subject() rule.Subject {
	return rule.Subject{Spec: "IdleRule", Driver: "./mutants/idlerule/driver", ResultsFile: "mutants-idlerule.json"}
}

const (
	actorFile   = "runtime/pod/actor.go"
	attachFile  = "runtime/pod/attach.go"
	bootFile    = "runtime/pod/boot.go"
	idleFile    = "runtime/pod/idle.go"
	leaseFile   = "runtime/pod/lease.go"
	outcomeFile = "runtime/pod/outcome.go"
	recoverFile = "runtime/pod/recover.go"
	sleepFile   = "runtime/pod/sleep.go"
	storeFile   = "runtime/store/store.go"
)

// Catalogue gives a mutant for each guard and rule that IdleRule can switch off, in the table's order.
func Catalogue() []rule.Mutant {
	bootBegins := mutants.Replace(bootFile, "	//model:guard Touch.clock\n	//model:guard Wake.clock\n	p.touch()\n", "")
	bootEnds := mutants.Replace(outcomeFile, "	//model:guard Release.clock\n	//model:guard Wake.clock\n	p.touch()\n", "")
	return []rule.Mutant{
		rule.Without("Wake.clock", "a boot that wakes the pod is no activity", bootBegins, bootEnds),
		rule.Without("Touch.clock", "a boot of a pod that is awake is no activity", bootBegins),
		rule.Without("Release.clock", "the idle clock does not start with the end of a hold",
			mutants.Replace(attachFile, "		p.touch() //model:guard Release.clock\n", "		p.scheduleSweep()\n"),
			bootEnds,
		),
		rule.Without("Extend.forward", "who asks for less makes a lease shorter",
			mutants.Replace(leaseFile, "	if !until.After(p.lease) { //model:guard Extend.forward\n		return p.lease, nil\n	}\n", ""),
			mutants.Replace(storeFile, "until = MAX(leases.until, excluded.until)", "until = excluded.until"),
		),
		rule.Without("Extend.stored", "a lease is answered and not stored",
			mutants.Replace(leaseFile, "p.o.Leases.SaveLease(p.base, p.id, until); err != nil { //model:guard Extend.stored", "error(nil); err != nil {"),
		),
		rule.Without("Extend.wakesNothing", "a lease wakes the pod",
			mutants.Replace(leaseFile, "Extend(_ context.Context", "Extend(ctx context.Context"),
			mutants.Replace(leaseFile, "	// What the store keeps of it, and no shorter.\n", "	if p.container == \"\" {\n		go p.Boot(ctx, \"lease\", nil)\n	}\n"),
		),
		rule.Without("Sweep.idle", "the sweep does not wait for the idle timeout",
			mutants.Replace(idleFile, "p.lastActivity.Add(p.idleTimeout()) //model:guard Sweep.idle", "p.lastActivity"),
		),
		rule.Without("Sweep.lease", "the sweep asks for no lease",
			mutants.Replace(idleFile, "	later(p.lease) //model:guard Sweep.lease\n", ""),
		),
		rule.Without("Sweep.noHold", "the sweep asks for no terminal, program or boot",
			mutants.Replace(idleFile, "	if p.run != nil { //model:guard Sweep.noHold\n		return time.Time{}\n	}\n", ""),
			mutants.Replace(idleFile, "		if a.Shell == nil || p.o.TerminalIdle <= 0 { //model:guard Sweep.noHold\n			return time.Time{}\n		}\n", "		if p.o.TerminalIdle <= 0 {\n			continue\n		}\n"),
		),
		rule.Without("Sleep.keepsLease", "the lease ends with the sleep",
			mutants.Replace(sleepFile, "	p.closedTabs = nil\n", "	p.closedTabs, p.lease = nil, time.Time{}\n"),
		),
		rule.Without("Recover.lease", "a server that starts has no leases",
			mutants.Replace(leaseFile, "		p.lease = until //model:guard Recover.lease\n", "		_ = until\n"),
		),
		rule.Without("Recover.clock", "a start of the server is no activity",
			mutants.Replace(actorFile, "		lastActivity: o.Clock.Now(),\n", ""),
			mutants.Replace(recoverFile, "	p.touch() //model:guard Recover.clock\n", "	p.scheduleSweep()\n"),
		),
	}
}
