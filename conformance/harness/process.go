package harness

import (
	"context"
	"os"

	"podlife/runtime/engine"
)

// PID is the number of the server's process, also when it has ended.
func (d *Docker) PID() int { return d.cmd.Process.Pid }

// Exited is closed when the server's process has ended; Ended then says how.
func (d *Docker) Exited() <-chan struct{} { return d.exited }

// Ended is how the server's process has ended; call it only after Exited is closed.
func (d *Docker) Ended() *os.ProcessState { return d.cmd.ProcessState }

// DataDir is where the server keeps its data.
func (d *Docker) DataDir() string { return d.dataDir() }

// SetEnv says in which environment, on top of the test's own, the next Start starts the server: KEY=VALUE, as DockerOptions.Env, whose place it takes.
func (d *Docker) SetEnv(env ...string) { d.o.Env = env }

// Pause freezes a container with all that runs in it; Unpause lets it go on.
func (d *Docker) Pause(ctx context.Context, id engine.ID) error {
	return d.killer.post(ctx, id, "pause")
}

// Unpause lets a paused container go on.
func (d *Docker) Unpause(ctx context.Context, id engine.ID) error {
	return d.killer.post(ctx, id, "unpause")
}

// Shell runs a line of sh in a container, through the engine, and fails when it does.
func (d *Docker) Shell(ctx context.Context, id engine.ID, line string) error {
	return shell(ctx, d.engine, id, line)
}

// SetBinary says which program the next Start starts, as after an upgrade: it takes the place of DockerOptions.Binary.
func (d *Docker) SetBinary(path string) { d.o.Binary = path }
