package agent

import (
	"errors"
	"io/fs"

	"podlife/runtime/boot"
)

// ExitRefused is the exit code of a check whose marker does not vouch.
const ExitRefused = 3

// Files is all that the check needs of a container's file system. The real one and the simulated one implement it.
type Files interface {
	// ReadFile gives a regular file's content, at most limit+1 bytes of it. An error that is fs.ErrNotExist when there is no such file.
	ReadFile(name string, limit int) ([]byte, error)
}

// Verdict is what the check found.
type Verdict struct {
	OK     bool        `json:"ok"`
	Reason boot.Reason `json:"reason,omitempty"` // set when not OK
}

// Check looks whether the container with these files counts as provisioned for what is wanted. Everything that is not a whole marker for exactly that is a reason against it.
func Check(files Files, marker string, want boot.Marker) Verdict {
	content, err := files.ReadFile(marker, boot.MaxMarker)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Verdict{Reason: boot.MarkerMissing}
	case err != nil:
		return Verdict{Reason: boot.MarkerUnreadable}
	}
	found, err := boot.ParseMarker(content)
	if err != nil {
		return Verdict{Reason: boot.MarkerUnreadable}
	}
	if reason := found.Vouches(want); reason != "" {
		return Verdict{Reason: reason}
	}
	return Verdict{OK: true}
}
