package explain

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"podlife/model/podruntime"
)

// boot is a whole life of a pod, every step recorded.
func boot() []Step {
	return []Step{
		{podruntime.StartBoot, "c1", 0, 1}, {podruntime.CreateContainer, "", 1, 1}, {podruntime.StartContainer, "", 1, 1},
		{podruntime.BeginScript, "", 1, 1}, {podruntime.ScriptWorks, "", 1, 1}, {podruntime.ScriptWorks, "", 1, 1}, {podruntime.ScriptMarks, "", 1, 1},
		{podruntime.ScriptSucceeded, "", 1, 1}, {podruntime.FinishBoot, "c1", 1, 1}, {podruntime.EndRun, "", 1, 1},
		{podruntime.Probe, "c1", 0, 1}, {podruntime.Dial, "c1", 0, 1}, {podruntime.AttachReady, "c1", 0, 1},
		{podruntime.Detach, "c1", 0, 1}, {podruntime.Destroy, "", 0, 1}, {podruntime.Reconnect, "c1", 0, 1}, {podruntime.TearDown, "", 1, 1},
		{podruntime.DestroyAnswered, "", 0, 1},
	}
}

func without(steps []Step, actions ...string) []Step {
	return slices.DeleteFunc(slices.Clone(steps), func(s Step) bool { return slices.Contains(actions, s.Action) })
}

