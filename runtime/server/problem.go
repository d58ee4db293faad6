package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"podlife/runtime/pod"
	"podlife/runtime/workspace"
)

// problem is an RFC 9457 error document with our code.
type problem struct {
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Detail   string   `json:"detail,omitempty"`
	Code     string   `json:"code"`
	Step     string   `json:"step,omitempty"`
	ExitCode int      `json:"exit_code,omitempty"`
	LogTail  string   `json:"log_tail,omitempty"`
	Limit    int      `json:"limit,omitempty"`   // too_many_running: how many pods of one user may run
	Running  []string `json:"running,omitempty"` // too_many_running: the names of those that do
	Allowed  []string `json:"allowed,omitempty"` // image_not_allowed: the references that are
}

// problemOf is the one place where errors become HTTP. What it does not know is "internal" to users and is logged in full for the operator.
func problemOf(err error, log *slog.Logger) problem {
	if p, ok := problemOfCatalogue(err); ok {
		return p
	}
	var failed *pod.BootError
	var bad *requestError
	var unseen *pod.UnseenError
	var unstored *pod.StoreError
	var lease *pod.LeaseError
	switch {
	case errors.As(err, &bad):
		return problem{Title: http.StatusText(bad.status), Status: bad.status, Detail: bad.detail, Code: bad.code}
	case errors.As(err, &failed):
		return problem{
			Title: "The container could not be provisioned", Status: http.StatusBadGateway, Detail: failed.Error(), Code: "boot_failed",
			Step: failed.Step, ExitCode: failed.ExitCode, LogTail: failed.LogTail,
		}
	case errors.As(err, &unseen):
		log.Warn("the engine cannot be reached", "err", err)
		return problem{Title: "The container engine cannot be reached", Status: http.StatusServiceUnavailable, Detail: unseen.Error(), Code: "engine_unavailable"}
	case errors.As(err, &unstored):
		log.Error("the store failed", "err", err)
		return problem{Title: "The server cannot store its state", Status: http.StatusServiceUnavailable, Detail: "Nothing has changed. The server's log says more.", Code: "store_unavailable"}
	case errors.As(err, &lease):
		return problem{Title: "Not a lease", Status: http.StatusBadRequest, Detail: "a lease lasts more than 0 and at most " + shortly(lease.Max) + " from now, with a unit, such as 30m or 8h", Code: "bad_lease"}
	case errors.Is(err, pod.ErrNoLeases):
		return problem{Title: "No leases", Status: http.StatusForbidden, Detail: "this server gives no leases: whoever runs it has set max_lease to 0", Code: "no_leases"}
	case errors.Is(err, pod.ErrRecovering):
		return problem{Title: "The pod is not known yet", Status: http.StatusServiceUnavailable, Detail: err.Error(), Code: "recovering"}
	case errors.Is(err, pod.ErrBootLost):
		return problem{Title: "The boot was lost", Status: http.StatusConflict, Detail: err.Error(), Code: "boot_lost"}
	case errors.Is(err, pod.ErrTooManyClients):
		return problem{Title: "Too many clients", Status: http.StatusTooManyRequests, Detail: err.Error(), Code: "too_many_clients"}
	case errors.Is(err, pod.ErrClosed):
		return problem{Title: "Stopping", Status: http.StatusServiceUnavailable, Detail: err.Error(), Code: "stopping"}
	case errors.Is(err, context.Canceled):
		return problem{Title: "Canceled", Status: 499, Detail: "the caller left before the answer", Code: "canceled"}
	default:
		log.Error("internal error", "err", err)
		return problem{Title: "Internal error", Status: http.StatusInternalServerError, Detail: "The server's log says more.", Code: "internal"}
	}
}

