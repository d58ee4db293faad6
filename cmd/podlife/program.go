package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"podlife/runtime/client"
)

const (
	// maxProgramBoots is how often a pod is booted for a program that finds it not ready.
	maxProgramBoots = 3
	// signalGrace is how long a program has after a signal that ends this one, before it is left, which kills it.
	signalGrace = 10 * time.Second
)

// podProgram is one program without a terminal in the pod, and what its streams are here.
type podProgram struct {
	argv           []string
	dir            string
	env            map[string]string
	stdin          io.Reader // nil: none
	stdout, stderr io.Writer
	notes          io.Writer // where a boot's progress is told, when there is one
	ownSignals     bool      // a signal ends this command, and the program with it, instead of going to the program
	verbose        bool
}

// runProgram boots the pod if it is not ready, runs the program to its end, and gives how it ended. Signals that would end this program go to that one, once it runs.
func (m *Main) runProgram(ctx context.Context, cl *client.Client, p podProgram) (client.Exit, error) {
	name := "cli-" + rand.Text()
	for try := 1; ; try++ {
		if err := p.boot(ctx, cl, name); err != nil {
			return client.Exit{}, err
		}
		exit, err := m.oneProgram(ctx, cl, name, p)
		var denied *deniedError
		if errors.As(err, &denied) && denied.Reason == "not_ready" && try < maxProgramBoots && ctx.Err() == nil {
			continue
		}
		return exit, err
	}
}

// boot makes the pod ready for this client. Of one that is ready already nothing is told.
func (p podProgram) boot(ctx context.Context, cl *client.Client, name string) error {
	status, err := cl.Status(ctx)
	if err != nil {
		return err
	}
	tell := func(client.Event) {}
	if p.verbose || status.State != "ready" {
		tell = (&progress{w: p.notes, verbose: p.verbose, now: time.Now}).event
	}
	_, err = cl.Boot(ctx, name, tell)
	return err
}

// deniedError is a program that was not started.
type deniedError struct{ client.Denied }

func (e *deniedError) Error() string {
	if e.Reason == "no_command" {
		return printable(e.Message)
	}
	return "no program was started: " + printable(e.Message)
}

// ExitCode is the code of a shell for a program that cannot be run.
func (e *deniedError) ExitCode() int {
	switch {
	case e.Code != 0:
		return e.Code
	case e.Reason == "engine_unavailable":
		return exitEngine
	case e.Reason == "too_many_clients":
		return exitBusy
	case namedConflict(e.Reason):
		return exitConflict
	}
	return exitFailed
}

// running is a program that was asked for.
type running struct {
	podProgram
	e *client.Exec
}

// oneProgram asks for the program once.
func (m *Main) oneProgram(ctx context.Context, cl *client.Client, name string, p podProgram) (client.Exit, error) {
	e, err := cl.Exec(ctx, client.ExecRequest{Client: name, Argv: p.argv, Dir: p.dir, Env: p.env})
	if err != nil {
		return client.Exit{}, err
	}
	defer e.Close()
	r := &running{podProgram: p, e: e}
	living, end := context.WithCancelCause(ctx)
	defer end(nil)
	var exit *client.Exit
	for {
		msg, err := e.Next(living)
		if err != nil {
			return client.Exit{}, context.Cause(living)
		}
		switch msg := msg.(type) {
		case client.Started:
			if !p.ownSignals {
				defer m.handOn(r.signals(end))() // from now on a signal is the program's
			}
			go r.feed(end)
		case client.Stdout:
			_, err = p.stdout.Write(msg)
		case client.Stderr:
			_, err = p.stderr.Write(msg)
		case client.Exit:
			exit = &msg
		case client.Denied:
			return client.Exit{}, &deniedError{msg}
		case client.Lost:
			return client.Exit{}, &codeError{code: exitFailed, text: printable(msg.Message)}
		case client.Closed:
			if exit != nil {
				return *exit, nil
			}
			return client.Exit{}, closedProgram(msg)
		}
		if err != nil {
			return client.Exit{}, err
		}
	}
}

// closedProgram is why a socket ended before its program had.
func closedProgram(c client.Closed) error {
	switch {
	case c.Code == client.CloseTooMany:
		return &codeError{code: exitBusy, text: "too many programs run: wait for one, or try again later"}
	case c.Code == client.CloseGoingAway:
		return &codeError{code: exitUnreachable, text: "the server is stopping, and the program was ended"}
	case c.Code == client.CloseLost:
		return &codeError{code: exitUnreachable, text: fmt.Sprintf("the connection broke, and the program was ended: %s", printable(fmt.Sprint(c.Err))), err: c.Err}
	}
	return &codeError{code: exitFailed, text: fmt.Sprintf("the server closed the connection (%d): %s", c.Code, printable(c.Reason))}
}

// signals hands a signal on to the program; one that ends programs also ends this one after a while.
func (r *running) signals(end context.CancelCauseFunc) func(syscall.Signal) {
	return func(s syscall.Signal) {
		_ = r.e.Signal(unix.SignalName(s)) // where the socket is gone, its end is told
		if s != syscall.SIGINT {
			time.AfterFunc(signalGrace, func() { end(errLeftRunning) })
		}
	}
}

// errLeftRunning is why a command ends whose program does not.
var errLeftRunning = &codeError{code: exitUnreachable, text: "the program did not end in time after the signal, and was left"}

// feed hands the input on to its end; an input that cannot be read ends the command. A read of standard input cannot be taken back: it may outlive the program, and ends with the process.
func (r *running) feed(end context.CancelCauseFunc) {
	b := make([]byte, 32<<10)
	for r.stdin != nil {
		n, err := r.stdin.Read(b)
		if n > 0 {
			if _, werr := r.e.Write(b[:n]); werr != nil {
				return // the program has ended, or the socket, which is told
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			end(fmt.Errorf("standard input: %w", err))
			return
		}
	}
	_ = r.e.CloseWrite() // where the socket is gone, its end is told
}
