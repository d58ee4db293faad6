package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"podlife/runtime/boot"
)

// ExitRefused is the exit code of a check or a shell whose marker does not vouch.
const ExitRefused = 3

// seenTime is how long the guard line may stay without an answer.
const seenTime = 10 * time.Second

// ShellOptions says which shell is wanted, and for which provisioned incarnation.
type ShellOptions struct {
	Want       boot.Marker
	Session    string // names this shell for EndSession
	Server     string // names the server process that reads it
	Tab        string // the multiplexer session to enter
	Cols, Rows uint16
	Dir        string // where to start when it exists; else the home folder
}

func (o ShellOptions) validate() error {
	switch {
	case !idPattern.MatchString(o.Session):
		return fmt.Errorf("session %.80q is not a session's name", o.Session)
	case !idPattern.MatchString(o.Server):
		return fmt.Errorf("server %.80q is not a server's name", o.Server)
	case !idPattern.MatchString(o.Tab):
		return fmt.Errorf("tab %.80q is not a tab's name", o.Tab)
	case o.Cols < 1 || o.Cols > 1000 || o.Rows < 1 || o.Rows > 1000:
		return fmt.Errorf("a terminal of %d columns and %d rows", o.Cols, o.Rows)
	}
	return nil
}

// RunShell checks the marker and becomes the user's shell, both in this one process, so that nothing can come between. It says the guard line on out first.
// It returns only when there is no shell: the exit code for this process.
func RunShell(l Layout, o ShellOptions, terminal *os.File, out io.Writer) int {
	if err := o.validate(); err != nil {
		return refuse(out, Guard{Reason: AgentFailed, Detail: err.Error()}, 2)
	}
	//model:guard Dial.marker
	if v := Check(OSFiles{}, l.Marker, o.Want); !v.OK {
		return refuse(out, Guard{Reason: v.Reason}, ExitRefused)
	}
	path, argv, err := findShell([]string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"}, l.Shell)
	if err != nil {
		code := 126
		if errors.Is(err, fs.ErrNotExist) {
			code = 127
		}
		return refuse(out, Guard{Reason: NoShell, ExitCode: code, Detail: err.Error()}, code)
	}
	// A terminal that was just made has no size, and the first command a user sees may ask for it.
	size := unix.Winsize{Col: o.Cols, Row: o.Rows}
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &size); err != nil {
		return refuse(out, Guard{Reason: AgentFailed, Detail: "no terminal: " + err.Error()}, 1)
	}
	if err := begin(l, o); err != nil {
		reason := AgentFailed
		if errors.Is(err, errSessionEnded) {
			reason = SessionEnded
		}
		return refuse(out, Guard{Reason: reason, Detail: err.Error()}, 1)
	}
	if o.Dir == "" || os.Chdir(o.Dir) != nil {
		_ = os.Chdir(l.Home) // and without a home the shell starts where the container does
	}
	// Whoever reads this may end the session from now on: the note of it is there, and stays right through the exec.
	if err := handOver(terminal, out); err != nil {
		return 1 // nobody is there to tell
	}
	err = unix.Exec(path, argv, shellEnvironment(os.Environ(), l, o.Tab, path))
	fmt.Fprintf(out, "podlife: cannot start %s: %v\r\n", path, err)
	return 126
}

// handOver says OK and waits until it was seen, with the terminal's echo off meanwhile so that the answer does not show.
func handOver(terminal *os.File, out io.Writer) error {
	fd := int(terminal.Fd())
	before, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	quiet := *before
	quiet.Lflag &^= unix.ECHO | unix.ECHONL
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &quiet); err != nil {
		return err
	}
	if _, err := out.Write(Guard{OK: true}.Line()); err != nil {
		return err
	}
	if err := awaitSeen(fd); err != nil {
		return err
	}
	return unix.IoctlSetTermios(fd, unix.TCSETS, before)
}

// awaitSeen takes GuardSeen from the terminal and nothing behind it.
func awaitSeen(fd int) error {
	deadline := time.Now().Add(seenTime)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(max(0, time.Until(deadline)).Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case n == 0:
			return errors.New("nobody has seen the guard line")
		}
		var b [len(GuardSeen)]byte
		n, err = unix.Read(fd, b[:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case string(b[:n]) != GuardSeen:
			return fmt.Errorf("%q instead of an answer to the guard line", b[:n])
		}
		return nil
	}
}

// begin ends what an earlier server left without a reader, and notes that this process is the session.
func begin(l Layout, o ShellOptions) error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	id, err := self(o.Server)
	if err != nil {
		return err
	}
	if err := l.recordSession(o.Session, id); err != nil {
		return err
	}
	// A leftover that cannot be ended is no reason to keep the user out.
	_ = l.endLeftovers(ctx, o.Server)
	return nil
}

func refuse(out io.Writer, g Guard, code int) int {
	_, _ = out.Write(g.Line()) // without a reader there is nobody to tell
	return code
}

// findShell gives the login shell: bash where there is one, else sh. The error is that of sh.
func findShell(bashes []string, sh string) (path string, argv []string, err error) {
	for _, bash := range bashes {
		if runnable(bash) == nil {
			return bash, []string{"bash", "-l", "-i"}, nil
		}
	}
	if err := runnable(sh); err != nil {
		return "", nil, err
	}
	return sh, []string{"sh", "-i"}, nil
}

func runnable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return &fs.PathError{Op: "run", Path: path, Err: fs.ErrPermission}
	}
	return nil
}

// shellEnvironment is what the user's shell finds set.
func shellEnvironment(base []string, l Layout, tab, shell string) []string {
	set := []string{
		"TERM=xterm-256color", "LANG=C.UTF-8", "HOME=" + l.Home, "USER=" + l.User, "LOGNAME=" + l.User, "SHELL=" + shell, "PODLIFE_TAB=" + tab,
	}
	if shell == l.Shell {
		set = append(set, "ENV="+l.Home+"/.bashrc") // an interactive sh reads no other file, and the hook is POSIX
	}
	return environment(base, set...)
}
