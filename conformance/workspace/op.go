package workspace

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"podlife/model/workspace"
)

// Kind is what is done: an action of Workspace, or one of the following.
type Kind string

// What is no action of its own: ways in which one comes about, and what the table does not see.
const (
	Look        Kind = "Look"        // nothing: the launch has seen that its home is there, and is about to make the container
	Refuse      Kind = "Refuse"      // nothing: the engine refuses the call that the server waits for; it is tried again
	Fail        Kind = "Fail"        // Stop: the boot script fails
	Die         Kind = "Die"         // Stop: the container dies
	DeleteLands Kind = "DeleteLands" // MakeVolume and Delete: the call that was making the volume comes to its end after the delete
)

// none is the volume of an operation that has none.
const none = -1

// Op is something that is done to a pod, a volume, or the server.
type Op struct {
	Kind Kind
	P    int // the pod, or the volume of RemovedByHand, from 0; none of Crash and Recover
	V    int // the volume of Adopt; else none
	Keep bool
}

// String is the operation as [Parse] reads it.
func (o Op) String() string {
	if o.P == none {
		return string(o.Kind)
	}
	args := workspace.PodName(o.P)
	switch {
	case o.V != none:
		args += "," + workspace.PodName(o.V)
	case string(o.Kind) == workspace.Delete:
		args += "," + strconv.FormatBool(o.Keep)
	}
	return fmt.Sprintf("%s(%s)", o.Kind, args)
}

// forms says how each kind is written.
func forms() map[Kind]*regexp.Regexp {
	pod, two, keep, alone := regexp.MustCompile(`^p([1-3])$`), regexp.MustCompile(`^p([1-3]),p([1-3])$`), regexp.MustCompile(`^p([1-3]),(true|false)$`), regexp.MustCompile(`^$`)
	all := map[Kind]*regexp.Regexp{Look: pod, Refuse: pod, Fail: pod, Die: pod, DeleteLands: pod}
	for _, a := range workspace.Table(workspace.Constants{}).Actions {
		form := pod
		switch len(a.Params) {
		case 0:
			form = alone
		case 2:
			form = two
			if a.Params[1] == workspace.ParamKeep {
				form = keep
			}
		}
		all[Kind(a.Name)] = form
	}
	return all
}

var written = regexp.MustCompile(`^([A-Za-z]+)(?:\(([^()]+)\))?$`)

// Parse reads operations, with blanks between them.
func Parse(text string) ([]Op, error) {
	known := forms()
	var ops []Op
	for _, word := range strings.Fields(text) {
		m := written.FindStringSubmatch(word)
		var args []string
		if m != nil && known[Kind(m[1])] != nil {
			args = known[Kind(m[1])].FindStringSubmatch(m[2])
		}
		if args == nil {
			return nil, fmt.Errorf("workspace: %.60q is no operation", word)
		}
		o := Op{Kind: Kind(m[1]), P: none, V: none}
		number := func(i int) int { return int(args[i][0]-'0') - 1 }
		if len(args) > 1 {
			o.P = number(1)
		}
		if len(args) > 2 {
			if string(o.Kind) == workspace.Delete {
				o.Keep = args[2] == "true"
			} else {
				o.V = number(2)
			}
		}
		ops = append(ops, o)
	}
	return ops, nil
}
