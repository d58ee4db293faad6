package container_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"podlife/runtime/container"
	"podlife/runtime/engine"
)

// startsLate is the real engine, but of each kind of process in a container the first two are not the agent's: what runs in their place says what the engine says of one that runc could not start, and ends as that does.
type startsLate struct {
	engine.Engine
	tries [3]atomic.Int32
}

func (e *startsLate) Exec(ctx context.Context, id engine.ID, spec engine.ExecSpec) (engine.Process, error) {
	for i, command := range []string{"boot", "check", "relay"} {
		if slices.Contains(spec.Command, command) && e.tries[i].Add(1) <= startFails {
			spec.Command = []string{"sh", "-c", `printf 'OCI runtime exec failed: exec failed: unable to start container process: error executing setns process: exit status 1: unknown\r\n'; exit 126`}
		}
	}
	return e.Engine.Exec(ctx, id, spec)
}

func TestDockerAProcessThatTheEngineDidNotStartIsAskedForAgain(t *testing.T) {
	late := &startsLate{}
	w := newWorld(t, func(o *container.Options) {
		late.Engine = o.Engine
		o.Engine = late
	})
	id := w.launch(first)
	w.boot(id, first)
	if err := w.Provisioned(t.Context(), id, first); err != nil {
		t.Error(err)
	}
	sh, err := w.Shell(t.Context(), id, first, request("one"))
	if err != nil {
		t.Fatal(err)
	}
	sh.Close()
	for i := range late.tries {
		if n := late.tries[i].Load(); n != startFails+1 {
			t.Errorf("process %d was asked for %d times", i, n)
		}
	}
}
