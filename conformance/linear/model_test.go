package linear

import (
	"bytes"
	"context"
	"testing"

	"github.com/anishathalye/porcupine"
)

// A history that no story of the table explains, and beside it one that looks nearly the same and is right: so that it is refused for what is wrong with it.
func TestTheModelRefusesWhatTheTableCannotAnswer(t *testing.T) {
	up := func(more ...[]call) []porcupine.Operation {
		return told(append([][]call{boots(0, Ready, 1), attaches(0, 1)}, more...)...)
	}
	for _, c := range []struct {
		name         string
		wrong, right []porcupine.Operation
	}{
		{"a boot answers with an incarnation that is over",
			up(destroys(1, Done), boots(1, Ready, 2), boots(2, Ready, 1)), up(destroys(1, Done), boots(1, Ready, 2), boots(2, Ready, 2))},
		{"a boot answers with a lower incarnation than one seen before",
			told(looks(0, "asleep", 0), boots(0, Ready, 1), world(Idle, Done, 0), boots(1, Ready, 2), world(Idle, Done, 0), boots(2, Ready, 1)),
			told(looks(0, "asleep", 0), boots(0, Ready, 1), world(Idle, Done, 0), boots(1, Ready, 2), world(Idle, Done, 0), boots(2, Ready, 3))},
		{"an attach into the incarnation before", up(destroys(1, Done), boots(1, Ready, 2), attaches(0, 1)), up(destroys(1, Done), boots(1, Ready, 2), attaches(0, 2))},
		{"an attach is granted after a destroy was answered", up(destroys(1, Done), attaches(0, 1)), up(during(1, destroys(1, Done)), attaches(0, 1))},
		{"two incarnations are ready at once",
			told(during(2, boots(0, Ready, 1)), boots(1, Ready, 2), looks(2, "ready", 1)), told(during(2, boots(0, Ready, 1)), boots(1, Ready, 1), looks(2, "ready", 1))},
		{"a pod is ready under two numbers, with nothing between", up(looks(1, "ready", 2)), up(looks(1, "ready", 1))},
		{"a number is used again after a restart",
			up(destroys(1, Done), world(Crash, Done, 0), boots(0, Ready, 1)), up(destroys(1, Done), world(Crash, Done, 0), boots(0, Ready, 2))},
		{"a restart loses a ready pod", up(world(Crash, Done, 0), boots(0, Ready, 2)), up(world(Crash, Done, 0), boots(0, Ready, 1))},
		{"a restart wakes a pod that was destroyed", up(destroys(1, Done), world(Crash, Done, 0), looks(1, "ready", 1)), up(during(1, destroys(1, Unknown)), world(Crash, Done, 0), looks(1, "ready", 1))},
		{"a tab of a dead server is still attached", up(world(Crash, Done, 0), attaches(0, 1)), up(world(Crash, Done, 0), boots(0, Ready, 1), attaches(0, 1))},
		{"refused as asleep though it was ready all along", up(isRefused(1, "asleep")), up(isRefused(1, "ready"))},
		{"refused though it booted and the pod is ready", up(isRefused(0, "ready")), up(isRefused(2, "ready"))},
		{"refused as ready after a destroy was answered", up(destroys(1, Done), isRefused(2, "ready")), up(during(1, destroys(1, Done)), isRefused(2, "ready"))},
		{"attached without a boot", told(boots(0, Ready, 1), attaches(1, 1)), told(boots(0, Ready, 1), boots(1, Ready, 1), attaches(1, 1))},
		{"a tab that was refused has to boot",
			up(destroys(1, Done), isRefused(0, "asleep"), boots(1, Ready, 2), attaches(0, 2)), up(destroys(1, Done), boots(1, Ready, 2), attaches(0, 2))},
		{"a boot is lost though nothing ended", told(boots(0, Lost, 0)), told(atOnce(boots(0, Lost, 0), destroys(1, Done)))},
		{"a boot is lost to a destroy that was over before", told(destroys(1, Done), boots(0, Lost, 0)), told(during(1, destroys(1, Done)), boots(0, Lost, 0))},
		{"a boot fails though no script did", told(boots(0, BootFailed, 0)), told(atOnce(boots(0, BootFailed, 0), world(ScriptFails, Done, 1)))},
		{"a boot is lost to a script that failed", told(atOnce(boots(0, Lost, 0), world(ScriptFails, Done, 1))), told(atOnce(boots(0, BootFailed, 0), world(ScriptFails, Done, 1)))},
		{"a boot that fails ends an incarnation that is ready", up(atOnce(boots(1, BootFailed, 0), world(Unmark, Done, 1), world(ScriptFails, Done, 1)), looks(1, "asleep", 1)),
			up(atOnce(boots(1, BootFailed, 0), world(Unmark, Done, 1), world(ScriptFails, Done, 1)), looks(1, "ready", 1))},
		{"an answer that no action gives", told(boots(0, Failed, 0)), told(boots(0, Unknown, 0))},
		{"the container lives after a destroy was answered", up(destroys(1, Done), world(Kill, Done, 1)), up(during(1, destroys(1, Done)), world(Kill, Done, 1))},
		{"the container of a ready pod is another one", up(world(Kill, Done, 2)), up(world(Kill, Done, 1))},
		{"it is lost though it was not killed", up(looks(1, "asleep", 1)), up(world(Kill, Done, 1), looks(1, "asleep", 1))},
		{"it is killed, and an attach is granted", up([]call{{in: Input{Kind: Close}, out: Output{Word: Done}}}, world(Kill, Done, 1), attaches(0, 1)),
			up([]call{{in: Input{Kind: Close}, out: Output{Word: Done}}}, during(1, world(Kill, Done, 1)), attaches(0, 1))},
		{"the idle sweep ends a terminal", up(world(Idle, Done, 0), looks(1, "asleep", 1)), up([]call{{in: Input{Kind: Close}, out: Output{Word: Done}}}, world(Idle, Done, 0), looks(1, "asleep", 1))},
		{"the idle sweep ends a boot", told(during(2, boots(0, Lost, 0)), looks(1, "provisioning", 1), world(Idle, Done, 0)), told(during(2, boots(0, Lost, 0)), looks(1, "provisioning", 1), destroys(1, Done))},
		{"a boot that nobody was told of, after its server's death", told(boots(0, Unknown, 0), world(Crash, Done, 0), looks(1, "provisioning", 1), looks(1, "asleep", 0)),
			told(boots(0, Unknown, 0), world(Crash, Done, 0), looks(1, "asleep", 0))},
		{"one operation without an answer takes effect twice", told(boots(0, Ready, 1), destroys(1, Unknown), looks(1, "asleep", 1), boots(0, Ready, 2), looks(1, "asleep", 2)),
			told(boots(0, Ready, 1), destroys(1, Unknown), looks(1, "ready", 1), boots(2, Ready, 1), looks(1, "asleep", 1))},
		{"recovering, though it was known", up(boots(1, Recovering, 0)), up(during(1, world(Crash, Done, 0)), boots(1, Unreachable, 0))},
		{"the store fails in a world in which it does not", up(destroys(1, Unstored)), up(destroys(1, Unreachable))},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := porcupine.CheckOperationsTimeout(Model(May{}), c.wrong, judgeTime); got != porcupine.Illegal {
				t.Errorf("the wrong history is %s", got)
			}
			if got := porcupine.CheckOperationsTimeout(Model(May{}), c.right, judgeTime); got != porcupine.Ok {
				t.Errorf("the right history is %s", got)
			}
		})
	}
}

