package container

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"podlife/runtime/agent"
	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

const (
	// commandTime bounds the agent's short command, check.
	commandTime = 10 * time.Second
	// goneTime is how long a killed process's container may take until the engine shows that it is the container that died.
	goneTime = time.Second
	// exitKilled is the exit code of a process that was killed: by somebody, or with its container.
	exitKilled = 137
	// exitNotRun is the exit code of a process that could not be run: for lack of a program, or because its container was just going.
	exitNotRun = 126
	maxOutput  = 64 << 10
)

// Provisioned looks at the marker inside the container; see pod.Containers.
func (c *Containers) Provisioned(ctx context.Context, id pod.ContainerID, inc pod.Incarnation) error {
	out, code, err := c.command(ctx, id, append([]string{"check"}, wantArgs(c.marker(inc))...))
	if err != nil {
		return err
	}
	var v agent.Verdict
	if jerr := json.Unmarshal(out, &v); jerr != nil || (code == 0) != v.OK || code != 0 && code != agent.ExitRefused {
		return fmt.Errorf("container %s: check ended with code %d and said %.200q", id, code, out)
	}
	if !v.OK {
		return &pod.NotProvisionedError{Reason: string(v.Reason)}
	}
	return nil
}

// command runs one of the agent's short commands to its end, within commandTime however often it has to be asked for.
func (c *Containers) command(ctx context.Context, id pod.ContainerID, args []string) (out []byte, code int, err error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	for try := 1; ; try++ {
		if out, code, err = c.commandOnce(ctx, id, args); code != exitNotRun || try == startTries {
			return out, code, err
		}
		c.log.Warn("the engine did not start the agent; trying again", "container", string(id), "command", args[0], "err", err)
	}
}

func (c *Containers) commandOnce(ctx context.Context, id pod.ContainerID, args []string) (out []byte, code int, err error) {
	p, err := c.o.Engine.Exec(ctx, engine.ID(id), engine.ExecSpec{Command: append([]string{boot.AgentPath, "agent"}, args...)})
	if err != nil {
		return nil, 0, c.why(ctx, id, err)
	}
	defer p.Close()
	stop := context.AfterFunc(ctx, func() { p.Close() }) // a reader does not see a context end
	defer stop()
	out, err = io.ReadAll(io.LimitReader(p, maxOutput))
	if err != nil {
		return nil, 0, fmt.Errorf("container %s: agent %s: %w", id, args[0], typed(err))
	}
	code, err = c.exit(ctx, id, p)
	if err != nil {
		return nil, 0, err
	}
	if code != 0 && code != agent.ExitRefused {
		err = fmt.Errorf("container %s: agent %s ended with code %d: %.500q", id, args[0], code, p.Stderr())
	}
	return out, code, err
}

// exit gives a process's exit code, or a GoneError when it ended because its container did.
func (c *Containers) exit(ctx context.Context, id pod.ContainerID, p engine.Process) (int, error) {
	code, err := p.Wait(ctx)
	if err != nil {
		return 0, c.why(ctx, id, err)
	}
	return code, c.lives(ctx, id, code)
}

// lives says whether an exit code is the process's own: nil when it was seen with its container alive, a GoneError when it is the container that ended.
func (c *Containers) lives(ctx context.Context, id pod.ContainerID, code int) error {
	if code != exitKilled && code != exitNotRun {
		return nil
	}
	// The engine may tell of the process before it knows of the container.
	deadline := time.NewTimer(goneTime)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		var g *pod.GoneError
		err := c.running(ctx, id)
		if errors.As(err, &g) {
			return err
		}
		select {
		case <-ctx.Done():
			return &pod.UnseenError{Err: ctx.Err()}
		case <-deadline.C:
			return err
		case <-tick.C:
		}
	}
}

func wantArgs(m boot.Marker) []string {
	return []string{"--pod", m.Pod, "--incarnation", strconv.Itoa(m.Incarnation), "--recipe", m.Recipe}
}
