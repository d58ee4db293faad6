package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podlife/conformance/specs"
)

const shipped = "../../../tla"

func command(t *testing.T, results string, args ...string) (code int, said string) {
	t.Helper()
	var out bytes.Buffer
	code = run(t.Context(), args, results, &out, &out)
	return code, out.String()
}

func TestTheCommandEndsInWhatItFound(t *testing.T) {
	code, said := command(t, "", "--dir", shipped, "--only", "PodLifecycleUnguarded|off/Dial|reach/WakeWaits|live/")
	if code != 0 || !strings.HasSuffix(said, "note: 1 hold, 3 violate as named, 1 are reached, 4 unsupported\n") {
		t.Errorf("exit code %d\n%s", code, said)
	}
}

func TestTheCommandJudgesAWholeSetAndLeavesItsResults(t *testing.T) {
	dir, results := filepath.Join(t.TempDir(), "tla"), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(shipped)); err != nil {
		t.Fatal(err)
	}
	line := "PodLifecycleUnguarded.cfg PodLifecycle pr violates NoAttachWithoutShellSetup states=28 distinct=24 depth=5 length=5\n"
	for _, name := range []string{"configs/PodRuntime", "configs/SessionResume", "configs/IdleRule", "configs/Workspace", "PodLifecycle.cfg", "PodLifecycleUnguardedBoot.cfg", "PodRuntime.tla", "PodRuntimeWitness.tla", "SessionResume.tla", "SessionResumeWitness.tla", "IdleRule.tla", "IdleRuleWitness.tla", "Workspace.tla", "WorkspaceWitness.tla"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, specs.RegistryFile), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(results, specs.ResultsFile)
	if code, said := command(t, results, "--dir", dir, "--only", "Unguarded"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("a part left results")
	}
	if code, said := command(t, results, "--dir", dir); code != 0 {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	if _, err := os.Stat(left); err != nil {
		t.Error(err)
	}
	wrong := strings.Replace(line, "states=28", "states=29", 1)
	if err := os.WriteFile(filepath.Join(dir, specs.RegistryFile), []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := command(t, results, "--dir", dir); code != 1 || !strings.Contains(said, "1 of 1 configurations are not what the registry says") {
		t.Errorf("with a wrong number: exit code %d\n%s", code, said)
	}
}

func TestWrongUseAndAFolderWithoutRegistryAreNoPass(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
	}{
		"no such set":        {[]string{"--set", "weekly"}, 2},
		"no such flag":       {[]string{"--all"}, 2},
		"an argument":        {[]string{"pr"}, 2},
		"no expression":      {[]string{"--only", "("}, 2},
		"nothing is meant":   {[]string{"--dir", shipped, "--only", "nothing"}, 1},
		"no registry":        {[]string{"--dir", t.TempDir()}, 1},
		"a folder elsewhere": {[]string{"--dir", "nowhere"}, 1},
	} {
		if code, said := command(t, "", c.args...); code != c.code {
			t.Errorf("%s: exit code %d, want %d\n%s", name, code, c.code, said)
		}
	}
}

func TestWhatWasInterruptedIsNotCalledWrong(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if code := run(ctx, []string{"--dir", shipped}, "", &out, &out); code != 1 || !strings.HasPrefix(out.String(), "interrupted: 0 of ") || strings.Contains(out.String(), "WRONG") {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
}
