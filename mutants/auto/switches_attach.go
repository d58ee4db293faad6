package auto

import (
	"podlife/model/podruntime"
	"podlife/mutants"
	"podlife/mutants/auto/trial"
)

// noShellCheck removes the look at the marker before a shell, in the agent and in what stands for it.
var noShellCheck = mutants.Replace(simShell, "boot.MarkerPath, agent.Wanted(m)); !v.OK {", "boot.MarkerPath, agent.Wanted(m)); !v.OK && false {")

// What is asked again before a terminal is handed over.
var (
	neverReady  = mutants.Replace(attachFile, "return p.state.Ctr == podruntime.Ready && (t.model", "return (t.model")
	noSamePlace = mutants.RemoveGuard(attachFile, podruntime.AttachReady, "sameInc")
)

// byName are the edits of the original bug, as the mutant that shows it on Docker has them.
func byName() []mutants.Edit {
	for _, m := range mutants.Catalogue() {
		if m.ID == "mutant-b" {
			return append(m.Edits, noShellCheck)
		}
	}
	return nil
}

// ofTerminals are the switches of probe, dial and hand-over.
func ofTerminals() []Mutant {
	return []Mutant{
		{
			Switch: "Probe.ownPod", About: "a user who is new gets the pod of somebody else", Scenarios: through(trial.TwoUsers),
			Edits: edits(mutants.Replace(managerFile, "	p := m.pods[id]\n	if p == nil {\n		p = newPod", `	p := m.pods[id]
	for _, other := range m.pods {
		p = other
	}
	if p == nil {
		p = newPod`)),
		},
		{
			Switch: "AttachGuarded.notReady", About: "it is asked for whenever a terminal is opened, and PodLifecycle is not asked", Scenarios: through(trial.Life),
			Edits: edits(noContract, mutants.Replace(attachFile, "	if p.mayAttach(t) {", "	if false {")),
		},
		{
			Switch: "Dial.marker", About: "the shell starts without a look at the marker", Scenarios: through(trial.AttachWithoutMarker),
			Edits: edits(mutants.RemoveGuard(shellFile, podruntime.Dial, "marker"), noShellCheck),
		},
		{
			Switch: "Dial.neverWakes", About: "the terminal wakes the pod by itself and opens a shell by the pod's name: the original bug", Scenarios: through(trial.AttachAsleep),
			Edits: byName(),
		},
		{
			Switch: "AttachReady.ready", About: "it is not asked again whether the pod is ready in this incarnation, and PodLifecycle is not asked", Scenarios: through(trial.LateShellAsleep),
			Edits: edits(noContract, neverReady, noSamePlace),
		},
		{
			Switch: "AttachReady.sameInc", About: "it is not asked again whether the incarnation is the same", Scenarios: through(trial.LateShell),
			Edits: edits(noSamePlace),
		},
		{
			Switch: "AttachAgain.ready", About: "as AttachReady.ready, and attached tabs are not told that the pod sleeps", Scenarios: through(trial.LateShellAgainAsleep),
			Edits: edits(noContract, neverReady, noSamePlace, mutants.Replace(sleepFile, `			p.must(podruntime.Reconnect, of(id), cause)
			t.attempt = nil
`, "")),
		},
		{
			Switch: "AttachAgain.sameInc", About: "it is not asked again whether the incarnation is the same", Scenarios: through(trial.LateShellAgain),
			Edits: edits(noSamePlace),
		},
		{
			Switch: "Reconnect.attachGone", About: "it is asked for when a terminal is closed, and PodLifecycle is not asked", Scenarios: through(trial.Life),
			Edits: edits(noContract, mutants.Replace(attachFile, `			p.must(podruntime.Detach, of(a.client), cause)
`, `			p.must(podruntime.Detach, of(a.client), cause)
			p.must(podruntime.Reconnect, of(a.client), cause)
`)),
		},
	}
}

// ofRecovery are the switches of a start of the server.
func ofRecovery() []Mutant {
	return []Mutant{
		{
			Switch: "RecoverReady.storedAwake", About: "what runs and was set up is taken, whatever is stored, and PodLifecycle is not asked", Scenarios: through(trial.CrashWhileRemoving),
			Edits: edits(noContract,
				mutants.Replace(recoverFile, "		if r.Awake && f.Incarnation.Inc == r.Inc {", "		if f.Incarnation.Inc == r.Inc {"),
				mutants.Replace(recoverFile, "	case state.Adoptable():", "	case box.Box == podruntime.BoxRunning && box.Marker != podruntime.MarkerNone:")),
			Accepted: []string{podruntime.StoreAgrees},
		},
		{
			Switch: "RecoverReady.marker", About: "a start of the server does not heed what the marker says", Scenarios: through(trial.CrashInScript),
			Edits: edits(mutants.Replace(recoverFile, "	case errors.As(verdict, &unprovisioned):\n", `	case errors.As(verdict, &unprovisioned):
		running.Setup, running.Marker = podruntime.SetupAll, podruntime.MarkerOwn
`)),
		},
		{
			Switch: "RecoverAsleep.notReady", About: "a start of the server takes nothing for ready", Scenarios: through(trial.CrashReady),
			Edits: edits(mutants.Replace(recoverFile, "	case state.Adoptable():", "	case false:")),
		},
		{
			Switch: "RecoverAsleep.stored", About: "it is not stored", Scenarios: through(trial.CrashInScript),
			Edits:    edits(mutants.Replace(recoverFile, "		if r.Awake {\n			if err := p.o.Store.Save", "		if false {\n			if err := p.o.Store.Save")),
			Accepted: []string{podruntime.StoreAgrees},
		},
		{
			Switch: "RecoverAsleep.removesAll", About: "nothing is removed by it", Scenarios: through(trial.CrashBlind),
			Edits: edits(mutants.Replace(recoverFile, `		for _, f := range found {
			p.goWork(func() { p.tearDown(f.Incarnation.Inc, nil, f.Container) })
		}
`, "")),
		},
	}
}

// others take the same away as a switch does, in another place, and leave the table as it is.
func others() []Mutant {
	return []Mutant{
		{
			ID: "Dial.marker/missing", Switch: "Dial.marker", About: "the one check of the marker takes a missing one for right", Scenarios: through(trial.Life, trial.AttachWithoutMarker),
			Edits: edits(mutants.Replace(checkFile, "return Verdict{Reason: boot.MarkerMissing}", "return Verdict{OK: true}")),
		},
		{
			ID: "ScriptMarks.allDone/hook", Switch: "ScriptMarks.allDone", About: "the script leaves out the step that a shell needs, and writes its marker", Scenarios: through(trial.Life),
			Edits: edits(mutants.Replace(simBoot, `		file, text = Hook, "stands for the hook\n"
`, `		return "done", nil
`)),
		},
	}
}
