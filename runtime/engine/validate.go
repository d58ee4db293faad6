package engine

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
)

// ErrClosed is the cause inside the Canceled error that a Process gives to a reader or writer whose Close was called.
var ErrClosed = errors.New("process streams closed")

var (
	namePattern = pattern(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{1,127}$`)
	hostPattern = pattern(`^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$`)
)

// pattern is an expression that is compiled when it is needed first: the program starts for many things that need none.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Validate says why a spec can never work on any engine, so that all engines refuse the same ones. The error is plain; an engine wraps it as Invalid.
func (s Spec) Validate() error {
	switch {
	case !namePattern().MatchString(s.Name):
		return fmt.Errorf("name %q does not match %s", s.Name, namePattern())
	case s.Image == "":
		return errors.New("no image")
	case s.Hostname != "" && !hostPattern().MatchString(s.Hostname):
		return fmt.Errorf("host name %q does not match %s", s.Hostname, hostPattern())
	case s.Network != "bridge" && s.Network != "none":
		return fmt.Errorf(`network %q is neither "bridge" nor "none"`, s.Network)
	case s.Limits.MemoryBytes < 0 || s.Limits.NanoCPUs < 0 || s.Limits.Pids < 0:
		return errors.New("a limit is negative")
	}
	for _, m := range s.Mounts {
		if !cleanAbs(m.Source) || !cleanAbs(m.Target) || m.Target == "/" {
			return fmt.Errorf("mount %q to %q: both have to be clean absolute paths, and the target not the root", m.Source, m.Target)
		}
	}
	for _, c := range s.Copies {
		if !cleanAbs(c.Source) || !cleanAbs(c.Target) || c.Target == "/" {
			return fmt.Errorf("copy of %q to %q: both have to be clean absolute paths, and the target not the root", c.Source, c.Target)
		}
	}
	return validateCommand(s.Command, s.Env)
}

// Validate says why a process can never be started, in the way of Spec.Validate.
func (s ExecSpec) Validate() error {
	if s.Dir != "" && !path.IsAbs(s.Dir) {
		return fmt.Errorf("folder %q is not absolute", s.Dir)
	}
	return validateCommand(s.Command, s.Env)
}

// ValidateSize checks a terminal's size: each side 1 to 1000.
func ValidateSize(cols, rows uint16) error {
	if cols < 1 || cols > 1000 || rows < 1 || rows > 1000 {
		return fmt.Errorf("terminal size %d columns by %d rows is outside 1 to 1000", cols, rows)
	}
	return nil
}

func validateCommand(command, env []string) error {
	if len(command) == 0 || command[0] == "" {
		return errors.New("no command")
	}
	for _, a := range command {
		if strings.ContainsRune(a, 0) {
			return errors.New("a command argument holds a NUL byte")
		}
	}
	for _, kv := range env {
		if k, _, ok := strings.Cut(kv, "="); !ok || k == "" || strings.ContainsRune(kv, 0) {
			return fmt.Errorf("environment entry %q is not KEY=VALUE", k)
		}
	}
	return nil
}

func cleanAbs(p string) bool { return path.IsAbs(p) && path.Clean(p) == p }
