package workspace

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNoPod says that the owner has no pod of this name.
	ErrNoPod = errors.New("there is no pod of this name")
	// ErrNameTaken says that the owner has a pod of this name, maybe one that is being removed.
	ErrNameTaken = errors.New("there is a pod of this name already")
	// ErrGoing says that somebody has deleted the pod, and that what it has is being removed.
	ErrGoing = errors.New("the pod is being deleted")
	// ErrMaking says that the volume of the pod's home is still being made; Info.Trouble says what keeps it.
	ErrMaking = errors.New("the volume of the pod's home is still being made: try again in a few seconds; the pod's status says what keeps it")
	// ErrDefault says that the default pod can be neither deleted nor changed.
	ErrDefault = errors.New("the default pod is everybody's as it is: it can be stopped, and neither deleted nor changed")
	// ErrNoVolume says that no volume of this name is kept for the owner.
	ErrNoVolume = errors.New("no volume of this name is kept for you")
	// ErrClosed says that the server is stopping.
	ErrClosed = errors.New("the server is stopping")
)

// VolumeInUseError says that a volume was not removed, because a container has it.
type VolumeInUseError struct {
	Volume string
	Err    error // the engine's; its words are for the log
}

// Error names the volume, and says what there is to do.
func (e *VolumeInUseError) Error() string {
	return fmt.Sprintf("the volume %s is in use by a container, and nothing of it was removed: remove that container first (docker ps --all --filter volume=%s names it)", e.Volume, e.Volume)
}

// Unwrap gives the engine's error.
func (e *VolumeInUseError) Unwrap() error { return e.Err }

// VolumeGoneError says that a volume is kept for its owner, and is not there any more.
type VolumeGoneError struct{ Volume string }

// Error names the volume, and says what there is to do.
func (e *VolumeGoneError) Error() string {
	return fmt.Sprintf("the volume %s was kept for you, and is not there any more: somebody has removed it at the container engine. Restore it from a backup, with its labels, or forget it (podlife volumes rm %s)", e.Volume, e.Volume)
}

// ForeignVolumeError says that a volume was left alone, because there is one of a home's name that this server has not made to be a home.
type ForeignVolumeError struct{ Volume string }

// Error names the volume, and says what there is to do.
func (e *ForeignVolumeError) Error() string {
	return fmt.Sprintf("the volume %s is not one that this server has made: it has the name of a home, and carries none of a home's labels. It was left as it is. "+
		"Copy what is needed from it and remove it (docker volume rm %s), or restore the home under that name, with its labels, from a backup", e.Volume, e.Volume)
}

// InvalidError says which part of a request can never work, and why.
type InvalidError struct{ Field, Problem string }

func (e *InvalidError) Error() string { return e.Field + " " + e.Problem }

// TooManyError says that an owner has as many pods as allowed.
type TooManyError struct{ Most int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("%d pods are the most that one user can have: delete one first", e.Most)
}

// ImageError says that a pod cannot have an image: it is not one of those that the server's operator allows.
type ImageError struct {
	Image   string
	Allowed []string // at least one
}

// Error names what is allowed.
func (e *ImageError) Error() string {
	return fmt.Sprintf("the image %.300q is not allowed here; these are: %s", e.Image, strings.Join(e.Allowed, ", "))
}

// TroubleError says that a pod's volume could not be made, or that what it has could not be removed, in the time that the caller had; it is tried on.
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
