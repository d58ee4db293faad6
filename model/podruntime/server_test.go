package podruntime

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"podlife/model"
	"podlife/model/podlifecycle"
)

func few() Constants { return Constants{MaxInc: 1, MaxCrashes: 1, ImageMarked: true} }

func endless() Constants {
	return Constants{MaxInc: math.MaxInt, MaxCrashes: math.MaxInt, ImageMarked: true}
}

// take takes actions one after the other on the same pod, client and incarnation.
func take(t *testing.T, table model.Table[Local], l Local, actions ...string) Local {
	t.Helper()
	for _, action := range actions {
		next, err := table.Take(action, l)
		if err != nil {
			t.Fatal(err)
		}
		l = next
		l.Tabs = []Client{l.Client}
	}
	return l
}

func TestTheServersTableNeverRunsOutOfIncarnations(t *testing.T) {
	const n = 1 << 40
	table := Table(endless())
	l := Local{Pod: Pod{Inc: n - 1, Store: Record{Inc: n - 1}, Settled: n - 1}, N: n}
	l = take(t, table, l, StartBoot, CreateContainer, StartContainer, BeginScript, ScriptWorks, ScriptWorks, ScriptMarks, ScriptSucceeded,
		FinishBoot, EndRun, Probe, Dial, AttachReady)
	want := Local{
		Pod: Pod{
			Ctr: Ready, Inc: n, Store: Record{n, true}, Settled: n - 1,
			Incs: []Incarnation{{n, Inner{Box: Container{BoxRunning, SetupAll, MarkerOwn, ScriptOK}, Done: true, Woken: 1}}},
		},
		Client: Client{Phase: podlifecycle.Attached, BootInc: n, AttInc: n, Term: Term{AtOpen, n}},
		N:      n,
	}
	want.Tabs = []Client{want.Client}
	if !reflect.DeepEqual(l, want) {
		t.Fatalf("got  %+v\nwant %+v", l, want)
	}
	_, err := table.Take(IdleSleep, l)
	var refused *model.NotEnabledError
	if !errors.As(err, &refused) || !slices.Equal(refused.FalseGuards, []string{"noTerminal"}) {
		t.Errorf("IdleSleep under a terminal: %v", err)
	}
	for _, inv := range table.Invariants {
		if !inv.Holds(l) {
			t.Errorf("%s does not hold", inv.Name)
		}
	}
	l = take(t, table, l, Detach, IdleSleep, TearDown, DestroyAnswered, Reconnect, AttachGuarded)
	if l.Pod.Ctr != Asleep || l.Pod.Why != WhyIdle || l.Pod.Settled != n || l.Client.Phase != podlifecycle.Idle || l.Pod.Store.Awake {
		t.Errorf("asleep again: %+v", l)
	}
	if l.Pod = l.Pod.ForgetHistory(n + 1); len(l.Pod.Incs) != 0 {
		t.Errorf("%+v is still remembered", l.Pod.Incs)
	}
}

func TestACrashForgetsWhatIsVolatileAndLeavesTheRest(t *testing.T) {
	box := Container{BoxRunning, SetupAll, MarkerOwn, ScriptOK}
	l := Local{
		Pod: Pod{
			Ctr: Ready, Inc: 7, Store: Record{7, true}, Settled: 3,
			Incs: []Incarnation{{6, Inner{Tear: TearRemove}}, {7, Inner{Run: RunOK, Box: box, Done: true, Woken: 1}}},
		},
		Client: Client{Phase: podlifecycle.Booting, BootInc: 7},
	}
	crashed := take(t, Table(endless()), l, Crash)
	want := Pod{Ctr: Unknown, Store: Record{7, true}, Settled: 3, Crashes: 1, Incs: []Incarnation{{7, Inner{Box: box, Done: true, Woken: 1}}}}
	if !reflect.DeepEqual(crashed.Pod, want) || crashed.Client != (Client{}) {
		t.Errorf("got %+v, %+v, want %+v", crashed.Pod, crashed.Client, want)
	}
	back := take(t, Table(endless()), l, CrashOtherRecipe, RecoverReady, Repair)
	if got := back.Pod.At(7); back.Pod.Ctr != Ready || got.Run != RunBegin || got.Box != (Container{BoxRunning, SetupPart, MarkerEarlier, ScriptOK}) {
		t.Errorf("after another recipe: %+v", back.Pod)
	}
}