func TestTheModelAcceptsWhatLooksWrongAndIsRight(t *testing.T) {
	for name, history := range map[string][]porcupine.Operation{
		"the example": exampleHistory(),
		"a boot without an answer keeps running, and another tab's attach finds its container": told(
			boots(0, Unknown, 0), boots(1, Ready, 1), looks(2, "ready", 1), attaches(1, 1)),
		"a destroy without an answer happens long after": told(
			boots(0, Ready, 1), destroys(1, Unknown), attaches(0, 1), looks(2, "ready", 1), isRefused(0, "asleep"), boots(0, Ready, 2)),
		"a boot that was left is answered to the same tab's next one": told(
			boots(0, Unknown, 0), boots(0, Ready, 1), attaches(0, 1)),
		"a destroy is answered while the pod is awake again": told(
			boots(0, Ready, 1), during(3, destroys(1, Done)), looks(2, "asleep", 1), during(2, boots(0, Ready, 2)), looks(2, "provisioning", 2)),
		"a container whose server died before it could remove it is still there to be killed": told(
			boots(0, Ready, 1), destroys(1, Unknown), looks(2, "asleep", 1), world(Crash, Done, 0), world(Kill, Done, 1), looks(2, "asleep", 1)),
		"another recipe adopts the container, and lets nobody in before it has run": told(
			boots(0, Ready, 1), []call{{in: Input{Kind: Crash, Other: true}, out: Output{Word: Done}}}, looks(1, "ready", 1), boots(0, Ready, 1), attaches(0, 1)),
	} {
		if got := porcupine.CheckOperationsTimeout(Model(May{}), history, judgeTime); got != porcupine.Ok {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestTheExampleHasAPicture(t *testing.T) {
	page, err := Example()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, []byte("<html")) || !bytes.Contains(page, []byte("StartBoot(c1)")) || bytes.Contains(page, []byte("src=\"http")) {
		t.Errorf("a page of %d bytes, without what is in it, or with what is elsewhere", len(page))
	}
}

func TestUnknownIsNotAPass(t *testing.T) {
	var r Results
	r.Add(nil, Verdict{Result: porcupine.Ok})
	r.Add(exampleHistory(), Verdict{Result: porcupine.Unknown})
	r.Add(nil, Verdict{Result: porcupine.Ok})
	if r.Verdict != "unknown" || r.Unknown != 1 || r.Histories != 1 || r.UnknownOutcomes != 3 {
		t.Errorf("got %+v", r)
	}
}

// TestASearchThatIsGivenUpEndsWithinAStep sees that a step of which nobody wants to know any more says nothing, and that nothing of it is taken for known afterwards.
func TestASearchThatIsGivenUpEndsWithinAStep(t *testing.T) {
	r := newRules(May{})
	boot, ready := Input{Pod: "p", Kind: StartBoot}, Output{Word: Ready, Inc: 1}
	over, end := context.WithCancel(t.Context())
	end()
	if to := r.step(over, nil, boot, ready); to != nil {
		t.Fatalf("a search that is over was given %s", to)
	}
	live := r.step(t.Context(), nil, boot, ready)
	if live == nil {
		t.Fatal("a boot that was given up is not possible any more")
	}
	if fresh := newRules(May{}).step(t.Context(), nil, boot, ready); fresh.String() != live.String() {
		t.Errorf("after a search that was given up a boot leads to %s, without one to %s", live, fresh)
	}
	if to := r.step(over, live, Input{Pod: "p", Kind: Kill, Life: AnyLife}, Output{Word: Done, Inc: 1}); to != nil {
		t.Errorf("a search that is over was given %s", to)
	}
}
