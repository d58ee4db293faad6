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
	if err := s.validateVolumes(); err != nil {
		return err
	}
	return validateCommand(s.Command, s.Env)
}

// ValidateVolume says why no volume can have a name, in the way of Spec.Validate.
func ValidateVolume(name string) error {
	if !namePattern().MatchString(name) {
		return fmt.Errorf("volume name %q does not match %s", name, namePattern())
	}
	return nil
}

// systemFolders belong to the container's own disk, with all that is in them: its system, and what is noted about this one container, which a volume would carry into the next.
func systemFolders() []string {
	return []string{"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run", "/sbin", "/sys", "/usr", "/var"}
}

// validateVolumes looks at where volumes are to be seen: nowhere over something that the container needs, and no two things at one place.
func (s Spec) validateVolumes() error {
	var taken []string
	for _, m := range s.Mounts {
		taken = append(taken, m.Target)
	}
	for _, c := range s.Copies {
		taken = append(taken, c.Target)
	}
	places := map[string]bool{}
	for _, v := range s.Volumes {
		if err := ValidateVolume(v.Name); err != nil {
			return err
		}
		if !cleanAbs(v.Target) || v.Target == "/" {
			return fmt.Errorf("volume %s at %q: the target has to be a clean absolute path, and not the root", v.Name, v.Target)
		}
		for _, folder := range systemFolders() {
			if within(v.Target, folder) {
				return fmt.Errorf("volume %s at %q: %s is the system's", v.Name, v.Target, folder)
			}
		}
		for _, t := range taken {
			if within(t, v.Target) {
				return fmt.Errorf("volume %s at %q: it would hide %s", v.Name, v.Target, t)
			}
		}
		if places[v.Target] {
			return fmt.Errorf("two volumes at %q", v.Target)
		}
		places[v.Target] = true
	}
	return nil
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

// within says whether a clean absolute path is a folder or in it.
func within(p, folder string) bool { return p == folder || strings.HasPrefix(p, folder+"/") }

func cleanAbs(p string) bool { return path.IsAbs(p) && path.Clean(p) == p }
