package workspace_test

import (
	"testing"

	"podlife/runtime/workspace"
)

func TestAPodWithoutAClassIsOfTheDefaultClass(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		if i := r.create("a", ""); i.Class != workspace.Ephemeral {
			t.Errorf("%+v", i)
		}
		r.stop()
		r.defaultClass = workspace.Workspace
		r.start()
		if i := r.create("b", ""); i.Class != workspace.Workspace || i.Home == "" {
			t.Errorf("%+v", i)
		}
		if i := r.create("c", workspace.Ephemeral); i.Class != workspace.Ephemeral || i.Home != "" {
			t.Errorf("%+v", i)
		}
		if i, _, err := r.Get("alice", workspace.DefaultName); err != nil || i.Class != workspace.Ephemeral {
			t.Errorf("%+v, %v", i, err)
		}
	})
}
