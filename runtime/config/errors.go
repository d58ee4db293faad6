package config

import (
	"errors"
	"fmt"
	"strings"
)

// Error is one setting that cannot be used.
type Error struct {
	Key     string // the setting, "" when it is about the file as a whole
	Value   string // as given; empty when it is a secret or there is none
	Source  string // "flag --listen", "env PODLIFE_LISTEN", "/etc/podlife.yaml:3", "default"
	Problem string // what is wrong with it
	Allowed string // what would be right
}

// Error is one line: setting, value, source, problem, what is allowed.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Key == "" {
		b.WriteString(e.Source)
	} else {
		b.WriteString(e.Key)
		if e.Value != "" {
			fmt.Fprintf(&b, " %.100q", e.Value)
		}
		if e.Source != "" {
			fmt.Fprintf(&b, " (%s)", e.Source)
		}
	}
	b.WriteString(": " + e.Problem)
	if e.Allowed != "" {
		b.WriteString("; allowed: " + e.Allowed)
	}
	return b.String()
}

// All gives the setting errors inside an error of Load.
func All(err error) []*Error {
	var one *Error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*Error
		for _, e := range joined.Unwrap() {
			all = append(all, All(e)...)
		}
		return all
	}
	if errors.As(err, &one) {
		return []*Error{one}
	}
	return nil
}
