package main

import (
	"bytes"
	"fmt"
	"strconv"
)

// numbers checks that the bytes it is given are those of `seq 1 LAST` on a terminal, each once and in order.
type numbers struct {
	last int

	next  int    // the number whose line is expected, or is being
	rest  []byte // what is still to come of its line
	got   int64  // right bytes so far
	wrong string // what was other than expected, first; "" is nothing
}

func newNumbers(last int) *numbers { return &numbers{last: last} }

// done says whether all is there up to the last line, and nothing was wrong.
func (n *numbers) done() bool { return n.wrong == "" && n.next == n.last && len(n.rest) == 0 }

// take takes a piece of output, and gives what is left of it behind the last line. After something wrong it takes nothing more.
func (n *numbers) take(p []byte) (rest []byte) {
	for len(p) > 0 && n.wrong == "" && !n.done() {
		if len(n.rest) == 0 {
			n.next++
			n.rest = append(strconv.AppendInt(n.rest[:0], int64(n.next), 10), '\r', '\n')
		}
		k := min(len(n.rest), len(p))
		if !bytes.Equal(n.rest[:k], p[:k]) {
			n.wrong = fmt.Sprintf("at byte %d, in the line of %d: %q where %q was to come", n.got, n.next, p[:min(24, len(p))], n.rest)
			return nil
		}
		n.got += int64(k)
		n.rest, p = n.rest[k:], p[k:]
	}
	return p
}

func (n *numbers) bad() bool          { return n.wrong != "" }
func (n *numbers) size() int64        { return n.got }
func (n *numbers) broken(what string) { n.wrong = what }
func (n *numbers) line() string       { return fmt.Sprintf("seq 1 %d", n.last) }

// whole is how many bytes there are to come in all.
func (n *numbers) whole() int64 {
	var sum int64
	for first, digits := 1, int64(1); first <= n.last; first, digits = first*10, digits+1 {
		sum += int64(min(n.last, first*10-1)-first+1) * (digits + 2)
	}
	return sum
}

// said is the outcome in a few words.
func (n *numbers) said() string {
	if n.wrong != "" {
		return "wrong " + n.wrong
	}
	return fmt.Sprintf("%d of %d bytes, each once", n.got, n.whole())
}
