package main

import (
	"fmt"
	"strconv"
	"strings"

	"podlife/runtime/config"
)

// unknownNameError says that a value on the command line is none of those that are allowed.
type unknownNameError struct {
	what, name string
	known      []string
}

func (e *unknownNameError) Error() string {
	text := fmt.Sprintf("there is no %s %.40q; allowed: %s", e.what, e.name, strings.Join(e.known, ", "))
	if near := nearestName(e.name, e.known); near != "" {
		text += "; did you mean " + near + "?"
	}
	return text
}

// hintAt adds to an error the known name that is meant, if one is close.
func hintAt(err error, name string, known []string) error {
	if near := nearestName(name, known); near != "" {
		return fmt.Errorf("%w; did you mean %s?", err, near)
	}
	return err
}

// nearestName gives the known name that is closest to one that is not known: by a few letters, by case, or because it is a part of it. "" is none.
func nearestName(name string, known []string) string {
	best, least := "", 3
	plain := strings.ToLower(name)
	for _, k := range known {
		d := config.Distance(plain, strings.ToLower(k))
		if len(plain) >= 4 && strings.Contains(strings.ToLower(k), plain) {
			d = min(d, 2)
		}
		if d < least && d < len(plain) {
			best, least = k, d
		}
	}
	return best
}

func isNumber(text string, n *int) bool {
	v, err := strconv.Atoi(text)
	*n = v
	return err == nil
}
