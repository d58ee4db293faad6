package transfer

import (
	"archive/tar"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// ErrStream is the cause of every error of a stream that Pack did not write, or that is not whole.
var ErrStream = errors.New("not a stream of files, or its end is missing")

// Unpack puts what is in a stream into a folder that is there, under a name. What is there already is replaced file by file; a folder is not replaced by a file, nor a file by a folder. seen, if not nil, is called after each file.
func Unpack(ctx context.Context, r io.Reader, folder, name string, seen func(Report)) (Report, error) {
	var rep Report
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return rep, err
	}
	defer dir.Close()
	u := &unpacking{dir: dir, seen: seen, report: &rep, known: map[string]bool{}}
	t := tar.NewReader(during(ctx, r))
	for n := 0; ; n++ {
		var h *tar.Header
		if h, err = t.Next(); errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // before the entry that is the last
		}
		if err == nil && n > 0 && h.Name == over {
			break
		}
		to := ""
		if err == nil {
			to, err = inside(h.Name, name, n)
		}
		if err == nil {
			err = u.one(h, t, to)
		}
		if err != nil {
			break
		}
	}
	return rep, errors.Join(broken(ctx, err), u.finish())
}

// broken is the error of a stream that ended early.
func broken(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, tar.ErrHeader):
		return fmt.Errorf("%w: %w", ErrStream, err)
	}
	return err
}

// inside gives where an entry goes; the first is the root.
func inside(entry, name string, n int) (string, error) {
	rel, isRoot := strings.CutPrefix(path.Clean(entry), root)
	if !isRoot || rel != "" && rel[0] != '/' || (rel == "") != (n == 0) || !filepath.IsLocal(name+rel) {
		return "", fmt.Errorf("%w: an entry called %.80q", ErrStream, entry)
	}
	return name + rel, nil
}

// unpacking is one stream on its way into a folder. dir refuses whatever would leave the folder, also by links that the stream itself has made.
type unpacking struct {
	dir     *os.Root
	seen    func(Report)
	report  *Report
	folders []folder // whose times and modes are set when everything is in them
	known   map[string]bool
}

type folder struct {
	name  string
	mode  fs.FileMode
	mtime time.Time
}

func (u *unpacking) one(h *tar.Header, content io.Reader, to string) error {
	mode := fs.FileMode(h.Mode) & 0o777
	switch h.Typeflag {
	case tar.TypeDir:
		return u.folder(to, mode, h.ModTime)
	case tar.TypeReg:
		return u.file(to, mode, h.ModTime, content)
	case tar.TypeSymlink:
		return u.replace(to, func(temp string) error { return u.dir.Symlink(h.Linkname, temp) })
	}
	return fmt.Errorf("%w: an entry of type %q", ErrStream, h.Typeflag)
}

func (u *unpacking) folder(to string, mode fs.FileMode, mtime time.Time) error {
	err := u.dir.Mkdir(to, 0o700)
	if errors.Is(err, fs.ErrExist) {
		info, serr := u.dir.Lstat(to)
		if serr != nil {
			return serr
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is there, and is no folder", to)
		}
		mode, err = info.Mode().Perm(), nil // its mode stays
	}
	if err != nil {
		return err
	}
	if u.known[to] {
		return nil
	}
	u.known[to] = true
	u.report.Folders++
	u.folders = append(u.folders, folder{to, mode, mtime})
	return nil
}

func (u *unpacking) file(to string, mode fs.FileMode, mtime time.Time, content io.Reader) error {
	var n int64
	err := u.replace(to, func(temp string) error {
		f, err := u.dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		n, err = io.Copy(f, content)
		err = errors.Join(err, f.Chmod(mode), f.Close())
		if err == nil {
			err = u.dir.Chtimes(temp, time.Time{}, mtime)
		}
		return err
	})
	u.report.Bytes += n
	return err
}

// replace makes something under a name of its own, and gives it its name when it is whole.
func (u *unpacking) replace(to string, fill func(temp string) error) error {
	if info, err := u.dir.Lstat(to); err == nil {
		switch kind := info.Mode().Type(); {
		case kind.IsDir():
			return fmt.Errorf("%s is there, and is a folder", to)
		case kind != 0 && kind != fs.ModeSymlink:
			return fmt.Errorf("%s is there, and is a device, a socket or a pipe: what is copied would take its place", to)
		}
	}
	temp := path.Join(path.Dir(to), ".podlife-"+rand.Text())
	err := fill(temp)
	if err == nil {
		err = u.dir.Rename(temp, to)
	}
	if err != nil {
		_ = u.dir.Remove(temp) // it may not be there
		return named(err, to)
	}
	u.report.Files++
	if u.seen != nil {
		u.seen(*u.report)
	}
	return nil
}

// named says an error of a name of our own with the one that it was for.
func named(err error, to string) error {
	var of *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &of):
		return &fs.PathError{Op: "make", Path: to, Err: of.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: "make", Path: to, Err: link.Err}
	}
	return err
}

// finish sets what folders get last, from the inside out.
func (u *unpacking) finish() (err error) {
	for i := len(u.folders) - 1; i >= 0; i-- {
		f := u.folders[i]
		err = errors.Join(err, u.dir.Chmod(f.name, f.mode), u.dir.Chtimes(f.name, time.Time{}, f.mtime))
	}
	return err
}
