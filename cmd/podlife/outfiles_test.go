package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"podlife/tla/itf"
)

// twoSteps violates Low in its third state; Text is what its string becomes.
const twoSteps = `---- MODULE Steps ----
EXTENDS Naturals, Lib
VARIABLES x, s
Init == x = 0 /\ s = ""
Next == x < 5 /\ x' = x + 1 /\ s' = Text
Low == x < 2
====
`

// stepsFolder is a specification of two modules whose check finds a counterexample.
func stepsFolder(t *testing.T, text string) string {
	t.Helper()
	return tlaFiles(t, map[string]string{
		"Steps.tla": twoSteps, "Steps.cfg": "INIT Init\nNEXT Next\nINVARIANT Low\n",
		"Lib.tla": "---- MODULE Lib ----\nText == \"" + text + "\"\n====\n", "old.json": "old",
	})
}

func TestAnOutputIsNeverWhatTheSpecificationIsReadFrom(t *testing.T) {
	for _, flag := range []string{"--itf", "--dot", "--dump-trace"} {
		for name, what := range map[string]string{"Steps.tla": "a module", "Lib.tla": "a module", "Steps.cfg": "the configuration", "link.json": "a module"} {
			dir := stepsFolder(t, "a")
			if err := os.Link(filepath.Join(dir, "Lib.tla"), filepath.Join(dir, "link.json")); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			out, errOut, code := (&Main{}).run(t, "", "tla", "check", flag, filepath.Join(dir, name), filepath.Join(dir, "Steps.tla"))
			after, err := os.ReadFile(filepath.Join(dir, name))
			if code != exitUsage || strings.Contains(out, "states generated") || !strings.Contains(errOut, flag) || !strings.Contains(errOut, "is "+what) {
				t.Errorf("%s %s: exit %d, %q, %q", flag, name, code, out, errOut)
			}
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("%s %s: it was written to: %q, %v", flag, name, after, err)
			}
		}
	}
}

func TestTwoOutputsAreNeverOneFile(t *testing.T) {
	dir := stepsFolder(t, "a")
	if err := os.Symlink("new.json", filepath.Join(dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"old.json", "old.json"}, {"new.json", "./new.json"}, {"new.json", "link.json"}} {
		_, errOut, code := (&Main{}).run(t, "", "tla", "check", "--itf", filepath.Join(dir, c[0]), "--dump-trace", dir+"/"+c[1], filepath.Join(dir, "Steps.tla"))
		if code != exitUsage || !strings.Contains(errOut, "what --itf writes too") {
			t.Errorf("%v: exit %d, %q", c, code, errOut)
		}
	}
	if old, err := os.ReadFile(filepath.Join(dir, "old.json")); err != nil || string(old) != "old" {
		t.Errorf("the old file is %q, %v", old, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "new.json")); err == nil {
		t.Error("a file is left that was not written")
	}
	if _, errOut, code := (&Main{}).run(t, "", "tla", "check", "--itf", os.DevNull, "--dump-trace", os.DevNull, filepath.Join(dir, "Steps.tla")); code != 12 {
		t.Errorf("both to nowhere: exit %d, %q", code, errOut)
	}
}

func TestAnOutputIsNotWhereTheReportGoes(t *testing.T) {
	dir := stepsFolder(t, "a")
	name := filepath.Join(dir, "old.json")
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var errOut bytes.Buffer
	code := (&Main{}).Run(t.Context(), []string{"tla", "check", "--itf", name, filepath.Join(dir, "Steps.tla")}, nil, out, &errOut)
	if old, err := os.ReadFile(name); code != exitUsage || err != nil || !strings.HasPrefix(string(old), "old") {
		t.Errorf("exit %d, %q, %v, %q", code, old, err, errOut.String())
	}
}

