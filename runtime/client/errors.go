package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
)

// The codes of a Problem that docs/protocol.md names. A server may send others.
const (
	CodeUnauthenticated   = "unauthenticated"
	CodeForbiddenOrigin   = "forbidden_origin"
	CodeBearerRequired    = "bearer_required"
	CodeUnknownHost       = "unknown_host"
	CodeBadRequest        = "bad_request"
	CodeBootFailed        = "boot_failed" // Step, ExitCode and LogTail are set
	CodeBootLost          = "boot_lost"
	CodeBadLease          = "bad_lease"
	CodeNoLeases          = "no_leases"
	CodeTooManyBoots      = "too_many_boots"
	CodeImageNotAllowed   = "image_not_allowed" // Allowed is set
	CodeTooManyRunning    = "too_many_running"  // Limit and Running are set
	CodeTooManyClients    = "too_many_clients"
	CodeStopping          = "stopping"
	CodeEngineUnavailable = "engine_unavailable"
	CodeStoreUnavailable  = "store_unavailable"
	CodeRecovering        = "recovering"
	CodeInternal          = "internal"
	CodeNoPod             = "no_pod"
	CodeNameTaken         = "name_taken"
	CodePodGoing          = "pod_going"   // it is being removed
	CodeDefaultPod        = "default_pod" // it cannot be removed
	CodeNoVolume          = "no_volume"
	CodeVolumeInUse       = "volume_in_use"   // a container has it, and nothing was removed
	CodeVolumeNotOurs     = "volume_not_ours" // somebody else has made one of that name
	CodeVolumeGone        = "volume_gone"     // it is kept, and was removed at the engine
	CodeTooManyPods       = "too_many_pods"
	CodeStillRemoving     = "still_removing" // Detail says what keeps it; it is tried on
	CodeAccessTimeout     = "access_timeout"
)

// Problem is a refusal or failure that the server put into words (RFC 9457), or an answer outside of the protocol, which then has no Code.
type Problem struct {
	Op       string `json:"-"` // what was asked: "boot", "destroy", "status", ...
	Status   int    `json:"status"`
	Code     string `json:"code,omitempty"`
	Title    string `json:"title,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Step     string `json:"step,omitempty"`      // boot_failed: the step that failed
	ExitCode int    `json:"exit_code,omitempty"` // boot_failed: its exit code, 0 if there was no process
	LogTail  string `json:"log_tail,omitempty"`  // boot_failed: the end of its output; hostile text
	// Limit is how many pods of one user may run at one time, and Running are the names of those that do: too_many_running.
	Limit   int      `json:"limit,omitempty"`
	Running []string `json:"running,omitempty"`
	Allowed []string `json:"allowed,omitempty"` // image_not_allowed: the references that are
}

// Error is one line: operation, code and the server's sentence.
func (p *Problem) Error() string {
	what := p.Detail
	if what == "" {
		what = p.Title
	}
	if what == "" {
		what = http.StatusText(p.Status)
	}
	code := p.Code
	if code == "" {
		code = fmt.Sprintf("HTTP status %d", p.Status)
	}
	s := fmt.Sprintf("%s: %s: %s", p.Op, code, what)
	if p.Step != "" {
		s += fmt.Sprintf(" (step %q, exit code %d)", p.Step, p.ExitCode)
	}
	return s
}

// CodeOf gives the Problem code anywhere in the chain, or "" if there is none.
func CodeOf(err error) string {
	var p *Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return ""
}

// Unreachable says that no connection could be made: the server has seen nothing of the request.
type Unreachable struct {
	Op  string
	URL string // of the server, without any secret
	Err error
}

// Error names the server and the cause.
func (e *Unreachable) Error() string {
	return fmt.Sprintf("%s: no connection to %s: %v", e.Op, e.URL, e.Err)
}

// Unwrap gives the cause.
func (e *Unreachable) Unwrap() error { return e.Err }

// Interrupted says that the answer did not arrive whole, because the connection broke or the context ended: whether the server did what was asked is unknown.
type Interrupted struct {
	Op  string
	Err error
}

// Error says that the outcome is unknown, and the cause.
func (e *Interrupted) Error() string {
	return fmt.Sprintf("%s: the answer was cut off, the outcome is unknown: %v", e.Op, e.Err)
}

// Unwrap gives the cause.
func (e *Interrupted) Unwrap() error { return e.Err }

// ProtocolError says that the other side does not speak docs/protocol.md: it is another program, or another version.
type ProtocolError struct {
	Op     string
	Detail string
}

// Error says what was wrong with the answer.
func (e *ProtocolError) Error() string { return e.Op + ": unexpected answer: " + e.Detail }

// connected notes whether a request ever had a connection (TLS included) to be sent on.
type connected struct{ atomic.Bool }

// watch gives a context under which a round trip reports to c.
func (c *connected) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { c.Store(true) }})
}

// failed turns a failed round trip into Unreachable if there was never a connection, and into Interrupted otherwise.
func (c *connected) failed(op, base string, err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err // it repeats method and address
	}
	if c.Load() {
		return &Interrupted{Op: op, Err: err}
	}
	return &Unreachable{Op: op, URL: base, Err: err}
}

// problemFrom reads a refusal out of a response whose body was read already.
func problemFrom(op string, status int, contentType string, body []byte) *Problem {
	p := &Problem{}
	if mt, _, err := mime.ParseMediaType(contentType); err == nil && (mt == "application/problem+json" || mt == "application/json") {
		if json.Unmarshal(body, p) != nil {
			p = &Problem{}
		}
	} else if text := strings.TrimSpace(string(body)); len(text) <= 200 && strings.HasPrefix(contentType, "text/plain") {
		p.Detail = text
	}
	p.Op, p.Status = op, status
	return p
}
