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

// refusedWake says whether a boot was refused before anything was done, by the catalogue or for the pods that the user has running.
func refusedWake(err error) bool {
	var trouble *workspace.TroubleError
	var running *pod.TooManyRunningError
	var image *workspace.ImageError
	return errors.As(err, &image) || errors.Is(err, workspace.ErrGoing) || errors.Is(err, workspace.ErrMaking) || errors.As(err, &trouble) || errors.As(err, &running)
}

// Boot is the pod's; one whose volume is being made is waited for. Where it is refused before anything is done, a terminal is told why.
func (p usersPod) Boot(ctx context.Context, c pod.ClientID, progress func(pod.Progress)) (r pod.BootResult, err error) {
	err = p.whenMade(ctx, func() error {
		r, err = p.Pod.Boot(ctx, c, progress)
		return err
	})
	if refusedWake(err) {
		err = &terminal.RefusedError{Reason: problemOf(err, p.server.o.Logger).Code, Err: err}
	}
	return r, err
}

// whenMade does something with a pod, and once more when its volume is made, where that was still to come: as long as its creation is waited for.
func (p usersPod) whenMade(ctx context.Context, do func() error) error {
	err := do()
	if !errors.Is(err, workspace.ErrMaking) {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, p.server.o.WaitTime)
	defer cancel()
	if err := p.server.o.Catalogue.AwaitMade(bounded, p.ID()); err != nil {
		return err
	}
	return do()
}

// Run is the pod's. It is an access: a workspace that is stopped is started first.
func (p usersPod) Run(ctx context.Context, c pod.ClientID, req pod.CommandRequest) (*pod.Attachment, error) {
	err := p.whenMade(ctx, func() error { return p.server.o.Catalogue.Access(ctx, p.ID(), c) })
	if err != nil {
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
