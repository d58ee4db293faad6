package mutants

import (
	_ "embed"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

//go:embed overlay/attach_by_name.go.txt
var attachByName string

const (
	shellFile  = "runtime/agent/host.go"
	attachFile = "runtime/pod/attach.go"
	replyFile  = "runtime/pod/outcome.go"
	scriptFile = "runtime/boot/script.sh"
)

// noMarkerCheck removes the check between a terminal and its shell.
var noMarkerCheck = RemoveGuard(shellFile, podruntime.Dial, "marker")

// stepsInOrder is the end of the boot script: the steps, and the marker last.
const stepsInOrder = `run packages
run repository
forget_secret
run hook
run user_script
run marker
`

// hookBehindUserScript are the steps without the marker, in the order of mutant-c.
const hookBehindUserScript = `run packages
run repository
forget_secret
run user_script
run hook
`

// Control is mutant-c without what makes it wrong: the steps in its order, and the marker last. It must survive, or it is not the marker that mutant-c is killed for.
func Control() Mutant {
	return Mutant{
		ID:       "control-c",
		About:    "the steps in the order of mutant-c, and the marker last",
		Guard:    "Dial.marker",
		Expected: podlifecycle.NoAttachWithoutShellSetup,
		Edits:    []Edit{Replace(scriptFile, stepsInOrder, hookBehindUserScript+"run marker\n")},
		Scenario: KillDuringBoot(),
	}
}

// Catalogue gives the mutants, each with the scenario that must notice it.
func Catalogue() []Mutant {
	return []Mutant{
		{
			ID:       "mutant-a",
			About:    "the shell starts without a look at the marker",
			Guard:    "Dial.marker",
			Expected: podlifecycle.NoAttachWithoutShellSetup,
			Edits:    []Edit{noMarkerCheck},
			Scenario: AttachAfterWipe(),
		},
		{
			ID:       "mutant-b",
			About:    "the terminal wakes the pod by itself and opens a shell by the pod's name",
			Guard:    "AttachGuarded.notReady",
			Expected: podlifecycle.NoAttachWithoutShellSetup,
			Edits: []Edit{
				noMarkerCheck,
				Add("runtime/pod/attach_by_name.go", attachByName),
				Begin(attachFile, "Pod", "Attach", `	if p.Status().State == podlifecycle.Asleep {
		return p.attachByName(ctx, c, req)
	}`),
			},
			Scenario: ReplayUnguarded(),
		},
		{
			ID:       "mutant-c",
			About:    "the boot script writes its marker before its steps, and what a shell needs comes last",
			Guard:    "Dial.marker",
			Expected: podlifecycle.NoAttachWithoutShellSetup,
			// With the hook behind the user's script something is really missing while that runs. What this alone does, the control says.
			Edits:    []Edit{Replace(scriptFile, stepsInOrder, "run marker\n"+hookBehindUserScript)},
			Scenario: KillDuringBoot(),
		},
		{
			ID:       "mutant-d",
			About:    "a late reply of a boot completes the boot of the next incarnation",
			Guard:    "FinishBoot.sameInc",
			Expected: podlifecycle.BootIdempotent,
			// Without the statement the table still refuses the reply, since it names its incarnation: so the reply must lose that too.
			Edits: []Edit{Begin(replyFile, "Pod", "takeOutcome", `	p.mu.Lock()
	if p.run != nil {
		r = p.run
	}
	p.mu.Unlock()`)},
			Scenario: LateBootReply(),
		},
	}
}
