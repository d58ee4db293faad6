package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"podlife/tla/checker"
	"podlife/tla/itf"
	"podlife/tla/tlcjson"
)

// tlaFiles puts files into a folder and gives its path.
func tlaFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const endless = `---- MODULE Endless ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0 /\ PrintT("begun")
Next == x' = x + 1
====
`

// cancelWriter cancels at the first thing that is written to it.
type cancelWriter struct {
	text   bytes.Buffer
	cancel func()
}

func (c *cancelWriter) Write(p []byte) (int, error) {
	c.cancel()
	return c.text.Write(p)
}

func TestAnInterruptedCheckTellsItsCounts(t *testing.T) {
	dir := tlaFiles(t, map[string]string{"Endless.tla": endless, "Endless.cfg": "INIT Init\nNEXT Next\n"})
	ctx, cancel := context.WithCancelCause(t.Context())
	out := &cancelWriter{cancel: func() { cancel(&signalError{syscall.SIGINT}) }}
	var errOut bytes.Buffer
	code := (&Main{}).Run(ctx, []string{"tla", "check", filepath.Join(dir, "Endless.tla")}, nil, out, &errOut)
	if code != 130 || errOut.String() != "podlife: interrupt\n" {
		t.Errorf("exit %d, %q", code, errOut.String())
	}
	if !strings.Contains(out.text.String(), "Endless: stopped before the end; nothing was violated until then.\n") || !strings.Contains(out.text.String(), "states generated") {
		t.Errorf("printed\n%s", out.text.String())
	}
}

func TestAnInterruptedCheckTellsProgramsToo(t *testing.T) {
	dir := tlaFiles(t, map[string]string{"Endless.tla": endless, "Endless.cfg": "INIT Init\nNEXT Next\n"})
	ctx, cancel := context.WithCancelCause(t.Context())
	errOut := &cancelWriter{cancel: func() { cancel(&signalError{syscall.SIGTERM}) }}
	var out bytes.Buffer
	code := (&Main{}).Run(ctx, []string{"tla", "check", "--json", filepath.Join(dir, "Endless.tla")}, nil, &out, errOut)
	var r tlaResult
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Verdict != "interrupted" || r.ExitCode != 143 || code != 143 {
		t.Errorf("exit %d, %v, %s", code, err, out.String())
	}
}

const many = `---- MODULE Many ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 10
Inv == x < 10
====
`

// A file that cannot be written is found out before the search.
func TestAFileThatCannotBeOpenedEndsTheCheckBeforeItBegins(t *testing.T) {
	dir := tlaFiles(t, map[string]string{"Endless.tla": endless, "Endless.cfg": "INIT Init\nNEXT Next\n"})
	for _, flag := range []string{"--itf", "--dump-trace", "--dot"} {
		out, errOut, code := (&Main{}).run(t, "", "tla", "check", flag, filepath.Join(dir, "missing", "x"), filepath.Join(dir, "Endless.tla"))
		if code != exitFailed || strings.Contains(out, "begun") || !strings.Contains(errOut, "no such file") {
			t.Errorf("%s: exit %d, %q, %q", flag, code, out, errOut)
		}
	}
}

// What was found is told although it cannot be written, and with its exit code.
func TestAFileThatCannotBeWrittenDoesNotHideTheVerdict(t *testing.T) {
	const full = "/dev/full"
	if info, err := os.Stat(full); err != nil || info.Mode().IsRegular() {
		t.Skip("there is no " + full)
	}
	bad := "INIT Init\nNEXT Next\nINVARIANT Low\n"
	text := strings.Replace(many, "Inv ==", "Low == x < 3\nInv ==", 1)
	dir := tlaFiles(t, map[string]string{"Many.tla": text, "Many.cfg": bad, "Good.cfg": "INIT Init\nNEXT Next\n"})
	for _, c := range []struct {
		flag, config, verdict string
		code                  int
	}{
		{"--itf", "Many.cfg", "invariant", 12}, {"--dump-trace", "Many.cfg", "invariant", 12}, {"--dot", "Many.cfg", "invariant", 12}, {"--dot", "Good.cfg", "ok", 1},
	} {
		args := []string{"tla", "check", c.flag, full, "--config", c.config, filepath.Join(dir, "Many.tla")}
		out, errOut, code := (&Main{}).run(t, "", args...)
		if code != c.code || !strings.Contains(out, "10 distinct") && !strings.Contains(out, "invariant Low is violated") || !strings.Contains(errOut, "no space left") {
			t.Errorf("%v: exit %d, %q, %q", args, code, out, errOut)
		}
		out, errOut, code = (&Main{}).run(t, "", append(args, "--json")...)
		var r tlaResult
		if err := json.Unmarshal([]byte(out), &r); err != nil || r.Verdict != c.verdict || r.ExitCode != c.code || code != c.code || !strings.Contains(errOut, "no space left") {
			t.Errorf("%v --json: exit %d, %v, %q, %q", args, code, err, out, errOut)
		}
	}
}