func check(t *testing.T, o Options, steps []Step) Answer {
	t.Helper()
	a, err := Check(o, steps)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAWholeTraceIsExplainedAndNeedsNothingHidden(t *testing.T) {
	a := check(t, Options{Hidden: -1}, boot())
	if a.Verdict != Explained || a.Explained != len(boot()) || a.States != 1 || len(a.Invariants) > 0 {
		t.Errorf("%+v", a)
	}
}

func TestWhatTheWorldDidUnseenIsFound(t *testing.T) {
	steps := without(boot(), podruntime.ScriptWorks, podruntime.ScriptMarks)
	if a := check(t, Options{}, steps); a.Verdict != Explained {
		t.Errorf("%v", a)
	}
	if a := check(t, Options{Hidden: -1}, steps); a.Verdict != Mismatch || a.Explained != 4 {
		t.Errorf("with nothing hidden: %v", a)
	}
	if a := check(t, Options{Hidden: 2}, steps); a.Verdict != Mismatch {
		t.Errorf("with two hidden: %v", a)
	}
}

func TestAMismatchNamesWhatWasNeeded(t *testing.T) {
	steps := without(boot(), podruntime.FinishBoot)
	a := check(t, Options{}, steps)
	if a.Verdict != Mismatch || a.Explained != 8 || a.Failed == nil || a.Failed.Action != podruntime.EndRun {
		t.Fatalf("%v", a)
	}
	if got := a.Nearest[0].FalseGuards; !slices.Equal(got, []string{"allAnswered"}) {
		t.Errorf("false guards %q", got)
	}
	if !slices.Contains(a.Enabled, "FinishBoot(c1, 1)") {
		t.Errorf("enabled are %q", a.Enabled)
	}
	if len(a.Possible) != 1 || a.Possible[0].Run[1] != podruntime.RunOK {
		t.Errorf("possible states %+v", a.Possible)
	}
}

func TestAMismatchNamesTheArgumentThatIsNearer(t *testing.T) {
	steps := append(boot()[:8:8], Step{podruntime.FinishBoot, "c2", 1, 1})
	a := check(t, Options{}, steps)
	if len(a.Nearest) != 2 || a.Nearest[1].Step.Client != "c1" || len(a.Nearest[1].FalseGuards) > 0 {
		t.Errorf("%v: nearest %+v", a, a.Nearest)
	}
	text := a.String()
	for _, want := range []string{"8 steps", "FinishBoot(c2, 1)", "booting, ownBoot", "nearer is FinishBoot(c1, 1)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
}

func TestAnotherIncarnationThanWasRecordedIsNoExplanation(t *testing.T) {
	steps := boot()
	steps[9].Incarnation = 2
	a := check(t, Options{}, steps)
	if a.Verdict != Mismatch || a.Explained != 9 || !strings.Contains(a.Reason, "is 1, and not 2") {
		t.Errorf("%v", a)
	}
}

func TestACrashBetweenTwoLivesIsFound(t *testing.T) {
	for name, lives := range map[string][]Step{
		"ready":                   append(boot()[:13:13], Step{podruntime.RecoverReady, "", 0, 1}, Step{podruntime.StartBoot, "c1", 0, 1}),
		"another recipe":          append(boot()[:13:13], Step{podruntime.RecoverReady, "", 0, 1}, Step{podruntime.Repair, "", 0, 1}),
		"in the middle of a boot": append(boot()[:4:4], Step{podruntime.RecoverAsleep, "", 0, 1}, Step{podruntime.TearDown, "", 1, 1}),
		"the script went on":      append(boot()[:4:4], Step{podruntime.RecoverReady, "", 0, 1}),
		"a wake that was stored and not recorded": append(boot(), Step{podruntime.RecoverAsleep, "", 0, 2},
			Step{podruntime.StartBoot, "c1", 0, 3}),
		"a removal that was done and not recorded": append(boot()[:16:16], Step{podruntime.RecoverAsleep, "", 0, 1},
			Step{podruntime.StartBoot, "c1", 0, 2}, Step{podruntime.CreateContainer, "", 2, 2}),
		"a destroy that is answered twice": append(boot(), Step{podruntime.RecoverAsleep, "", 0, 1}, Step{podruntime.DestroyAnswered, "", 0, 1}),
	} {
		if a := check(t, Options{}, lives); a.Verdict != Explained {
			t.Errorf("%s: %v", name, a)
		}
	}
	for name, lives := range map[string][]Step{
		"ready without a container": append(boot(), Step{podruntime.RecoverReady, "", 0, 1}),
		"two incarnations later":    append(boot(), Step{podruntime.RecoverAsleep, "", 0, 3}),
		"a client of before":        append(boot()[:13:13], Step{podruntime.RecoverReady, "", 0, 1}, Step{podruntime.Detach, "c1", 0, 1}),
	} {
		if a := check(t, Options{}, lives); a.Verdict != Mismatch {
			t.Errorf("%s: %v", name, a)
		}
	}
}

func TestATraceMayBeginWithARecovery(t *testing.T) {
	ready := []Step{{podruntime.RecoverReady, "", 0, 7}, {podruntime.StartBoot, "c1", 0, 7}, {podruntime.BeginScript, "", 7, 7},
		{podruntime.ScriptSucceeded, "", 7, 7}, {podruntime.FinishBoot, "c1", 7, 7}}
	asleep := []Step{{podruntime.RecoverAsleep, "", 0, 7}, {podruntime.TearDown, "", 6, 7}, {podruntime.StartBoot, "c1", 0, 8}, {podruntime.CreateContainer, "", 8, 8}}
	never := []Step{{podruntime.RecoverAsleep, "", 0, 0}, {podruntime.StartBoot, "c1", 0, 1}}
	for _, steps := range [][]Step{ready, asleep, never} {
		if a := check(t, Options{}, steps); a.Verdict != Explained || len(a.Invariants) > 0 {
			t.Errorf("%v", a)
		}
	}
	if a := check(t, Options{}, append(asleep, Step{podruntime.TearDown, "", 5, 8})); a.Verdict != Mismatch {
		t.Errorf("a removal beside a new container: %v", a)
	}
	if a := check(t, Options{}, []Step{{podruntime.RecoverReady, "", 0, 0}}); a.Verdict != Unknown {
		t.Errorf("a recovery of nobody knows what: %v", a)
	}
}

func TestABehaviourOfTheSpecificationIsExplained(t *testing.T) {
	actions := map[string]int{}
	for seed := range uint64(300) {
		w := newWalker(seed)
		w.whole = seed%5 == 0
		steps := w.trace(80)
		o := Options{}
		if w.whole {
			o.Hidden = -1
		}
		a := check(t, o, steps)
		if a.Verdict != Explained {
			t.Fatalf("seed %d: %v\n%v", seed, a, steps[max(0, a.Explained-12):min(len(steps), a.Explained+1)])
		}
		if a.Violated() {
			t.Fatalf("seed %d: %v", seed, a)
		}
		for _, s := range steps {
			actions[s.Action]++
		}
	}
	for _, a := range Shipped().Actions {
		if actions[a.Name] == 0 && a.Name != podruntime.DialWakes {
			t.Errorf("%s was never drawn", a.Name)
		}
	}
}

// Hidden steps are taken as late as possible; that must say the same as taking them everywhere.
func TestLateHiddenStepsExplainWhatHiddenStepsAnywhereDo(t *testing.T) {
	verdicts := map[Verdict]int{}
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		steps := slices.Clone(newWalker(seed).trace(30))
		spoil(rnd, steps)
		a := check(t, Options{States: math.MaxInt}, steps)
		n, ok := eager(steps)
		if (a.Verdict == Explained) != ok || a.Explained != n {
			// What the checker excuses beside the specification is not in the plain way.
			if excused := append(podruntime.WorldActions(), podruntime.DestroyAnswered, podruntime.TearDown); a.Explained > n && slices.Contains(excused, steps[n].Action) {
				continue
			}
			t.Fatalf("seed %d: %v, the plain way explains %d\n%v", seed, a, n, steps[:min(len(steps), n+1)])
		}
		verdicts[a.Verdict]++
	}
	if verdicts[Explained] < 20 || verdicts[Mismatch] < 100 {
		t.Errorf("verdicts %v", verdicts)
	}
}

// spoil changes a trace in one place.
func spoil(rnd *rand.Rand, steps []Step) {
	if len(steps) < 3 {
		return
	}
	i := rnd.IntN(len(steps) - 1)
	switch rnd.IntN(3) {
	case 0:
		steps[i], steps[i+1] = steps[i+1], steps[i]
	case 1:
		if steps[i].Client != "" {
			steps[i].Client = "c1"
		}
		if steps[i].N != 0 {
			steps[i].N++
		}
	case 2:
		copy(steps[i:], steps[i+1:])
		steps[len(steps)-1] = steps[rnd.IntN(len(steps))]
	}
	for i := range steps {
		steps[i].Incarnation = 0
		if recovers(steps[i].Action) && i == 0 {
			steps[i] = Step{Action: podruntime.StartBoot, Client: "c1"}
		}
	}
}

func TestAServerForgetsClientsBeyondItsBound(t *testing.T) {
	steps := boot()[:10]
	for i := range serverTabs - 1 {
		steps = append(steps, Step{podruntime.StartBoot, fmt.Sprint("x", i), 0, 1}, Step{podruntime.BeginScript, "", 1, 1},
			Step{podruntime.ScriptSucceeded, "", 1, 1}, Step{podruntime.FinishBoot, fmt.Sprint("x", i), 1, 1}, Step{podruntime.EndRun, "", 1, 1})
	}
	again := Step{podruntime.StartBoot, "c1", 0, 1}
	if a := check(t, Options{}, append(slices.Clip(steps), again)); a.Verdict != Mismatch {
		t.Errorf("with as many clients as a server remembers: %v", a)
	}
	steps = append(steps, Step{podruntime.StartBoot, "one more", 0, 1}, again)
	if a := check(t, Options{}, steps); a.Verdict != Explained {
		t.Errorf("with one more: %v", a)
	}
}

func TestAnInvariantIsViolatedOnlyWhereEveryPossibleStateBreaksIt(t *testing.T) {
	skip := podruntime.Table(podruntime.Constants{MaxInc: math.MaxInt, MaxCrashes: math.MaxInt, Off: []string{"ScriptSucceeded.exitZero"}})
	failed := append(boot()[:4:4], Step{podruntime.ScriptFails, "", 1, 1}, Step{podruntime.ScriptSucceeded, "", 1, 1}, Step{podruntime.FinishBoot, "c1", 1, 1})
	a := check(t, Options{Table: skip, Hidden: -1}, failed)
	if !a.Violated() || a.Invariants[0].Step != 7 {
		t.Errorf("a pod that is ready though its script failed: %v", a)
	}
	if a := check(t, Options{Table: skip}, failed); a.Violated() || len(a.Invariants) == 0 {
		t.Errorf("the script may have done its steps before it failed, unseen: %v", a)
	}
}

func TestWhatIsNoStepIsRefused(t *testing.T) {
	for _, s := range []Step{{Action: "Sleep"}, {Action: podruntime.StartBoot}, {Action: podruntime.Destroy, Client: "c1"}, {Action: podruntime.TearDown}, {Action: podruntime.TearDown, N: -1}} {
		_, err := Check(Options{}, []Step{s})
		var wrong *StepError
		if !errors.As(err, &wrong) {
			t.Errorf("%v: %v", s, err)
		}
		if v := New(Options{}).Add(s); v != Unknown {
			t.Errorf("%v is %s", s, v)
		}
	}
}

func TestMoreStatesThanTheBoundAreUnknown(t *testing.T) {
	a := check(t, Options{States: 2}, append(boot()[:4:4], Step{podruntime.RecoverAsleep, "", 0, 1}))
	if a.Verdict != Unknown || !strings.Contains(a.Reason, "more than 2 states") {
		t.Errorf("%v", a)
	}
}

func TestAPathIsABehaviourStepByStep(t *testing.T) {
	unknown := 0
	for seed := range uint64(40) {
		steps := newWalker(seed).trace(40)
		c := New(Options{Path: true})
		for _, s := range steps {
			if c.Add(s) == Unknown {
				break // a path forgets nothing, so that many crashes in a row are too much for it
			}
		}
		if c.Answer().Verdict != Explained {
			unknown++
			continue
		}
		path := c.Path()
		recorded := 0
		for i, taken := range path[1:] {
			before := path[i]
			a := c.actions[taken.Action]
			l := podruntime.Local{Pod: before.Pod, Client: before.Clients[taken.Client], N: taken.N}
			if after, err := Shipped().Take(a.Name, l); a.tabs || err == nil && after.Pod.Equal(taken.Pod) {
				if !taken.Hidden {
					recorded++
				}
				continue
			}
			t.Fatalf("seed %d: step %d, %v, does not lead from %+v to %+v", seed, i, taken.Step, before.Pod, taken.Pod)
		}
		if recorded != len(steps) {
			t.Fatalf("%d of %d steps are in the path", recorded, len(steps))
		}
	}
	if unknown > 10 {
		t.Errorf("%d paths of 40 are unknown", unknown)
	}
}

func TestOfALongTraceOnlySoMuchIsKept(t *testing.T) {
	c := New(Options{History: 10})
	steps := cycles(life(), 19*100)
	// One client believes in the first incarnation for ever.
	steps = slices.Insert(steps, 9, Step{podruntime.FinishBoot, "c2", 1, 1})
	steps = slices.Insert(steps, 1, Step{podruntime.StartBoot, "c2", 0, 1})
	for _, s := range steps {
		if c.Add(s) != Explained {
			t.Fatal(c.Answer())
		}
		if n := len(c.states[0].pod.Incs); n > historyKept+2 {
			t.Fatalf("%d incarnations are kept", n)
		}
	}
	if a := c.Answer(); len(a.Invariants) > 0 || len(c.history) != 10 {
		t.Errorf("%v, %d steps are kept", a, len(c.history))
	}
}

func TestAClientThatWasForgottenForWantOfRoomIsUnknown(t *testing.T) {
	steps := boot()[:10]
	for i := range maxTabs {
		name := fmt.Sprint("x", i)
		steps = append(steps, Step{podruntime.StartBoot, name, 0, 1}, Step{podruntime.BeginScript, "", 1, 1},
			Step{podruntime.ScriptSucceeded, "", 1, 1}, Step{podruntime.FinishBoot, name, 1, 1}, Step{podruntime.EndRun, "", 1, 1})
	}
	for want, s := range map[Verdict]Step{Explained: {podruntime.StartBoot, "c1", 0, 1}, Unknown: {podruntime.Probe, "c1", 0, 1}} {
		if a := check(t, Options{}, append(slices.Clip(steps), s)); a.Verdict != want {
			t.Errorf("%v: %v", s, a)
		}
	}
	if a := check(t, Options{}, append(slices.Clip(steps), Step{podruntime.Probe, "x0", 0, 1})); a.Verdict != Explained {
		t.Errorf("one that is still known: %v", a)
	}
}
