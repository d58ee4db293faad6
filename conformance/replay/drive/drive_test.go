package drive_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"podlife/conformance/lockstep"
	"podlife/conformance/replay/drive"
	"podlife/conformance/replay/tracefile"
	"podlife/conformance/tracecheck"
	"podlife/model/explain"
	"podlife/model/podruntime"
	"podlife/tla/itf"
)

const booted = "StartBoot(c1) CreateContainer(1) StartContainer(1) BeginScript(1) ScriptWorks(1) ScriptWorks(1) ScriptMarks(1) ScriptSucceeded(1) FinishBoot(c1,1) EndRun(1) "

// behaviour takes steps, such as "FinishBoot(c1,1)", by the table with these constants, through a file.
func behaviour(t *testing.T, c podruntime.Constants, tabs int, steps string) *tracefile.Behaviour {
	t.Helper()
	table := podruntime.Table(c)
	s := podruntime.State{}
	path := []explain.Taken{{Recorded: -1, Clients: s.View(tabs).Client}}
	for _, word := range strings.Fields(steps) {
		action, rest, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
		one := explain.Taken{Step: explain.Step{Action: action}, Recorded: -1}
		for arg := range strings.SplitSeq(rest, ",") {
			if n, err := strconv.Atoi(arg); err == nil {
				one.N = n
			} else {
				one.Client = arg
			}
		}
		after, err := lockstep.Effect(table, s, tabs, lockstep.Step{Action: action, Client: one.Client, Inc: one.N})
		if err != nil {
			t.Fatal(err)
		}
		s = after
		one.Pod, one.Clients = s.Pod(), s.View(tabs).Client
		path = append(path, one)
	}
	var file bytes.Buffer
	if err := tracecheck.WritePath(&file, path, c, ""); err != nil {
		t.Fatal(err)
	}
	read, err := tracefile.Read(t.Context(), &file)
	if err != nil {
		t.Fatal(err)
	}
	return read.Runtime
}

// played runs a behaviour in a bubble, in which it is certain that nothing more comes.
func played(t *testing.T, b *tracefile.Behaviour, change func(lockstep.World) lockstep.World) (r drive.Report, each []drive.Step) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var w lockstep.World = lockstep.NewSimulated(lockstep.SimulatedOptions{Settle: synctest.Wait, ImageMarked: b.Constants.ImageMarked})
		if change != nil {
			w = change(w)
		}
		var err error
		r, err = drive.Run(t.Context(), b, drive.Options{World: w, Each: func(s drive.Step) { each = append(each, s) }})
		if err != nil {
			t.Fatal(err)
		}
	})
	return r, each
}

func TestATraceOfTheShippedDesignIsReplayedAndRecorded(t *testing.T) {
	b := behaviour(t, podruntime.Constants{MaxInc: 2, MaxCrashes: 1}, 2, booted+"Probe(c1) Dial(c1) AttachReady(c1) Destroy Reconnect(c1) TearDown(1) DestroyAnswered StartBoot(c2) Crash RecoverAsleep")
	r, each := played(t, b, nil)
	if r.Outcome != drive.Replayed || len(r.Steps) != 20 || len(each) != 20 || r.At != 0 {
		t.Fatalf("%+v", r)
	}
	last := r.Steps[19]
	if last.Number != 20 || last.Action != "RecoverAsleep" || last.Expected.Crashes != 1 || !slices.Equal(last.Committed, []string{"RecoverAsleep"}) {
		t.Errorf("%+v", last)
	}
	var file bytes.Buffer
	if err := r.Record(&file); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	records, err := tracecheck.Read(&file)
	if err != nil || len(records) != 20 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	if a, err := tracecheck.Check(t.Context(), explain.Options{Hidden: -1}, records); err != nil || a.Verdict != explain.Explained {
		t.Errorf("%v, %v", a, err)
	}
	trace, err := itf.Decode([]byte(text))
	if err != nil || len(trace.States) != 21 {
		t.Errorf("%v", err)
	}
}

