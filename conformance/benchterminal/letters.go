package main

import (
	"bytes"
	"fmt"
)

// stream checks that the bytes it is given are those that were to come, each once and in order.
type stream interface {
	take(p []byte) (rest []byte) // what is behind the last of them is left
	done() bool                  // all are there, and nothing was wrong
	bad() bool                   // something was other than expected: nothing more is taken
	size() int64                 // right bytes so far
	said() string                // the outcome in a few words
	line() string                // the shell's command that prints them
	broken(what string)          // something behind them was wrong
}

// letters are one letter again and again, without a line's end.
type letters struct {
	all   int64
	got   int64
	wrong string
}

func (l *letters) done() bool         { return l.wrong == "" && l.got == l.all }
func (l *letters) bad() bool          { return l.wrong != "" }
func (l *letters) size() int64        { return l.got }
func (l *letters) broken(what string) { l.wrong = what }
func (l *letters) line() string       { return fmt.Sprintf(`head -c %d /dev/zero | tr '\0' x`, l.all) }

func (l *letters) take(p []byte) (rest []byte) {
	if l.wrong != "" {
		return nil
	}
	k := min(l.all-l.got, int64(len(p)))
	if n := bytes.Count(p[:k], []byte("x")); int64(n) != k {
		l.wrong = fmt.Sprintf("within %d bytes behind byte %d: %d are not x", k, l.got, k-int64(n))
		return nil
	}
	l.got += k
	return p[k:]
}

func (l *letters) said() string {
	if l.wrong != "" {
		return "wrong " + l.wrong
	}
	return fmt.Sprintf("%d of %d bytes, each once", l.got, l.all)
}
