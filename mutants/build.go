package mutants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// DoesNotBuildError is a change that is no program.
type DoesNotBuildError struct {
	Output string // the compiler's
	Err    error
}

// Error gives the beginning of what the compiler said.
func (e *DoesNotBuildError) Error() string {
	return fmt.Sprintf("does not build: %v: %.600s", e.Err, strings.TrimSpace(e.Output))
}

// Unwrap gives the go command's error.
func (e *DoesNotBuildError) Unwrap() error { return e.Err }

// Compile builds the server of the changed source into dir, with this id compiled in, and gives the program. The files of the repository stay as they are. All builds share the go command's cache.
func (s *Source) Compile(ctx context.Context, dir, id string) (Build, error) {
	return s.CompileProgram(ctx, dir, id, "./cmd/podlife")
}

// CompileProgram is Compile for another program of the repository, which has a variable main.buildID; its package is named as the go command does, from the root.
func (s *Source) CompileProgram(ctx context.Context, dir, id, program string) (Build, error) {
	overlay, err := s.writeOverlay(dir)
	if err != nil {
		return Build{}, err
	}
	b := Build{ID: id, Binary: filepath.Join(dir, filepath.Base(program))}
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-buildvcs=false", "-ldflags", "-X main.buildID="+id, "-o", b.Binary, program)
	cmd.Dir = s.root
	if cmd.Env, err = environment(os.Environ()); err != nil {
		return Build{}, err
	}
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return Build{}, fmt.Errorf("build %s: %w", id, ctx.Err())
	case err != nil:
		return Build{}, &DoesNotBuildError{Output: string(out), Err: err}
	}
	return b, nil
}

// writeOverlay writes the changed files and the list of them that the go command reads.
func (s *Source) writeOverlay(dir string) (string, error) {
	root, err := filepath.Abs(s.root)
	if err != nil {
		return "", err
	}
	var list struct{ Replace map[string]string }
	list.Replace = map[string]string{}
	for file, content := range s.changed {
		to := filepath.Join(dir, fmt.Sprintf("%d-%s", len(list.Replace), filepath.Base(file)))
		if err := os.WriteFile(to, content, 0o600); err != nil {
			return "", err
		}
		list.Replace[filepath.Join(root, filepath.FromSlash(file))] = to
	}
	data, err := json.Marshal(list)
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o600)
}

// errCover refuses -cover: with it the go command compiles the original of an overlaid file, and every mutant would be the build that ships.
var errCover = errors.New("GOFLAGS has -cover, and with it an overlay is silently not compiled: unset it")

// environment is this process's, without cgo: the program must run in any image.
func environment(base []string) ([]string, error) {
	var env []string
	for _, kv := range base {
		if flags, ok := strings.CutPrefix(kv, "GOFLAGS="); ok && strings.Contains(flags, "-cover") {
			return nil, errCover
		}
		if !strings.HasPrefix(kv, "CGO_ENABLED=") {
			env = append(env, kv)
		}
	}
	return append(env, "CGO_ENABLED=0"), nil
}