// The specification lets others come between FinishBoot and EndRun, and between a sleep and what tabs make of it. The server does not.
func TestWhatTheServerDoesUnderOneLockIsFilledIn(t *testing.T) {
	b := behaviour(t, podruntime.Constants{MaxInc: 1}, 1, strings.TrimSuffix(booted, "EndRun(1) ")+"Probe(c1) Dial(c1) EndRun(1) AttachReady(c1) Destroy TearDown(1)")
	r, _ := played(t, b, nil)
	var steps []string
	for _, s := range r.Steps {
		mark := ""
		if s.Filled {
			mark = "+"
		}
		steps = append(steps, fmt.Sprintf("%d%s %s", s.Number, mark, s.Action))
	}
	want := []string{"9 FinishBoot(c1, 1)", "9+ EndRun(1)", "10 Probe(c1)", "11 Dial(c1)", "13 AttachReady(c1)", "14 Destroy", "14+ Reconnect(c1)", "15 TearDown(1)"}
	if r.Outcome != drive.Replayed || !slices.Equal(steps[8:], want) {
		t.Errorf("%s: %q", r.Outcome, steps)
	}
}

func TestAGuardThatTheServerHasRefusesTheStep(t *testing.T) {
	b := behaviour(t, podruntime.Constants{MaxInc: 1, Off: []string{"DestroyAnswered.removed"}}, 1, "StartBoot(c1) CreateContainer(1) Destroy DestroyAnswered")
	r, _ := played(t, b, nil)
	if r.Outcome != drive.Refused || r.At != 4 || r.Action != "DestroyAnswered" || !slices.Equal(r.Guards, []string{"removed"}) || !strings.Contains(r.Asked, "committed: none") {
		t.Errorf("%+v", r)
	}
	if !slices.Contains(r.Enabled, "StartContainer(1)") || slices.Contains(r.Enabled, "DestroyAnswered") {
		t.Errorf("allowed there are %q", r.Enabled)
	}
}

func TestARuleThatTheServerHasMakesAnotherEffect(t *testing.T) {
	b := behaviour(t, podruntime.Constants{MaxInc: 1, MaxCrashes: 1, Off: []string{"RecoverAsleep.removesAll"}}, 1, "StartBoot(c1) CreateContainer(1) Crash RecoverAsleep")
	if r, _ := played(t, b, nil); r.Outcome != drive.Refused || len(r.Steps) != 5 || r.Steps[4].Action != "TearDown(1)" || !slices.Equal(r.Effect, []string{"tear.1 none and not remove"}) {
		t.Errorf("%+v", r)
	}
	b = behaviour(t, podruntime.Constants{MaxInc: 1, MaxCrashes: 1, Off: []string{"StartBoot.stored"}}, 1, "StartBoot(c1) Crash RecoverAsleep")
	r, _ := played(t, b, nil)
	if r.Outcome != drive.Refused || r.At != 1 || !slices.Equal(r.Effect, []string{"store.awake false and not true", "store.inc 0 and not 1"}) || len(r.Steps) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestAStepThatNoServerCanBeBroughtToIsNamed(t *testing.T) {
	for steps, want := range map[string]struct {
		at     int
		reason lockstep.Reason
		guards []string
	}{
		"StartBoot(c1) LaunchFails(1)": {2, lockstep.NothingLaunched, nil},
		// The tab's boot is lost together with the sleep, so that it is not booting any more.
		"StartBoot(c1) Destroy StartBoot(c1)": {3, lockstep.InSection, []string{"idle"}},
	} {
		r, _ := played(t, behaviour(t, podruntime.Constants{MaxInc: 2, Off: []string{"StartBoot.idle"}}, 1, steps), nil)
		if r.Outcome != drive.NotDrivable || r.At != want.at || r.ReasonKey != string(want.reason) || r.Reason == "" || !slices.Equal(r.Guards, want.guards) {
			t.Errorf("%s: %+v", steps, r)
		}
	}
}

// liar is a world in which no container is seen.
type liar struct{ lockstep.World }

func (liar) Look(context.Context) (map[int]podruntime.Container, error) { return nil, nil }

func TestWhereTheServerIsElsewhereThatIsSaid(t *testing.T) {
	b := behaviour(t, podruntime.Constants{MaxInc: 1}, 1, booted)
	r, each := played(t, b, func(w lockstep.World) lockstep.World { return liar{w} })
	if r.Outcome != drive.Different || r.At != 2 || r.Action != "CreateContainer(1)" || len(r.Steps) != 1 || len(each) != 1 {
		t.Fatalf("%+v", r)
	}
	if len(r.Differs) == 0 || !strings.Contains(fmt.Sprint(r.Differs), "created") || !slices.Contains(r.Enabled, "StartContainer(1)") {
		t.Errorf("%+v", r)
	}
}
