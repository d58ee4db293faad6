package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podlife/conformance/replay"
	"podlife/conformance/replay/drive"
)

// counterexampleFile is that of a design without a guard.
func counterexampleFile(t *testing.T, off string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bug.itf.json")
	if _, errOut, code := check(t, "--model=PodRuntime", "--max-inc=1", "--max-crashes=1", "--off", off, "--trace", file); code != checkExitViolated {
		t.Fatalf("check: exit %d, %s", code, errOut)
	}
	return file
}

func TestReplayShowsThatTheServerRefusesACounterexample(t *testing.T) {
	record := filepath.Join(t.TempDir(), "seen.itf.json")
	out, errOut, code := (&Main{}).run(t, "", "replay", "--record", record, counterexampleFile(t, "DestroyAnswered.removed"))
	if code != replayExitRefused || errOut != "" {
		t.Errorf("exit %d, %s", code, errOut)
	}
	for _, want := range []string{
		"PodRuntime, 4 steps with 1 tab, from the Informal Trace Format: of the design without DestroyAnswered.removed, a counterexample to DestroyedStaysDestroyed\n",
		"incarnation 1 is its first\n",
		"\n 1 StartBoot(c1) pod: asleep 0 → provisioning 1 the same; the server took StartBoot(c1)\n run[1]: - → create\n",
		"\n 3 Destroy pod: provisioning 1 → asleep 1 (destroy) passed through\n",
		"\n + BootLost(c1) c1: booting 1 → idle the same; the server took Destroy, BootLost(c1)\n",
		"refused: the server refuses step 4, DestroyAnswered: guard removed is false\n",
		" asked for it ", "\n allowed there StartBoot(c1), StartContainer(1), ",
	} {
		if !strings.Contains(words(out), want) {
			t.Errorf("%q is missing in\n%s", want, words(out))
		}
	}
	if out, errOut, code := (&Main{}).run(t, "", "trace", "check", record); code != exitOK || !strings.Contains(out, "all 4 steps") {
		t.Errorf("what was recorded: exit %d, %s%s", code, out, errOut)
	}
}

func TestReplayPlaysWhatAServerRecorded(t *testing.T) {
	file := traceFile(t, bootSteps+`{"seq":9,"pod":"me","action":"FinishBoot","client":"c1","n":1,"incarnation":1}`+"\n")
	out, errOut, code := (&Main{}).run(t, "", "replay", file)
	if code != exitOK || errOut != "" || !strings.Contains(out, "replayed: the server took every step") || !strings.Contains(words(out), "10 steps in") {
		t.Errorf("exit %d, %s\n%s", code, errOut, out)
	}
	words, _, code := (&Main{}).run(t, "StartBoot(c1) CreateContainer(1) Destroy", "replay", "-")
	if code != exitOK || !strings.Contains(words, "3 steps with 1 tab, from steps in words: of the design that ships") || !strings.Contains(words, "4 steps in") {
		t.Errorf("in words: exit %d\n%s", code, words)
	}
	if !strings.Contains(out, "+ is what the server does together with the step before (1)") {
		t.Errorf("the end of the run is not told:\n%s", out)
	}
}

func TestReplayPrintsJSON(t *testing.T) {
	out, _, code := (&Main{}).run(t, "", "replay", "--json", counterexampleFile(t, "StartBoot.stored"))
	var got replayJSON
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != replayExitRefused {
		t.Fatalf("exit %d, %v in\n%s", code, err, out)
	}
	if got.Module != "PodRuntime" || got.Engine != "simulated" || got.Outcome != drive.Refused || got.At != 1 || len(got.Effect) == 0 || got.Off[0] != "StartBoot.stored" || len(got.Steps) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestReplayWaitsForEnter(t *testing.T) {
	file := counterexampleFile(t, "DestroyAnswered.removed")
	out, errOut, code := (&Main{}).run(t, "\n\n", "replay", "--step", file) // and then nobody is there any more
	if code != replayExitRefused || strings.Count(errOut, "Enter: the next step") != 3 || !strings.Contains(out, "guard removed is false") {
		t.Errorf("exit %d, %s\n%s", code, errOut, out)
	}
	words := filepath.Join(t.TempDir(), "steps")
	if err := os.WriteFile(words, []byte("StartBoot(c1) CreateContainer(1)"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errOut, code := (&Main{}).run(t, "\n\n\n", "replay", "--step", words); code != exitOK || strings.Count(errOut, "Enter: the next step") != 1 {
		t.Errorf("after the last step: exit %d, %s", code, errOut)
	}
	if _, errOut, code := (&Main{}).run(t, "", "replay", "--step", "-"); code != exitUsage || !strings.Contains(errOut, "FILE cannot be that") {
		t.Errorf("exit %d, %s", code, errOut)
	}
	out, errOut, code = (&Main{}).run(t, "\nq\n", "replay", "--step", file)
	if code != exitFailed || !strings.Contains(errOut, "stopped, as asked") || !strings.Contains(out, "CreateContainer") || strings.Contains(out, "Destroy ") {
		t.Errorf("exit %d, %s\n%s", code, errOut, out)
	}
}

func TestReplayRefusesWhatIsNoTraceOrCannotBePlayed(t *testing.T) {
	good := readFile(t, counterexampleFile(t, "DestroyAnswered.removed"))
	two := strings.ReplaceAll(good, `{"#map":[["p1",`, `{"#map":[["p2",0],["p1",`)
	for name, c := range map[string]struct {
		text string
		args []string
		code int
		says string
	}{
		"no JSON":               {"{\n \"vars\": x", nil, replayExitNoTrace, "is no trace: line 2, column 10: not a JSON object"},
		"an unknown variable":   {strings.ReplaceAll(good, `"woken"`, `"waked"`), nil, replayExitNoTrace, `"waked" is unknown`},
		"no behaviour":          {strings.Replace(good, `"ctr":"provisioning"`, `"ctr":"ready"`, 1), nil, replayExitNoTrace, "is no behaviour of the specification: state 1, by StartBoot(c1): the file has pod.ctr ready and not provisioning"},
		"two pods":              {two, nil, replayExitNotDrivable, "cannot be played: it has 2 pods"},
		"a flag of the other":   {good, []string{"--reset"}, exitUsage, "--reset is not for a trace of PodRuntime"},
		"an engine that is not": {good, []string{"--engine", "dockr"}, exitUsage, "did you mean docker?"},
		"a flag of this": {
			`{"format":"podlife-trace-1","table":"PodLifecycle","steps":[{"state":{"ctr":"asleep","inc":0,"client":{"c1":{"phase":"idle","bootInc":0,"attInc":0}}}}]}`,
			[]string{"--record", "x"}, exitUsage, "--record is not for a trace of PodLifecycle",
		},
	} {
		file := filepath.Join(t.TempDir(), "trace.json")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, errOut, code := (&Main{}).run(t, "", append([]string{"replay", file}, c.args...)...)
		if code != c.code || !strings.Contains(errOut, c.says) {
			t.Errorf("%s: exit %d, %s; want %d, %s", name, code, errOut, c.code, c.says)
		}
	}
}

func TestReplaySaysFromWhereItCountsIncarnations(t *testing.T) {
	var out bytes.Buffer
	printReplayEnd(&out, replay.Report{Base: 7, Steps: make([]replay.Step, 2)}, time.Second)
	if want := "1 step in 1.0 s\nincarnations are counted from the start of the replay: 1 here is the pod's 8\n"; !strings.Contains(out.String(), want) {
		t.Errorf("%q is missing in\n%s", want, &out)
	}
}
