package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// hangupGrace is how long a shell has after SIGHUP before SIGKILL.
	hangupGrace = 200 * time.Millisecond
	// noteTime is how long a note that names no process is kept: that a session has ended, or must not begin. A shell that was asked for that long ago, and has not begun, does not begin any more:
	// whoever asked gave up after seconds.
	noteTime = time.Minute
)

var idPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// errSessionEnded says that a session's end was asked for before it began.
var errSessionEnded = errors.New("session was ended before it began")

// identity is a process beyond doubt: a pid can be given again, with its start time it cannot. Server names the server process that asked for it, so that the next one
// can end what nobody reads any more.
type identity struct {
	pid    int
	start  string // field 22 of /proc/PID/stat: clock ticks since boot
	server string
}

func (l Layout) sessions() string { return filepath.Join(l.RunDir, "sessions") }

// recordSession notes which process a session is. It either creates the note whole or fails with errSessionEnded because there is one: session ids are used once.
func (l Layout) recordSession(session string, id identity) error {
	return l.createNote(session, fmt.Sprintf("%d %s %s\n", id.pid, id.start, id.server))
}

func (l Layout) createNote(session, text string) error {
	if err := os.MkdirAll(l.sessions(), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(l.sessions(), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(text)
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	// A link is made whole or, when the name exists, not at all.
	if err := os.Link(temp.Name(), filepath.Join(l.sessions(), session)); errors.Is(err, fs.ErrExist) {
		return errSessionEnded
	} else if err != nil {
		return err
	}
	return nil
}

// readSession gives the process of a session; ok is false for a session that was ended before it began.
func (l Layout) readSession(session string) (id identity, ok bool, err error) {
	text, err := os.ReadFile(filepath.Join(l.sessions(), session))
	if err != nil {
		return identity{}, false, err
	}
	fields := strings.Fields(string(text))
	if len(fields) != 3 {
		return identity{}, false, nil
	}
	id.pid, err = strconv.Atoi(fields[0])
	id.start, id.server = fields[1], fields[2]
	return id, err == nil && id.pid > 1, nil
}

// EndSession ends a session's shell and returns when it has ended. A session that is not known is success, and does not begin within noteTime.
// Programs that a user told to ignore a hangup (nohup) live on, as after any terminal's end.
func (l Layout) EndSession(ctx context.Context, session string) error {
	if !idPattern.MatchString(session) {
		return fmt.Errorf("session %.80q is not a session's name", session)
	}
	id, ok, err := l.readSession(session)
	if errors.Is(err, fs.ErrNotExist) {
		err = l.createNote(session, "ended\n")
		if !errors.Is(err, errSessionEnded) {
			return err
		}
		id, ok, err = l.readSession(session) // it began in this very moment
	}
	if err != nil || !ok {
		return err
	}
	if err := endProcess(ctx, id); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.sessions(), session), []byte("ended\n"), 0o600)
}

// endLeftovers ends the sessions of other server processes, which nobody reads any more, and forgets those whose process is gone and notes of more than noteTime ago, so that what is kept, and read
// here by every shell that begins, is what lives and one minute's past.
func (l Layout) endLeftovers(ctx context.Context, server string) error {
	entries, err := os.ReadDir(l.sessions())
	if err != nil {
		return err
	}
	var failed error
	for _, e := range entries {
		if ctx.Err() != nil {
			return errors.Join(failed, ctx.Err())
		}
		id, ok, err := l.readSession(e.Name())
		switch {
		case err != nil || !ok: // gone meanwhile, or a note that names no process
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > noteTime {
				os.Remove(filepath.Join(l.sessions(), e.Name()))
			}
		case !id.alive():
			os.Remove(filepath.Join(l.sessions(), e.Name()))
		case id.server != server:
			failed = errors.Join(failed, l.EndSession(ctx, e.Name()))
		}
	}
	return failed
}

// endProcess hangs the process and its terminal's foreground up, and kills its process group when it is still there after the grace.
func endProcess(ctx context.Context, id identity) error {
	p, ok := id.look()
	if !ok {
		return nil
	}
	p.signal(unix.SIGHUP)
	if id.gone(ctx, hangupGrace) {
		return nil
	}
	if p, ok = id.look(); ok {
		p.signal(unix.SIGKILL)
	}
	if id.gone(ctx, 2*time.Second) {
		return nil
	}
	return fmt.Errorf("process %d is still there after SIGKILL", id.pid)
}

// proc is what /proc says about a process.
type proc struct {
	pid, group, foreground int
	state, start           string
}

// readProc reads /proc/PID/stat. Its second field may contain spaces and brackets: what counts comes after the last bracket.
func readProc(pid int) (proc, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return proc{}, err
	}
	f := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(f) < 20 {
		return proc{}, fmt.Errorf("/proc/%d/stat: %d fields", pid, len(f))
	}
	p := proc{pid: pid, state: string(f[0]), start: string(f[19])}
	p.group, _ = strconv.Atoi(string(f[2]))
	p.foreground, _ = strconv.Atoi(string(f[5]))
	return p, nil
}

// self is the identity of this process, and of what it becomes by exec.
func self(server string) (identity, error) {
	p, err := readProc(os.Getpid())
	return identity{pid: os.Getpid(), start: p.start, server: server}, err
}

// look gives the process if it is still the one.
func (id identity) look() (proc, bool) {
	p, err := readProc(id.pid)
	return p, err == nil && p.start == id.start && p.state != "Z" && p.state != "X"
}

func (id identity) alive() bool {
	_, ok := id.look()
	return ok
}

// gone waits until the process has ended, at most for d.
func (id identity) gone(ctx context.Context, d time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for id.alive() {
		select {
		case <-ctx.Done():
			return !id.alive()
		case <-tick.C:
		}
	}
	return true
}

// signal sends to the process and, where it leads one, to its group; a hangup also to whatever has its terminal, as a real terminal's end would.
// The errors are those of processes that have just ended.
func (p proc) signal(s unix.Signal) {
	target := p.pid
	if p.group == p.pid {
		target = -p.pid
	}
	_ = unix.Kill(target, s)
	if s == unix.SIGHUP && p.foreground > 1 && p.foreground != p.group {
		_ = unix.Kill(-p.foreground, s)
	}
	_ = unix.Kill(p.pid, unix.SIGCONT) // one that is stopped does not see a hangup
}