// Without a counterexample, a file stays as it was.
func TestAFileForNoCounterexampleIsNotTouched(t *testing.T) {
	dir := tlaFiles(t, map[string]string{"Many.tla": many, "Many.cfg": "INIT Init\nNEXT Next\n", "old.json": "old"})
	_, errOut, code := (&Main{}).run(t, "", "tla", "check", "--itf", filepath.Join(dir, "old.json"), "--dump-trace", filepath.Join(dir, "new.json"), filepath.Join(dir, "Many.tla"))
	old, err := os.ReadFile(filepath.Join(dir, "old.json"))
	if code != 0 || err != nil || string(old) != "old" {
		t.Errorf("exit %d, %q, %v: %s", code, old, err, errOut)
	}
	if _, err := os.Stat(filepath.Join(dir, "new.json")); err == nil {
		t.Error("new.json is there")
	}
}

func TestWhatCouldNotBeDecidedIsSaid(t *testing.T) {
	dir := tlaFiles(t, map[string]string{"Many.tla": strings.Replace(many, "x' =", "x >= 0 /\\ x' =", 1), "Many.cfg": "INIT Init\nNEXT Next\n"})
	out, errOut, code := (&Main{}).run(t, "", "tla", "check", "--vacuity-states", "4", filepath.Join(dir, "Many.tla"))
	if code != 0 || !strings.Contains(out, "Not checked for vacuity: 1 item. Conditions are tried on the first 4 states") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
}

// The last line names the file that the error is in, which need not be the specification's.
func TestTheLastLineNamesTheFileOfTheError(t *testing.T) {
	dir := tlaFiles(t, map[string]string{"L.tla": strings.Replace(many, "Many", "L", 1), "L.cfg": "INIT Init\nNEXT Nxt\n",
		"User.tla": "---- MODULE User ----\nEXTENDS Lib\n====\n", "Lib.tla": "---- MODULE Lib ----\nA == B\n====\n"})
	for spec, file := range map[string]string{"L.tla": "L.cfg", "User.tla": "Lib.tla"} {
		for _, json := range []string{"--json=false", "--json"} {
			_, errOut, _ := (&Main{}).run(t, "", "tla", "check", json, filepath.Join(dir, spec))
			if want := "podlife: an error in " + filepath.Join(dir, file) + "\n"; !strings.HasSuffix(errOut, want) {
				t.Errorf("%s %s: %q does not end in %q", spec, json, errOut, want)
			}
		}
	}
}

