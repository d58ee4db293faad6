// Package resume makes a wrong session host for every guard and rule of SessionResume, and judges each by the lockstep of conformance/resume.
//
// A mutant is the driver (driver/), built with the changed source of runtime/host under it and the mutant's id compiled in. It goes through the scenario of its guard, and must break what
// tla/configs/registry.txt names for the configuration without the same guard: seen in what the pages were given, not by the table. That the table differs too is told beside it.
//
// It imports mutants and mutants/rule; nothing imports it. Read this file first; mutants/rule has the verdict.
package resume

import (
	"podlife/mutants"
	"podlife/mutants/rule"
)

// Subject is the session host.
func Subject() rule.Subject {
	return rule.Subject{Spec: "SessionResume", Driver: "./mutants/resume/driver", ResultsFile: "mutants-resume.json"}
}

const (
	hostFile    = "runtime/host/host.go"
	clientFile  = "runtime/host/client/client.go"
	ringFile    = "runtime/host/ring/ring.go"
	flowFile    = "runtime/host/session/flow.go"
	resumeFile  = "runtime/host/session/resume.go"
	sessionFile = "runtime/host/session/session.go"
	viewerFile  = "runtime/host/session/viewer.go"
)

// Catalogue gives a mutant for each guard and rule that SessionResume can switch off, in the table's order.
func Catalogue() []rule.Mutant {
	return []rule.Mutant{
		rule.Without("Produce.notStalled", "what was read is output, whoever keeps up",
			mutants.Replace(sessionFile, "	for !s.mayRead() { //model:guard Produce.notStalled\n		s.readable.Wait()\n	}\n", ""),
		),
		rule.Without("Produce.anyOne", "the shell waits for everybody",
			mutants.Replace(flowFile, "		if !v.behind {\n			return true\n		}\n	}\n	return false", "		if v.behind {\n			return false\n		}\n	}\n	return true"),
		),
		rule.Without("Replace.freshEpoch", "all sessions have one epoch",
			mutants.Replace(hostFile, "			return n\n", "			return n | ^uint64(0)\n"),
		),
		rule.Without("Resume.sameEpoch", "an offset is taken for one of this session, whatever it is of",
			mutants.Replace(resumeFile, "epoch == s.Epoch && ", ""),
		),
		rule.Without("Resume.inRing", "it goes on from a byte that is gone",
			mutants.Replace(resumeFile, "s.ring.Lo() <= have && ", ""),
		),
		rule.Without("Send.inWindow", "nobody is waited for to acknowledge",
			mutants.Replace(viewerFile, "	if v.sent-v.acked >= uint64(s.config.Window) { //model:guard Send.inWindow\n		v.full = true\n	}\n", ""),
			mutants.Replace(viewerFile, "buf[:min(frame.MaxData, uint64(s.config.Window)-(v.sent-v.acked))]", "buf[:frame.MaxData]"),
		),
		rule.Without("Send.inRing", "bytes that are gone are read from where newer ones are",
			mutants.Replace(viewerFile, "	case v.sent < s.ring.Lo(): //model:guard Send.inRing\n		s.redraw(v)\n		return v.piece()\n", ""),
			mutants.Replace(ringFile, "	if from < r.lo || from > r.hi {\n		return 0, false\n", "	if from > r.hi {\n		return 0, false\n"),
		),
		rule.Without("SendExit.allSent", "the exit comes before the last output",
			mutants.Replace(viewerFile, "	case v.sent < s.ring.Hi(): //model:guard SendExit.allSent\n", "	case v.sent < s.ring.Hi() && (!s.exited || v.exitTold):\n"),
		),
		rule.Without("Receive.thisConnection", "a viewer gets the number of one that has just left",
			mutants.Replace(clientFile, "	for {\n		c.next++\n", "	c.next = 0\n	for {\n		c.next++\n"),
		),
	}
}
