package main

// This file is the folder in which podlife serve keeps what is its own on this machine: the lock that no second server gets past, the local user's token, and the address for clients. The database
// in it belongs to runtime/store.

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"podlife/runtime/config"
)

// dataDir is the server's folder, locked: no two servers share one.
type dataDir struct {
	path string
	lock *os.File
}

// openDataDir makes the folder when it is missing, closes it to others and locks it. The lock ends with the process, however that ends.
func openDataDir(path string) (*dataDir, error) {
	if err := makeOurs(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(path, "lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the data folder's lock: %w", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("the data folder's lock %s is not a regular file: remove it", f.Name()), err, f.Close())
	}
	d := &dataDir{path: path, lock: f}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, &codeError{code: exitFailed, text: fmt.Sprintf("another podlife serve%s uses %s: stop it first, or give this one its own folder with --data-dir", d.holder(), path), err: err}
		}
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	// For people who look; the lock itself is what counts.
	if err := f.Truncate(0); err == nil {
		_, err = fmt.Fprintf(f, "%d\n", os.Getpid())
		if err != nil {
			return nil, errors.Join(fmt.Errorf("write the lock: %w", err), f.Close())
		}
	}
	return d, nil
}

// makeOurs makes the folder, for nobody but us, or closes one that is empty or ours already. A folder that others can enter and that holds something else is never changed: it is somebody's.
func makeOurs(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(path, 0o700); err == nil {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("the data folder: %w; name another with --data-dir", err)
	}
	mode := info.Mode().Perm()
	if mode&0o077 == 0 {
		return nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("the data folder: %w", err)
	}
	ours := len(entries) == 0 || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "podlife.db" })
	if !ours {
		return fmt.Errorf("the folder %s is open to others (mode %o) and holds other things; podlife keeps secrets in its own: name one with --data-dir", path, mode)
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return fmt.Errorf("the data folder has to be ours alone: %w", err)
	}
	return nil
}

// holder names the process in the lock file, as well as can be seen.
func (d *dataDir) holder() string {
	b, err := os.ReadFile(d.lock.Name())
	if pid := strings.TrimSpace(string(b)); err == nil && pid != "" && len(pid) < 12 {
		return " (process " + printable(pid) + ")"
	}
	return ""
}

func (d *dataDir) close() {
	_ = os.Remove(d.addressFile()) // may not be there
	d.lock.Close()
}

// token gives the local user's token, made on the first start.
func (d *dataDir) token() (string, error) {
	name := config.TokenFile(d.path)
	t, err := config.ReadSecret(name)
	if err == nil {
		return t, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the token in %s %w; remove the file to get a new one at the next start", name, err)
	}
	b := make([]byte, 32)
	rand.Read(b) // never fails
	t = hex.EncodeToString(b)
	return t, writeWhole(name, t+"\n", 0o600)
}

func (d *dataDir) addressFile() string { return filepath.Join(d.path, "address") }

// announce writes where the server listens, for clients on this machine.
func (d *dataDir) announce(url string) error { return writeWhole(d.addressFile(), url+"\n", 0o600) }

// writeWhole writes a file so that nobody sees half of it, even after a crash.
func writeWhole(name, text string, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
