package server

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"podlife/runtime/pod"
	"podlife/runtime/terminal"
)

// tabAnswer is a session in a list of them.
type tabAnswer struct {
	Name      string     `json:"name"`
	Epoch     string     `json:"epoch"`
	Viewers   int        `json:"viewers"`
	Created   time.Time  `json:"created"`
	LastInput *time.Time `json:"last_input"`
	Exited    bool       `json:"exited"`
	ExitCode  *int       `json:"exit_code"`
}

// tabs lists the sessions of the caller's container. It never wakes the pod, and is no activity.
func (s *Server) tabs(w http.ResponseWriter, r *http.Request, p usersPod) {
	tabs, err := p.Tabs(r.Context())
	if err != nil {
		s.fail(w, s.stoppingOr(err))
		return
	}
	answer := struct {
		Tabs []tabAnswer `json:"tabs"`
	}{[]tabAnswer{}}
	for _, t := range tabs {
		a := tabAnswer{Name: t.Name, Epoch: terminal.FormatEpoch(t.Epoch), Viewers: t.Viewers, Created: t.Started.UTC(), Exited: t.Exited}
		if !t.LastInput.IsZero() {
			at := t.LastInput.UTC()
			a.LastInput = &at
		}
		if t.Exited {
			a.ExitCode = &t.ExitCode
		}
		answer.Tabs = append(answer.Tabs, a)
	}
	s.reply(w, answer)
}

// endTab ends a session of the caller's container, and answers when it is gone.
func (s *Server) endTab(w http.ResponseWriter, r *http.Request, p usersPod) {
	name := r.PathValue("tab")
	if !terminal.ValidName(name) {
		s.fail(w, badRequest("a tab's name must match [A-Za-z0-9_-]{1,64}"))
		return
	}
	s.tabDone(w, name, p.EndTab(r.Context(), name))
}

// renameTab gives a session of the caller's container another name.
func (s *Server) renameTab(w http.ResponseWriter, r *http.Request, p usersPod) {
	var body struct {
		Rename string `json:"rename"`
	}
	if err := decode(w, r, &body); err != nil {
		s.fail(w, err)
		return
	}
	name := r.PathValue("tab")
	if !terminal.ValidName(name) || !terminal.ValidName(body.Rename) {
		s.fail(w, badRequest("a tab's name, and the other in rename, must match [A-Za-z0-9_-]{1,64}"))
		return
	}
	s.tabDone(w, name, p.RenameTab(r.Context(), name, body.Rename))
}

// tabDone answers for something that was done to a session.
func (s *Server) tabDone(w http.ResponseWriter, name string, err error) {
	switch {
	case errors.Is(err, pod.ErrNoTab):
		s.fail(w, &requestError{http.StatusNotFound, "no_tab", fmt.Sprintf("no session %q runs", name)})
	case errors.Is(err, pod.ErrTabTaken):
		s.fail(w, &requestError{http.StatusConflict, "tab_taken", "another session has that name"})
	case err != nil:
		s.fail(w, s.stoppingOr(err))
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