func TestAReplyAnswersNoTabThatWaitsForAnotherIncarnation(t *testing.T) {
	l := Local{
		Pod:    Pod{Ctr: Provisioning, Inc: 2, Incs: []Incarnation{{1, Inner{Run: RunOK}}, {2, Inner{Run: RunOK}}}},
		Client: Client{Phase: podlifecycle.Booting, BootInc: 1},
	}
	for n, want := range map[int][]string{1: {"sameInc", "ownBoot"}, 2: {"ownBoot"}, 3: {"replied", "sameInc", "ownBoot"}} {
		l.N = n
		_, err := Table(endless()).Take(FinishBoot, l)
		var refused *model.NotEnabledError
		if !errors.As(err, &refused) || !slices.Equal(refused.FalseGuards, want) {
			t.Errorf("the reply of %d: %v, want %v", n, err, want)
		}
	}
}

func TestAProbeOfAnotherPodIsRefused(t *testing.T) {
	l := Local{Pod: Pod{Ctr: Ready, Inc: 1}, Client: Client{Phase: podlifecycle.Believes}, OtherPod: true}
	_, err := Table(endless()).Take(Probe, l)
	var refused *model.NotEnabledError
	if !errors.As(err, &refused) || !slices.Equal(refused.FalseGuards, []string{"ownPod"}) {
		t.Errorf("Probe: %v", err)
	}
	unguarded := endless()
	unguarded.Off = []string{"Probe.ownPod"}
	if _, err := Table(unguarded).Take(Probe, l); err != nil {
		t.Errorf("Probe without ownPod: %v", err)
	}
}

// Effects that shared a slice with what they were given would change the past of whoever kept it.
func TestNoEffectChangesWhatItWasGiven(t *testing.T) {
	table := Table(few())
	effects := 0
	for _, l := range localsAlong(t, few(), 1, 3) {
		roomy := make([]Incarnation, 0, 8) // an append in place would not be seen without room
		l.Pod.Incs = append(roomy, l.Pod.Incs...)
		before := slices.Clone(l.Pod.Incs[:cap(l.Pod.Incs)])
		for _, a := range table.Actions {
			if a.Enabled(l) {
				effects++
				a.Effect(l)
				if !slices.Equal(before, l.Pod.Incs[:cap(l.Pod.Incs)]) {
					t.Fatalf("%s changes %+v", a.Name, l.Pod)
				}
			}
		}
	}
	if effects < 1000 {
		t.Errorf("only %d effects were looked at", effects)
	}
}

// What happens to the pod by an action that no client takes does not depend on the client that is beside it.
func TestAnActionOfThePodDoesNotLookAtTheClient(t *testing.T) {
	others := []Client{{}, {Phase: podlifecycle.Attached, BootInc: 1, AttInc: 1, Term: Term{AtOpen, 1}}}
	for _, l := range localsAlong(t, few(), 1, 3) {
		for _, a := range Table(few()).Actions {
			if slices.Contains(a.Params, ParamClient) {
				continue
			}
			for _, c := range others {
				with := l
				with.Client = c
				if a.Enabled(l) != a.Enabled(with) || a.Enabled(l) && !a.Effect(l).Pod.Equal(a.Effect(with).Pod) {
					t.Fatalf("%s looks at the client: %+v", a.Name, l)
				}
			}
		}
	}
}

func TestForgottenHistoryDecidesNothing(t *testing.T) {
	for _, l := range localsAlong(t, few(), 1, 1) {
		forgot := l
		forgot.Pod = l.Pod.ForgetHistory(2)
		for _, a := range Table(few()).Actions {
			if !slices.Equal(a.FalseGuards(l), a.FalseGuards(forgot)) {
				t.Fatalf("%s is refused by %v, and without history by %v", a.Name, a.FalseGuards(l), a.FalseGuards(forgot))
			}
			if !a.Enabled(l) {
				continue
			}
			after, without := a.Effect(l), a.Effect(forgot)
			if after.Client != without.Client || !after.Pod.ForgetHistory(2).Equal(without.Pod.ForgetHistory(2)) {
				t.Fatalf("%s leads somewhere else without history: %+v, %+v", a.Name, after, without)
			}
		}
	}
}

// Guards are asked in any state, also where the pod was never woken.
func TestGuardsAreTotal(t *testing.T) {
	for _, action := range Table(endless()).Actions {
		for _, l := range []Local{{}, {N: -1}, {Pod: Pod{Ctr: Ready, Inc: -3}, Client: Client{Term: Term{AtProbed, -1}}}} {
			action.FalseGuards(l)
			action.Effect(l)
		}
	}
}

func BenchmarkTake(b *testing.B) {
	table := Table(endless())
	l := Local{Pod: Pod{
		Ctr: Ready, Inc: 9, Store: Record{9, true},
		Incs: []Incarnation{{8, Inner{Tear: TearRemove}}, {9, Inner{Run: RunOK, Box: Container{BoxRunning, SetupAll, MarkerOwn, ScriptOK}, Done: true}}},
	}, N: 9}
	for b.Loop() {
		if _, err := table.Take(EndRun, l); err != nil {
			b.Fatal(err)
		}
	}
}
