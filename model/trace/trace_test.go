package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"podlife/model/trace"
)

// state stands for any state: a struct with the specification's variables.
type state struct {
	N int  `json:"n"`
	B bool `json:"b"`
}

const good = `{"format": "podlife-trace-1", "table": "T", "constants": {"Max": 3, "Ok": true, "Who": "x"}, "violates": "I",
	"steps": [{"state": {"n": 0, "b": false}}, {"action": "Go", "args": ["c1"], "state": {"n": 1, "b": true}}]}`

func goodTrace() trace.Trace[state] {
	return trace.Trace[state]{
		Table:     "T",
		Constants: map[string]any{"Max": 3, "Ok": true, "Who": "x"},
		Violates:  "I",
		Steps:     []trace.Step[state]{{}, {Action: "Go", Args: []string{"c1"}, State: state{1, true}}},
	}
}

func TestATraceIsReadAsItWasWritten(t *testing.T) {
	got, err := trace.Read[state](strings.NewReader(good))
	if err != nil || !reflect.DeepEqual(got, goodTrace()) {
		t.Errorf("read %+v, %v", got, err)
	}
	var file bytes.Buffer
	if err := trace.Write(&file, got); err != nil {
		t.Fatal(err)
	}
	again, err := trace.Read[state](&file)
	if err != nil || !reflect.DeepEqual(again, got) {
		t.Errorf("written and read again: %+v, %v", again, err)
	}
}

func TestWhatIsNoTraceIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ file, says string }{
		"nothing":                    {``, "not a JSON object"},
		"no object":                  {`[1]`, "not a JSON object"},
		"cut off":                    {good[:len(good)-5], "not a JSON object"},
		"something after it":         {good + "{}", "not a JSON object"},
		"another format":             {strings.Replace(good, "trace-1", "trace-2", 1), "format"},
		"no format":                  {`{"table": "T", "steps": []}`, "format"},
		"no table":                   {strings.Replace(good, `"table": "T",`, "", 1), "table"},
		"no steps":                   {`{"format": "podlife-trace-1", "table": "T"}`, "steps: empty"},
		"unknown field":              {strings.Replace(good, `"violates"`, `"breaks"`, 1), `unknown field "breaks"`},
		"unknown field of a step":    {strings.Replace(good, `"args"`, `"arguments"`, 1), `unknown field "arguments"`},
		"unknown field of a state":   {strings.Replace(good, `"n": 1`, `"m": 1`, 1), `unknown field "m"`},
		"another type in a state":    {strings.Replace(good, `"n": 1`, `"n": "1"`, 1), "not a trace"},
		"no state":                   {strings.Replace(good, `, "state": {"n": 1, "b": true}`, "", 1), "steps[1]: has no state"},
		"no action":                  {strings.Replace(good, `"action": "Go", `, "", 1), "steps[1]: has no action"},
		"an action first":            {strings.Replace(good, `{"state"`, `{"action": "Go", "state"`, 1), "steps[0]: is the initial state"},
		"a constant that is a list":  {strings.Replace(good, `"Max": 3`, `"Max": [3]`, 1), "neither number"},
		"a constant that is no int":  {strings.Replace(good, `"Max": 3`, `"Max": 3.5`, 1), "no whole number"},
		"a constant that is too big": {strings.Replace(good, `"Max": 3`, `"Max": 99999999999999999999`, 1), "no whole number"},
		"too long":                   {good + strings.Repeat(" ", trace.MaxBytes), "longer than"},
		"too many steps":             {manySteps(trace.MaxSteps + 1), "at most"},
		"TLC: no states":             {`{"counterexample": {"state": [], "action": []}}`, "empty"},
		"TLC: no list":               {`{"counterexample": {"state": 1}}`, "not TLC's form"},
		"TLC: fewer actions":         {strings.Replace(tlc, step1, "", 1), "0 actions between 2 states"},
		"TLC: a state of another":    {strings.Replace(tlc, `}],[2,{"n":1`, `}],[2,{"x":1`, 1), `unknown field "x"`},
		"TLC: numbers out of order":  {strings.Replace(tlc, `[2,{"n":1,"b":false}]]`, `[3,{"n":1,"b":false}]]`, 1), "state number 3, want 2"},
		"TLC: a lasso":               {strings.Replace(tlc, `"b":false}],{"name"`, `"b":false}],[0],{"name"`, 1), "4 elements"},
		"TLC: an action unnamed":     {strings.Replace(tlc, `"Go"`, `""`, 1), "no name"},
		"TLC: no value for c":        {strings.Replace(tlc, `"c":"c1"`, `"d":"c1"`, 1), `parameter "c"`},
		"TLC: a number for c":        {strings.Replace(tlc, `"c":"c1"`, `"c":1`, 1), `parameter "c"`},
	} {
		_, err := trace.Read[state](strings.NewReader(c.file))
		var format *trace.FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a FormatError that says %q", name, err, c.says)
		}
	}
}

