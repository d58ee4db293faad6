package server

import (
	"errors"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/pod"
	"podlife/runtime/socket"
)

// closeTooManyTerminals is the close code of docs/protocol.md.
const closeTooManyTerminals = 4429

// slots counts what is in use, in all and per pod.
type slots struct {
	limits Limits

	mu        sync.Mutex // guards the following
	terminals use
	execs     use
	boots     map[pod.ID]int
}

// use is what is taken of one kind of socket.
type use struct {
	all   int
	byPod map[pod.ID]int
}

func newSlots(l Limits) *slots {
	if l.Terminals <= 0 {
		l.Terminals = 32
	}
	if l.TerminalsPerUser <= 0 {
		l.TerminalsPerUser = 4
	}
	if l.Execs <= 0 {
		l.Execs = 64
	}
	if l.ExecsPerUser <= 0 {
		l.ExecsPerUser = 8
	}
	if l.BootsPerUser <= 0 {
		l.BootsPerUser = 16
	}
	return &slots{limits: l, terminals: use{byPod: map[pod.ID]int{}}, execs: use{byPod: map[pod.ID]int{}}, boots: map[pod.ID]int{}}
}

// terminal takes a slot for a terminal, if there is one, until release.
func (s *slots) terminal(p pod.ID) (release func(), ok bool) {
	return s.take(&s.terminals, p, s.limits.Terminals, s.limits.TerminalsPerUser)
}

// exec takes a slot for a program without a terminal, if there is one, until release.
func (s *slots) exec(p pod.ID) (release func(), ok bool) {
	return s.take(&s.execs, p, s.limits.Execs, s.limits.ExecsPerUser)
}

func (s *slots) take(u *use, p pod.ID, most, perPod int) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.all >= most || u.byPod[p] >= perPod {
		return nil, false
	}
	u.all++
	u.byPod[p]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		u.all--
		if u.byPod[p]--; u.byPod[p] == 0 {
			delete(u.byPod, p)
		}
	}, true
}

// boot takes a slot for a boot request that waits.
func (s *slots) boot(p pod.ID) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.boots[p] >= s.limits.BootsPerUser {
		return nil, false
	}
	s.boots[p]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.boots[p]--; s.boots[p] == 0 {
			delete(s.boots, p)
		}
	}, true
}

// closeTooMany tells a client that it is one too many.
func (s *Server) closeTooMany(ws *websocket.Conn) {
	s.closeWith(ws, closeTooManyTerminals, "too many terminals or programs are open")
}

// closeWith says why and waits up to a second for the client to have read it: what it has sent meanwhile is taken and dropped, or the close would be lost in a reset.
func (s *Server) closeWith(ws *websocket.Conn, code int, reason string) {
	deadline := time.Now().Add(time.Second)
	msg := websocket.FormatCloseMessage(code, reason)
	ws.SetReadLimit(socket.MaxMessage)
	err := errors.Join(ws.WriteControl(websocket.CloseMessage, msg, deadline), ws.SetReadDeadline(deadline))
	for err == nil {
		_, _, err = ws.ReadMessage()
	}
	if err := ws.Close(); err != nil {
		s.o.Logger.Debug("could not close a socket", "err", err)
	}
}
