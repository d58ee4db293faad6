package server

import (
	"errors"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/pod"
	"podlife/runtime/terminal"
)

// closeTooManyTerminals is the close code of docs/protocol.md.
const closeTooManyTerminals = 4429

// slots counts what is in use, in all and per pod.
type slots struct {
	limits Limits

	mu        sync.Mutex // guards the following
	terminals int
	byPod     map[pod.ID]int
	boots     map[pod.ID]int
}

func newSlots(l Limits) *slots {
	if l.Terminals <= 0 {
		l.Terminals = 32
	}
	if l.TerminalsPerUser <= 0 {
		l.TerminalsPerUser = 4
	}
	if l.BootsPerUser <= 0 {
		l.BootsPerUser = 16
	}
	return &slots{limits: l, byPod: map[pod.ID]int{}, boots: map[pod.ID]int{}}
}

// terminal takes a slot, if there is one, until release.
func (s *slots) terminal(p pod.ID) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.terminals >= s.limits.Terminals || s.byPod[p] >= s.limits.TerminalsPerUser {
		return nil, false
	}
	s.terminals++
	s.byPod[p]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.terminals--
		if s.byPod[p]--; s.byPod[p] == 0 {
			delete(s.byPod, p)
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

// closeTooMany says so and waits up to a second for the client to have read it: what it has sent meanwhile is taken and dropped, or the close would be lost in a reset.
func (s *Server) closeTooMany(ws *websocket.Conn) {
	deadline := time.Now().Add(time.Second)
	msg := websocket.FormatCloseMessage(closeTooManyTerminals, "too many terminals are open")
	ws.SetReadLimit(terminal.MaxMessage)
	err := errors.Join(ws.WriteControl(websocket.CloseMessage, msg, deadline), ws.SetReadDeadline(deadline))
	for err == nil {
		_, _, err = ws.ReadMessage()
	}
	if err := ws.Close(); err != nil {
		s.o.Logger.Debug("could not close a socket", "err", err)
	}
}
