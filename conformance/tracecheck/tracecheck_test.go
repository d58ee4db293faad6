package tracecheck_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"podlife/conformance/harness"
	"podlife/conformance/tracecheck"
	"podlife/model/explain"
	"podlife/model/podruntime"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/itf"
	"podlife/tla/module"
	"podlife/tla/value"
)

// recorded is what a real server, over the simulated engine, did of a pod that went through a lot.
func recorded(t *testing.T) []tracecheck.Record {
	t.Helper()
	ctx := t.Context()
	w := harness.NewSimulated(t, harness.SimulatedOptions{Users: 1})
	u, err := w.NewUser(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p := w.Pods.Pod(pod.ID(u.Name))
	session := 0
	attach := func(c pod.ClientID) *pod.Attachment {
		t.Helper()
		session++
		if _, err := p.Boot(ctx, c, nil); err != nil {
			t.Fatal(err)
		}
		a, err := p.Attach(ctx, c, pod.ShellRequest{Attempt: fmt.Sprint("s", session), Tab: string(c), Cols: 80, Rows: 24})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	container := func() engine.ID {
		t.Helper()
		list, err := w.Containers(ctx, u.Name)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		return list[0].ID
	}
	a := attach("c1")
	b := attach("c2")
	if err := errors.Join(b.Close(), w.WipeSetup(ctx, container())); err != nil {
		t.Fatal(err)
	}
	c := attach("c2") // a repair, and once more into the same incarnation
	if err := w.Kill(ctx, container()); err != nil {
		t.Fatal(err)
	}
	for _, ended := range []*pod.Attachment{a, c} {
		<-ended.Ended()
		_ = ended.Close()
	}
	d := attach("c1")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.Destroy(ctx); err != nil {
		t.Fatal(err)
	}
	steps, _ := p.Steps(0)
	records := make([]tracecheck.Record, 0, len(steps))
	for _, s := range steps {
		records = append(records, tracecheck.Record{
			Seq: s.Seq, Time: s.Time, Pod: string(s.Pod), Action: s.Action, Client: string(s.Client), Inc: s.Inc, Outside: s.Outside,
			Incarnation: s.Incarnation, Cause: s.Cause,
		})
	}
	return records
}

// worlds drops what the world did.
func withoutTheWorld(records []tracecheck.Record) []tracecheck.Record {
	kept := slices.DeleteFunc(slices.Clone(records), func(r tracecheck.Record) bool { return r.Cause == pod.CauseObserved })
	for i := range kept {
		kept[i].Seq = 0
	}
	return kept
}

func check(t *testing.T, o explain.Options, records []tracecheck.Record) explain.Answer {
	t.Helper()
	a, err := tracecheck.Check(t.Context(), o, records)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestWhatARealServerDidIsABehaviour(t *testing.T) {
	records := recorded(t)
	for _, action := range []string{podruntime.Repair, podruntime.ContainerLost, podruntime.MarkerRemoved, podruntime.AttachReady, podruntime.DestroyAnswered} {
		if !slices.ContainsFunc(records, func(r tracecheck.Record) bool { return r.Action == action }) {
			t.Errorf("%s is not among %d steps", action, len(records))
		}
	}
	if a := check(t, explain.Options{Hidden: -1}, records); a.Verdict != explain.Explained || len(a.Invariants) > 0 {
		t.Errorf("with nothing hidden: %v", a)
	}
	if a := check(t, explain.Options{}, withoutTheWorld(records)); a.Verdict != explain.Explained || a.Violated() {
		t.Errorf("without the world's steps: %v", a)
	}
	theSpecificationJudges(t, records)
	theSpecificationJudges(t, withoutTheWorld(records))
}

// theSpecificationJudges puts the exported states through the TLA+ text itself.
func theSpecificationJudges(t *testing.T, records []tracecheck.Record) {
	t.Helper()
	trace := exported(t, records)
	program := specification(t, trace)
	e := program.NewEvaluator(t.Context())
	defer e.Close()
	state := func(s itf.State) eval.State {
		vars := map[string]value.Value{}
		for i, name := range trace.Vars {
			vars[name] = s.Values[i]
		}
		made, err := program.StateOf(vars)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	same := func(a, b eval.State) bool {
		return slices.EqualFunc(a, b, func(v, w value.Value) bool { return value.Equal(v, w) })
	}
	before := state(trace.States[0])
	initial := false
	if err := e.Initial(func(s eval.State) bool { initial = initial || same(s, before); return true }); err != nil || !initial {
		t.Fatalf("the first state is no initial state of the specification: %v", err)
	}
	for i, s := range trace.States[1:] {
		after := state(s)
		found := false
		err := e.Successors(before, func(next eval.Step) bool {
			found = found || next.Action.Name == s.Action && same(next.Next, after)
			return true
		})
		if err != nil || !found {
			t.Fatalf("step %d, %s, is no step of Next: %v", i+1, s.Action, err)
		}
		for _, inv := range program.Invariants() {
			if holds, err := e.Holds(inv, after); err != nil || !holds {
				t.Fatalf("%s does not hold after step %d, %s: %v", inv.Name, i+1, s.Action, err)
			}
		}
		before = after
	}
}

// exported writes and reads a trace again.
func exported(t *testing.T, records []tracecheck.Record) *itf.Trace {
	t.Helper()
	var file bytes.Buffer
	if err := tracecheck.WriteITF(t.Context(), &file, explain.Options{}, records); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	trace, err := itf.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	back, err := tracecheck.Read(strings.NewReader(text))
	if err != nil || len(back) != len(records) {
		t.Fatalf("%d of %d records are read back: %v", len(back), len(records), err)
	}
	for i := range back {
		if !back[i].Time.Equal(records[i].Time) {
			t.Fatalf("record %d has the time %v, not %v", i, back[i].Time, records[i].Time)
		}
		back[i].Time = records[i].Time
		if back[i] != records[i] {
			t.Fatalf("record %d is read as %+v, not %+v", i, back[i], records[i])
		}
	}
	return trace
}

// specification compiles PodRuntime.tla with the constants of the trace.
func specification(t *testing.T, trace *itf.Trace) *eval.Program {
	t.Helper()
	m, err := module.Load("../../tla/PodRuntime.tla", module.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := "SPECIFICATION Spec\nCONSTANTS\n"
	for _, p := range trace.Params {
		text += fmt.Sprintf(" %s = %s\n", p.Name, p.Value)
	}
	text += "INVARIANTS"
	for _, inv := range explain.Shipped().Invariants {
		text += " " + inv.Name
	}
	cfg, err := config.Parse(diag.NewSource("trace.cfg", []byte(text)))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	program, err := eval.Compile(m, cfg, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func TestLinesAreReadAsTheyWereWritten(t *testing.T) {
	records := []tracecheck.Record{
		{Seq: 1, Time: time.Unix(1, 5).UTC(), Pod: "u", Action: podruntime.StartBoot, Client: "c<1>", Outside: "StartBoot", Incarnation: 1, Cause: "boot"},
		{Seq: 2, Pod: "u", Action: podruntime.CreateContainer, Inc: 1, Incarnation: 1},
	}
	var file bytes.Buffer
	if err := tracecheck.Write(&file, records); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(file.String(), "\n"); n != 2 {
		t.Errorf("%d lines", n)
	}
	back, err := tracecheck.Read(&file)
	if err != nil || !slices.Equal(back, records) {
		t.Errorf("read %+v, %v", back, err)
	}
	short := "\n" + `{"action":"StartBoot","client":"c1"}` + "\n\n" + `{"action":"CreateContainer","n":1}`
	if back, err := tracecheck.Read(strings.NewReader(short)); err != nil || len(back) != 2 {
		t.Errorf("by hand: %+v, %v", back, err)
	}
	if back, err := tracecheck.Read(strings.NewReader("")); err != nil || len(back) != 0 {
		t.Errorf("nothing: %+v, %v", back, err)
	}
}

func TestABadFileIsRefusedWithTheLine(t *testing.T) {
	good := `{"action":"StartBoot","client":"c1","pod":"u"}` + "\n"
	for bad, want := range map[string]string{
		"no json": "not the JSON object of a step", `{"action":"Sleep","pod":"u"}`: "no such action", `{"action":"TearDown","pod":"u"}`: "an incarnation n, which is missing",
		`{"action":"StartBoot","client":"c1","pod":"w"}`: "of one pod", `{"act":"StartBoot"}`: "unknown field", `[]`: "not the JSON object",
		`{"action":"Destroy","pod":"u"} {}`: "something behind", `{"action":"Destroy","pod":"u","seq":-1}`: "seq", `{"action":"Destroy","pod":"` + strings.Repeat("u", tracecheck.MaxLine) + `"}`: "more than",
		`{"action":"Destroy","pod":"u","client":"c1"}`: "not taken for a client",
	} {
		_, err := tracecheck.Read(strings.NewReader(good + bad + "\n" + good))
		var at *tracecheck.LineError
		if !errors.As(err, &at) || at.Line != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", bad, err, want)
		}
	}
	if _, err := tracecheck.Read(strings.NewReader("{\n \"vars\": 3}")); err == nil || !strings.Contains(err.Error(), "itf") {
		t.Errorf("a broken ITF file: %v", err)
	}
}

func TestStepsThatAreMissingLeaveNothingKnown(t *testing.T) {
	boot := tracecheck.Record{Seq: 1, Action: podruntime.StartBoot, Client: "c1", Incarnation: 1}
	late := tracecheck.Record{Seq: 4, Action: podruntime.StartContainer, Inc: 1, Incarnation: 1}
	again := tracecheck.Record{Seq: 1, Action: podruntime.RecoverAsleep, Incarnation: 1}
	for want, records := range map[string][]tracecheck.Record{
		"between 1 and 4": {boot, late}, "begins with step 4": {late}, "step 1 comes after step 1": {boot, boot},
	} {
		if a := check(t, explain.Options{}, records); a.Verdict != explain.Unknown || !strings.Contains(a.Reason, want) {
			t.Errorf("%s: %v", want, a)
		}
	}
	if a := check(t, explain.Options{}, []tracecheck.Record{boot, again}); a.Verdict != explain.Explained {
		t.Errorf("another life of the server: %v", a)
	}
	var refused *tracecheck.ExportError
	if err := tracecheck.WriteITF(t.Context(), &bytes.Buffer{}, explain.Options{}, []tracecheck.Record{boot, late}); !errors.As(err, &refused) {
		t.Errorf("exported with a gap: %v", err)
	}
}
