package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Input is where settings come from, besides the file: what a process knows, as values, so that a test can give its own.
type Input struct {
	Flags   map[string][]string // the flags that were given, by key
	File    string              // --config; empty looks at PODLIFE_CONFIG, then at <data_dir>/config.yaml
	Environ []string            // KEY=VALUE
	Home    string              // the user's home folder
	WorkDir string              // relative paths of flags and environment start here
	Root    bool                // running as root
	Cores   int
}

// ProcessInput is the input of this process, without flags, for an environment.
func ProcessInput(environ []string) Input {
	in := Input{Environ: environ, Root: os.Geteuid() == 0, Cores: runtime.NumCPU()}
	in.Home = in.env("HOME")
	if in.Home == "" {
		if h, err := os.UserHomeDir(); err == nil {
			in.Home = h
		}
	}
	if wd, err := os.Getwd(); err == nil {
		in.WorkDir = wd
	}
	return in
}

// env gives a variable; the last one of a name wins, as in a shell. An empty one counts as not set.
func (in Input) env(name string) string {
	v := ""
	for _, kv := range in.Environ {
		if k, val, ok := strings.Cut(kv, "="); ok && k == name {
			v = val
		}
	}
	return v
}

// DefaultDataDir is /var/lib/podlife for root, and podlife in the user's own data folder (XDG_DATA_HOME, or ~/.local/share) for everybody else.
func (in Input) DefaultDataDir() string {
	if in.Root {
		return "/var/lib/podlife"
	}
	if x := in.env("XDG_DATA_HOME"); filepath.IsAbs(x) {
		return filepath.Join(x, "podlife")
	}
	return filepath.Join(in.Home, ".local", "share", "podlife")
}

// DataDir is the data folder as flag, environment or default say: the one whose config.yaml is read, and where a client on this machine finds the token.
func (in Input) DataDir() string {
	if v := in.Flags["data_dir"]; len(v) > 0 && v[0] != "" {
		return in.abs(v[0], in.WorkDir)
	}
	if v := in.env(EnvPrefix + "DATA_DIR"); v != "" {
		return in.abs(v, in.WorkDir)
	}
	return in.DefaultDataDir()
}

// abs makes a path absolute: ~/ is the home folder, anything relative starts at base.
func (in Input) abs(p, base string) string {
	switch {
	case p == "":
		return ""
	case p == "~" || strings.HasPrefix(p, "~/"):
		return filepath.Join(in.Home, p[1:])
	case filepath.IsAbs(p):
		return filepath.Clean(p)
	}
	return filepath.Join(base, p)
}
