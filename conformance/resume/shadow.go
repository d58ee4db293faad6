package resume

import (
	"errors"
	"fmt"
	"slices"

	"podlife/model"
	"podlife/model/sessionresume"
)

// letIn is what a viewer is told first, in blocks.
type letIn struct {
	Reset        bool
	Epoch        int
	From, Lo, Hi int
	Over         bool
}

// shadow is the table's state, stepped along beside the world. What the host does by itself it does as soon as it can: shadow takes those steps of the table.
type shadow struct {
	c     sessionresume.Constants
	table model.Table[sessionresume.Local]
	l     sessionresume.Local
	// The host goes on where a quarter of the window is left, and so later than the table lets it: with a window of one block not later.
	full, behind []bool
	let          []letIn // how each viewer was let in last
	offered      int     // blocks that the process has written and the table did not let the host read yet
	took         func(action string, l sessionresume.Local)
}

func newShadow(c sessionresume.Constants, viewers int, took func(string, sessionresume.Local)) *shadow {
	return &shadow{c: c, table: sessionresume.Table(c), l: sessionresume.First(viewers), full: make([]bool, viewers), let: make([]letIn, viewers), behind: make([]bool, viewers), took: took}
}

func (s *shadow) conn(v int) sessionresume.Conn { return s.l.Views[v].Conn }

// can says whether the table has an action enabled for a viewer.
func (s *shadow) can(action string, v int) bool {
	l := s.l
	l.V = v
	for _, a := range s.table.Actions {
		if a.Name == action {
			return a.Enabled(l)
		}
	}
	panic("resume: no action " + action)
}

// take takes an action of the table for a viewer.
func (s *shadow) take(action string, v int) error {
	s.l.V = v
	next, err := s.table.Take(action, s.l)
	if err != nil {
		return fmt.Errorf("%s: %w", sessionresume.ViewerName(v), err)
	}
	s.l = next
	s.took(action, s.l)
	for i := range s.full { // who is not connected waits for nothing
		if s.conn(i).At != sessionresume.On {
			s.full[i], s.behind[i] = false, false
		}
	}
	lag := s.l.Host.Hi - s.conn(v).Acked
	if h := s.l.Host; action == sessionresume.Resume || action == sessionresume.Reset {
		s.let[v] = letIn{Reset: action == sessionresume.Reset, Epoch: h.Epoch, From: s.conn(v).Sent, Lo: h.Lo, Hi: h.Hi, Over: h.Over}
	}
	switch action {
	case sessionresume.Resume:
		s.behind[v] = lag >= s.c.Window
	case sessionresume.Reset, sessionresume.FallBack:
		s.full[v], s.behind[v] = false, false
	case sessionresume.Ack: // a quarter of a window is less than a block, or one of four
		s.full[v] = s.full[v] && 4*(s.conn(v).Sent-s.conn(v).Acked) > s.c.Window
		s.behind[v] = s.behind[v] && 4*lag > s.c.Window
	case sessionresume.Produce:
		for i := range s.behind {
			s.behind[i] = s.behind[i] || s.conn(i).At == sessionresume.On && s.l.Host.Hi-s.conn(i).Acked >= s.c.Window
		}
	}
	return nil
}

// settle takes what the host does by itself, until there is nothing left to do.
func (s *shadow) settle() error {
	for {
		action, v := s.next()
		if action == "" {
			return nil
		}
		if action == sessionresume.Produce {
			s.offered--
		}
		if err := s.take(action, v); err != nil {
			return err
		}
	}
}

// next gives a step that the host takes now, "" for none.
func (s *shadow) next() (action string, v int) {
	for v := range s.l.Views {
		for _, action := range []string{sessionresume.Resume, sessionresume.Reset} {
			if s.can(action, v) {
				return action, v
			}
		}
		if c := s.conn(v); c.Sent-c.Acked >= s.c.Window {
			s.full[v] = s.full[v] || c.At == sessionresume.On
		}
		if s.full[v] && !s.off("Send.inWindow") {
			continue
		}
		for _, action := range []string{sessionresume.SendExit, sessionresume.Send, sessionresume.FallBack} { // one at most, unless a guard is switched off
			if s.can(action, v) {
				return action, v
			}
		}
	}
	if s.offered > 0 && s.can(sessionresume.Produce, 0) && s.read() {
		return sessionresume.Produce, 0
	}
	return "", 0
}

// read says whether the host reads its process: nobody looks, or somebody has not fallen behind.
func (s *shadow) read() bool {
	nobody := true
	if s.off("Produce.notStalled") {
		return true
	}
	for v := range s.l.Views {
		if s.conn(v).At == sessionresume.On {
			nobody = false
			if !s.behind[v] {
				return true
			}
		}
	}
	return nobody
}

// off says whether the table is without a guard, so that the host's own waiting for it is not what the table does.
func (s *shadow) off(name string) bool { return slices.Contains(s.c.Off, name) }

// mine are the frames under way on the viewer's connection that is there now.
func (s *shadow) mine(v int) []sessionresume.Frame {
	return slices.DeleteFunc(slices.Clone(s.l.Views[v].Wire), func(f sessionresume.Frame) bool {
		return f.Conn != s.conn(v).N || s.conn(v).At == sessionresume.Off
	})
}

// receive takes the first frame that is the viewer's own; those before it, of connections that are over, are ignored.
func (s *shadow) receive(v int) error {
	for s.can(sessionresume.Ignore, v) {
		if err := s.take(sessionresume.Ignore, v); err != nil {
			return err
		}
	}
	return s.take(sessionresume.Receive, v)
}

// errNotPossible says that an operation has no meaning in a state.
var errNotPossible = errors.New("not possible here")
