package lockstep

import (
	"errors"
	"strings"
	"testing"
)

func TestWhatTheTableForbidsIsRefusedAndSaidHow(t *testing.T) {
	gone := ready + "Probe(c1) Dial(c1) Destroy StartBoot(c2) TearDown(1) CreateContainer(2) " +
		"StartContainer(2) BeginScript(2) ScriptWorks(2) ScriptWorks(2) ScriptMarks(2) ScriptSucceeded(2) FinishBoot(c2, 2) EndRun(2)"
	tests := []struct {
		path, step, says string
		marked           bool
	}{
		{path: marked + "ScriptSucceeded(1) Destroy BootLost(c1) StartBoot(c1)", step: "FinishBoot(c1, 1)",
			says: "sameInc is false; the server went on from: a boot run replies; committed: ScriptWorks(1) ScriptWorks(1) ScriptMarks(1) ScriptSucceeded(1) DropReply(1)"},
		{path: gone, step: "AttachReady(c1)", says: "sameInc is false; the server went on from: after the shell; committed: DialFails(c1) Probe(c1)"},
		{path: ready + "MarkerRemoved(1) Probe(c1)", step: "Dial(c1)", says: "marker is false; the server went on from: before the shell; committed: DialFails(c1) MarkerRemoved(1) Repair"},
		{path: "StartBoot(c1) Crash", step: "StartBoot(c1)", says: "known is false; the call waits; committed: RecoverAsleep StartBoot(c1)"},
		{path: opened, step: "IdleSleep", says: "noTerminal is false; the idle sweep has looked; committed: none"},
		{path: ready + "Destroy", step: "DestroyAnswered", says: "removed is false; the call waits; committed: none"},
		{path: begun, step: "ScriptSkips(1)", says: "ownMarker is false; the script went on; committed: none", marked: true},
		{path: begun, step: "ScriptMarks(1)", says: "allDone is false; the script went on; committed: none"},
		{path: begun + "ScriptWorks(1) ScriptFails(1)", step: "ScriptSucceeded(1)",
			says: "exitZero is false; the server went on from: a boot run replies; committed: ScriptFails(1) ScriptFailed(1) BootFailed(1) BootLost(c1)"},
		{path: "StartBoot(c1) CreateContainer(1)", step: "TearDown(1)", says: "decided is false; nothing is under way for it; committed: none"},
	}
	for _, test := range tests {
		last := parse(t, test.step)[0]
		report, err := drive(t, Options{Last: &last, ImageMarked: test.marked}, parse(t, test.path)...)
		if err != nil || !strings.Contains(report.Last, test.says) {
			t.Errorf("%s, then %s: %v\ngot  %s\nwant %s", test.path, test.step, err, report.Last, test.says)
		}
	}
	allowed := Step{"Destroy", "", 0}
	var bad *BadPathError
	if _, err := drive(t, Options{Last: &allowed}, parse(t, ready)...); !errors.As(err, &bad) {
		t.Errorf("a step that is allowed is no last one: %v", err)
	}
}
