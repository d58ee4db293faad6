package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/execution"
	"podlife/runtime/pod"
	"podlife/runtime/terminal"
)

// closeVersion is the close code of docs/protocol.md for a client of another version.
const closeVersion = 4406

// subprotocol gives the one to answer with: ours, or another version of it, whose client is then told so in a way that a browser's page can read. Empty where none of podlife is offered.
func subprotocol(r *http.Request, want string) (spoken string, ours bool) {
	offered := websocket.Subprotocols(r)
	if slices.Contains(offered, want) {
		return want, true
	}
	for _, o := range offered {
		if strings.HasPrefix(o, "podlife.") {
			return o, false
		}
	}
	return "", false
}

// checkOrigin is for a socket, which a foreign page may open with our cookie: only an exact origin passes. A program without a browser sends none, and then needs a bearer token.
func (s *Server) checkOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Authorization") != ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.origins, origin)
}

// terminal is a socket for a terminal on a session.
func (s *Server) terminal(w http.ResponseWriter, r *http.Request, p usersPod) {
	s.socket(w, r, p, terminal.Subprotocol, s.slots.terminal, func(ws *websocket.Conn) {
		s.metrics.terminals.Inc()
		defer s.metrics.terminals.Dec()
		terminal.Serve(s.base, ws, s.recorded(p), s.o.Timing, r.Header.Get("Origin") != "", s.o.Logger.With("pod", string(p.ID())))
	})
}

// recorded is a pod whose terminals are recorded.
type recorded struct {
	usersPod
	record func(*pod.Pod, *pod.Attachment)
}

// recorded gives the pod for a terminal, with the recording of its sessions where that is on.
func (s *Server) recorded(p usersPod) terminal.Pod {
	if s.o.Record == nil {
		return p
	}
	return recorded{p, s.o.Record}
}

// Attach is the pod's, and has the session recorded.
func (r recorded) Attach(ctx context.Context, c pod.ClientID, req pod.ShellRequest) (*pod.Attachment, error) {
	a, err := r.Pod.Attach(ctx, c, req)
	if err == nil {
		a.Recorded = true
		r.record(r.Pod, a)
	}
	return a, err
}

// exec is a socket for a program without a terminal.
func (s *Server) exec(w http.ResponseWriter, r *http.Request, p usersPod) {
	s.socket(w, r, p, execution.Subprotocol, s.slots.exec, func(ws *websocket.Conn) {
		execution.Serve(s.base, ws, p, s.o.Timing.Timing, s.o.Logger.With("pod", string(p.ID())))
	})
}

// socket upgrades a request that may open a socket, takes a slot for it, and serves it to its end.
func (s *Server) socket(w http.ResponseWriter, r *http.Request, p usersPod, protocol string, slot func(string) (func(), bool), serve func(*websocket.Conn)) {
	if !s.checkOrigin(r) {
		s.fail(w, &requestError{http.StatusForbidden, "forbidden_origin", "this origin may not open a terminal"})
		return
	}
	spoken, ours := subprotocol(r, protocol)
	if spoken == "" {
		s.fail(w, badRequest("the subprotocol "+protocol+" is required"))
		return
	}
	if !s.enterSocket() {
		s.fail(w, pod.ErrClosed)
		return
	}
	defer s.sockets.Done()
	up := websocket.Upgrader{Subprotocols: []string{spoken}, CheckOrigin: s.checkOrigin, HandshakeTimeout: 10 * time.Second}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		s.o.Logger.Debug("not a usable WebSocket request", "err", err)
		return
	}
	if !ours {
		s.closeWith(ws, closeVersion, "this server speaks "+protocol)
		return
	}
	release, ok := slot(p.owner)
	if !ok {
		s.closeTooMany(ws) // after the upgrade, because a browser learns nothing from a refused one
		return
	}
	defer release()
	serve(ws)
}
