package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// output is standard output. It knows whether something was written, and keeps the first error, so that what a command could not print is an error of
// the command, whoever printed it. It is safe for several goroutines.
type output struct {
	w io.Writer

	mu      sync.Mutex // guards the following
	written bool
	err     error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.written = o.written || n > 0
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// Fd is the file's, or that of none, which is no terminal.
func (o *output) Fd() uintptr {
	if f, ok := o.w.(interface{ Fd() uintptr }); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// silent tells whether nothing was written.
func (o *output) silent() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.written
}

// failed is the error of a command that ended with err: what could not be printed comes on top, and does not change the exit code of an error.
func (o *output) failed(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.err == nil || errors.Is(err, o.err):
		return err
	case err == nil:
		return fmt.Errorf("standard output: %w", o.err)
	}
	var own interface{ ExitCode() int }
	if !errors.As(err, &own) {
		return errors.Join(err, o.err)
	}
	text := "standard output: " + printable(o.err.Error())
	if own := errorText(err); own != "" {
		text = own + "; " + text
	}
	return &codeError{code: own.ExitCode(), text: text, err: errors.Join(err, o.err)}
}

// fileOf is the file that a writer is, or writes to; nil where it is none.
func fileOf(w io.Writer) *os.File {
	if o, ok := w.(*output); ok {
		w = o.w
	}
	f, _ := w.(*os.File)
	return f
}
