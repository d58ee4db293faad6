package simulated

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"podlife/runtime/engine"
)

// Files is a container's file system, its volumes among it: names and contents, without folders, owners or modes. A name is made absolute and clean before use. Each call is atomic.
//
// A program's Files give ErrEnded once its process has ended, so that nothing is written after a kill. A test's Files (Engine.Files) are the view from outside.
type Files struct {
	e   *Engine
	box *box
	of  *process // nil for the view from outside
}

// Files gives the view from outside of a container's files, whether it runs or not; false if there is no such container. The view stays usable when the container is removed and is empty then.
func (e *Engine) Files(id engine.ID) (*Files, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.boxes[id]
	if b == nil {
		return nil, false
	}
	return &Files{e: e, box: b}, true
}

// do runs an operation under the lock, if the process may still act and the disk still exists.
func (f *Files) do(op, name string, g func(name string) error) error {
	f.e.mu.Lock()
	defer f.e.mu.Unlock()
	name = path.Clean("/" + name)
	err := error(ErrEnded)
	if f.of == nil || !f.of.over {
		err = fs.ErrNotExist
		if f.box.info.State != engine.Removing {
			err = g(name)
		}
	}
	if err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

// Read gives a copy of a file's content; fs.ErrNotExist if there is none.
func (f *Files) Read(name string) (data []byte, err error) {
	err = f.do("read", name, func(name string) error {
		on, at := f.box.place(name)
		got, ok := on[at]
		if !ok {
			return fs.ErrNotExist
		}
		data = slices.Clone(got)
		return nil
	})
	return data, err
}

// Write creates or replaces a file.
func (f *Files) Write(name string, data []byte) error {
	return f.do("write", name, func(name string) error {
		return f.box.put(name, append([]byte{}, data...))
	})
}

// Rename moves a file over whatever is at the new name; fs.ErrNotExist if there is none.
func (f *Files) Rename(from, to string) error {
	return f.do("rename", from, func(from string) error {
		on, at := f.box.place(from)
		data, ok := on[at]
		if !ok {
			return fs.ErrNotExist
		}
		if to = path.Clean("/" + to); to == from {
			return nil
		}
		if err := f.box.put(to, data); err != nil {
			return err
		}
		delete(on, at)
		return nil
	})
}

// Remove removes a file; fs.ErrNotExist if there is none.
func (f *Files) Remove(name string) error {
	return f.do("remove", name, func(name string) error {
		on, at := f.box.place(name)
		if _, ok := on[at]; !ok {
			return fs.ErrNotExist
		}
		delete(on, at)
		return nil
	})
}

// RemoveAll removes a file and everything below that name, as rm -rf does; nothing there is success.
func (f *Files) RemoveAll(name string) error {
	return f.do("remove", name, func(name string) error {
		for _, n := range f.box.names() {
			if n == name || strings.HasPrefix(n, strings.TrimSuffix(name, "/")+"/") {
				on, at := f.box.place(n)
				delete(on, at)
			}
		}
		return nil
	})
}

// Names gives all file names in order.
func (f *Files) Names() []string {
	var names []string
	_ = f.do("list", "/", func(string) error { // a dead process and a removed disk see nothing
		names = f.box.names()
		return nil
	})
	return names
}