func manySteps(n int) string {
	return `{"format": "podlife-trace-1", "table": "T", "steps": [{"state": {}}` +
		strings.Repeat(`,{"action": "Go", "state": {}}`, n-1) + `]}`
}

func TestAsManyStepsAsAllowedAreRead(t *testing.T) {
	got, err := trace.Read[state](strings.NewReader(manySteps(trace.MaxSteps)))
	if err != nil || len(got.Steps) != trace.MaxSteps {
		t.Errorf("%d steps, %v", len(got.Steps), err)
	}
}

const (
	step1 = `[[1,{"n":0,"b":false}],{"name":"Go","location":{"beginLine":1,"module":"T"},"context":{"c":"c1"},"parameters":["c"]},[2,{"n":1,"b":false}]]`
	tlc   = `{"counterexample":{"action":[` + step1 + `],"state":[[1,{"n":0,"b":false}],[2,{"n":1,"b":false}]]},"vars":["n","b"]}`
)

func TestTLCsFormIsRead(t *testing.T) {
	got, err := trace.Read[state](strings.NewReader(tlc))
	want := trace.Trace[state]{Table: "T", Steps: []trace.Step[state]{{}, {Action: "Go", Args: []string{"c1"}, State: state{N: 1}}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, %v", got, err)
	}
}

func TestAnErrorOfTheReaderIsPassedOn(t *testing.T) {
	broken := errors.New("broken")
	_, err := trace.Read[state](io.MultiReader(strings.NewReader(good), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("read: %v", err)
	}
}

func TestWriteRefusesWhatReadWould(t *testing.T) {
	for name, change := range map[string]func(*trace.Trace[state]){
		"no steps":     func(t *trace.Trace[state]) { t.Steps = nil },
		"no action":    func(t *trace.Trace[state]) { t.Steps[1].Action = "" },
		"odd constant": func(t *trace.Trace[state]) { t.Constants["Max"] = 1.5 },
	} {
		tr := goodTrace()
		change(&tr)
		var file bytes.Buffer
		if err := trace.Write(&file, tr); err == nil || file.Len() > 0 {
			t.Errorf("%s: %v, %d bytes written", name, err, file.Len())
		}
	}
}

func FuzzReadNeverPanicsAndKeepsWhatItAccepts(f *testing.F) {
	f.Add(good)
	f.Add(tlc)
	f.Add(`{"counterexample": null}`)
	f.Fuzz(func(t *testing.T, file string) {
		got, err := trace.Read[state](strings.NewReader(file))
		if err != nil {
			return
		}
		if got.Table == "" { // TLC's form tells it only where there is an action
			got.Table = "T"
		}
		var again bytes.Buffer
		if err := trace.Write(&again, got); err != nil {
			t.Fatalf("read, but not to be written: %v", err)
		}
		back, err := trace.Read[state](&again)
		if err != nil || fmt.Sprint(back) != fmt.Sprint(got) {
			t.Fatalf("read %v, then %v, %v", got, back, err)
		}
	})
}
