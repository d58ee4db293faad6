package pod_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	pl "podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

// isBehaviour puts a pod's steps through the table, from the initial state, and looks at every invariant in every state. It is asked at the end of every test of this package, for every pod whose
// steps are all kept and whose server was never started again.
func isBehaviour(t *testing.T, p *pod.Pod) {
	t.Helper()
	steps, _ := p.Steps(0)
	if len(steps) == 0 || steps[0].Seq != 1 || steps[0].Action == podruntime.RecoverAsleep || steps[0].Action == podruntime.RecoverReady {
		return
	}
	table := podruntime.Table(podruntime.Constants{MaxInc: math.MaxInt, MaxCrashes: math.MaxInt})
	var state podruntime.Pod
	tabs := map[pod.ClientID]podruntime.Client{}
	for _, s := range steps {
		after, err := table.Take(s.Action, podruntime.Local{Pod: state, Client: tabs[s.Client], Tabs: slices.Collect(maps.Values(tabs)), N: s.Inc})
		if err != nil {
			t.Fatalf("step %d of %s: %v", s.Seq, p.ID(), err)
		}
		state = after.Pod
		if s.Client != "" {
			tabs[s.Client] = after.Client
		}
		for c, client := range tabs {
			for _, inv := range table.Invariants {
				if !inv.Holds(podruntime.Local{Pod: state, Client: client, Tabs: slices.Collect(maps.Values(tabs))}) {
					t.Errorf("after step %d of %s, %s(%s %d): %s is broken for %s", s.Seq, p.ID(), s.Action, s.Client, s.Inc, inv.Name, c)
				}
			}
		}
	}
}

func actionsOf(p *pod.Pod) []string {
	steps, _ := p.Steps(0)
	var names []string
	for _, s := range steps {
		names = append(names, s.Action)
	}
	return names
}

// What the world has done is found out, and stands in the trace before what it explains.
func TestStepsSayWhatTheServerDidAndWhatItFoundOut(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	a := r.attach(p, "c1")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.Destroy(r.ctx()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		podruntime.StartBoot, podruntime.CreateContainer, podruntime.StartContainer, podruntime.BeginScript,
		podruntime.ScriptWorks, podruntime.ScriptWorks, podruntime.ScriptMarks, podruntime.ScriptSucceeded, podruntime.FinishBoot, podruntime.EndRun,
		podruntime.Probe, podruntime.Dial, podruntime.AttachReady, podruntime.Detach,
		podruntime.Destroy, podruntime.Reconnect, podruntime.TearDown, podruntime.DestroyAnswered,
	}
	if got := actionsOf(p); !slices.Equal(got, want) {
		t.Errorf("steps %q\nwant  %q", got, want)
	}
	steps, _ := p.Steps(0)
	for _, s := range steps {
		world := s.Action == podruntime.ScriptWorks || s.Action == podruntime.ScriptMarks
		if world != (s.Cause == pod.CauseObserved) {
			t.Errorf("%s has the cause %q", s.Action, s.Cause)
		}
	}
}

// The model has one terminal of each tab: it is open as long as any of the tab's is.
func TestATabWithTwoTerminalsHoldsThePodUntilTheLastIsClosed(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	first, second := r.attach(p, "c1"), r.attach(p, "c1")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(2 * r.idle)
	r.isState(p, pl.Ready, 1)
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	third := r.attach(p, "c1")
	r.clock.advance(2 * r.idle)
	r.isState(p, pl.Ready, 1)
	if err := third.Close(); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(2 * r.idle)
	r.isState(p, pl.Asleep, 1)
	if again := slices.Index(actionsOf(p), podruntime.AttachAgain); again < 0 {
		t.Error("the third terminal is no AttachAgain")
	}
}
