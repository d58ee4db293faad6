package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podlife/model/explain"
	"podlife/model/podruntime"
	"podlife/runtime/config"
	"podlife/runtime/monitor"
	"podlife/runtime/pod"
)

// A boot, with the world's steps.
const bootSteps = `{"seq":1,"pod":"me","action":"StartBoot","client":"c1","incarnation":1}
{"seq":2,"pod":"me","action":"CreateContainer","n":1,"incarnation":1}
{"seq":3,"pod":"me","action":"StartContainer","n":1,"incarnation":1}
{"seq":4,"pod":"me","action":"BeginScript","n":1,"incarnation":1}
{"seq":5,"pod":"me","action":"ScriptWorks","n":1,"incarnation":1,"cause":"observed"}
{"seq":6,"pod":"me","action":"ScriptWorks","n":1,"incarnation":1,"cause":"observed"}
{"seq":7,"pod":"me","action":"ScriptMarks","n":1,"incarnation":1,"cause":"observed"}
{"seq":8,"pod":"me","action":"ScriptSucceeded","n":1,"incarnation":1}
`

func traceFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "steps.jsonl")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestTraceCheckSaysWhetherAFileIsABehaviour(t *testing.T) {
	end := `{"seq":9,"pod":"me","action":"EndRun","n":1,"incarnation":1}` + "\n"
	gap := `{"seq":11,"pod":"me","action":"EndRun","n":1,"incarnation":1}` + "\n"
	for name, c := range map[string]struct {
		text string
		args []string
		code int
		want string
	}{
		"explained":     {bootSteps, nil, exitOK, "explained: all 8 steps"},
		"mismatch":      {bootSteps + end, nil, traceExitMismatch, "refused by allAnswered"},
		"where it is":   {bootSteps + end, nil, traceExitMismatch, `"run":{"1":"ok"}`},
		"what instead":  {bootSteps + end, nil, traceExitMismatch, "FinishBoot(c1, 1)"},
		"unknown":       {bootSteps + gap, nil, traceExitUnknown, "the steps between 8 and 11 are missing"},
		"no trace":      {bootSteps + "{}\n", nil, traceExitNoTrace, "line 9"},
		"hidden":        {strings.ReplaceAll(bootSteps, `"observed"`, `"x"`), []string{"--hidden", "0"}, exitOK, "explained"},
		"too much":      {bootSteps, []string{"--hidden", "9"}, exitUsage, "between 0 and 8"},
		"file and pod":  {bootSteps, []string{"--pod"}, exitUsage, "either a file or --pod"},
		"other options": {bootSteps, []string{"--format", "itf"}, exitUsage, "unknown flag"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errOut, code := (&Main{}).run(t, "", append([]string{"trace", "check", traceFile(t, c.text)}, c.args...)...)
			if code != c.code || !strings.Contains(out+errOut, c.want) {
				t.Errorf("exit %d\n%s%s", code, out, errOut)
			}
		})
	}
	if out, _, code := (&Main{}).run(t, bootSteps, "trace", "check", "-"); code != exitOK || !strings.Contains(out, "explained") {
		t.Errorf("from standard input: exit %d, %s", code, out)
	}
	if _, errOut, code := (&Main{}).run(t, "", "trace", "chek"); code != exitUsage || !strings.Contains(errOut, "chek") {
		t.Errorf("an unknown command: exit %d, %s", code, errOut)
	}
}

func TestTraceCheckPrintsJSON(t *testing.T) {
	out, _, code := (&Main{}).run(t, "", "trace", "check", "--json", traceFile(t, bootSteps+`{"pod":"me","action":"Probe","client":"c1"}`))
	var a explain.Answer
	if err := json.Unmarshal([]byte(out), &a); err != nil || code != traceExitMismatch || a.Verdict != explain.Mismatch || a.Explained != 8 || a.Failed.Action != podruntime.Probe {
		t.Errorf("exit %d, %v\n%s", code, err, out)
	}
}

