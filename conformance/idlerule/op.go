package idlerule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Kind is what is done.
type Kind string

// The kinds. Each is an action of IdleRule in one of the ways in which it comes about.
const (
	Tick         Kind = "Tick"
	Wake         Kind = "Wake"
	WakeSlowly   Kind = "WakeSlowly" // Wake and Hold: the boot goes on
	Touch        Kind = "Touch"
	HoldTerminal Kind = "HoldTerminal"
	HoldProgram  Kind = "HoldProgram"
	HoldBoot     Kind = "HoldBoot" // of another client, in the container that is ready
	Release      Kind = "Release"  // of the nth hold
	Extend       Kind = "Extend"   // by n ticks
	Sweep        Kind = "Sweep"
	Destroy      Kind = "Destroy" // Sleep
	Lose         Kind = "Lose"    // Sleep: its container dies
	Crash        Kind = "Crash"
	Recover      Kind = "Recover"
)

// Op is something that is done to the pod or its server.
type Op struct {
	Kind Kind
	N    int // of Release, from 0 on, and of Extend, from 1 on
}

func (k Kind) counts() bool { return k == Release || k == Extend }

// String is the operation as [Parse] reads it.
func (o Op) String() string {
	if o.Kind.counts() {
		return fmt.Sprintf("%s(%d)", o.Kind, o.N)
	}
	return string(o.Kind)
}

func kinds() []Kind {
	return []Kind{Tick, Wake, WakeSlowly, Touch, HoldTerminal, HoldProgram, HoldBoot, Release, Extend, Sweep, Destroy, Lose, Crash, Recover}
}

var written = regexp.MustCompile(`^([A-Za-z]+)(?:\((\d{1,9})\))?$`)

// Parse reads operations, with blanks between them.
func Parse(text string) ([]Op, error) {
	var ops []Op
	for _, word := range strings.Fields(text) {
		m := written.FindStringSubmatch(word)
		known := false
		if m != nil {
			for _, k := range kinds() {
				known = known || string(k) == m[1] && k.counts() == (m[2] != "")
			}
		}
		if !known {
			return nil, fmt.Errorf("idlerule: %.60q is no operation", word)
		}
		o := Op{Kind: Kind(m[1])}
		if m[2] != "" {
			o.N, _ = strconv.Atoi(m[2]) // nine digits
		}
		ops = append(ops, o)
	}
	return ops, nil
}
