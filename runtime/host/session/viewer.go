package session

import (
	"time"

	"podlife/runtime/host/frame"
)

// maxSide bounds a terminal's columns and rows.
const maxSide = 1000

// size is a terminal's.
type size struct{ cols, rows uint16 }

// wanted gives the size as it counts; ok is false for one that is to be ignored.
func wanted(cols, rows uint16) (z size, ok bool) {
	return size{min(cols, maxSide), min(rows, maxSide)}, cols > 0 && rows > 0
}

// Opening says who wants to look, and what it has already.
type Opening struct {
	Request, Viewer uint32
	Group           any // those of one group know each other by their numbers
	Cols, Rows      uint16
	Epoch, Have     uint64
	ReadOnly        bool
	Follows         bool   // it does not count: it types nothing, decides nothing, and nobody waits for it
	Started         bool   // its request started the process
	Wake            func() // called when Next may have something, also when it has not; under the session's lock, so it must neither block nor call the session
}

// Viewer is somebody who looks at a session. Safe for use by several goroutines at once.
type Viewer struct {
	session  *Session
	id       uint32
	group    any
	readOnly bool
	follows  bool
	wake     func()

	// guarded by the session's lock
	opened      *frame.Opened // to be told first
	size        size          // of its own window
	hasSize     bool
	sizeDue     bool
	refusals    []frame.Reason
	taken, told uint64 // bytes of its input that the program has, or never will; of them those that were told
	sent, acked uint64
	full        bool   // too much is unacknowledged: nothing is sent
	behind      bool   // does not keep up with the output: the process is not read for its sake
	picture     []byte // what is left to be told of it
	start       uint64
	first       bool
	exitTold    bool
	closed      bool
}

// Open lets somebody look, from the next byte on that it does not have, or from a picture on. What it is told comes by Next, Opened first.
func (s *Session) Open(o Opening) *Viewer {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := &Viewer{session: s, id: o.Viewer, group: o.Group, readOnly: o.ReadOnly || o.Follows, follows: o.Follows, wake: o.Wake}
	v.size, v.hasSize = wanted(o.Cols, o.Rows)
	s.viewers[v] = struct{}{}
	if s.owner == nil && !v.readOnly && v.hasSize {
		s.decide(v)
	}
	v.sizeDue = false // Opened says it
	v.sent, v.acked = o.Have, o.Have
	reset := !s.resumes(o.Epoch, o.Have)
	if reset {
		s.redraw(v)
	}
	v.opened = &frame.Opened{
		Request: o.Request, Viewer: o.Viewer, Epoch: s.Epoch, From: v.sent, Reset: reset, Lo: s.ring.Lo(), Hi: s.ring.Hi(), Cols: s.size.cols, Rows: s.size.rows, Tab: s.tab, Started: o.Started, Running: !s.exited,
	}
	if s.ring.Hi()-v.acked >= uint64(s.config.Window) {
		v.behind = true
	}
	s.readable.Broadcast()
	v.wake()
	return v
}

// redraw lets the viewer begin anew: a picture of now, then what comes.
func (s *Session) redraw(v *Viewer) {
	v.start, v.picture = s.picture()
	v.sent, v.acked, v.first, v.full = s.ring.Hi(), s.ring.Hi(), true, false
	if v.behind {
		v.behind = false
		s.readable.Broadcast()
	}
}

// Next gives the next message for the viewer, nil when there is none now. buf, of at least frame.MaxData bytes, is where the bytes of an output are put. One goroutine at a time.
func (v *Viewer) Next(buf []byte) frame.Message {
	s := v.session
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case v.closed:
		return nil
	case v.opened != nil:
		m := v.opened
		v.opened = nil
		return m
	case len(v.refusals) > 0:
		m := &frame.Refused{Viewer: v.id, Reason: v.refusals[0]}
		v.refusals = v.refusals[1:]
		return m
	case v.told < v.taken:
		v.told = v.taken
		return &frame.Taken{Viewer: v.id, Offset: v.told}
	case v.sizeDue:
		v.sizeDue = false
		return &frame.Size{Viewer: v.id, Cols: s.size.cols, Rows: s.size.rows, By: v.by()}
	case v.picture != nil:
		return v.piece()
	}
	return v.output(buf)
}