// problemOfCatalogue is problemOf for what is wrong with a named pod or a kept volume.
func problemOfCatalogue(err error) (problem, bool) {
	var invalid *workspace.InvalidError
	var tooMany *workspace.TooManyError
	var running *pod.TooManyRunningError
	var image *workspace.ImageError
	var trouble *workspace.TroubleError
	var used *workspace.VolumeInUseError
	var foreign *workspace.ForeignVolumeError
	var lost *workspace.VolumeGoneError
	switch {
	case errors.As(err, &invalid):
		return problem{Title: "Bad Request", Status: http.StatusBadRequest, Detail: invalid.Error(), Code: "bad_request"}, true
	case errors.As(err, &tooMany):
		return problem{Title: "Too many pods", Status: http.StatusConflict, Detail: tooMany.Error(), Code: "too_many_pods"}, true
	case errors.As(err, &image):
		return problem{Title: "The image is not allowed", Status: http.StatusForbidden, Detail: image.Error(), Code: "image_not_allowed", Allowed: image.Allowed}, true
	case errors.As(err, &running):
		return problem{Title: "Too many pods run", Status: http.StatusTooManyRequests, Detail: running.Error(), Code: "too_many_running", Limit: running.Most, Running: running.Running}, true
	case errors.As(err, &trouble) && trouble.Op == "make":
		return problem{Title: "The volume is still being made", Status: http.StatusServiceUnavailable, Detail: trouble.Error(), Code: "still_making"}, true
	case errors.Is(err, workspace.ErrMaking):
		return problem{Title: "The volume is still being made", Status: http.StatusServiceUnavailable, Detail: err.Error(), Code: "still_making"}, true
	case errors.As(err, &trouble):
		return problem{Title: "The pod is still being removed", Status: http.StatusServiceUnavailable, Detail: trouble.Error(), Code: "still_removing"}, true
	case errors.Is(err, workspace.ErrNoPod):
		return problem{Title: "No such pod", Status: http.StatusNotFound, Detail: "you have no pod of this name", Code: "no_pod"}, true
	case errors.Is(err, workspace.ErrNoVolume):
		return problem{Title: "No such volume", Status: http.StatusNotFound, Detail: workspace.ErrNoVolume.Error(), Code: "no_volume"}, true
	case errors.As(err, &used):
		return problem{Title: "The volume is in use", Status: http.StatusConflict, Detail: used.Error(), Code: "volume_in_use"}, true
	case errors.As(err, &foreign):
		return problem{Title: "The volume is somebody else's", Status: http.StatusConflict, Detail: foreign.Error(), Code: "volume_not_ours"}, true
	case errors.As(err, &lost):
		return problem{Title: "The volume is gone", Status: http.StatusGone, Detail: lost.Error(), Code: "volume_gone"}, true
	case errors.Is(err, workspace.ErrNameTaken):
		return problem{Title: "The name is taken", Status: http.StatusConflict, Detail: "you have a pod of this name already, or one that is being removed", Code: "name_taken"}, true
	case errors.Is(err, workspace.ErrGoing):
		return problem{Title: "The pod is being deleted", Status: http.StatusConflict, Detail: "the pod is being deleted, and nothing starts it any more", Code: "pod_going"}, true
	case errors.Is(err, workspace.ErrDefault):
		return problem{Title: "The default pod stays", Status: http.StatusConflict, Detail: workspace.ErrDefault.Error(), Code: "default_pod"}, true
	case errors.Is(err, workspace.ErrAccessTime):
		return problem{Title: "Not ready in time", Status: http.StatusGatewayTimeout, Detail: err.Error(), Code: "access_timeout"}, true
	case errors.Is(err, workspace.ErrClosed):
		return problem{Title: "Stopping", Status: http.StatusServiceUnavailable, Detail: pod.ErrClosed.Error(), Code: "stopping"}, true
	}
	return problem{}, false
}

// requestError is a request that is refused for what it is.
type requestError struct {
	status int
	code   string
	detail string
}

func (e *requestError) Error() string { return e.code + ": " + e.detail }

func badRequest(detail string) error {
	return &requestError{http.StatusBadRequest, "bad_request", detail}
}

func (s *Server) fail(w http.ResponseWriter, err error) {
	p := problemOf(err, s.o.Logger)
	if p.Status == http.StatusTooManyRequests || p.Code == "still_making" || p.Code == "recovering" {
		w.Header().Set("Retry-After", "5")
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	s.encode(w, p)
}

func (s *Server) reply(w http.ResponseWriter, v any) { s.replyWith(w, http.StatusOK, v) }

func (s *Server) replyWith(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	s.encode(w, v)
}

// encode writes the body; a client that is gone by now has nothing to be told.
func (s *Server) encode(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		s.o.Logger.Debug("could not write an answer", "err", err)
	}
}
