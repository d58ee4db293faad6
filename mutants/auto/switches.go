package auto

import (
	"slices"

	"podlife/model/podruntime"
	"podlife/mutants"
	"podlife/mutants/auto/trial"
)

const (
	actorFile     = "runtime/pod/actor.go"
	attachFile    = "runtime/pod/attach.go"
	bootFile      = "runtime/pod/boot.go"
	idleFile      = "runtime/pod/idle.go"
	managerFile   = "runtime/pod/manager.go"
	outcomeFile   = "runtime/pod/outcome.go"
	recoverFile   = "runtime/pod/recover.go"
	runFile       = "runtime/pod/run.go"
	sleepFile     = "runtime/pod/sleep.go"
	checkFile     = "runtime/agent/check.go"
	shellFile     = "runtime/agent/host.go"
	containerFile = "runtime/container/container.go"
	verdictFile   = "runtime/container/bootrun.go"
	storeFile     = "runtime/store/store.go"
	simBoot       = "runtime/container/simprograms/boot.go"
	simShell      = "runtime/container/simprograms/host.go"
)

// switches has an entry for each switch, without its id and the switch itself in the table.
func switches() []Mutant {
	return slices.Concat(ofBoots(), ofScripts(), ofReplies(), ofSleeps(), ofTerminals(), ofRecovery())
}

func edits(e ...mutants.Edit) []mutants.Edit { return e }

func through(names ...string) []string { return names }

// ofBoots are the switches of a boot request, up to a running container.
func ofBoots() []Mutant {
	return []Mutant{
		{
			Switch: "StartBoot.known", About: "a boot does not wait until the pod is known", Scenarios: through(trial.PausedBoot),
			Edits: edits(mutants.Replace(bootFile, `	if err := p.awaitKnown(ctx); err != nil {
		return BootResult{}, err
	}
`, "")),
		},
		{
			Switch: "StartBoot.idle", About: "a tab that believes is not sent back first, and PodLifecycle is not asked", Scenarios: through(trial.Life),
			Edits: edits(noContract, mutants.Replace(bootFile, "		p.refuseAttach(c, t, \"boot\")\n", "")),
		},
		{
			Switch: "StartBoot.stored", About: "a wake is not stored", Scenarios: through(trial.CrashInScript),
			Edits:    edits(mutants.Replace(bootFile, "if !p.state.Awake() && p.enabled(podruntime.StartBoot, of(c)) {", "if false {")),
			Accepted: []string{podruntime.StoreAgrees},
		},
		{Switch: "CreateContainer.alone", Scenarios: through(trial.WakeWhileRemoving)},
	}
}

// ofScripts are the switches of the script, in the programs that stand for it on the simulated engine, and of how its exit is taken.
func ofScripts() []Mutant {
	return []Mutant{
		{
			Switch: "ScriptSkips.ownMarker", About: "any marker ends the script at once", Scenarios: through(trial.ForeignMarker),
			Edits: edits(mutants.Replace(simBoot, "if agent.Check(files{b.p.Files}, boot.MarkerPath, b.want).OK {", "if has(b.p.Files, boot.MarkerPath) {")),
		},
		{
			Switch: "ScriptMarks.allDone", About: "the script writes its marker first", Scenarios: through(trial.CrashInScript),
			Edits: edits(mutants.Replace(simBoot, "	for _, name := range boot.Steps() {", `	if r := b.step(ctx, boot.StepMarker); r != nil {
		return *r
	}
	for _, name := range boot.Steps() {`)),
		},
		{
			Switch: "ScriptSucceeded.exitZero", About: "the script's verdict is not looked at", Scenarios: through(trial.StepFails),
			Edits: edits(mutants.Replace(verdictFile, "	if result.OK {", "	if true {")),
		},
		{
			Switch: "ScriptGone.reallyGone", About: "a paused container is gone, and nobody looks whether it lives", Scenarios: through(trial.PausedSecondBoot),
			Edits: edits(mutants.Replace(runFile, "aerr != nil || alive {", "aerr != nil && alive {"),
				mutants.Replace(containerFile, `&pod.UnseenError{Err: fmt.Errorf("the container is paused`, `&pod.GoneError{Err: fmt.Errorf("the container is paused`)),
		},
	}
}

// noBootLost leaves the tabs that boot as they are when the pod falls asleep.
var noBootLost = mutants.Replace(sleepFile, "		case podlifecycle.Booting:\n", "		case podlifecycle.Booting:\n			continue\n")

// ofReplies are the switches of how replies are taken.
func ofReplies() []Mutant {
	late := mutants.RemoveGuard(outcomeFile, podruntime.FinishBoot, "sameInc")
	return []Mutant{
		{
			Switch: "FinishBoot.awake", About: "late replies are taken, tabs are not told that their boot is lost, and PodLifecycle is not asked", Scenarios: through(trial.ReplyAfterDestroy),
			Edits: edits(noContract, late, noBootLost),
		},
		{Switch: "FinishBoot.sameInc", About: "late replies are taken", Scenarios: through(trial.LateSuccess), Edits: edits(late)},
		{
			Switch: "FinishBoot.ownBoot", About: "tabs are not told that their boot is lost, and PodLifecycle is not asked", Scenarios: through(trial.BootAfterLostBoot),
			Edits: edits(noContract, noBootLost),
		},
		{
			Switch: "EndRun.allAnswered", About: "the run ends when one tab is answered", Scenarios: through(trial.TwoBoots),
			Edits: edits(mutants.Replace(bootFile, "		t.answer(bootAnswer{result: BootResult{Incarnation: r.inc.Inc}})\n	}\n	p.must(podruntime.EndRun", "		t.answer(bootAnswer{result: BootResult{Incarnation: r.inc.Inc}})\n		break\n	}\n	p.must(podruntime.EndRun")),
		},
		{
			Switch: "DropReply.over", About: "every reply is dropped", Scenarios: through(trial.Life),
			Edits: edits(mutants.Replace(outcomeFile, "if !p.current(r) { //model:guard FinishBoot.sameInc", "if true {")),
		},
		{
			Switch: "BootLost.bootGone", About: "it is asked for when a caller goes away, and PodLifecycle is not asked", Scenarios: through(trial.CancelledBoot),
			Edits: edits(noContract, mutants.Replace(bootFile, "			t.waiters = append(t.waiters[:i], t.waiters[i+1:]...)\n", `			t.waiters = append(t.waiters[:i], t.waiters[i+1:]...)
			p.must(podruntime.BootLost, of(c), "gone")
`)),
		},
	}
}

