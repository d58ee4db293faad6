package engine

import (
	"errors"
	"fmt"
)

// Kind classes an engine's failures by what the caller can do about them.
type Kind string

// The kinds of failure.
const (
	NotFound     Kind = "not_found"     // no such container, or no such volume
	NotRunning   Kind = "not_running"   // it exists but does not run now: it has ended, was never started, or is paused
	Conflict     Kind = "conflict"      // the name is taken, or a container has the volume
	ImageMissing Kind = "image_missing" // the image is not on this engine
	Invalid      Kind = "invalid"       // the request can never work
	Failed       Kind = "failed"        // the engine tried and could not
	Unavailable  Kind = "unavailable"   // the engine cannot be reached: nothing is known about any container
	Canceled     Kind = "canceled"      // the caller's context ended first: the outcome is unknown
)

// Error is a failed engine call: which operation, on what, of which kind, and the cause.
type Error struct {
	Op      string // the method of Engine or Process, in lower case
	Subject string // container id, name, image or volume
	Kind    Kind
	Err     error
}

// Error gives operation, subject, kind and cause in one line.
func (e *Error) Error() string {
	s := fmt.Sprintf("engine %s", e.Op)
	if e.Subject != "" {
		s += " " + e.Subject
	}
	s += ": " + string(e.Kind)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf gives the kind of an engine error anywhere in the chain, or "" if there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
