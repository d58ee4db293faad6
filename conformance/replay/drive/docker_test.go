package drive_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"podlife/conformance/harness"
)

var binary harness.Binary

func TestMain(m *testing.M) {
	code := m.Run()
	binary.Remove()
	os.Exit(code)
}

// program runs podlife as people do, and gives what it printed and its exit code.
func program(t *testing.T, args ...string) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary.Path(t), args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that its container is removed
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// The exit codes of podlife replay are in its help.
func TestDockerTheServerRefusesCounterexamples(t *testing.T) {
	harness.NeedDocker(t)
	for off, want := range map[string]string{
		"DestroyAnswered.removed":  "guard removed is false",
		"IdleSleep.noTerminal":     "guard noTerminal is false",
		"AttachReady.ready":        "guard ready is false",
		"Dial.neverWakes":          "guard wakes is false",
		"ScriptSucceeded.exitZero": "guard exitZero is false",
		"StartBoot.stored":         "not with the effect that the file has: store.awake false",
	} {
		t.Run(off, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			bug, seen := filepath.Join(dir, "bug.itf.json"), filepath.Join(dir, "seen.itf.json")
			if out, code := program(t, "check", "--model", "PodRuntime", "--off", off, "--trace", bug); code != 12 {
				t.Fatalf("check: exit %d\n%s", code, out)
			}
			out, code := program(t, "replay", "--engine", "docker", "--record", seen, bug)
			if code != 15 || !strings.Contains(out, want) {
				t.Errorf("replay: exit %d\n%s", code, out)
			}
			if out, code := program(t, "trace", "check", seen); code != 0 || !strings.Contains(out, "explained") {
				t.Errorf("trace check: exit %d\n%s", code, out)
			}
		})
	}
}
