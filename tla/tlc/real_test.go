package tlc_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"podlife/tla/tlc"
	"podlife/tla/tlcjson"
	"podlife/tla/value"
)

// These tests run TLC itself: the command in the environment variable TLC.

const counter = `---- MODULE Counter ----
EXTENDS Naturals, Sequences, TLC
CONSTANTS C, D
VARIABLES x, log
Init == x = 0 /\ log = <<>>
Add(c, n) == x < 3 /\ x' = x + n /\ log' = Append(log, <<c, {n}, [q \in {n} |-> TRUE]>>)
Reset == x = 3 /\ x' = 0 /\ log' = <<>>
Next == (\E c \in {C, D}, n \in 1..2 : Add(c, n)) \/ Reset
Spec == Init /\ [][Next]_<<x, log>>
Fine == x <= 4
Low == x < 3
Odd == x # "a"
Never == [][x' # 3]_x
At2 == x = 2
Asserted == Assert(x < 2, "no")
Ever == <>(x = 9)
====`

func realTLC(t *testing.T, config string) tlc.Request {
	t.Helper()
	command := os.Getenv("TLC")
	if command == "" {
		t.Skip("not_run: TLC is not set")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"Counter.tla": counter, "Counter.cfg": "CONSTANTS C = C\nD = D\n" + config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return tlc.Request{Command: command, Dir: dir, Module: "Counter", Config: "Counter.cfg", Timeout: time.Minute}
}

func TestTLCItselfGivesEachVerdict(t *testing.T) {
	for config, want := range map[string]struct {
		verdict tlc.Verdict
		name    string
	}{
		"SPECIFICATION Spec\nINVARIANT Fine\nCHECK_DEADLOCK FALSE": {tlc.VerdictOK, ""},
		"SPECIFICATION Spec":                     {tlc.VerdictDeadlock, ""},
		"SPECIFICATION Spec\nINVARIANT Low":      {tlc.VerdictInvariant, "Low"},
		"SPECIFICATION Spec\nINVARIANT Odd":      {tlc.VerdictEvaluation, ""},
		"SPECIFICATION Spec\nPROPERTY Never":     {tlc.VerdictProperty, "Never"},
		"SPECIFICATION Spec\nPROPERTY At2":       {tlc.VerdictProperty, "At2"},
		"SPECIFICATION Spec\nINVARIANT Asserted": {tlc.VerdictEvaluation, ""},
		"SPECIFICATION Nothing":                  {tlc.VerdictConfig, ""},
		"SPECIFICATION Spec\nINVARIENT Fine":     {tlc.VerdictConfig, ""},
	} {
		r, err := tlc.Check(t.Context(), realTLC(t, config))
		if err != nil {
			t.Errorf("%s: %v", config, err)
			continue
		}
		if r.Verdict != want.verdict || r.Name != want.name {
			t.Errorf("%s: %s of %q (%d: %s), want %s of %q", config, r.Verdict, r.Name, r.Code, r.Text, want.verdict, want.name)
		}
	}
}

func TestTLCItselfTellsItsGraphAndItsCounterexample(t *testing.T) {
	req := realTLC(t, "SPECIFICATION Spec\nINVARIANT Low")
	req.Graph, req.DumpTrace, req.Coverage = true, true, true
	r, err := tlc.Check(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	g, err := tlc.GraphOf(r.Graph)
	if err != nil || len(g.States) != r.Distinct || len(g.Initial) != 1 {
		t.Errorf("%d states of %d, %d initial, %v", len(g.States), r.Distinct, len(g.Initial), err)
	}
	if len(r.Coverage) != 3 || r.Coverage[1].Name != "Add" || r.Coverage[1].Generated == 0 {
		t.Errorf("coverage %+v", r.Coverage)
	}
	if len(r.Trace) != 3 {
		t.Fatalf("%d states in the counterexample", len(r.Trace))
	}
	name, args, err := tlc.ParseAction(r.Trace[1].Action)
	if err != nil || name != "Add" || len(args) != 2 {
		t.Errorf("action %s, %v, %v", name, args, err)
	}
	dumped, err := tlcjson.Decode(r.DumpedTrace)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range r.Trace {
		state, err := tlc.ParseState(s.Text)
		if err != nil {
			t.Fatal(err)
		}
		values := make([]value.Value, len(dumped.Vars))
		for j, name := range dumped.Vars {
			for _, a := range state {
				if a.Name == name {
					values[j] = a.Value
				}
			}
		}
		if same, err := dumped.Is(i, values); err != nil || !same {
			t.Errorf("state %d is printed and dumped differently: %v", i+1, err)
		}
	}
	if dumped.States[1].Action != "Add" || len(dumped.States[1].Args) != 2 {
		t.Errorf("dumped %+v", dumped.States[1])
	}
}

func TestTLCItselfIsStopped(t *testing.T) {
	req := realTLC(t, "SPECIFICATION Spec")
	req.Timeout = 50 * time.Millisecond
	start := time.Now()
	_, err := tlc.Check(t.Context(), req)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
		t.Errorf("after %s: %v", time.Since(start), err)
	}
}
