// Package input reads the files that people name on a command line, which need not be regular ones: a pipe whose writer never comes, or says nothing, does not outlive its reader's context.
//
// It imports nothing of ours. Read this file first, it is all there is.
package input

import (
	"context"
	"fmt"
	"io"
	"os"
)

// TooLongError says that a file has more bytes than are read of it.
type TooLongError struct {
	Name string
	Most int64 // bytes
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("%s has more than %d bytes", e.Name, e.Most)
}

// Open opens a file to be read until ctx ends; then opening or reading gives ctx's cause at once. The caller closes it. Its errors name the file.
func Open(ctx context.Context, name string) (io.ReadCloser, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(name) // of a pipe without a writer, this waits for one
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		return struct {
			io.Reader
			io.Closer
		}{Reader(ctx, o.file), o.file}, nil
	case <-ctx.Done():
		go func() {
			if o := <-done; o.file != nil {
				_ = o.file.Close() // nothing was read of it
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// ReadAll reads a whole file of at most so many bytes, or gives a [TooLongError]. Of the size that a file gives, nothing is believed.
func ReadAll(ctx context.Context, name string, most int64) ([]byte, error) {
	f, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, &TooLongError{name, most}
	}
	return data, nil
}

// Reader gives what r gives until ctx ends, and then ctx's cause. A read that is under way then is left to itself, and what it reads is lost.
func Reader(ctx context.Context, r io.Reader) io.Reader {
	return &reader{ctx: ctx, r: r, done: make(chan read, 1)}
}

type read struct {
	n   int
	err error
}

// reader reads into a buffer of its own: the caller's must not be written to after the end of ctx.
type reader struct {
	ctx  context.Context
	r    io.Reader
	done chan read
	buf  []byte
}

// piece bounds what one read asks for, in bytes.
const piece = 64 << 10

func (r *reader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	if len(p) > piece {
		p = p[:piece]
	}
	if len(r.buf) < len(p) {
		r.buf = make([]byte, len(p))
	}
	buf := r.buf[:len(p)]
	go func() {
		n, err := r.r.Read(buf)
		r.done <- read{n, err}
	}()
	select {
	case d := <-r.done:
		return copy(p, buf[:d.n]), d.err
	case <-r.ctx.Done():
		return 0, context.Cause(r.ctx)
	}
}
