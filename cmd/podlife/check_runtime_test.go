package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"podlife/model/podruntime"
	"podlife/tla/itf"
)

func TestCheckSaysThatTheServersOwnStepsHold(t *testing.T) {
	out, errOut, code := check(t, "--model", "PodRuntime")
	if code != 0 || errOut != "" {
		t.Errorf("exit %d, %s", code, errOut)
	}
	for _, want := range []string{
		"PodRuntime, 1 tab(s), max-inc 2, max-crashes 1\n",
		"348082 states generated, " + strings.ReplaceAll(runtimeDefaultStates, ",", "") + " distinct, depth 44",
		"\nDropReply 64159\n",
		"\nNoAttachWithoutShellSetup holds 1268\n",
		"Not looked at: its action properties",
	} {
		if !strings.Contains(words(out), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if strings.Contains(out, "violated") {
		t.Errorf("something is violated:\n%s", out)
	}
}

// The counts are those of tla/configs/registry.txt for the same constants.
func TestCheckFindsWhatAGuardIsForWithTLCsNumbers(t *testing.T) {
	for args, want := range map[string]string{
		"--max-inc=1 --off=Dial.marker":                             "4080 states generated, 1198 distinct, depth 18",
		"--max-inc=1 --max-crashes=0 --off=EndRun.allAnswered":      "280 states generated, 137 distinct, depth 10",
		"--max-inc=1 --max-crashes=0 --off=DestroyAnswered.removed": "26 states generated, 22 distinct, depth 5",
	} {
		out, errOut, code := check(t, append([]string{"--model=PodRuntime"}, strings.Fields(args)...)...)
		if code != 12 || !strings.Contains(errOut, "is violated") || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, %s\n%s", args, code, errOut, out)
		}
	}
}

func TestCheckPrintsACounterexampleOfTheServersStepsByWhatChanges(t *testing.T) {
	out, _, code := check(t, "--model", "PodRuntime", "--off", "DestroyAnswered.removed", "--max-inc", "1", "--max-crashes", "0")
	want := `
step action what changes
1 initial state pod asleep 0; c1 idle; store asleep 0
2 StartBoot(c1) pod: asleep 0 → provisioning 1; run[1]: - → create; c1: idle → booting 1; store: asleep 0 → awake 1; woken[1]: - → 1
3 CreateContainer(1) run[1]: create → start; engine[1]: - → created
4 Destroy pod: provisioning 1 → asleep 1 (destroy); tear[1]: - → remove; store: awake 1 → asleep 1
5 DestroyAnswered settled: - → 1
`
	if code != 12 || !strings.HasSuffix(words(out), want) {
		t.Errorf("exit %d, printed is\n%s", code, out)
	}
}

func TestCheckWritesTheServersStepsInTheInformalTraceFormat(t *testing.T) {
	dir := t.TempDir()
	dot, svg, bug := filepath.Join(dir, "a.dot"), filepath.Join(dir, "a.svg"), filepath.Join(dir, "bug.itf.json")
	out, errOut, code := check(t, "--model=PodRuntime", "--max-inc=1", "--off=Dial.marker", "--json", "--dot", dot, "--svg", svg, "--trace", bug)
	var got checkJSON
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 12 {
		t.Fatalf("exit %d, %s, %v in\n%s", code, errOut, err, out)
	}
	if got.Table != podruntime.Name || got.Guarded != nil || *got.MaxCrashes != 1 || got.Off[0] != "Dial.marker" || got.NotChecked == "" {
		t.Errorf("%+v", got)
	}
	for name, text := range map[string]string{"--trace": readFile(t, bug), "--json": string(got.Counterexample)} {
		read, err := itf.Decode([]byte(text))
		if err != nil || len(read.States) != 18 || read.States[17].Action != podruntime.AttachReady || read.Violates != podruntime.NoAttachWithoutShellSetup || len(read.Vars) != 10 {
			t.Errorf("%s: %+v, %v", name, read, err)
		}
	}
	if err := xml.Unmarshal([]byte(readFile(t, svg)), new(struct{})); err != nil {
		t.Errorf("the SVG: %v", err)
	}
	if text := readFile(t, dot); strings.Count(text, "color=red") != 18+17 {
		t.Errorf("the graph is\n%s", text)
	}
	// The server's table with all guards goes along until the guard is needed.
	if out, _, code := (&Main{}).run(t, "", "trace", "check", bug); code != traceExitMismatch || !strings.Contains(out, "refused by marker") {
		t.Errorf("trace check: exit %d\n%s", code, out)
	}
}

func TestCheckRefusesWrongUseOfPodRuntime(t *testing.T) {
	for args, c := range map[string]struct {
		code int
		says string
	}{
		"--model=podruntime":                                  {2, `there is no model "podruntime"; allowed: PodLifecycle, PodRuntime; did you mean PodRuntime?`},
		"--model=Pod":                                         {2, `there is no model "Pod"; allowed: PodLifecycle, PodRuntime`},
		"--model=PodRuntime --tabs=4":                         {2, "tabs is 4, must be between 1 and 3"},
		"--model=PodRuntime --clients=0":                      {2, "tabs is 0, must be between 1 and 3"},
		"--model=PodRuntime --max-inc=4":                      {2, "max-inc is 4, must be between 0 and 3"},
		"--model=PodRuntime --max-crashes=-1":                 {2, "max-crashes is -1, must be between 0 and 3"},
		"--model=PodRuntime --off=Dial.mark":                  {2, "did you mean Dial.marker?"},
		"--model=PodRuntime --off=ownMarker":                  {2, "did you mean ScriptSkips.ownMarker?"},
		"--model=PodRuntime --off=Nothing.atAll":              {2, `"Nothing.atAll" is no guard or rule of PodRuntime that can be switched off`},
		"--model=PodRuntime --guarded":                        {2, "--guarded is nothing that PodRuntime has"},
		"--off=Dial.marker":                                   {2, "--off is nothing that PodLifecycle has"},
		"--max-crashes=1":                                     {2, "--max-crashes is nothing that PodLifecycle has"},
		"--model=PodRuntime --invariant=TypeOk":               {2, "did you mean TypeOK?"},
		"--model=PodRuntime --max-states=100":                 {3, "more than 100 distinct states"},
		"--model=PodRuntime --max-inc=0":                      {3, "vacuous"},
		"--model=PodRuntime --max-inc=1 --svg=/no/such/dir/x": {1, "/no/such/dir/x"},
	} {
		_, errOut, code := check(t, strings.Fields(args)...)
		if code != c.code || !strings.Contains(errOut, c.says) {
			t.Errorf("check %s: exit %d, %s; want %d, %s", args, code, errOut, c.code, c.says)
		}
	}
}

// What cannot be written is told before the work, and not after it.
func TestAFileThatCannotBeWrittenIsToldFirst(t *testing.T) {
	none := filepath.Join(t.TempDir(), "no", "such", "folder")
	words := filepath.Join(t.TempDir(), "words")
	if err := os.WriteFile(words, []byte("StartBoot(c1)"), 0o600); err != nil {
		t.Fatal(err)
	}
	for flag, args := range map[string][]string{
		"--record": {"replay", "--record", none, words}, "--out": {"report", "--coverage", filepath.Join("..", "..", "coverage.json"), "--out", none}, "--trace": {"check", "--guarded=false", "--trace", none},
		"--svg": {"check", "--svg", none}, "--dot": {"check", "--dot", none},
	} {
		out, errOut, code := (&Main{}).run(t, "", args...)
		if code == 0 || code == 12 || out != "" || !strings.Contains(errOut, flag+": open "+none) {
			t.Errorf("%q: exit %d, %s; it printed %.200q", args, code, errOut, out)
		}
	}
}

// A pipe whose writer never comes is not waited for when the command is asked to end.
func TestAPipeThatNobodyWritesToIsLeft(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // with a writer there, those that were left waiting go on, also one that has not begun to wait
		if _, err := syscall.Open(pipe, syscall.O_RDWR, 0); err != nil { // it stays open as long as the tests run
			t.Error(err)
		}
	})
	for _, args := range [][]string{{"replay", pipe}, {"replay-cast", pipe}, {"trace", "check", pipe}, {"trace", "export", pipe}, {"report", "--coverage", pipe}, {"report", "--coverage", "../../coverage.json", "--out", "-", "--counterexample", pipe}} {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan int, 1)
		go func() { ended <- (&Main{}).Run(ctx, args, strings.NewReader(""), io.Discard, io.Discard) }()
		stop()
		select {
		case code := <-ended:
			if code == 0 {
				t.Errorf("%q: exit 0", args)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%q does not end", args)
		}
	}
}

func TestAnImageIsForDocker(t *testing.T) {
	if _, errOut, code := (&Main{}).run(t, "StartBoot(c1)", "replay", "--image", "some:image", "-"); code != exitUsage || !strings.Contains(errOut, "--engine docker") {
		t.Errorf("exit %d, %s", code, errOut)
	}
}

// What is read is not written over, by whatever name.
func TestNoCommandWritesOverWhatItReads(t *testing.T) {
	bug, link := filepath.Join(t.TempDir(), "bug.json"), filepath.Join(t.TempDir(), "link.json")
	if err := errors.Join(os.WriteFile(bug, []byte("{}"), 0o600), os.Symlink(bug, link)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"replay", "--record", link, bug}, {"report", "--coverage", bug, "--out", bug}, {"report", "--counterexample", bug, "--out", link}, {"trace", "export", bug, "--out", link}} {
		if _, errOut, code := (&Main{}).run(t, "", args...); code != exitUsage || !strings.Contains(errOut, "is what is read, ") {
			t.Errorf("%q: exit %d, %s", args, code, errOut)
		}
	}
	if text, err := os.ReadFile(bug); err != nil || string(text) != "{}" {
		t.Errorf("it is %q now, %v", text, err)
	}
}
