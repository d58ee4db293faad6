package recording

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Folder keeps recordings in a folder, each in a file that only its owner can read. It is safe for use by several goroutines at once.
type Folder struct {
	path string

	mu      sync.Mutex // guards the following
	writing map[string]struct{}
}

// OpenFolder gives a folder, which it makes for its owner alone if it is not there.
func OpenFolder(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	return &Folder{path: path, writing: map[string]struct{}{}}, nil
}

// unsafe is what a part of a file name must not have; recordingName is the name of a recording, and of nothing else that may be in the folder.
var (
	unsafe        = regexp.MustCompile(`[^A-Za-z0-9_-]`)
	recordingName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{1,64}\.[0-9a-f]{16}\.[0-9]{8}T[0-9]{9}Z\.cast$`)
)

// fileName is the name of a session's recording: pod, tab, epoch, and when it began.
func fileName(s session, begin time.Time) string {
	part := func(text string) string {
		text = unsafe.ReplaceAllString(text, "-")
		return text[:min(len(text), 64)]
	}
	stamp := strings.Replace(begin.UTC().Format("20060102T150405.000Z"), ".", "", 1)
	return part(string(s.pod)) + "." + part(s.tab) + "." + s.epochText() + "." + stamp + ".cast"
}

// Create makes a file, which must not exist.
func (f *Folder) Create(name string) (io.WriteCloser, error) {
	f.mu.Lock()
	f.writing[name] = struct{}{}
	f.mu.Unlock()
	file, err := os.OpenFile(filepath.Join(f.path, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // somebody has removed the folder
		if err = os.MkdirAll(f.path, 0o700); err == nil {
			file, err = os.OpenFile(filepath.Join(f.path, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		}
	}
	if err != nil {
		f.written(name)
		return nil, err
	}
	return &openFile{file, f, name}, nil
}

func (f *Folder) written(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.writing, name)
}

// openFile is a recording that is being written.
type openFile struct {
	*os.File
	folder *Folder
	name   string
}

// Close ends the writing.
func (o *openFile) Close() error {
	defer o.folder.written(o.name)
	return o.File.Close()
}

// Sweep removes the recordings that were written last before then. What is no recording stays, whatever its age.
func (f *Folder) Sweep(before time.Time) (removed int, err error) {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist): // somebody else has removed it
			continue
		case err != nil:
			errs = append(errs, err)
			continue
		}
		if !recordingName.MatchString(e.Name()) || !info.Mode().IsRegular() || !info.ModTime().Before(before) || f.isWriting(e.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(f.path, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
			continue
		}
		removed++
	}
	return removed, errors.Join(errs...)
}

func (f *Folder) isWriting(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, yes := f.writing[name]
	return yes
}
