package lockstep

import (
	"errors"
	"fmt"
	"strings"

	"podlife/model/podruntime"
)

// Difference is where the real system is not what the specification says.
type Difference struct {
	At       int // index in the path of the last step that was taken; -1 is before the first
	Step     Step
	Asked    string // what was asked in the state after it, if it is about that
	Lines    []Line
	Expected podruntime.State // the specification's
	Path     []Step           // up to At
}

// Line is one thing that differs.
type Line struct{ What, Expected, Seen string }

// Error puts what is expected beside what was seen.
func (d *Difference) Error() string {
	var b strings.Builder
	if d.Asked != "" {
		fmt.Fprintf(&b, "after step %d, %s, the server was asked for what is forbidden there: %s\n", d.At+1, d.Step, d.Asked)
	} else {
		fmt.Fprintf(&b, "step %d, %s:\n", d.At+1, d.Step)
	}
	width, left := len("what"), len("expected")
	for _, l := range d.Lines {
		width, left = max(width, len(l.What)), max(left, min(len(l.Expected), 100))
	}
	fmt.Fprintf(&b, "  %-*s  %-*s  %s\n", width, "what", left, "expected", "seen")
	for _, l := range d.Lines {
		fmt.Fprintf(&b, "  %-*s  %-*s  %s\n", width, l.What, left, l.Expected, l.Seen)
	}
	fmt.Fprintf(&b, "  the path: %s\n", names(d.Path))
	return b.String()
}

// asDifference says whether an error is one.
func asDifference(err error) (*Difference, bool) {
	var d *Difference
	return d, errors.As(err, &d)
}

// lines collects what differs.
type lines []Line

func (l *lines) add(what string, expected, seen any) {
	if fmt.Sprint(expected) != fmt.Sprint(seen) {
		*l = append(*l, Line{what, fmt.Sprint(expected), fmt.Sprint(seen)})
	}
}

func (l lines) err() error {
	if len(l) == 0 {
		return nil
	}
	return &Difference{Lines: l}
}
