package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"podlife/runtime/host/session"
)

// Program is what is started.
type Program struct {
	Path string
	Args []string // with the name in front
	Env  []string
	Dirs []string // the first that exists is where it starts; none: where the container's first process is
}

// NoShellError says that there is no shell, or no program, that runs. Code is what a shell would say: 126 for one that cannot be run, 127 for none.
type NoShellError struct {
	Code int
	Err  error
}

// Error gives the cause.
func (e *NoShellError) Error() string { return e.Err.Error() }

// ShellCode gives the code.
func (e *NoShellError) ShellCode() int { return e.Code }

// Unwrap gives the cause.
func (e *NoShellError) Unwrap() error { return e.Err }

// Starter starts a program for each tab.
type Starter struct {
	Children *Children
	Program  func(session.Spec) (Program, error) // *NoShellError where there is none
}

// Start starts the program on a new terminal, whose size is set before. *NoShellError if it cannot be run.
func (s *Starter) Start(_ context.Context, spec session.Spec) (session.PTY, error) {
	program, err := s.Program(spec)
	if err != nil {
		return nil, err
	}
	opened, slave, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("a terminal: %w", err)
	}
	defer slave.Close()
	master, err := unblocked(opened)
	if err != nil {
		return nil, fmt.Errorf("a terminal: %w", err)
	}
	if err := setSize(master, spec.Cols, spec.Rows); err != nil {
		master.Close()
		return nil, fmt.Errorf("the terminal's size: %w", err)
	}
	pid, exit, err := s.Children.Start(func() (int, error) { return unasked(func() (int, error) { return start(program, slave) }) })
	if err != nil {
		master.Close()
		code := 126
		if errors.Is(err, fs.ErrNotExist) {
			code = 127
		}
		return nil, &NoShellError{Code: code, Err: err}
	}
	return &terminal{File: master, children: s.Children, pid: pid, exit: exit}, nil
}

// unblocked takes a file's place with one whose reads and writes nobody's thread is held by, and that its Close ends. The library opens terminals, and sets their size, in a way that makes them block.
func unblocked(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd) // nothing was written
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// setSize sets a terminal's size and leaves it unblocked.
func setSize(f *os.File, cols, rows uint16) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	err = raw.Control(func(fd uintptr) {
		inner = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: cols, Row: rows})
	})
	return errors.Join(err, inner)
}

// start starts the program as the leader of a session of its own on that terminal. Its exit code is left to Children: the handle that the os package gives is let go.
func start(p Program, slave *os.File) (int, error) {
	attr := p.attr([]*os.File{slave, slave, slave})
	attr.Sys = &unix.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	return launch(p, attr)
}

// attr is how the program starts: with its environment, those files, and in the first of its folders that it may be in.
func (p Program) attr(files []*os.File) *os.ProcAttr {
	attr := &os.ProcAttr{Env: p.Env, Files: files}
	for _, dir := range p.Dirs {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && unix.Access(dir, unix.X_OK) == nil {
			attr.Dir = dir
			break
		}
	}
	return attr
}

// launch starts a process and lets go of the handle that the os package gives.
func launch(p Program, attr *os.ProcAttr) (int, error) {
	process, err := os.StartProcess(p.Path, p.Args, attr)
	if err != nil {
		return 0, err
	}
	pid := process.Pid
	_ = Sacrifice(pid) // it runs as well without; it can only be that /proc is not what it should be
	return pid, process.Release()
}

// terminal is a process and the master side of its terminal.
type terminal struct {
	*os.File
	children *Children
	pid      int
	exit     <-chan unix.WaitStatus

	mu   sync.Mutex // guards the next
	shut bool
}

// muchRead is from how many bytes on a read is followed by another: a terminal gives 4 KiB at most, also where more is there.
const muchRead = 1 << 10

// Read waits for output, and then takes what else is there without waiting.
func (t *terminal) Read(b []byte) (int, error) {
	n, err := t.File.Read(b)
	if err != nil || n < muchRead {
		return n, err
	}
	raw, err := t.SyscallConn()
	if err != nil {
		return n, nil // the next read says it
	}
	for more := muchRead; more >= muchRead && n < len(b); n += more {
		more = 0
		err := raw.Read(func(fd uintptr) bool {
			if k, err := unix.Read(int(fd), b[n:]); err == nil && k > 0 {
				more = k
			}
			return true // it is not waited for
		})
		if err != nil {
			break
		}
	}
	return n, nil
}

func (t *terminal) Resize(cols, rows uint16) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shut {
		return os.ErrClosed
	}
	return setSize(t.File, cols, rows)
}

// Wait gives how the process ended.
func (t *terminal) Wait() session.Exit {
	return ended(<-t.exit)
}

// ended is how a process ended.
func ended(status unix.WaitStatus) session.Exit {
	if status.Signaled() {
		return session.Exit{Code: 128 + int(status.Signal()), Signal: unix.SignalName(status.Signal())}
	}
	return session.Exit{Code: status.ExitStatus()}
}

func (t *terminal) Hangup() { t.signal(unix.SIGHUP) }
func (t *terminal) Kill()   { t.signal(unix.SIGKILL) }

// Close gives the terminal back.
func (t *terminal) Close() error {
	t.mu.Lock()
	t.shut = true
	t.mu.Unlock()
	return t.File.Close()
}

// signal sends to the process's group and to what is in front on its terminal. The errors are those of processes that have just ended.
func (t *terminal) signal(s unix.Signal) {
	front, err := t.front()
	t.children.While(t.pid, func() {
		if err == nil && front > 1 && front != t.pid {
			_ = unix.Kill(-front, s)
			_ = unix.Kill(-front, unix.SIGCONT) // one that is stopped does not see a hangup
		}
		_ = unix.Kill(-t.pid, s) // it leads its session, and with it a group
		_ = unix.Kill(-t.pid, unix.SIGCONT)
	})
}

// front is the group that has the terminal.
func (t *terminal) front() (int, error) {
	raw, err := t.SyscallConn()
	if err != nil {
		return 0, err
	}
	front, inner := 0, error(nil)
	err = raw.Control(func(fd uintptr) { front, inner = unix.IoctlGetInt(int(fd), unix.TIOCGPGRP) })
	return front, errors.Join(err, inner)
}