// unstored lets one of the ways to fall asleep happen without being stored.
func unstored(action string) mutants.Edit {
	return mutants.Replace(sleepFile, "	if err := p.o.Store.Save(p.base, asleep); err != nil {", `	var err error
	if action != "`+action+`" {
		err = p.o.Store.Save(p.base, asleep)
	}
	if err != nil {`)
}

// ofSleeps are the switches of falling asleep, and of what follows.
func ofSleeps() []Mutant {
	stores := []string{podruntime.StoreAgrees}
	return []Mutant{
		{
			Switch: "Destroy.awake", About: "destroy does not wait until the pod is known; the store takes a lower number; PodLifecycle is not asked", Scenarios: through(trial.PausedDestroy),
			Edits: edits(noContract, mutants.Replace(storeFile, " WHERE excluded.inc >= pods.inc", ""), mutants.Replace(sleepFile, `	if err := p.awaitKnown(ctx); err != nil {
		return err
	}
`, "")),
		},
		{Switch: "Destroy.stored", About: "it is not stored", Scenarios: through(trial.Life), Edits: edits(unstored(podruntime.Destroy)), Accepted: stores},
		{
			Switch: "IdleSleep.noTerminal", About: "the sweep asks no terminal, and detaches none", Scenarios: through(trial.LateTimerTerminal),
			Edits: edits(
				mutants.Replace(idleFile, "		if a.Shell == nil || p.o.TerminalIdle <= 0 { //model:guard Sweep.noHold\n			return time.Time{}\n		}\n", "		if p.o.TerminalIdle <= 0 {\n			continue\n		}\n"),
				mutants.Replace(idleFile, "	case len(p.attachments) > 0 && p.warned.IsZero() && !now", "	case p.o.TerminalIdle > 0 && len(p.attachments) > 0 && p.warned.IsZero() && !now"),
				mutants.Replace(idleFile, "		released = append(released, a)\n		p.detach(a, CauseIdle)\n", "		_ = a\n"),
			),
		},
		{
			Switch: "IdleSleep.noRun", About: "the sweep asks for no run of the script", Scenarios: through(trial.LateTimerBoot),
			Edits: edits(mutants.Replace(idleFile, "	if p.run != nil { //model:guard Sweep.noHold\n		return time.Time{}\n	}\n", "")),
		},
		{Switch: "IdleSleep.stored", About: "it is not stored", Scenarios: through(trial.IdleSleeps), Edits: edits(unstored(podruntime.IdleSleep)), Accepted: stores},
		{
			Switch: "ContainerLost.reallyDead", About: "a hint is believed", Scenarios: through(trial.FalseHint),
			Edits: edits(mutants.Replace(sleepFile, "	if !alive {\n		p.lost(c)\n	}\n", "	_ = alive\n	p.lost(c)\n")),
		},
		{Switch: "ContainerLost.stored", About: "it is not stored", Scenarios: through(trial.ContainerDies), Edits: edits(unstored(podruntime.ContainerLost))},
		{
			Switch: "BootFailed.sameInc", About: "late replies are taken", Scenarios: through(trial.LateFailure),
			Edits: edits(mutants.RemoveGuard(outcomeFile, podruntime.FinishBoot, "sameInc")),
		},
		{
			Switch: "BootFailed.notReady", About: "a failed boot of a ready pod is not thought over", Scenarios: through(trial.SecondBootFails),
			Edits: edits(mutants.Replace(runFile, "err = p.reconsider(r, p.blame(r, err))", "err = p.blame(r, err)")),
		},
		{Switch: "BootFailed.stored", About: "it is not stored", Scenarios: through(trial.StepFails), Edits: edits(unstored(podruntime.BootFailed))},
		{
			Switch: "TearDown.launched", About: "the removal does not wait for a launch", Scenarios: through(trial.DestroyWhileLaunch),
			Edits: edits(mutants.RemoveGuard(sleepFile, podruntime.TearDown, "launched")), Accepted: []string{podruntime.DestroyedStaysDestroyed},
		},
		{
			Switch: "DestroyAnswered.asleep", About: "destroy answers without putting the pod to sleep", Scenarios: through(trial.Life),
			Edits: edits(mutants.Replace(sleepFile, "if p.enabled(podruntime.Destroy, subject{}) {", "if false {")),
		},
		{
			Switch: "DestroyAnswered.removed", About: "destroy does not wait for the removal", Scenarios: through(trial.WakeWhileRemoving),
			Edits: edits(mutants.Replace(sleepFile, "func() bool { return p.removedUpTo(last) }", "func() bool { return true || p.removedUpTo(last) }")),
		},
	}
}
