package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"podlife/runtime/host/command"
	"podlife/runtime/host/process"
	"podlife/runtime/host/session"

	"golang.org/x/sys/unix"
)

// Exit codes of a shell that is not there, and of one that cannot be run, as shells have them.
const (
	exitNoProgram = 127
	exitNotRun    = 126
)

// shell is what a session runs: the program that was named, or the user's login shell, which is bash where there is one, else sh.
func (l Layout) shell(s session.Spec) (process.Program, error) {
	if len(s.Argv) > 0 {
		return l.program(command.Spec{Argv: s.Argv, Dir: s.Dir, Env: append([]string{"TERM=xterm-256color", "PODLIFE_TAB=" + s.Tab}, s.Env...)})
	}
	path, argv, err := findShell([]string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"}, l.Shell)
	if err != nil {
		return process.Program{}, notRun(err)
	}
	set := append(l.userEnvironment(path), "TERM=xterm-256color", "PODLIFE_TAB="+s.Tab)
	if path == l.Shell {
		set = append(set, "ENV="+l.Home+"/.bashrc") // an interactive sh reads no other file, and the hook is POSIX
	}
	return process.Program{Path: path, Args: argv, Env: environment(os.Environ(), append(set, s.Env...)...), Dirs: []string{s.Dir, l.Home}}, nil
}

// program is a program that the user names, found as a shell would find it.
func (l Layout) program(s command.Spec) (process.Program, error) {
	env := environment(os.Environ(), append(l.userEnvironment(l.Shell), s.Env...)...)
	dir, err := l.start(s)
	if err != nil {
		return process.Program{}, &process.NoShellError{Code: exitNotRun, Err: fmt.Errorf("the folder to start in: %w", err)}
	}
	path, err := find(s.Argv[0], dir, valueOf(env, "PATH"))
	if err != nil {
		return process.Program{}, notRun(err)
	}
	return process.Program{Path: path, Args: s.Argv, Env: env, Dirs: []string{dir}}, nil
}

// start gives the folder in which a program starts. One that was asked for has to be there: what is meant for one folder must not run in another.
func (l Layout) start(s command.Spec) (string, error) {
	dirs := []string{s.Dir, l.Home, "/"}
	if s.Exactly {
		dirs = dirs[:1]
	}
	var err error
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		info, serr := os.Stat(dir)
		if serr == nil && !info.IsDir() {
			serr = &fs.PathError{Op: "start in", Path: dir, Err: unix.ENOTDIR}
		}
		if serr == nil {
			return dir, nil
		}
		if err == nil {
			err = serr
		}
	}
	return "", err
}

// find gives the file of a program. A name with a slash is a path, from the folder in which it starts.
func find(name, dir, path string) (string, error) {
	absolute := func(file string) string {
		if filepath.IsAbs(file) {
			return file
		}
		return filepath.Join(dir, file)
	}
	if strings.Contains(name, "/") {
		return absolute(name), runnable(absolute(name))
	}
	var denied error
	for _, folder := range filepath.SplitList(path) {
		file := absolute(filepath.Join(folder, name))
		switch err := runnable(file); {
		case err == nil:
			return file, nil
		case errors.Is(err, fs.ErrPermission):
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", notInPath{name}
}

// notInPath is an error of a program that is in no folder of $PATH.
type notInPath struct{ name string }

func (e notInPath) Error() string      { return e.name + ": not found in the container's $PATH" }
func (notInPath) Is(target error) bool { return target == fs.ErrNotExist }

// notRun is an error that says which code a shell would give.
func notRun(err error) error {
	code := exitNotRun
	if errors.Is(err, fs.ErrNotExist) {
		code = exitNoProgram
	}
	return &process.NoShellError{Code: code, Err: err}
}

// findShell gives the login shell. The error is that of sh.
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

// userEnvironment is what whoever works in the container finds set.
func (l Layout) userEnvironment(shell string) []string {
	return []string{"LANG=C.UTF-8", "HOME=" + l.Home, "USER=" + l.User, "LOGNAME=" + l.User, "SHELL=" + shell}
}

func valueOf(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}
