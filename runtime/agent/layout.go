package agent

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"strings"

	"golang.org/x/sys/unix"

	"podlife/runtime/boot"
)

// Layout says where things are inside the container. Commands use the default; tests use a folder of their own.
type Layout struct {
	Marker  string
	RunDir  string   // our own notes: sessions, locks, the running boot
	Secrets []string // folders for secrets, the first that exists is used: in memory if at all possible
	Agent   string   // the agent's binary
	Shell   string   // what runs the boot script
	Home    string
	User    string
}

// DefaultLayout is the layout of a real container for the user that this process runs as.
func DefaultLayout() Layout {
	l := Layout{
		Marker: boot.MarkerPath, RunDir: boot.RunDir, Secrets: []string{"/dev/shm", boot.RunDir}, Agent: boot.AgentPath, Shell: "/bin/sh",
		Home: boot.HomePath, User: "root",
	}
	// An image without /etc/passwd has no better answer than root.
	if u, err := user.Current(); err == nil {
		l.User = u.Username
		if u.HomeDir != "" {
			l.Home = u.HomeDir
		}
	}
	return l
}

// OSFiles is the container's real file system.
type OSFiles struct{}

// ReadFile implements Files. It opens nothing that could block or be something else than a regular file.
func (OSFiles) ReadFile(name string, limit int) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("not a regular file")}
	}
	return io.ReadAll(io.LimitReader(f, int64(limit)+1))
}

// environment gives the container's environment with some variables set and everything of our own that is not among them left out.
func environment(base []string, set ...string) []string {
	var env []string
	for _, kv := range base {
		key, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(key, "PODLIFE_") || hasKey(set, key) {
			continue
		}
		env = append(env, kv)
	}
	if !hasKey(base, "PATH") && !hasKey(set, "PATH") {
		env = append(env, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	}
	for i, kv := range set { // of two with one name the later counts
		if key, _, _ := strings.Cut(kv, "="); !hasKey(set[i+1:], key) {
			env = append(env, kv)
		}
	}
	return env
}

func hasKey(env []string, key string) bool {
	for _, kv := range env {
		if strings.HasPrefix(kv, key+"=") {
			return true
		}
	}
	return false
}
