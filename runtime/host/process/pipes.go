package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"podlife/runtime/host/command"
	"podlife/runtime/host/session"
)

// Runner starts programs without a terminal.
type Runner struct {
	Children *Children
	Program  func(command.Spec) (Program, error) // *NoShellError where there is none
}

// Run starts the program, as the leader of a session of its own, with a pipe for each stream. *NoShellError if it cannot be run.
func (r *Runner) Run(_ context.Context, spec command.Spec) (command.Process, error) {
	program, err := r.Program(spec)
	if err != nil {
		return nil, err
	}
	var theirs, ours [3]*os.File
	closeAll := func(files [3]*os.File) {
		for _, f := range files {
			if f != nil {
				_ = f.Close() // nothing was written
			}
		}
	}
	for i := range theirs {
		in, out, err := os.Pipe()
		if err != nil {
			closeAll(theirs)
			closeAll(ours)
			return nil, fmt.Errorf("a pipe: %w", err)
		}
		if theirs[i], ours[i] = in, out; i > 0 {
			theirs[i], ours[i] = out, in
		}
	}
	defer closeAll(theirs)
	attr := program.attr(theirs[:])
	attr.Sys = &unix.SysProcAttr{Setsid: true}
	pid, exit, err := r.Children.Start(func() (int, error) { return unasked(func() (int, error) { return launch(program, attr) }) })
	if err != nil {
		closeAll(ours)
		code := 126
		if errors.Is(err, fs.ErrNotExist) {
			code = 127
		}
		return nil, &NoShellError{Code: code, Err: err}
	}
	return &piped{ours: ours, children: r.Children, pid: pid, exit: exit}, nil
}

// piped is a program and our side of its pipes.
type piped struct {
	ours     [3]*os.File
	children *Children
	pid      int
	exit     <-chan unix.WaitStatus
}

func (p *piped) Stdin() io.WriteCloser { return p.ours[0] }
func (p *piped) Stdout() io.Reader     { return p.ours[1] }
func (p *piped) Stderr() io.Reader     { return p.ours[2] }
func (p *piped) Wait() session.Exit    { return ended(<-p.exit) }
func (p *piped) Kill()                 { p.signal(unix.SIGKILL) }

// Signal sends to the program's group. A name that is none is dropped.
func (p *piped) Signal(name string) {
	if s := unix.SignalNum(name); s != 0 {
		p.signal(s)
	}
}

// signal sends to the group that the program leads. The errors are those of processes that have just ended.
func (p *piped) signal(s unix.Signal) {
	p.children.While(p.pid, func() {
		_ = unix.Kill(-p.pid, s)
		if s == unix.SIGHUP || s == unix.SIGTERM {
			_ = unix.Kill(-p.pid, unix.SIGCONT) // one that is stopped does not see it
		}
	})
}

// Close closes our side of the pipes; who reads or writes gets os.ErrClosed.
func (p *piped) Close() {
	for _, f := range p.ours {
		_ = f.Close() // closed before, or nothing is lost
	}
}
