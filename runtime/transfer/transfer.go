// Package transfer carries a file or a folder as a tar stream: Pack writes one, Unpack puts one in its place. Nothing of a stream ever lands outside the folder that it is unpacked in, whatever its names and links say, and a file has its name only once it is
// whole.
//
// It imports nothing of the project. Read transfer.go first, which packs; unpack.go has the other side. Owners, devices, sockets, pipes and the bits for set-user-id do not travel; a symbolic link does, as it is; a hard link becomes a file.
package transfer

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// root is the name of what is carried, in the stream: what it is called in the end is for the other side to say.
const root = "it"

// SkippedNote is what a note of something that cannot travel begins with; its name follows.
const SkippedNote = "skipped, it is neither a file, a folder nor a link: "

// over is the name of the last entry: a stream without it is not whole.
const over = "over"

// Report says what was carried.
type Report struct {
	Files   int64    `json:"files"` // and links
	Folders int64    `json:"folders"`
	Bytes   int64    `json:"bytes"`   // of the files
	Skipped []string `json:"skipped"` // what cannot travel: devices, sockets, pipes, files without a size of their own as those below /proc; the first 100
}

func (r *Report) skip(name string) {
	if len(r.Skipped) < 100 {
		r.Skipped = append(r.Skipped, name)
	}
}

// Pack writes a file, or a folder with everything in it, to a stream. A symbolic link that is named itself is followed. seen, if not nil, is called after each file.
func Pack(ctx context.Context, w io.Writer, name string, seen func(Report)) (Report, error) {
	var r Report
	info, err := os.Stat(name)
	if err != nil {
		return r, err
	}
	t := tar.NewWriter(w)
	switch {
	case info.Mode().IsRegular():
		err = r.packFile(ctx, t, func() (*os.File, error) { return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) }, root, info, seen)
		if err == nil && r.Files == 0 {
			err = fmt.Errorf("%s is no file that can be copied: it says that it is empty and is not, as those below /proc do, or has become another meanwhile; cat reads it", name)
		}
	case !info.IsDir():
		return r, fmt.Errorf("%s is neither a file nor a folder", name)
	default:
		var dir *os.Root
		if dir, err = os.OpenRoot(name); err != nil {
			return r, err
		}
		defer dir.Close()
		err = fs.WalkDir(dir.FS(), ".", func(inside string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err == nil {
				err = r.packOne(ctx, t, dir, inside, info, seen)
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil // gone meanwhile
			}
			return err
		})
	}
	if err == nil {
		err = errors.Join(t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: over}), t.Close())
	}
	return r, err
}

// packOne writes one entry of a folder.
func (r *Report) packOne(ctx context.Context, t *tar.Writer, dir *os.Root, name string, info fs.FileInfo, seen func(Report)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	target := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return r.packFile(ctx, t, func() (*os.File, error) { return dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) }, path.Join(root, name), info, seen)
	case mode.IsDir():
		r.Folders++
	case mode&fs.ModeSymlink != 0:
		var err error
		if target, err = dir.Readlink(name); err != nil {
			return err
		}
		r.Files++
	default:
		r.skip(filepath.Join(dir.Name(), name))
		return nil
	}
	h, err := tar.FileInfoHeader(info, target)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return t.WriteHeader(stripped(h, path.Join(root, name)))
}

// packFile writes a regular file as long as it was when it was opened. What is another file by then, or none, has become that meanwhile.
func (r *Report) packFile(ctx context.Context, t *tar.Writer, open func() (*os.File, error), inside string, was fs.FileInfo, seen func(Report)) error {
	f, err := open()
	if err != nil {
		return err
	}
	defer f.Close()
	name := f.Name()
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || !os.SameFile(was, info) || unsized(f, info):
		r.skip(name)
		return nil
	}
	h, err := tar.FileInfoHeader(info, "")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := t.WriteHeader(stripped(h, inside)); err != nil {
		return err
	}
	n, err := io.Copy(t, io.LimitReader(during(ctx, f), info.Size()))
	if err == nil && n < info.Size() {
		err = fmt.Errorf("%s became shorter while it was read", name)
	}
	r.Files++
	r.Bytes += n
	if seen != nil {
		seen(*r)
	}
	return err
}

// unsized says whether a file says that it is empty, and is not: those below /proc and /sys make up what is in them when they are read. One that has grown meanwhile says so.
func unsized(f *os.File, info fs.FileInfo) bool {
	if info.Size() > 0 {
		return false
	}
	n, _ := f.ReadAt(make([]byte, 1), 0) // what cannot be read fails below
	now, err := f.Stat()
	return n > 0 && err == nil && now.Size() == 0
}

// stripped leaves what travels.
func stripped(h *tar.Header, inside string) *tar.Header {
	h.Name = inside
	h.Mode &= 0o777
	h.Uid, h.Gid, h.Uname, h.Gname = 0, 0, "", ""
	h.Format = tar.FormatPAX
	return h
}

// during gives a reader that ends with a context, between two reads.
func during(ctx context.Context, r io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return r.Read(b)
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// Place says where what is carried lands: inside a folder that is there, under its own name, or else under the name that was given, in a folder that is there.
func Place(to, own string) (folder, name string, err error) {
	info, err := os.Stat(to)
	switch {
	case err == nil && info.IsDir():
		folder, name = to, own
	case err == nil || errors.Is(err, fs.ErrNotExist):
		if strings.HasSuffix(to, "/") {
			return "", "", fmt.Errorf("%s is no folder", to)
		}
		folder, name = filepath.Dir(to), filepath.Base(to)
	default:
		return "", "", err
	}
	if name == "." || name == ".." || name == "/" || name == "" || strings.ContainsRune(name, '/') {
		return "", "", fmt.Errorf("%q is no name for what is copied: name it", name)
	}
	if info, err = os.Stat(folder); err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", folder)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the folder %s, in which %s is to be, is not there: %w", folder, name, fs.ErrNotExist)
	}
	return folder, name, err
}
