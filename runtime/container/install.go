package container

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotStatic says that a binary needs libraries that a container does not have.
var ErrNotStatic = errors.New("the agent has to be a static binary: build podlife with CGO_ENABLED=0")

// InstallAgent copies the running program to a path of its content in dir, and gives that path for Options.AgentPath. Containers mount that copy, so that replacing the
// program's file on disk, as an update does, cannot change what a container runs. exe "" is the running program itself, whatever is at its path by now.
// A copy that is there already is used when it is whole. ErrNotStatic when a container could not run it.
func InstallAgent(ctx context.Context, exe, dir string) (string, error) {
	if exe == "" {
		exe = "/proc/self/exe"
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	src, err := os.Open(exe)
	if err != nil {
		return "", err
	}
	defer src.Close()
	if err := mustBeStatic(src); err != nil {
		return "", err
	}
	sum, err := hashOf(src)
	if err != nil {
		return "", err
	}
	target := filepath.Join(dir, "podlife-"+sum[:32])
	if ok, err := holds(target, sum); ok || err != nil {
		return target, err
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return target, copyWhole(src, target)
}

// mustBeStatic looks for the program header that names a dynamic loader.
func mustBeStatic(src io.ReaderAt) error {
	f, err := elf.NewFile(src)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotStatic, err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return ErrNotStatic
		}
	}
	return nil
}

func hashOf(src io.ReadSeeker) (string, error) {
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	h := sha256.New()
	if _, err := io.Copy(h, src); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// holds says whether the file at path is there with this content.
func holds(path, sum string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	got, err := hashOf(f)
	return got == sum, err
}

// copyWhole puts the copy at target in one step, so that a container started by another server at this moment sees all of it or none.
func copyWhole(src io.ReadSeeker, target string) (err error) {
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(target), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(temp.Name())
		}
	}()
	_, err = io.Copy(temp, src)
	if err == nil {
		err = temp.Chmod(0o555)
	}
	if err == nil {
		err = temp.Sync()
	}
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temp.Name(), target)
	}
	return err
}
