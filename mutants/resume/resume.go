// Package resume makes a wrong session host for every guard and rule of SessionResume, and judges each by the lockstep of conformance/resume.
//
// A mutant is the driver (driver/), built with the changed source of runtime/host under it and the mutant's id compiled in. It goes through the scenario of its guard, and must break what
// tla/configs/registry.txt names for the configuration without the same guard: seen in what the pages were given, not by the table. That the table differs too is told beside it.
//
// It imports mutants, mutants/guards, conformance/resume, conformance/specs, model and tla/diag; nothing imports it. Read this file first; judge.go has the verdict.
package resume

import "podlife/mutants"

// Mutant is one wrong build of the session host.
type Mutant struct {
	ID    string // the guard or rule that it lacks, "Action.guard": compiled in, and the name of its scenario
	About string // one line
	Edits []mutants.Edit
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

func edits(e ...mutants.Edit) []mutants.Edit { return e }

// Catalogue gives a mutant for each guard and rule that SessionResume can switch off, in the table's order.
func Catalogue() []Mutant {
	return []Mutant{
		{"Produce.notStalled", "what was read is output, whoever keeps up", edits(
			mutants.Replace(sessionFile, "	for !s.mayRead() { //model:guard Produce.notStalled\n		s.readable.Wait()\n	}\n", ""),
		)},
		{"Produce.anyOne", "the shell waits for everybody", edits(
			mutants.Replace(flowFile, "		if !v.behind {\n			return true\n		}\n	}\n	return false", "		if v.behind {\n			return false\n		}\n	}\n	return true"),
		)},
		{"Replace.freshEpoch", "all sessions have one epoch", edits(
			mutants.Replace(hostFile, "			return n\n", "			return n | ^uint64(0)\n"),
		)},
		{"Resume.sameEpoch", "an offset is taken for one of this session, whatever it is of", edits(
			mutants.Replace(resumeFile, "epoch == s.Epoch && ", ""),
		)},
		{"Resume.inRing", "it goes on from a byte that is gone", edits(
			mutants.Replace(resumeFile, "s.ring.Lo() <= have && ", ""),
		)},
		{"Send.inWindow", "nobody is waited for to acknowledge", edits(
			mutants.Replace(viewerFile, "	if v.sent-v.acked >= uint64(s.config.Window) { //model:guard Send.inWindow\n		v.full = true\n	}\n", ""),
			mutants.Replace(viewerFile, "buf[:min(frame.MaxData, uint64(s.config.Window)-(v.sent-v.acked))]", "buf[:frame.MaxData]"),
		)},
		{"Send.inRing", "bytes that are gone are read from where newer ones are", edits(
			mutants.Replace(viewerFile, "	case v.sent < s.ring.Lo(): //model:guard Send.inRing\n		s.redraw(v)\n		return v.piece()\n", ""),
			mutants.Replace(ringFile, "	if from < r.lo || from > r.hi {\n		return 0, false\n", "	if from > r.hi {\n		return 0, false\n"),
		)},
		{"SendExit.allSent", "the exit comes before the last output", edits(
			mutants.Replace(viewerFile, "	case v.sent < s.ring.Hi(): //model:guard SendExit.allSent\n", "	case v.sent < s.ring.Hi() && (!s.exited || v.exitTold):\n"),
		)},
		{"Receive.thisConnection", "a viewer gets the number of one that has just left", edits(
			mutants.Replace(clientFile, "	for {\n		c.next++\n", "	c.next = 0\n	for {\n		c.next++\n"),
		)},
	}
}
