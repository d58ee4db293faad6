package library

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"podlife/tla/value"
)

// MaxFile is how much of a file is read at most when Files does not say something else, in bytes.
const MaxFile = 64 << 20

// Files says which files the modules Json, CSV and IOUtils may read and write: those below some folders, symbolic links not followed out of them. The
// zero value allows none. It is safe for several goroutines.
type Files struct {
	Dir   string   // the folder that relative paths are relative to; "" is the process's
	Read  []string // files in and below these folders may be read
	Write []string // files in and below these folders may be written, and folders made for them
	Max   int64    // bytes that are read of one file, above which reading fails; 0 stands for MaxFile

	mu sync.Mutex // held while a file is written
}

// refusal is an access that Files does not allow.
type refusal struct{ what, path string }

func (r *refusal) Error() string {
	return fmt.Sprintf("%s the file %s is not allowed here", r.what, r.path)
}

// within opens the folder among roots that has the file at path, and gives its path relative to that.
func (f *Files) within(roots []string, what, path string) (*os.Root, string, error) {
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(f.Dir, full)
	}
	full, err := filepath.Abs(full)
	if err != nil {
		return nil, "", err
	}
	for _, folder := range roots {
		folder, err := filepath.Abs(folder)
		if err != nil {
			return nil, "", err
		}
		below, err := filepath.Rel(folder, full)
		if err != nil || !filepath.IsLocal(below) {
			continue
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil, "", err
		}
		return root, below, nil
	}
	return nil, "", &refusal{what, path}
}

// read gives the content of a file.
func (f *Files) read(path string) ([]byte, error) {
	if f == nil {
		return nil, &refusal{"reading", path}
	}
	root, below, err := f.within(f.Read, "reading", path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, err := root.Open(below)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	most := f.Max
	if most == 0 {
		most = MaxFile
	}
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("the file %s has more than %d bytes", path, most)
	}
	return data, err
}

// write writes data to a file in one piece. flags are those of os.OpenFile; folders are made as needed when parents is set.
func (f *Files) write(path string, data []byte, flags int, parents bool) (err error) {
	if f == nil {
		return &refusal{"writing", path}
	}
	root, below, err := f.within(f.Write, "writing", path)
	if err != nil {
		return err
	}
	defer root.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	if parents {
		if err := root.MkdirAll(filepath.Dir(below), 0o777); err != nil {
			return err
		}
	}
	file, err := root.OpenFile(below, flags, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.Write(data)
	return err
}

// mustRead is read for an operator: it raises. ok is false where there is no such file and mayMiss is set.
func (env *Env) mustRead(op, path string, mayMiss bool) (data []byte, ok bool) {
	data, err := env.Files.read(path)
	if mayMiss && errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	raiseIO(op, err)
	return data, true
}

// The ways in which operators open the files that they write.
const (
	replacing = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	appending = os.O_WRONLY | os.O_CREATE | os.O_APPEND
)

// mustWrite is write for an operator: it raises.
func (env *Env) mustWrite(op, path string, data []byte, flags int, parents bool) {
	raiseIO(op, env.Files.write(path, data, flags, parents))
}

// raiseIO raises for an error that is not nil.
func raiseIO(op string, err error) {
	var refused *refusal
	switch {
	case err == nil:
	case errors.As(err, &refused):
		value.Raise(CodeRefused, "%s: %v", op, err)
	default:
		value.Raise(CodeIO, "%s: %v", op, err)
	}
}

// lines splits a text at its line ends; what follows the last of them counts unless it is empty.
func lines(data []byte) []string {
	var all []string
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		all = append(all, string(bytes.TrimSuffix(line, []byte("\r"))))
		data = rest
	}
	return all
}
