package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An outFile is a file that is opened before a check and written after or during it, so that one that cannot be written is found out before hours
// of work. What was in it stays until something is written. Close ends it.
type outFile struct {
	name    string
	file    *os.File
	info    fs.FileInfo
	regular bool // not a device or pipe, which can be neither cut off nor removed
	fresh   bool // made by us
	written bool
	ended   func() bool // what ends a write that nobody reads
}

// patience is how long a reader of a pipe has when the command is asked to end.
const patience = time.Second

// openOut opens a file to be written. The caller closes it. A pipe without a reader is an error: waiting for one could take for ever. Of one with a
// reader that does not read, the end of ctx ends the writing.
func openOut(ctx context.Context, name string) (*outFile, error) {
	f := &outFile{name: name, fresh: true}
	var err error
	f.file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		f.fresh = false
		f.file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|unix.O_NONBLOCK, 0o666) // with O_CREATE for a link to nothing
	}
	if errors.Is(err, syscall.ENXIO) {
		return nil, fmt.Errorf("%s is a pipe that nobody reads, or a socket: start its reader first, or name a file", name)
	}
	if err != nil {
		return nil, err
	}
	if f.info, err = f.file.Stat(); err != nil {
		return nil, errors.Join(err, f.file.Close())
	}
	f.regular = f.info.Mode().IsRegular()
	f.ended = context.AfterFunc(ctx, func() {
		_ = f.file.SetWriteDeadline(time.Now().Add(patience)) // of a file that knows none, which does not wait either
	})
	return f, nil
}

// write has the file written, once, and leaves none behind that is not whole.
func (f *outFile) write(write func(io.Writer) error) error {
	var err error
	if f.regular {
		err = f.file.Truncate(0)
	}
	if err == nil {
		err = write(f.file)
	}
	f.ended()
	err = errors.Join(err, f.file.Close())
	f.written = true
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", f.name, err)
	if f.regular {
		err = errors.Join(err, os.Remove(f.name))
	}
	return err
}

// close ends a file that was not needed; one that we made is removed.
func (f *outFile) close() {
	if f == nil || f.written {
		return
	}
	f.ended()
	_ = f.file.Close() // nothing was written
	if f.fresh {
		_ = os.Remove(f.name)
	}
}

// A usedFile is a file that writing must not destroy.
type usedFile struct {
	what string // it is, for people
	info fs.FileInfo
}

// usedFiles are those of the names that are files.
func usedFiles(what string, names []string) []usedFile {
	var used []usedFile
	for _, name := range names {
		if info, err := os.Stat(name); err == nil { // what is built in, or not there any more, is not destroyed
			used = append(used, usedFile{what + " " + name, info})
		}
	}
	return used
}

// An outFlag is a flag that names a file to be written; "" names none.
type outFlag struct{ flag, name string }

// outFiles are the files that a command is asked to write, by flag; of a flag that names none there is nil.
type outFiles map[string]*outFile

// openOuts opens the files that flags name, before the work that is to fill them. It refuses those that are in use, by what is read or by another flag, under whatever name. The caller closes them.
func openOuts(ctx context.Context, used []usedFile, flags ...outFlag) (outFiles, error) {
	out := outFiles{}
	for _, x := range flags {
		if x.name == "" {
			continue
		}
		file, err := openOut(ctx, x.name)
		if err != nil {
			out.close()
			return nil, fmt.Errorf("%s: %w", x.flag, err)
		}
		out[x.flag] = file
		if file.info.Mode()&fs.ModeCharDevice != 0 { // a terminal, or /dev/null: nothing is lost
			continue
		}
		for _, u := range used {
			if os.SameFile(u.info, file.info) {
				out.close()
				return nil, &usageError{fmt.Errorf("%s %s is %s: name another file", x.flag, x.name, u.what)}
			}
		}
		used = append(used, usedFile{"what " + x.flag + " writes too", file.info})
	}
	return out, nil
}

// close ends those that were not written.
func (o outFiles) close() {
	for _, f := range o {
		f.close()
	}
}
