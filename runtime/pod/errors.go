package pod

import (
	"errors"
	"fmt"

	"podlife/model/podlifecycle"
)

// Reasons why an incarnation ended, as they stand in a Sleep event's Cause and in Ended.Cause.
const (
	CauseDestroy    = "destroy"     // somebody asked for it
	CauseIdle       = "idle"        // nothing kept it awake for the idle timeout
	CauseReleased   = "released"    // only of an attachment: nothing was typed or printed for long, and the sleep that was to follow could not be stored
	CauseLost       = "lost"        // the container died by itself
	CauseBootFailed = "boot_failed" // a boot step failed, so nothing of it is kept
	CauseRecovery   = "recovery"    // after a restart of the server, what was found was not a provisioned container
)

// ErrBootLost says that the incarnation that this boot ran against ended before the boot did (action BootLost).
var ErrBootLost = errors.New("the container was put to sleep before its boot finished")

// ErrRecovering says that the server has started and cannot see yet what became of the pod: its container lives, and cannot be looked into, as when it is paused.
var ErrRecovering = errors.New("the server has started and cannot look into the pod's container yet")

// StoreError says that something was not done because it could not be made durable first: nothing has changed.
type StoreError struct{ Err error }

// Error gives the store's words.
func (e *StoreError) Error() string {
	return "not done, because it could not be stored: " + e.Err.Error()
}

// Unwrap gives the store's error.
func (e *StoreError) Unwrap() error { return e.Err }

// ErrClosed says that the server is stopping.
var ErrClosed = errors.New("the server is stopping")

// ErrOlderRecord is a store's refusal of a record with a lower incarnation number than the stored one.
var ErrOlderRecord = errors.New("a higher incarnation number is stored")

// ErrTooManyClients says that one pod has more clients than it may have, all of them in use.
var ErrTooManyClients = errors.New("too many clients of one pod")

// NotReadyError is the refusal of an attach (action AttachGuarded, or a client that has not booted): go through Boot.
type NotReadyError struct {
	State       podlifecycle.Ctr // of the container at that moment
	Incarnation int              // the newest one of the pod, at that moment
}

// Error names the state.
func (e *NotReadyError) Error() string {
	return fmt.Sprintf("the container is %s: boot first", e.State)
}

// Sentence says for people how an incarnation ended; of a boot that failed, Failure says more.
func (e Ended) Sentence() string {
	switch {
	case e.Deleted && e.HomeStays:
		return "The pod was deleted; what was in its home is kept on a volume."
	case e.Deleted:
		return "The pod was deleted, and everything that was in it is gone."
	}
	left := "its disk is gone"
	if e.HomeStays {
		left = "its home stays"
	}
	switch e.Cause {
	case CauseDestroy:
		if e.HomeStays {
			return "The container was stopped; its home stays."
		}
		return "The container and its disk were destroyed."
	case CauseIdle:
		return "The container went to sleep because it was idle; " + left + "."
	case CauseBootFailed:
		if e.Failure != nil {
			return e.Failure.Error()
		}
	}
	return "The container ended by itself; " + left + "."
}
