package podlifecycle

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"podlife/model"
	"podlife/model/trace"
)

func TestAStateGivesBackWhatWasPacked(t *testing.T) {
	pod := Pod{Provisioning, 15}
	clients := []Client{{Idle, 0, 0}, {Booting, 15, 1}, {Believes, 7, 15}, {Attached, 1, 14}}
	s := Pack(pod, clients...)
	if s.Pod() != pod {
		t.Errorf("pod %+v, want %+v", s.Pod(), pod)
	}
	for i, want := range clients {
		if got := s.Client(i); got != want {
			t.Errorf("client %d is %+v, want %+v", i, got, want)
		}
	}
}

func TestANumberThatDoesNotFitViolatesTypeOK(t *testing.T) {
	for _, s := range []State{Pack(Pod{Ready, 1000}), Pack(Pod{Ready, -1}), Pack(Pod{}, Client{Idle, 64, 0})} {
		r := summariseOne(s)
		if r != TypeOK {
			t.Errorf("%v violates %q", s.View(1), r)
		}
	}
}

func summariseOne(s State) string {
	for _, inv := range LiftTable(Table(Constants{MaxInc: MaxMaxInc}), 1).Invariants {
		if !inv.Holds(s) {
			return inv.Name
		}
	}
	return ""
}

func TestWordsAreTheSpecificationsAndNoOthers(t *testing.T) {
	for c, want := range map[Ctr]string{Asleep: "asleep", Fresh: "fresh", Provisioning: "provisioning", Ready: "ready"} {
		checkWord(t, c, want)
	}
	for p, want := range map[Phase]string{Idle: "idle", Booting: "booting", Believes: "believes", Attached: "attached"} {
		checkWord(t, p, want)
	}
	var c Ctr
	var p Phase
	if err := c.UnmarshalText([]byte("Ready")); err == nil {
		t.Error("Ready is taken for ready")
	}
	if err := p.UnmarshalText(nil); err == nil {
		t.Error("nothing is taken for a phase")
	}
	if _, err := Ctr(4).MarshalText(); err == nil || Ctr(4).String() != "Ctr(4)" {
		t.Errorf("Ctr(4) is %v, %v", Ctr(4), err)
	}
}

func checkWord[T interface {
	comparable
	String() string
}](t *testing.T, v T, want string) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil || string(text) != `"`+want+`"` || v.String() != want {
		t.Errorf("%v is written %s, %v; want %s", v, text, err, want)
	}
	var back T
	if err := json.Unmarshal(text, &back); err != nil || back != v {
		t.Errorf("%s is read as %v, %v", text, back, err)
	}
}

func TestSystemsThatDoNotFitAreRefused(t *testing.T) {
	for _, c := range []struct {
		clients, maxInc int
		what            string
	}{{0, 3, "clients"}, {5, 3, "clients"}, {2, -1, "max-inc"}, {2, 16, "max-inc"}, {4, 15, ""}, {1, 0, ""}} {
		_, err := System(Constants{MaxInc: c.maxInc}, c.clients)
		var bounds *BoundsError
		if errors.As(err, &bounds); bounds == nil && c.what != "" || bounds != nil && bounds.What != c.what {
			t.Errorf("%d clients, max-inc %d: %v", c.clients, c.maxInc, err)
		}
	}
}

// ourCounterexample finds the bug, writes it and reads it back.
func ourCounterexample(t *testing.T) Trace {
	t.Helper()
	c := Constants{MaxInc: 3}
	v := explore(t, Table(c), 2, nil).Violation
	if v == nil {
		t.Fatal("no counterexample")
	}
	var file bytes.Buffer
	written := TraceOf(c, 2, *v)
	if err := trace.Write(&file, written); err != nil {
		t.Fatal(err)
	}
	read, err := trace.Read[View](&file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(read, written) {
		t.Fatalf("read %+v, wrote %+v", read, written)
	}
	return read
}

func TestOurCounterexampleAndTLCsAreTheSame(t *testing.T) {
	file, err := os.Open("testdata/unguarded.tlctrace.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tlcs, err := trace.Read[View](file)
	if err != nil {
		t.Fatal(err)
	}
	ours := ourCounterexample(t)
	if !reflect.DeepEqual(tlcs.Steps, ours.Steps) || tlcs.Table != ours.Table {
		t.Errorf("TLC: %+v\nours: %+v", tlcs, ours)
	}
}

func TestTheGuardedTableRefusesTheCounterexampleAtItsLastStep(t *testing.T) {
	bug := ourCounterexample(t)
	if err := CheckTrace(Table(Constants{MaxInc: 3}), bug); err != nil {
		t.Errorf("the unguarded table: %v", err)
	}
	err := CheckTrace(Table(Constants{MaxInc: 3, GuardedAttach: true}), bug)
	var step *StepError
	var refused *model.NotEnabledError
	if !errors.As(err, &step) || step.Step != 4 || !errors.As(err, &refused) || refused.FalseGuards[0] != "unguarded" {
		t.Errorf("the guarded table: %v", err)
	}
}

func TestATraceThatLiesIsFound(t *testing.T) {
	table := Table(Constants{MaxInc: 3})
	for name, c := range map[string]struct {
		change func(Trace)
		step   int
		says   string
	}{
		"another first state": {func(b Trace) { b.Steps[0].State.Inc = 1 }, 0, "initial state"},
		"no client":           {func(b Trace) { b.Steps[0].State.Client = nil }, 0, "initial state"},
		"another effect":      {func(b Trace) { b.Steps[2].State.Ctr = Fresh }, 2, "leads to"},
		"a lost client":       {func(b Trace) { delete(b.Steps[1].State.Client, "c2") }, 1, "leads to"},
		"unknown action":      {func(b Trace) { b.Steps[1].Action = "Dance" }, 1, "no action"},
		"unknown client":      {func(b Trace) { b.Steps[1].Args = []string{"c9"} }, 1, "no client"},
		"missing argument":    {func(b Trace) { b.Steps[1].Args = nil }, 1, "arguments"},
		"too many arguments":  {func(b Trace) { b.Steps[3].Args = []string{"c1"} }, 3, "arguments"},
	} {
		bug := ourCounterexample(t)
		c.change(bug)
		err := CheckTrace(table, bug)
		var step *StepError
		if !errors.As(err, &step) || step.Step != c.step || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