// by is the number of who decided the size, as this viewer knows it.
func (v *Viewer) by() uint32 {
	if o := v.session.owner; o != nil && o.group == v.group {
		return o.id
	}
	return 0
}

func (v *Viewer) piece() frame.Message {
	n := min(len(v.picture), frame.MaxData)
	m := &frame.Reset{Viewer: v.id, Start: v.start, From: v.sent, First: v.first, Last: n == len(v.picture), Data: v.picture[:n]}
	v.picture, v.first = v.picture[n:], false
	if m.Last {
		v.picture = nil
	}
	return m
}

func (v *Viewer) output(buf []byte) frame.Message {
	s := v.session
	if v.sent-v.acked >= uint64(s.config.Window) { //model:guard Send.inWindow
		v.full = true
	}
	switch {
	case v.full:
		return nil
	case v.sent < s.ring.Lo(): //model:guard Send.inRing
		s.redraw(v)
		return v.piece()
	case v.sent < s.ring.Hi(): //model:guard SendExit.allSent
		offset := v.sent
		n, _ := s.ring.Read(buf[:min(frame.MaxData, uint64(s.config.Window)-(v.sent-v.acked))], offset)
		v.sent += uint64(n)
		return &frame.Output{Viewer: v.id, Offset: offset, Data: buf[:n]}
	case s.exited && !v.exitTold:
		v.exitTold = true
		return &frame.Exit{Viewer: v.id, Code: uint16(s.exit.Code), Signal: s.exit.Signal, At: s.ring.Hi()}
	}
	return nil
}

// Input types. What cannot be taken is dropped as a whole, and the viewer is told why.
func (v *Viewer) Input(b []byte) {
	s := v.session
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case v.closed || len(b) == 0:
		return
	case v.readOnly:
		v.refuse(frame.ReadOnly)
		return
	case s.stopped || s.exited:
		v.took(len(b))
		return
	case s.queued+len(b) > s.config.Input:
		v.refuse(frame.InputFull)
		return
	}
	s.lastInput = time.Now()
	if s.owner != v {
		s.decide(v)
	}
	s.waiting = append(s.waiting, typed{v, append([]byte(nil), b...)})
	s.queued += len(b)
	s.typing.Signal()
}

// took counts input that the viewer need not wait for any more. The session's lock is held.
func (v *Viewer) took(n int) {
	v.taken += uint64(n)
	if !v.closed {
		v.wake()
	}
}

// refuse tells the viewer once, however often it happens before it has heard.
func (v *Viewer) refuse(r frame.Reason) {
	for _, known := range v.refusals {
		if known == r {
			return
		}
	}
	v.refusals = append(v.refusals, r)
	v.wake()
}

// Resize says that the viewer's window has another size. It counts if nobody else has typed since the viewer did.
func (v *Viewer) Resize(cols, rows uint16) {
	s := v.session
	s.mu.Lock()
	defer s.mu.Unlock()
	z, ok := wanted(cols, rows)
	if v.closed || !ok {
		return
	}
	v.size, v.hasSize = z, true
	if !v.readOnly && (s.owner == nil || s.owner == v) {
		s.decide(v)
	}
}

// decide makes a viewer the one whose size counts.
func (s *Session) decide(v *Viewer) {
	s.owner = v
	if !v.hasSize || v.size == s.size || s.exited {
		return
	}
	if err := s.pty.Resize(v.size.cols, v.size.rows); err != nil {
		return // the terminal is gone; what is left is its exit
	}
	s.size = v.size
	s.modes.Resize(int(s.size.rows))
	for other := range s.viewers {
		other.sizeDue = true
		other.wake()
	}
}

// Close lets the viewer leave: it is told nothing more. The session lives on.
func (v *Viewer) Close() {
	s := v.session
	s.mu.Lock()
	defer s.mu.Unlock()
	v.closed, v.picture = true, nil
	delete(s.viewers, v)
	if s.owner == v {
		s.owner = nil
	}
	s.readable.Broadcast()
}
