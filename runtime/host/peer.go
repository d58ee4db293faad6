package host

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The bytes by which host and relay tell each other that the one was looked at, and that it has closed itself off since.
const (
	admitted = 0x06
	closed   = 0x07
)

// admitTime bounds the handshake of a connection.
const admitTime = 5 * time.Second

// ErrNotAdmitted says that who connected was not started by the container's engine, or is not our program.
var ErrNotAdmitted = errors.New("not admitted")

// CloseOff keeps everybody without CAP_SYS_PTRACE, also root, from looking into this process or controlling it. The host does it when it starts, a relay when it was admitted.
func CloseOff() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// Peers admits those that the container's engine has started: their parent is outside of the container, which no process inside can bring about for another program than those that the engine starts. They
// must be the program that this process is, and nobody may be tracing them. Between an admitted relay's start and its CloseOff there are some milliseconds in which root inside could try to get hold of it;
// a tracer that is there at one of the two looks is seen.
type Peers struct {
	Proc string // where /proc is; empty is /proc
}

// Admit looks at who has connected, and gives what it hands over to be served. It goes with Relay on the other side.
func (p Peers) Admit(c net.Conn) (io.ReadWriteCloser, error) {
	if err := c.SetDeadline(time.Now().Add(admitTime)); err != nil {
		return nil, err
	}
	pid, err := peerPid(c)
	if err != nil {
		return nil, err
	}
	before, err := p.look(pid)
	if err != nil {
		return nil, err
	}
	if err := p.sameProgram(pid); err != nil {
		return nil, err
	}
	if _, err := c.Write([]byte{admitted}); err != nil {
		return nil, err
	}
	files, err := receive(c.(*net.UnixConn)) // peerPid has seen that it is one
	if err != nil {
		return nil, err
	}
	after, err := p.look(pid)
	if err == nil && before != after {
		err = fmt.Errorf("%w: process %d is another now", ErrNotAdmitted, pid)
	}
	if err == nil {
		err = c.SetDeadline(time.Time{})
	}
	if err != nil {
		closeAll(files)
		return nil, err
	}
	return newHanded(c, files), nil
}

// peerPid gives the number of the process that connected, as the kernel noted it then.
func peerPid(c net.Conn) (int, error) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return 0, fmt.Errorf("%w: not a socket of this machine", ErrNotAdmitted)
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var inner error
	if err := raw.Control(func(fd uintptr) { cred, inner = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil {
		return 0, err
	}
	if inner != nil {
		return 0, inner
	}
	if cred.Pid <= 0 { // it has no number here: it is not in this container
		return 0, fmt.Errorf("%w: a process outside", ErrNotAdmitted)
	}
	return int(cred.Pid), nil
}

func (p Peers) proc(pid int, name string) string {
	root := p.Proc
	if root == "" {
		root = "/proc"
	}
	return fmt.Sprintf("%s/%d/%s", root, pid, name)
}

// look gives the start time of a process that the engine has started and nobody traces.
func (p Peers) look(pid int) (start string, err error) {
	text, err := os.ReadFile(p.proc(pid, "stat"))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotAdmitted, err)
	}
	parent, start, err := parseStat(text)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: process %d: %w", ErrNotAdmitted, pid, err)
	case parent != 0:
		return "", fmt.Errorf("%w: process %d was started by %d, inside", ErrNotAdmitted, pid, parent)
	}
	status, err := os.ReadFile(p.proc(pid, "status"))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotAdmitted, err)
	}
	if tracer := field(status, "TracerPid:"); tracer != "0" {
		return "", fmt.Errorf("%w: process %d is traced by %q", ErrNotAdmitted, pid, tracer)
	}
	return start, nil
}

// parseStat gives the parent and the start time, in clock ticks since the machine's, of /proc/PID/stat. The name in its second field may have spaces and brackets in it: what counts comes after the last.
func parseStat(text []byte) (parent int, start string, err error) {
	f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(f) < 20 {
		return 0, "", fmt.Errorf("%d fields", len(f))
	}
	parent, err = strconv.Atoi(f[1])
	return parent, f[19], err
}

// field gives the value of a line of /proc/PID/status.
func field(status []byte, name string) string {
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// sameProgram says whether a process runs the file that this one runs. That of one that has closed itself off cannot be seen, so a relay waits with that.
func (p Peers) sameProgram(pid int) error {
	theirs, err := os.Stat(p.proc(pid, "exe"))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotAdmitted, err)
	}
	ours, err := os.Stat("/proc/self/exe")
	if err != nil {
		return err
	}
	if !os.SameFile(theirs, ours) {
		return fmt.Errorf("%w: process %d is another program", ErrNotAdmitted, pid)
	}
	return nil
}
