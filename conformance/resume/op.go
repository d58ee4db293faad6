package resume

import (
	"fmt"
	"slices"
	"strings"

	"podlife/model/sessionresume"
)

// An Op is what the driver does. What the host does by itself (Resume, Reset, Send, FallBack, SendExit) is no Op.
type Op struct {
	Kind   Kind
	Viewer int // its place; 0 where none is meant
}

// Kind is a kind of operation: an action of the table that the world, a shell or a viewer takes, or what is done to the wire.
type Kind string

// The kinds.
const (
	Produce     Kind = sessionresume.Produce // the shell writes a block; the host reads it when it may
	Exit        Kind = sessionresume.Exit
	Replace     Kind = sessionresume.Replace // another container
	ReplaceHere Kind = "ReplaceHere"         // the same by the same host: the shell has exited and is forgotten, somebody has started another
	Ask         Kind = sessionresume.Ask
	Drop        Kind = sessionresume.Drop
	Receive     Kind = sessionresume.Receive
	Ack         Kind = sessionresume.Ack
	Hold        Kind = "Hold" // what the host says stays under way
	Release     Kind = "Release"
)

// String gives it as the specification writes an action.
func (o Op) String() string {
	switch o.Kind {
	case Ask, Drop, Receive, Ack:
		return fmt.Sprintf("%s(%s)", o.Kind, sessionresume.ViewerName(o.Viewer))
	}
	return string(o.Kind)
}

// Parse reads what String gives, separated by blanks.
func Parse(text string) ([]Op, error) {
	var ops []Op
	for _, word := range strings.Fields(text) {
		name, rest, of := strings.Cut(word, "(v")
		o := Op{Kind: Kind(name)}
		if of {
			if _, err := fmt.Sscanf(rest, "%d)", &o.Viewer); err != nil || o.Viewer < 1 {
				return nil, fmt.Errorf("resume: %.40q is no operation", word)
			}
			o.Viewer--
		}
		plain, ofViewer := kinds()
		if known := slices.Contains(plain, o.Kind) || slices.Contains(ofViewer, o.Kind); !known || o.String() != word {
			return nil, fmt.Errorf("resume: %.40q is no operation", word)
		}
		ops = append(ops, o)
	}
	return ops, nil
}

// kinds are all of them; those of a viewer are in ofViewer.
func kinds() (plain, ofViewer []Kind) {
	return []Kind{Produce, Exit, Replace, ReplaceHere, Hold, Release}, []Kind{Ask, Drop, Receive, Ack}
}

// Possible are the operations that have a meaning now, by the table.
//
// What it leaves out is what the host does otherwise than the table, and says so in its README: an exit while output waits that nobody keeps up with (it is read whoever looks, or the exit would never be
// told), and somebody who does not know the session that has exited (that one is given a new shell). A page takes nothing while the wire is held: nothing comes.
func (r *Run) Possible() []Op {
	var all []Op
	plain, ofViewer := kinds()
	for _, k := range plain {
		if o := (Op{Kind: k}); r.possible(o) {
			all = append(all, o)
		}
	}
	for v := range r.shadow.l.Views {
		for _, k := range ofViewer {
			if o := (Op{k, v}); r.possible(o) {
				all = append(all, o)
			}
		}
	}
	return all
}

func (r *Run) possible(o Op) bool {
	s, held := r.shadow, r.world.held
	h := s.l.Host
	switch o.Kind {
	case Produce:
		return !h.Over && s.offered < 4 && h.Hi+s.offered < s.c.MaxOut
	case Exit:
		return s.offered == 0 && s.can(sessionresume.Exit, 0)
	case Replace:
		return s.can(sessionresume.Replace, 0)
	case ReplaceHere:
		return !held && h.Over && s.can(sessionresume.Replace, 0)
	case Hold:
		return !held
	case Release:
		return held
	}
	if o.Viewer >= len(s.l.Views) {
		return false
	}
	switch v := s.l.Views[o.Viewer]; o.Kind {
	case Ask:
		return s.can(sessionresume.Ask, o.Viewer) && (!h.Over || v.Page.Epoch == h.Epoch)
	case Receive:
		return !held && len(s.mine(o.Viewer)) > 0
	case Ack:
		return !held && s.can(sessionresume.Ack, o.Viewer)
	}
	return s.can(string(o.Kind), o.Viewer)
}
