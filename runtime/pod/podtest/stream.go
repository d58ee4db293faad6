// Package podtest has what tests of several packages need of a pod: a terminal as a stream of bytes.
//
// It imports runtime/pod. Read this file first; there is no other.
package podtest

import (
	"context"
	"errors"
	"io"

	"podlife/runtime/pod"
)

// Stream is a terminal whose output is read as bytes, pictures included, and is acknowledged as it is read.
type Stream struct {
	pod.Shell
	ctx  context.Context
	left []byte
	exit *pod.Exit
	err  error
}

// NewStream takes a terminal over. Reads and writes end with the context.
func NewStream(ctx context.Context, s pod.Shell) *Stream { return &Stream{Shell: s, ctx: ctx} }

// Read gives output, and io.EOF when the session's program has ended and all was read.
func (s *Stream) Read(b []byte) (int, error) {
	for len(s.left) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		event, err := s.Shell.Next(s.ctx)
		if err != nil {
			s.err = err
			continue
		}
		switch e := event.(type) {
		case pod.Output:
			s.left = e.Data
			s.Shell.Ack(e.From + uint64(len(e.Data)))
		case pod.Picture:
			s.left = e.Data
		case pod.Exit:
			s.exit, s.err = &e, io.EOF
		}
	}
	n := copy(b, s.left)
	s.left = s.left[n:]
	return n, nil
}

// Write types.
func (s *Stream) Write(b []byte) (int, error) {
	if err := s.Shell.Input(s.ctx, b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Wait reads to the end and gives the exit code; what was not read is lost.
func (s *Stream) Wait() (int, error) {
	_, err := io.Copy(io.Discard, readOnly{s})
	switch {
	case s.exit != nil:
		return s.exit.Code, nil
	case err == nil:
		return 0, errors.New("it ended without an exit")
	}
	return 0, err
}

type readOnly struct{ s *Stream }

func (r readOnly) Read(b []byte) (int, error) { return r.s.Read(b) }