func TestWhatASpecificationSaysCannotDriveTheTerminal(t *testing.T) {
	dir := tlaFiles(t, map[string]string{
		"S.tla": "---- MODULE S ----\nEXTENDS TLC\nVARIABLE x\nInit == x = \"\x1b[2J\" /\\ PrintT(x)\nNext == x' = x\nInv == x = \"\"\n====\n",
		"S.cfg": "INIT Init\nNEXT Next\nINVARIANT Inv\n",
	})
	out, errOut, code := (&Main{}).run(t, "", "tla", "check", filepath.Join(dir, "S.tla"))
	if code != 12 || strings.Contains(out+errOut, "\x1b") || strings.Count(out, `\x1b[2J`) < 2 {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
}

func TestACounterexampleIsTheSameInEachForm(t *testing.T) {
	// Names that no other test has: the order of strings is of the whole process.
	dir := tlaFiles(t, map[string]string{
		"M.tla": `---- MODULE M ----
EXTENDS Naturals
CONSTANTS C, N
VARIABLES x, y
Init == x = {} /\ y = 0
Put(c) == x' = x \cup {c} /\ y' = y + 1
Next == \E c \in C : Put(c)
Inv == y < N
====
`,
		"M.cfg": "CONSTANTS\nC = {k1, k2}\nN = 2\nINIT Init\nNEXT Next\nINVARIANT Inv\n",
	})
	itfFile, tlcFile := filepath.Join(dir, "t.itf.json"), filepath.Join(dir, "t.json")
	out, errOut, code := (&Main{}).run(t, "", "tla", "check", "--workers", "1", "--json", "--itf", itfFile, "--dump-trace", tlcFile, filepath.Join(dir, "M.tla"))
	var r tlaResult
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 12 {
		t.Fatalf("exit %d, %v, %s%s", code, err, out, errOut)
	}
	file, err := os.ReadFile(itfFile)
	if err != nil {
		t.Fatal(err)
	}
	tlcText, err := os.ReadFile(tlcFile)
	if err != nil {
		t.Fatal(err)
	}
	fromFile, err := itf.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	fromJSON, err := itf.Decode(r.Counterexample.ITF)
	if err != nil {
		t.Fatal(err)
	}
	fromTLC, err := tlcjson.Decode(tlcText)
	if err != nil || fromTLC.Lossy {
		t.Fatal(err, "lossy")
	}
	want := written(t, fromFile)
	if written(t, fromJSON) != want || written(t, &fromTLC.Trace) != want {
		t.Errorf("they differ:\n%s\n%s\n%s", want, written(t, fromJSON), written(t, &fromTLC.Trace))
	}
	for i, s := range r.Counterexample.States {
		for j, v := range s.Variables {
			if v.Value != fromFile.States[i].Values[j].String() || v.Changed != (i > 0 && v.Value != r.Counterexample.States[i-1].Variables[j].Value) {
				t.Errorf("state %d: %+v", i+1, v)
			}
		}
	}
	if len(r.Counterexample.States) != 3 || fromFile.Violates != "Inv" || len(fromFile.Params) != 2 || r.Counterexample.States[1].Arguments[0] != (tlaBinding{"c", "k1"}) {
		t.Errorf("%+v, %+v", r.Counterexample, fromFile)
	}
}

func written(t *testing.T, tr *itf.Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := itf.Write(&b, tr); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFlagsMayHaveOneDash(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"tla check -config a.cfg -workers=2 x.tla", "tla check --config a.cfg --workers=2 x.tla"},
		{"tla check --config a.cfg -h", "tla check --config a.cfg -h"},
		{"tla eval -1 -json", "tla eval --json -- -1"},
		{"tla eval -json -- -x", "tla eval --json -- -x"},
		{"tla eval -1 -json -- 2", "tla eval --json -- -1 2"},
		{"tla eval -", "tla eval -"},
		{"tla check -seed -5 -workers=2 x.tla", "tla check --seed -5 --workers=2 x.tla"},
		{"tla check --seed -5 -json x.tla", "tla check --seed -5 --json x.tla"},
		{"tla check -json -5 x.tla", "tla check --json x.tla -- -5"},
		{"tla check -seed=-5 -config -json -json x.tla", "tla check --seed=-5 --config -json --json x.tla"},
		{"status -json", "status -json"},
	} {
		got, err := singleDash(strings.Fields(c.in))
		if err != nil || !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: %q, %v", c.in, got, err)
		}
	}
	for _, in := range []string{"tla check -deadlock", "tla check -deadlock=true"} {
		if _, err := singleDash(strings.Fields(in)); err == nil {
			t.Errorf("%s is taken for ours", in)
		}
	}
}

func TestSizesHaveUnits(t *testing.T) {
	for text, want := range map[string]int64{"1048576": 1 << 20, "4GB": 4e9, "4 gb": 4e9, "512MiB": 512 << 20, "2g": 2 << 30, "1.5GiB": 3 << 29, "5000000B": 5e6, "1TB": 1e12} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GB", "much", "-4GB", "1kB", "4XB", "NaN", "1e30", "0x10MB0"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestNumbersAreGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1: "-1", -123: "-123", -1234: "-1,234"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestProgressIsALine(t *testing.T) {
	p := checker.Progress{Depth: 3, Generated: 12345, Distinct: 678, Queue: 9, Elapsed: 61 * time.Second, MemoryBytes: 5e6}
	if got := progressLine(p); got != "1m1s: 12,345 states generated, 678 distinct, 9 to explore, depth 3, 5 MB" {
		t.Error(got)
	}
	p.Distinct, p.Queue, p.Behaviors = -1, -1, 7
	if got := progressLine(p); got != "1m1s: 7 behaviours, 12,345 states generated, 5 MB" {
		t.Error(got)
	}
}