func TestTraceExportIsReadAgain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.itf.json")
	if out, errOut, code := (&Main{}).run(t, "", "trace", "export", traceFile(t, bootSteps), "--out", name); code != exitOK || out != "" {
		t.Fatalf("exit %d, %s%s", code, out, errOut)
	}
	if out, errOut, code := (&Main{}).run(t, "", "trace", "check", name); code != exitOK || !strings.Contains(out, "all 8 steps") {
		t.Errorf("exit %d, %s%s", code, out, errOut)
	}
	lines, _, code := (&Main{}).run(t, "", "trace", "export", name, "--format", "steps")
	if code != exitOK || strings.Count(lines, "\n") != 8 || !strings.Contains(lines, `"cause":"observed"`) {
		t.Errorf("exit %d, steps:\n%s", code, lines)
	}
	if _, errOut, code := (&Main{}).run(t, "", "trace", "export", traceFile(t, bootSteps+`{"pod":"me","action":"Probe","client":"c1"}`)); code != traceExitMismatch || !strings.Contains(errOut, "only a trace that is explained") {
		t.Errorf("a mismatch: exit %d, %s", code, errOut)
	}
	if _, errOut, code := (&Main{}).run(t, "", "trace", "export", name, "--format", "xml"); code != exitUsage || !strings.Contains(errOut, "itf or steps") {
		t.Errorf("another format: exit %d, %s", code, errOut)
	}
}

func TestTraceCheckAsksTheRunningServer(t *testing.T) {
	f := newFakeServer(t)
	f.mux.HandleFunc("GET /api/steps", func(w http.ResponseWriter, _ *http.Request) {
		var steps []json.RawMessage
		for _, line := range strings.Split(strings.TrimSpace(bootSteps), "\n") {
			steps = append(steps, json.RawMessage(line))
		}
		answer(w, 200, "application/json", map[string]any{"steps": steps, "next": len(steps)})
	})
	if out, errOut, code := f.main(t).run(t, "", "trace", "check", "--pod"); code != exitOK || !strings.Contains(out, "all 8 steps") {
		t.Errorf("exit %d, %s%s", code, out, errOut)
	}
	if out, errOut, code := f.main(t).run(t, "", "trace", "export", "--pod", "--format", "steps"); code != exitOK || strings.Count(out, "\n") != 8 {
		t.Errorf("exit %d, %s%s", code, out, errOut)
	}
}

func TestStatusSaysWhatTheMonitorSays(t *testing.T) {
	f := newFakeServer(t)
	f.mux.HandleFunc("GET /api/status", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, "application/json", map[string]any{"pod": "me", "state": "asleep", "monitor": "diverged"})
	})
	if out, _, code := f.main(t).run(t, "", "status"); code != exitOK || !strings.Contains(out, "monitor       diverged\n") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// A server with --monitor=fatal ends at a divergence, with a code of its own; with on it goes on.
func TestADivergenceEndsOnlyAServerThatAsksForIt(t *testing.T) {
	wrong := pod.Step{Seq: 1, Pod: "me", Action: podruntime.Detach, Client: "c1"}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	for setting, ends := range map[string]bool{"fatal": true, "on": false, "off": false} {
		ctx, w := startMonitor(t.Context(), &config.Loaded{Config: config.Config{Monitor: setting}}, log)
		if (w.onStep == nil) != (setting == "off") || (w.forServer == nil) != (setting == "off") {
			t.Fatalf("%s: %+v", setting, w)
		}
		if w.onStep != nil {
			w.onStep(wrong)
		}
		if ends {
			<-ctx.Done()
		}
		err := w.outcome(ctx, nil)
		var diverged *monitor.DivergedError
		if got := errors.As(err, &diverged); got != ends || ends && exitCode(context.Background(), err) != exitDiverged {
			t.Errorf("%s: %v", setting, err)
		}
		w.stop()
		if w.forServer != nil && w.forServer.Verdict("me") != string(monitor.Diverged) {
			t.Errorf("%s: the verdict is %s", setting, w.forServer.Verdict("me"))
		}
	}
}
