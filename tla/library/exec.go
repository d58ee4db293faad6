package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"podlife/tla/value"
)

// Exec runs a program for the operators IOExec and the like: command is its name and arguments, variables are further environment variables, each
// "NAME=value". An error means that it did not run; a program that ran and failed has an exit value that is not 0.
type Exec func(variables, command []string) (exitValue int, stdout, stderr string, err error)

// MaxOutput is how much a program that RunProcess runs may print, in bytes, each of stdout and stderr.
const MaxOutput = 16 << 20

// RunProcess is an Exec that runs programs as child processes with this process's environment, until ctx ends. It bounds what they print, and waits
// for those that are killed for at most a second.
func RunProcess(ctx context.Context) Exec {
	return func(variables, command []string) (int, string, string, error) {
		if len(command) == 0 {
			return 0, "", "", errors.New("the command is empty")
		}
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Env = append(os.Environ(), variables...)
		cmd.WaitDelay = time.Second
		stdout, stderr := &bounded{room: MaxOutput}, &bounded{room: MaxOutput}
		cmd.Stdout, cmd.Stderr = stdout, stderr
		err := cmd.Run()
		if stdout.over || stderr.over {
			return 0, "", "", fmt.Errorf("the program prints more than %d bytes", MaxOutput)
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) && ctx.Err() == nil {
			err = nil
		}
		if err != nil {
			return 0, "", "", err
		}
		return cmd.ProcessState.ExitCode(), stdout.kept.String(), stderr.kept.String(), nil
	}
}

// bounded keeps what is written to it and fails beyond its room. The buffer is no embedded field, whose ReadFrom would have no bound.
type bounded struct {
	kept bytes.Buffer
	room int
	over bool // something did not fit
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > b.room {
		b.over = true
		return 0, io.ErrShortWrite
	}
	return b.kept.Write(p)
}

// run runs a program for an operator.
func (env *Env) run(op string, variables, command []string) value.Value {
	if env.Exec == nil {
		value.Raise(CodeRefused, "%s: running the program %q is not allowed here", op, command)
	}
	exitValue, stdout, stderr, err := env.Exec(variables, command)
	if err != nil {
		value.Raise(CodeIO, "%s: %q: %v", op, command, err)
	}
	return execRecord(exitValue, stdout, stderr)
}
