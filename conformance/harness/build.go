package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build builds the real program, static as containers need it, into a folder and gives its path. flags go to `go build` before the package: an overlay, say. -cover is refused, because the go
// command would then compile the original of an overlaid file.
func Build(ctx context.Context, dir string, flags ...string) (string, error) {
	for _, f := range flags {
		if strings.HasPrefix(strings.TrimLeft(f, "-"), "cover") {
			return "", errors.New("build with -cover would ignore overlays")
		}
	}
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "podlife")
	args := append(append([]string{"build", "-o", path}, flags...), "./cmd/podlife")
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", &BuildError{Args: args, Output: string(out), Err: err}
	}
	return path, nil
}

// BuildError is a program that does not build.
type BuildError struct {
	Args   []string
	Output string
	Err    error
}

// Error gives the compiler's words.
func (e *BuildError) Error() string {
	return fmt.Sprintf("go %s: %v\n%s", strings.Join(e.Args, " "), e.Err, lastBytes(e.Output, 4000))
}

// Unwrap gives the cause.
func (e *BuildError) Unwrap() error { return e.Err }

// moduleRoot is the folder with go.mod above the one that the test runs in.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working folder")
		}
		dir = parent
	}
}
