package docker

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"podlife/runtime/engine"
)

func TestDockerCopiesAreThereBeforeTheStart(t *testing.T) {
	ctx := testContext(t)
	s := openDocker("none")(t)
	e := s.Engine.(*Engine)
	file := filepath.Join(t.TempDir(), "tool")
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho copied\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := engine.Spec{Name: s.Prefix + "-1", Image: s.Image, Command: s.Idle, Network: "none", Labels: s.Labels, Copies: []engine.Copy{{Source: file, Target: "/.podlife/tool"}}}
	id, err := e.Create(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Remove(context.Background(), id); err != nil {
			t.Error(err)
		}
	})
	if err := e.Start(ctx, id); err != nil {
		t.Fatal(err)
	}
	if out, code := shell(t, ctx, e, id, "/.podlife/tool; stat -c '%a %u' /.podlife/tool /.podlife"); out != "copied\n555 0\n755 0\n" || code != 0 {
		t.Errorf("%q, %d", out, code)
	}
	// What cannot be copied leaves nothing.
	spec.Name, spec.Copies[0].Source = s.Prefix+"-2", file+".none"
	if id, err := e.Create(ctx, spec); engine.KindOf(err) != engine.Failed {
		t.Errorf("%q, %v", id, err)
	}
	if list, err := e.List(ctx, s.Labels); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}
