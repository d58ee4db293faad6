package workspace

import (
	"errors"
	"fmt"
)

var (
	// ErrNoPod says that the owner has no pod of this name.
	ErrNoPod = errors.New("there is no pod of this name")
	// ErrNameTaken says that the owner has a pod of this name, maybe one that is being removed.
	ErrNameTaken = errors.New("there is a pod of this name already")
	// ErrGoing says that somebody has deleted the pod, and that what it has is being removed.
	ErrGoing = errors.New("the pod is being deleted")
	// ErrMaking says that the volume of the pod's home is still being made; Info.Trouble says what keeps it.
	ErrMaking = errors.New("the volume of the pod's home is still being made")
	// ErrDefault says that the default pod can be neither deleted nor changed.
	ErrDefault = errors.New("the default pod is everybody's as it is: it can be stopped, and neither deleted nor changed")
	// ErrNoVolume says that no volume of this name is kept for the owner.
	ErrNoVolume = errors.New("no volume of this name is kept for you")
	// ErrClosed says that the server is stopping.
	ErrClosed = errors.New("the server is stopping")
)

// InvalidError says which part of a request can never work, and why.
type InvalidError struct{ Field, Problem string }

func (e *InvalidError) Error() string { return e.Field + " " + e.Problem }

// TooManyError says that an owner has as many pods as allowed.
type TooManyError struct{ Most int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("%d pods are the most that one user can have: delete one first", e.Most)
}

// TroubleError says that a pod's volume could not be made, or that what the pod has could not be removed, in the time that the caller had. Trying goes on.
type TroubleError struct {
	Op     string // make or remove
	Volume string // "" for a pod without one
	Err    error
}

func (e *TroubleError) Error() string {
	if e.Op == "make" {
		return fmt.Sprintf("the volume %s could not be made so far, which is tried on: %v", e.Volume, e.Err)
	}
	return fmt.Sprintf("what the pod has could not be removed so far, which is tried on: %v", e.Err)
}

// Unwrap gives the cause.
func (e *TroubleError) Unwrap() error { return e.Err }
