// Package cast writes and reads terminal recordings as asciicast files (https://docs.asciinema.org/manual/asciicast/v3/): it writes version 3, and reads versions 2 and 3.
//
// It imports nothing of the project and does no I/O but through the reader and the writer that it is given. Read this file first; encoder.go writes, decoder.go reads, text.go makes text of bytes.
package cast

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Version is the version that an Encoder writes.
const Version = 3

// What an event can be. A reader passes over others.
const (
	Output = "o" // Data is what was written to the terminal
	Input  = "i" // Data is what was typed; an Encoder never writes it
	Resize = "r" // Data is COLSxROWS; see ParseSize
	Marker = "m" // Data is a label
	Exit   = "x" // Data is the exit status; in version 3 only
)

// maxSide bounds a terminal's columns and rows.
const maxSide = 1<<16 - 1

// Header is what a file says of its recording.
type Header struct {
	Version    int    // 2 or 3; an Encoder writes Version
	Cols, Rows int    // of the terminal at the beginning, 1 to 65535
	Term       string // what TERM was, may be empty
	Title      string // may be empty
	Time       time.Time
}

// Event is one thing that happened.
type Event struct {
	At   time.Duration // since the beginning; never less than that of the event before
	Code string        // Output, Resize, Marker, Exit, or another
	Data string
}

// ParseSize reads the data of a Resize.
func ParseSize(data string) (cols, rows int, err error) {
	left, right, ok := strings.Cut(data, "x")
	if ok {
		cols, ok = side(left)
	}
	if ok {
		rows, ok = side(right)
	}
	if !ok {
		return 0, 0, fmt.Errorf("%.40q is no size, which is COLSxROWS, each 1 to %d", data, maxSide)
	}
	return cols, rows, nil
}

func side(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return int(n), err == nil && n > 0
}
