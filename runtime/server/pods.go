package server

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"time"

	"podlife/model/podlifecycle"
	"podlife/runtime/workspace"
)

// podAnswer is a pod as a whole.
type podAnswer struct {
	Pod         string            `json:"pod"`
	Name        string            `json:"name"`
	Class       string            `json:"class"`
	Life        string            `json:"life"`
	State       string            `json:"state"`
	Recovering  bool              `json:"recovering,omitempty"`
	Incarnation int               `json:"incarnation"`
	Since       time.Time         `json:"since"`
	CreatedAt   *time.Time        `json:"created_at"`
	Labels      map[string]string `json:"labels"`
	Volume      string            `json:"volume,omitempty"`
	IdleTimeout int64             `json:"idle_timeout_seconds"`
	imagesAnswer
	KeptAwakeBy []string   `json:"kept_awake_by"`
	SleepsAt    *time.Time `json:"sleeps_at"`
	LeaseUntil  *time.Time `json:"lease_until"`
	Terminals   int        `json:"terminals"`
	Trouble     string     `json:"trouble,omitempty"`
	LastError   string     `json:"last_error,omitempty"`
}

func podAnswerOf(i workspace.Info, runs workspace.Running) podAnswer {
	a := podAnswer{
		imagesAnswer: imagesAnswerOf(i, runs),
		Pod:          string(i.ID), Name: i.Name, Class: string(i.Class), Life: string(i.Life), State: stateOf(i), Recovering: i.Status.Recovering, Incarnation: i.Status.Incarnation, Since: i.Status.Since,
		CreatedAt: whenSet(i.CreatedAt.UTC()), Labels: i.Labels, Volume: i.Home, IdleTimeout: int64(i.Status.IdleTimeout / time.Second), KeptAwakeBy: append([]string{}, i.Status.KeptAwakeBy...), SleepsAt: whenSet(i.Status.SleepsAt),
		LeaseUntil: whenSet(i.Status.LeaseUntil), Terminals: i.Status.Terminals, Trouble: i.Trouble, LastError: i.Status.LastFailure,
	}
	if a.Labels == nil {
		a.Labels = map[string]string{}
	}
	return a
}

// states are those of a pod as a whole.
func states() []string { return []string{"asleep", "provisioning", "ready"} }

// stateOf is a pod's state for those who look at several: how far it is before it is ready, its own status says.
func stateOf(i workspace.Info) string {
	switch i.Status.State {
	case podlifecycle.Asleep:
		return "asleep"
	case podlifecycle.Ready:
		return "ready"
	}
	return "provisioning"
}

// listPods gives the caller's pods, a page of those that are asked for.
func (s *Server) listPods(w http.ResponseWriter, r *http.Request, p usersPod) {
	q, err := parsePodQuery(r.URL.Query())
	if err != nil {
		s.fail(w, err)
		return
	}
	page, next := q.page(s.o.Catalogue.List(p.owner))
	answer := struct {
		Pods []podAnswer `json:"pods"`
		Next string      `json:"next"`
	}{make([]podAnswer, 0, len(page)), next}
	for n, runs := range s.running(r.Context(), page...) {
		answer.Pods = append(answer.Pods, podAnswerOf(page[n], runs))
	}
	s.reply(w, answer)
}

// createPod makes a pod, and answers when it can be used.
func (s *Server) createPod(w http.ResponseWriter, r *http.Request, p usersPod) {
	var body struct {
		Name        string            `json:"name"`
		Class       string            `json:"class"`
		AdoptVolume string            `json:"adopt_volume"`
		Labels      map[string]string `json:"labels"`
		IdleTimeout int64             `json:"idle_timeout_seconds"`
		Image       string            `json:"image"`
	}
	if err := decode(w, r, &body); err != nil {
		s.fail(w, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.o.WaitTime)
	defer cancel()
	info, err := s.o.Catalogue.Create(ctx, p.owner, workspace.Request{
		Name: body.Name, Class: workspace.Class(body.Class), Adopt: body.AdoptVolume, Labels: body.Labels, IdleTimeout: seconds(body.IdleTimeout), Image: body.Image,
	})
	if err != nil {
		s.fail(w, s.stoppingOr(late(err, "still_making", "the volume of the pod's home is still being made, which goes on")))
		return
	}
	w.Header().Set("Location", "/api/pods/"+url.PathEscape(info.Name))
	s.replyWith(w, http.StatusCreated, s.podAnswer(r.Context(), info))
}

func (s *Server) getPod(w http.ResponseWriter, r *http.Request, p usersPod) {
	s.reply(w, s.podAnswer(r.Context(), p.info))
}

func (s *Server) podAnswer(ctx context.Context, i workspace.Info) podAnswer {
	return podAnswerOf(i, s.running(ctx, i)[0])
}

// changePod changes a pod's settings; what is left out stays.
func (s *Server) changePod(w http.ResponseWriter, r *http.Request, p usersPod) {
	var body struct {
		Labels      map[string]string `json:"labels"`
		IdleTimeout *int64            `json:"idle_timeout_seconds"`
		Image       *string           `json:"image"`
	}
	if err := decode(w, r, &body); err != nil {
		s.fail(w, err)
		return
	}
	change := workspace.Change{Labels: body.Labels, Image: body.Image}
	if body.IdleTimeout != nil {
		d := seconds(*body.IdleTimeout)
		change.IdleTimeout = &d
	}
	info, err := s.o.Catalogue.Update(r.Context(), p.owner, p.info.Name, change)
	if err != nil {
		s.fail(w, s.stoppingOr(err))
		return
	}
	s.reply(w, s.podAnswer(r.Context(), info))
}

// seconds is a length of time that somebody asks for; one that is too long for any is as long as it gets, and refused for that.
func seconds(n int64) time.Duration {
	if most := int64(math.MaxInt64 / time.Second); n > most || n < -most {
		n = most
	}
	return time.Duration(n) * time.Second
}

// deletePod deletes a pod, and answers when all that it had is gone.
func (s *Server) deletePod(w http.ResponseWriter, r *http.Request, p usersPod) {
	keep, err := keepVolume(r.URL.Query())
	if err == nil {
		err = decode(w, r, &struct{}{})
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.o.WaitTime)
	defer cancel()
	kept, err := s.o.Catalogue.Delete(ctx, p.owner, p.info.Name, keep)
	if err != nil {
		s.fail(w, s.stoppingOr(late(err, "still_removing", "what the pod has is still being removed, which goes on")))
		return
	}
	s.reply(w, struct {
		Name       string `json:"name"`
		KeptVolume string `json:"kept_volume"`
	}{p.info.Name, kept})
}

// keepVolume is whether a delete is to keep the volume.
func keepVolume(q url.Values) (bool, error) {
	switch v := q.Get("keep_volume"); {
	case !q.Has("keep_volume"), v == "false":
		return false, nil
	case v == "true":
		return true, nil
	default:
		return false, badParameter("keep_volume", v, "true or false")
	}
}

// late is the answer to a call that has waited for WaitTime; another error it leaves alone.
func late(err error, code, detail string) error {
	var trouble *workspace.TroubleError
	if errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &trouble) {
		return &requestError{http.StatusServiceUnavailable, code, detail}
	}
	return err
}

// onlyParameters refuses what is none of these, and what is there twice, but for label.
func onlyParameters(q url.Values, once ...string) error {
	for name, values := range q {
		switch {
		case !slices.Contains(once, name):
			return badRequest(quoted(name) + " is no parameter of this call")
		case len(values) > 1 && name != "label":
			return badRequest(name + " is there more than once")
		}
	}
	return nil
}
