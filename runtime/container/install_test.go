package container_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"podlife/runtime/container"
)

func TestInstallAgentKeepsWhatContainersRun(t *testing.T) {
	binary, err := agentBinary()
	if err != nil {
		t.Fatal(err)
	}
	dir, exe := t.TempDir(), filepath.Join(t.TempDir(), "podlife")
	content, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	put := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(exe, b, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(content)
	one, err := container.InstallAgent(t.Context(), exe, dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := container.InstallAgent(t.Context(), exe, dir)
	if err != nil || again != one {
		t.Errorf("again: %s and %s, %v", one, again, err)
	}
	put(append(content, 0)) // an update of the program
	two, err := container.InstallAgent(t.Context(), exe, dir)
	if err != nil || two == one {
		t.Errorf("another binary: %s, %v", two, err)
	}
	if got, err := os.ReadFile(one); err != nil || string(got) != string(content) {
		t.Errorf("the first copy changed: %v", err)
	}
	if info, err := os.Stat(one); err != nil || info.Mode().Perm() != 0o555 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(one, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(one, content[:1000], 0o755); err != nil { // a broken copy
		t.Fatal(err)
	}
	put(content)
	if _, err := container.InstallAgent(t.Context(), exe, dir); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(one); err != nil || string(got) != string(content) {
		t.Errorf("a broken copy was kept: %v", err)
	}
}

func TestInstallAgentRefusesWhatAContainerCannotRun(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, exe := range []string{"/bin/sh", script} { // the first is dynamic
		if _, err := container.InstallAgent(t.Context(), exe, t.TempDir()); !errors.Is(err, container.ErrNotStatic) {
			t.Errorf("%s: %v", exe, err)
		}
	}
}
