package server

import (
	"context"
	"errors"
	"net/http"

	"podlife/runtime/execution"
	"podlife/runtime/pod"
	"podlife/runtime/terminal"
	"podlife/runtime/workspace"
)

// usersPod is the pod that a call is about, and whose it is. A call that is about none of them has the caller's default one.
type usersPod struct {
	*pod.Pod
	owner  string
	info   workspace.Info // when the call arrived
	server *Server
}

// Boot is the pod's; where the catalogue has it refused, a terminal is told why.
func (p usersPod) Boot(ctx context.Context, c pod.ClientID, progress func(pod.Progress)) (pod.BootResult, error) {
	r, err := p.Pod.Boot(ctx, c, progress)
	if errors.Is(err, workspace.ErrGoing) || errors.Is(err, workspace.ErrMaking) {
		err = &terminal.RefusedError{Reason: problemOf(err, p.server.o.Logger).Code, Err: err}
	}
	return r, err
}

// Run is the pod's, for a program without a terminal. It is an access: a workspace that is stopped is started first.
func (p usersPod) Run(ctx context.Context, c pod.ClientID, req pod.CommandRequest) (*pod.Attachment, error) {
	if err := p.server.o.Catalogue.Access(ctx, p.ID(), c); err != nil {
		why := problemOf(p.server.stoppingOr(err), p.server.o.Logger)
		return nil, &execution.RefusedError{Reason: why.Code, Message: why.Detail}
	}
	return p.Pod.Run(ctx, c, req)
}

// as answers somebody who is known, about the pod that the address names, which is the default one where it names none. Without a caller it is 401; of another user's pod nothing is said but that there is none.
func (s *Server) as(f func(http.ResponseWriter, *http.Request, usersPod)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user := s.auth.user(r)
		if user == "" {
			w.Header().Set("WWW-Authenticate", `Bearer realm="podlife"`)
			s.fail(w, &requestError{http.StatusUnauthorized, "unauthenticated", "log in with a fresh login link (podlife login-link) or send a bearer token"})
			return
		}
		name := r.PathValue("name")
		if name == "" {
			name = workspace.DefaultName
		}
		info, p, err := s.o.Catalogue.Get(user, name)
		if err != nil {
			s.fail(w, err)
			return
		}
		f(w, r, usersPod{p, user, info, s})
	})
}
