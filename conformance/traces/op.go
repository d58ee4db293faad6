package traces

import (
	"fmt"
	"strings"

	"podlife/model/podlifecycle"
)

// Kind is something that a tab or the world does.
type Kind string

// The kinds of operations.
const (
	Boot    Kind = "boot"    // the tab boots by POST /api/boot
	Connect Kind = "connect" // the tab connects its terminal as the page does: what is refused goes back through boot by itself
	Attach  Kind = "attach"  // the tab connects its terminal with boot:false: what is refused is refused
	Drop    Kind = "drop"    // the tab's terminal loses its connection without a word
	Gate    Kind = "gate"    // the boot that is under way is let finish
	Destroy Kind = "destroy" // POST /api/destroy
	Kill    Kind = "kill"    // PID 1 of the container is killed
	Remove  Kind = "remove"  // the container is removed behind the server's back
	Idle    Kind = "idle"    // the idle timeout passes; needs a clock that can be moved
	Wipe    Kind = "wipe"    // marker, hook and clone are deleted inside the ready container
)

// Op is one operation: what, and of which tab.
type Op struct {
	Kind Kind
	Tab  int // NoTab for the world's
}

// String is such as "attach c1".
func (o Op) String() string {
	if o.Tab == NoTab {
		return string(o.Kind)
	}
	return fmt.Sprintf("%s %s", o.Kind, TabName(o.Tab))
}

// Plan is a trace to be driven.
type Plan []Op

// String is the operations, separated by semicolons.
func (p Plan) String() string {
	words := make([]string, len(p))
	for i, o := range p {
		words[i] = o.String()
	}
	return strings.Join(words, "; ")
}

// ops gives every operation that there is for so many tabs, in a fixed order.
func ops(tabs int, kinds []Kind) []Op {
	var all []Op
	for _, k := range kinds {
		switch k {
		case Boot, Connect, Attach, Drop:
			for i := range tabs {
				all = append(all, Op{k, i})
			}
		default:
			all = append(all, Op{k, NoTab})
		}
	}
	return all
}

// ParsePlan reads what Plan.String writes.
func ParsePlan(text string) (Plan, error) {
	var p Plan
	for _, word := range strings.Split(text, ";") {
		found := false
		for _, o := range ops(podlifecycle.MaxClients, append(AllKinds(), Idle)) {
			if strings.Join(strings.Fields(word), " ") == o.String() {
				p, found = append(p, o), true
			}
		}
		if !found {
			return nil, fmt.Errorf("%q is no operation", word)
		}
	}
	return p, nil
}