// pipe makes a named pipe.
func pipe(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAnOutputMayBeAPipe(t *testing.T) {
	dir := stepsFolder(t, "a")
	name := pipe(t, dir)
	reader, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	_, errOut, code := (&Main{}).run(t, "", "tla", "check", "--itf", name, filepath.Join(dir, "Steps.tla"))
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if trace, err := itf.Decode(text); code != 12 || err != nil || len(trace.States) != 3 {
		t.Errorf("exit %d, %v, %q", code, err, errOut)
	}
}

func TestAPipeThatNobodyReadsIsRefused(t *testing.T) {
	dir := stepsFolder(t, "a")
	name := pipe(t, dir)
	for _, args := range [][]string{
		{"tla", "check", "--itf", name, filepath.Join(dir, "Steps.tla")}, {"tla", "check", "--dot", name, filepath.Join(dir, "Steps.tla")}, {"check", "--dot", name},
	} {
		_, errOut, code := (&Main{}).run(t, "", args...)
		if code != exitFailed || !strings.Contains(errOut, "a pipe that nobody reads") {
			t.Errorf("%v: exit %d, %q", args, code, errOut)
		}
	}
	if _, err := os.Stat(name); err != nil {
		t.Error(err)
	}
}

// A reader that has opened a pipe and does not read cannot keep a command that was asked to end.
func TestAPipeThatIsNotReadEndsWithTheCommand(t *testing.T) {
	name := pipe(t, t.TempDir())
	reader, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	ctx, cancel := context.WithCancel(t.Context())
	f, err := openOut(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		done <- f.write(func(w io.Writer) error {
			cancel()
			_, err := w.Write(make([]byte, 1<<21))
			return err
		})
	}()
	select {
	case err := <-done:
		if !os.IsTimeout(err) && !strings.Contains(err.Error(), "timeout") {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it waits for the reader")
	}
}

// The text of a counterexample may have bytes that no JSON can hold: that is told, and what was found too.
func TestBytesThatAreNoTextDoNotHideTheVerdict(t *testing.T) {
	dir := stepsFolder(t, "a\xffb")
	out, errOut, code := (&Main{}).run(t, "", "tla", "check", "--json", "--itf", filepath.Join(dir, "x.json"), filepath.Join(dir, "Steps.tla"))
	var r tlaResult
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 12 || r.Verdict != "invariant" || r.ExitCode != 12 || len(r.Counterexample.States) != 3 {
		t.Fatalf("exit %d, %v, %s", code, err, out)
	}
	if !strings.Contains(r.Counterexample.ITFError, "not UTF-8") || len(r.Errors) != 1 || r.Errors[0].Code != "file" || !strings.Contains(r.Errors[0].Message, "not UTF-8") {
		t.Errorf("%q, %+v, %q", r.Counterexample.ITFError, r.Errors, errOut)
	}
}

// Whatever is wrong, a program that asked for JSON reads JSON.
func TestWrongUseIsJSONWhereJSONWasAskedFor(t *testing.T) {
	dir := stepsFolder(t, "a")
	for _, c := range []struct {
		args, says string
		code       int
	}{
		{"tla check --json --frobnicate x.tla", "unknown flag: --frobnicate", 2}, {"tla check --frobnicate -json x.tla", "unknown flag", 2},
		{"tla check --workers -1 --json x.tla", `workers "-1"`, 2}, {"tla check --workers --json x.tla", "", 2}, {"tla check -deadlock --json x.tla", "--no-deadlock", 2},
		{"tla check --json", "takes one specification", 2}, {"tla parse --json=true", "needs a file", 2}, {"tla eval --json 1 2", "takes one expression", 2},
		{"tla chek --json", "unknown flag", 2}, {"tla parse -- --json", "", 150}, {"tla check --json=false --frobnicate", "", 2},
		{"tla check --json --itf " + dir + "/missing/x " + dir + "/Steps.tla", "no such file", 1},
		{"tla check --json --itf " + dir + "/Lib.tla " + dir + "/Steps.tla", "a module", 2},
	} {
		out, errOut, code := (&Main{}).run(t, "", strings.Fields(c.args)...)
		if c.says == "" {
			if out != "" || code != c.code {
				t.Errorf("%s: exit %d, %q", c.args, code, out)
			}
			continue
		}
		var r tlaFailure
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != c.code || r.ExitCode != c.code || r.Schema != 1 || len(r.Errors) != 1 || !strings.Contains(r.Errors[0].Message, c.says) {
			t.Errorf("%s: exit %d, %v, %q", c.args, code, err, out)
		}
		if !strings.HasPrefix(errOut, "podlife: ") && !strings.Contains(errOut, "\npodlife: ") {
			t.Errorf("%s: %q", c.args, errOut)
		}
	}
}

// fullWriter is a disk without space.
type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// What cannot be printed is an error of every command, and does not hide a verdict.
func TestWhatCannotBePrintedIsAnError(t *testing.T) {
	dir := stepsFolder(t, "a")
	for args, want := range map[string]int{
		"tla parse " + dir + "/Steps.tla": 1, "tla parse --json " + dir + "/Steps.tla": 1, "tla eval 1": 1, "tla eval --json 1": 1, "tla eval 1+": 150, "tla --help": 1,
		"tla check " + dir + "/Steps.tla": 12, "tla check --json " + dir + "/Steps.tla": 12, "tla check --json --frobnicate": 2,
		"version": 1, "--help": 1, "check": 1, "serve --help": 1,
	} {
		var errOut bytes.Buffer
		code := (&Main{}).Run(t.Context(), strings.Fields(args), strings.NewReader(""), fullWriter{}, &errOut)
		if code != want || args != "tla eval 1+" && !strings.Contains(errOut.String(), "no space left") {
			t.Errorf("%s: exit %d, want %d, %q", args, code, want, errOut.String())
		}
	}
}

// signalling is a specification that fails in its first step, having printed something by then.
const signalling = `---- MODULE Fails ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == PrintT("now") /\ x' = x + "a"
Bad == PrintT("now") /\ x > 0
====
`

// The report and the process end with the same code when a signal came before the end.
func TestAfterASignalTheReportHasTheExitCode(t *testing.T) {
	dir := tlaFiles(t, map[string]string{"Fails.tla": signalling, "Fails.cfg": "INIT Init\nNEXT Next\n", "Bad.cfg": "INIT Init\nNEXT Next\nINVARIANT Bad\n"})
	for config, want := range map[string]int{"Fails.cfg": 130, "Bad.cfg": 12} {
		ctx, cancel := context.WithCancelCause(t.Context())
		errOut := &cancelWriter{cancel: func() { cancel(&signalError{syscall.SIGINT}) }}
		var out bytes.Buffer
		code := (&Main{}).Run(ctx, []string{"tla", "check", "--json", "--config", config, filepath.Join(dir, "Fails.tla")}, nil, &out, errOut)
		var r tlaResult
		if err := json.Unmarshal(out.Bytes(), &r); err != nil || code != want || r.ExitCode != want {
			t.Errorf("%s: exit %d, in the report %d, %v: %s", config, code, r.ExitCode, err, out.String())
		}
	}
}
