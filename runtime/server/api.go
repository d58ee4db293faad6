package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"podlife/runtime/pod"
	"podlife/runtime/terminal"
)

// bootAnswer is the body of a boot or a destroy that succeeded.
type bootAnswer struct {
	Pod         string `json:"pod"`
	State       string `json:"state"`
	Incarnation int    `json:"incarnation"`
}

// decode reads a small JSON body into v; an empty one leaves v alone. Unknown fields are errors, because a misspelt one would be ignored silently, and so is a key that is there twice, of which one would be.
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := io.ReadAll(r.Body)
	var tooBig *http.MaxBytesError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &requestError{http.StatusRequestTimeout, "bad_request", "the body did not arrive within " + bodyTime.String()}
	case errors.As(err, &tooBig):
		return &requestError{http.StatusRequestEntityTooLarge, "bad_request", fmt.Sprintf("the body has more than %d bytes", tooBig.Limit)}
	case err != nil:
		return badRequest("the body cannot be read: " + err.Error())
	case len(bytes.TrimSpace(body)) == 0:
		return liftDeadline(w)
	}
	if key, twice := repeatedKey(body); twice {
		return badRequest(fmt.Sprintf("the body has the key %.60q more than once", key))
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return badRequest("the body is not the JSON object expected here: " + err.Error())
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return badRequest("there is something behind the JSON object")
	}
	return liftDeadline(w)
}

// liftDeadline lets the answer take its time: the server watches the connection for the caller's leaving, which a read deadline would look like. A writer without deadlines, in a test, has none to lift.
func liftDeadline(w http.ResponseWriter) error {
	if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

func (s *Server) healthz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 3*time.Second)
	defer cancel()
	if s.o.Health != nil {
		if err := s.o.Health(ctx); err != nil {
			s.o.Logger.Warn("not healthy", "err", err)
			s.fail(w, &requestError{http.StatusServiceUnavailable, "engine_unavailable", "the container engine or the store cannot be used; the server's log says more"})
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if _, err := io.WriteString(w, "ok\n"); err != nil {
		s.o.Logger.Debug("could not write an answer", "err", err)
	}
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Code string `json:"code"`
	}
	if err := decode(w, r, &body); err != nil {
		s.fail(w, err)
		return
	}
	session, ok := s.auth.login(body.Code)
	if !ok {
		s.fail(w, &requestError{http.StatusUnauthorized, "unauthenticated", "the login link was used before or is older than 10 minutes: ask for a new one with podlife login-link"})
		return
	}
	http.SetCookie(w, sessionCookie(session, s.outside(r) == "https"))
	w.WriteHeader(http.StatusNoContent)
}

// loginLink gives the caller a fresh link; only a bearer token may ask, so that a session cannot prolong itself.
func (s *Server) loginLink(w http.ResponseWriter, r *http.Request, p usersPod) {
	if r.Header.Get("Authorization") == "" {
		s.fail(w, &requestError{http.StatusForbidden, "bearer_required", "a login link is given for a bearer token only"})
		return
	}
	s.reply(w, map[string]string{"url": s.LoginLink(s.outside(r)+"://"+r.Host, p.owner)})
}

func (s *Server) boot(w http.ResponseWriter, r *http.Request, p usersPod) {
	body := struct {
		Client string `json:"client"`
	}{Client: "http-" + secret()[:16]}
	if err := decode(w, r, &body); err != nil {
		s.fail(w, err)
		return
	}
	if !terminal.ValidName(body.Client) {
		s.fail(w, badRequest("client must match [A-Za-z0-9_-]{1,64}"))
		return
	}
	release, ok := s.slots.boot(p.owner)
	if !ok {
		s.fail(w, &requestError{http.StatusTooManyRequests, "too_many_boots", "too many boot requests of one user are waiting"})
		return
	}
	defer release()
	started := s.o.Now()
	if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		s.bootStream(w, r, p, pod.ClientID(body.Client))
		return
	}
	res, err := p.Boot(r.Context(), pod.ClientID(body.Client), nil)
	s.metrics.boots.WithLabelValues(outcome(err)).Observe(s.o.Now().Sub(started).Seconds())
	if err != nil {
		s.fail(w, s.stoppingOr(err))
		return
	}
	s.reply(w, bootAnswer{string(p.ID()), "ready", res.Incarnation})
}

// stoppingOr tells a request whose context ended because the server stops from one whose caller has left: the latter's answer goes nowhere.
func (s *Server) stoppingOr(err error) error {
	if s.base.Err() != nil && errors.Is(err, context.Canceled) {
		return pod.ErrClosed
	}
	return err
}

func outcome(err error) string {
	var failed *pod.BootError
	switch {
	case err == nil:
		return "ready"
	case errors.As(err, &failed):
		return "failed"
	case errors.Is(err, pod.ErrBootLost):
		return "lost"
	default:
		return "other"
	}
}

