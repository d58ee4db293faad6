package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// An outFile is a file that is opened before a check and written after or during it, so that one that cannot be written is found out before hours
// of work. What was in it stays until something is written. Close ends it.
type outFile struct {
	name    string
	file    *os.File
	regular bool // not a device or pipe, which can be neither cut off nor removed
	fresh   bool // made by us
	written bool
}

// openOut opens a file to be written. The caller closes it.
func openOut(name string) (*outFile, error) {
	f := &outFile{name: name, fresh: true}
	var err error
	f.file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		f.fresh = false
		f.file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666) // with O_CREATE for a link to nothing
	}
	if err != nil {
		return nil, err
	}
	info, err := f.file.Stat()
	if err != nil {
		return nil, errors.Join(err, f.file.Close())
	}
	f.regular = info.Mode().IsRegular()
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
	_ = f.file.Close() // nothing was written
	if f.fresh {
		_ = os.Remove(f.name)
	}
}

// tlaOutFiles are the files that a check is asked to write; nil where it is not.
type tlaOutFiles struct{ dot, itf, dumpTrace *outFile }

func (f *tlaCheckFlags) openFiles() (*tlaOutFiles, error) {
	out := &tlaOutFiles{}
	for _, x := range []struct {
		name string
		to   **outFile
	}{{f.dot, &out.dot}, {f.itf, &out.itf}, {f.dumpTrace, &out.dumpTrace}} {
		if x.name == "" {
			continue
		}
		file, err := openOut(x.name)
		if err != nil {
			out.close()
			return nil, err
		}
		*x.to = file
	}
	return out, nil
}

func (o *tlaOutFiles) close() {
	o.dot.close()
	o.itf.close()
	o.dumpTrace.close()
}
