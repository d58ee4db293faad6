package server

import (
	"errors"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/socket"
)

// closeTooManyTerminals is the close code of docs/protocol.md.
const closeTooManyTerminals = 4429

// slots counts what is in use, in all and per user, over all of a user's pods.
type slots struct {
	limits Limits

	mu        sync.Mutex // guards the following
	terminals use
	execs     use
	boots     map[string]int
}

// use is what is taken of one kind of socket.
type use struct {
	all    int
	byUser map[string]int
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
	return &slots{limits: l, terminals: use{byUser: map[string]int{}}, execs: use{byUser: map[string]int{}}, boots: map[string]int{}}
}

// terminal takes a slot for a terminal, if there is one, until release.
func (s *slots) terminal(user string) (release func(), ok bool) {
	return s.take(&s.terminals, user, s.limits.Terminals, s.limits.TerminalsPerUser)
}

// exec takes a slot for a program without a terminal, if there is one, until release.
func (s *slots) exec(user string) (release func(), ok bool) {
	return s.take(&s.execs, user, s.limits.Execs, s.limits.ExecsPerUser)
}

func (s *slots) take(u *use, user string, most, perUser int) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.all >= most || u.byUser[user] >= perUser {
		return nil, false
	}
	u.all++
	u.byUser[user]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		u.all--
		if u.byUser[user]--; u.byUser[user] == 0 {
			delete(u.byUser, user)
		}
	}, true
}

// boot takes a slot for a boot request that waits.
func (s *slots) boot(user string) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.boots[user] >= s.limits.BootsPerUser {
		return nil, false
	}
	s.boots[user]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.boots[user]--; s.boots[user] == 0 {
			delete(s.boots, user)
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