// bootStream tells a boot's progress as server-sent events; the last one is result or error.
func (s *Server) bootStream(w http.ResponseWriter, r *http.Request, p usersPod, c pod.ClientID) {
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	event := func(name string, v any) {
		data, err := json.Marshal(v)
		if err == nil {
			_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, data)
		}
		if err == nil {
			err = rc.Flush()
		}
		if err != nil {
			s.o.Logger.Debug("could not write an event", "err", err)
		}
	}
	// The deadline moves with each event: a client that stops reading ends its own request only.
	progress := func(pr pod.Progress) {
		if err := rc.SetWriteDeadline(time.Now().Add(s.o.Timing.Write)); err != nil {
			s.o.Logger.Debug("no write deadline", "err", err)
		}
		if pr.Step != "" {
			event("step", struct {
				Step   string `json:"step"`
				Status string `json:"status"`
				Detail string `json:"detail,omitempty"`
			}{pr.Step, string(pr.Status), pr.Detail})
			return
		}
		event("log", struct {
			Data string `json:"data"`
		}{pr.Log})
	}
	started := s.o.Now()
	res, err := p.Boot(r.Context(), c, progress)
	s.metrics.boots.WithLabelValues(outcome(err)).Observe(s.o.Now().Sub(started).Seconds())
	if err := rc.SetWriteDeadline(time.Now().Add(s.o.Timing.Write)); err != nil {
		s.o.Logger.Debug("no write deadline", "err", err)
	}
	var running *pod.TooManyRunningError
	switch {
	case errors.As(err, &running):
		s.fail(w, err) // nothing was said yet
	case err != nil:
		event("error", problemOf(s.stoppingOr(err), s.o.Logger))
	default:
		event("result", bootAnswer{string(p.ID()), "ready", res.Incarnation})
	}
}

func (s *Server) destroy(w http.ResponseWriter, r *http.Request, p usersPod) {
	if err := decode(w, r, &struct{}{}); err != nil {
		s.fail(w, err)
		return
	}
	if err := p.Destroy(r.Context()); err != nil {
		s.fail(w, s.stoppingOr(err))
		return
	}
	s.reply(w, bootAnswer{string(p.ID()), "asleep", p.Status().Incarnation})
}

func (s *Server) status(w http.ResponseWriter, r *http.Request, p usersPod) {
	st := p.Status()
	answer := struct {
		Pod         string     `json:"pod"`
		Class       string     `json:"class"`
		State       string     `json:"state"`
		Incarnation int        `json:"incarnation"`
		Recovering  bool       `json:"recovering,omitempty"`
		Since       time.Time  `json:"since"`
		Container   string     `json:"container,omitempty"`
		KeptAwakeBy []string   `json:"kept_awake_by"`
		SleepsAt    *time.Time `json:"sleeps_at"`
		Terminals   int        `json:"terminals"`
		LeaseUntil  *time.Time `json:"lease_until"`
		MaxLease    int64      `json:"max_lease_seconds,omitempty"`
		LastError   string     `json:"last_error,omitempty"`
		Monitor     string     `json:"monitor,omitempty"`
		imagesAnswer
	}{
		imagesAnswer: imagesAnswerOf(p.info, s.running(r.Context(), p.info)[0]),

		Pod: string(st.Pod), Class: string(p.info.Class), State: st.State.String(), Incarnation: st.Incarnation, Recovering: st.Recovering, Since: st.Since, Container: string(st.Container),
		KeptAwakeBy: append([]string{}, st.KeptAwakeBy...), SleepsAt: whenSet(st.SleepsAt), Terminals: st.Terminals, LastError: st.LastFailure,
		LeaseUntil: whenSet(st.LeaseUntil), MaxLease: int64(st.MaxLease / time.Second),
	}
	if s.o.Monitor != nil {
		answer.Monitor = s.o.Monitor.Verdict(p.ID())
	}
	s.reply(w, answer)
}

func (s *Server) events(w http.ResponseWriter, r *http.Request, p usersPod) {
	after, err := afterOf(r)
	if err != nil {
		s.fail(w, err)
		return
	}
	events, newest := p.Events(after)
	s.reply(w, struct {
		Events []pod.Event `json:"events"`
		Next   int64       `json:"next"`
	}{append([]pod.Event{}, events...), newest})
}

func (s *Server) steps(w http.ResponseWriter, r *http.Request, p usersPod) {
	after, err := afterOf(r)
	if err != nil {
		s.fail(w, err)
		return
	}
	steps, newest := p.Steps(after)
	s.reply(w, struct {
		Steps []pod.Step `json:"steps"`
		Next  int64      `json:"next"`
	}{append([]pod.Step{}, steps...), newest})
}

// afterOf gives the number after which a caller wants to read on; 0 is from the oldest that is kept.
func afterOf(r *http.Request) (int64, error) {
	q := r.URL.Query().Get("after")
	if q == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(q, 10, 64)
	if err != nil || n < 0 {
		return 0, badRequest("after must be a number of at least 0")
	}
	return n, nil
}
