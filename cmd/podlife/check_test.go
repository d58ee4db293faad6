package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"podlife/model/podlifecycle"
	"podlife/model/trace"
)

// check runs the command as main does, and gives what it printed and its exit code.
func check(t *testing.T, args ...string) (out, errOut string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := newCheckCommand()
	cmd.SilenceErrors = true
	cmd.SetArgs(args)
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	err := cmd.ExecuteContext(t.Context())
	if err == nil {
		return stdout.String(), stderr.String(), 0
	}
	exit, ok := err.(interface{ ExitCode() int })
	if !ok {
		t.Fatalf("check %v: %v has no exit code", args, err)
	}
	return stdout.String(), stderr.String() + err.Error(), exit.ExitCode()
}

// words is a text with every run of blanks made one.
func words(text string) string { return regexp.MustCompile(`[ \t]+`).ReplaceAllString(text, " ") }

func TestCheckSaysThatTheShippedDesignHolds(t *testing.T) {
	out, errOut, code := check(t)
	if code != 0 || errOut != "" {
		t.Errorf("exit %d, %s", code, errOut)
	}
	for _, want := range []string{
		"PodLifecycle, 2 client(s), max-inc 3, guarded\n",
		"2922 states generated, 1453 distinct, depth 20",
		"\nBootLost 496\n",
		"\nTypeOK holds -\n",
		"\nNoAttachWithoutShellSetup holds 103\n",
	} {
		if !strings.Contains(words(out), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if strings.Contains(out, "violated") {
		t.Errorf("something is violated:\n%s", out)
	}
}

func TestCheckPrintsTheCounterexampleAsATable(t *testing.T) {
	out, errOut, code := check(t, "--guarded=false")
	if code != 12 || !strings.Contains(errOut, "NoAttachWithoutShellSetup is violated") {
		t.Errorf("exit %d, %s", code, errOut)
	}
	want := `
step action ctr inc c1 (booted, attached) c2 (booted, attached)
1 initial state asleep 0 idle (0, 0) idle (0, 0)
2 StartBoot(c1) provisioning 1 booting (1, 0) idle (0, 0)
3 FinishBoot(c1) ready 1 believes (1, 0) idle (0, 0)
4 Sleep asleep 1 believes (1, 0) idle (0, 0)
5 AttachWakesFresh(c1) fresh 2 attached (1, 2) idle (0, 0)
`
	if !strings.HasSuffix(words(out), want) {
		t.Errorf("printed is\n%s", out)
	}
	if !strings.Contains(words(out), "\nBootIdempotent unknown 8\n") {
		t.Errorf("an invariant that was not checked to the end is not called unknown:\n%s", out)
	}
}

func TestCheckChecksOnlyTheNamedInvariants(t *testing.T) {
	out, _, code := check(t, "--guarded=false", "--invariant", "TypeOK", "--invariant", "BootIdempotent")
	if code != 0 || !strings.Contains(out, "1269 states generated, 718 distinct, depth 16") || strings.Contains(out, "NoAttach") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

func TestCheckDoesNotCallAVacuousInvariantAPass(t *testing.T) {
	out, errOut, code := check(t, "--max-inc", "0")
	if code != 3 || !strings.Contains(errOut, "vacuous") || !strings.Contains(words(out), "\nBootIdempotent vacuous 0\n") {
		t.Errorf("exit %d, %s:\n%s", code, errOut, out)
	}
}

func TestCheckRefusesWrongUse(t *testing.T) {
	for args, c := range map[string]struct {
		code int
		says string
	}{
		"--clients=0":                      {2, "clients is 0, must be between 1 and 4"},
		"--clients=5":                      {2, "clients is 5, must be between 1 and 4"},
		"--clients=two":                    {2, `invalid argument "two"`},
		"--clients=9999999999999999999999": {2, "out of range"},
		"--max-inc=-1":                     {2, "max-inc is -1, must be between 0 and 15"},
		"--max-inc=16":                     {2, "max-inc is 16, must be between 0 and 15"},
		"--max-states=0":                   {2, "max-states is 0"},
		"--guarded=perhaps":                {2, `invalid argument "perhaps"`},
		"--invariant=Nice":                 {2, `no invariant "Nice"`},
		"--invariant=":                     {2, `no invariant ""`},
		"--colour=red":                     {2, "unknown flag"},
		"more":                             {2, "no arguments"},
		"--max-states=1452":                {3, "more than 1452 distinct states"},
		"--dot=/no/such/folder/x":          {1, "/no/such/folder/x"},
	} {
		_, errOut, code := check(t, args)
		if code != c.code || !strings.Contains(errOut, c.says) {
			t.Errorf("check %s: exit %d, %s; want %d, %s", args, code, errOut, c.code, c.says)
		}
	}
}

func TestCheckWritesTheGraphAndTheTrace(t *testing.T) {
	dir := t.TempDir()
	dot, svg, bug := filepath.Join(dir, "a.dot"), filepath.Join(dir, "a.svg"), filepath.Join(dir, "bug.json")
	if _, errOut, code := check(t, "--guarded=false", "--dot", dot, "--svg", svg, "--trace", bug); code != 12 {
		t.Fatalf("exit %d, %s", code, errOut)
	}
	if text := readFile(t, dot); strings.Count(text, " -> ") < 23 || strings.Count(text, "color=red") != 5+4 {
		t.Errorf("the graph is\n%s", text)
	}
	if err := xml.Unmarshal([]byte(readFile(t, svg)), new(struct{})); err != nil {
		t.Errorf("the SVG: %v", err)
	}
	read, err := trace.Read[podlifecycle.View](strings.NewReader(readFile(t, bug)))
	if err != nil || len(read.Steps) != 5 || read.Violates != podlifecycle.NoAttachWithoutShellSetup {
		t.Errorf("the trace: %+v, %v", read, err)
	}
	if err := podlifecycle.CheckTrace(podlifecycle.Table(podlifecycle.Constants{MaxInc: 3}), read); err != nil {
		t.Errorf("the trace: %v", err)
	}
}

func TestCheckWritesNoTraceWhereNothingIsViolated(t *testing.T) {
	bug := filepath.Join(t.TempDir(), "bug.json")
	_, errOut, code := check(t, "--trace", bug)
	if _, err := os.Stat(bug); code != 0 || !strings.Contains(errOut, "no counterexample") || !os.IsNotExist(err) {
		t.Errorf("exit %d, %s, %v", code, errOut, err)
	}
}

func TestCheckLeavesNoHalfFile(t *testing.T) {
	svg := filepath.Join(t.TempDir(), "big.svg")
	_, errOut, code := check(t, "--clients", "3", "--max-inc", "2", "--svg", svg)
	if _, err := os.Stat(svg); code != 1 || !strings.Contains(errOut, "more than 5000 states") || !os.IsNotExist(err) {
		t.Errorf("exit %d, %s, %v", code, errOut, err)
	}
}

func TestCheckPrintsJSON(t *testing.T) {
	out, _, code := check(t, "--guarded=false", "--json")
	var got checkJSON
	dec := json.NewDecoder(strings.NewReader(out))
	if err := dec.Decode(&got); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Errorf("something follows the JSON value:\n%s", out)
	}
	if code != 12 || got.Verdict != "violated" || got.Generated != 28 || got.Distinct != 24 || len(got.Guards) != 22 {
		t.Errorf("exit %d, %+v", code, got)
	}
	bug, err := trace.Read[podlifecycle.View](bytes.NewReader(got.Counterexample))
	if err != nil || len(bug.Steps) != 5 {
		t.Errorf("counterexample: %+v, %v", bug, err)
	}
	if out, _, code := check(t, "--json"); code != 0 || !strings.Contains(out, `"verdict": "holds"`) || strings.Contains(out, "counterexample") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAFileThatCannotBeWrittenIsRemovedOnlyIfItIsOne(t *testing.T) {
	write := func(name string, write func(io.Writer) error) error {
		f, err := openOut(t.Context(), name)
		if err != nil {
			return err
		}
		return f.write(write)
	}
	failed := errors.New("failed")
	fails := func(io.Writer) error { return failed }
	file := filepath.Join(t.TempDir(), "trace.json")
	if err := write(file, fails); !errors.Is(err, failed) {
		t.Errorf("got %v, want %v", err, failed)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a file is left: %v", err)
	}
	link := filepath.Join(t.TempDir(), "null")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Fatal(err)
	}
	if err := write(link, fails); !errors.Is(err, failed) {
		t.Errorf("got %v, want %v", err, failed)
	}
	if _, err := os.Lstat(link); err != nil {
		t.Errorf("what led to a device is gone: %v", err)
	}
}
