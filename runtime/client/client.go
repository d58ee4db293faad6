package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxAnswer bounds every answer that is not a stream: 1,000 events are well below it.
const maxAnswer = 4 << 20

// Options says which server to talk to, and as whom.
type Options struct {
	BaseURL string // http://host:port or https://host; no path, query or credentials
	Token   string // sent as Authorization: Bearer; empty sends none
	Origin  string // sent as Origin when not empty, as a browser would
	// Pod names the pod that Boot, Stop, Status and the other calls act on that act on one. Empty or default: the one that every user has.
	Pod        string
	HTTPClient *http.Client // nil: a client of its own without a total time limit, since a boot may take minutes; contexts bound each call
}

// Client is one user's access to one server. It is safe for concurrent use and keeps no state but its connections.
type Client struct {
	base   *url.URL
	token  string
	origin string
	pod    string // "" is the default one
	http   *http.Client
	tls    *tls.Config // of the terminal's socket; taken when the client is made, because the first request changes the transport's own
}

// New checks the options; it does not connect.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.BaseURL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("server address: want http://host:port or https://host") // the parser's words would repeat it, credentials and all
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, fmt.Errorf("server address %q: want http://host:port or https://host", o.BaseURL)
	case u.User != nil, u.RawQuery != "", u.Fragment != "", u.Path != "" && u.Path != "/":
		return nil, fmt.Errorf("server address %q: want scheme, host and port only", u.Redacted())
	}
	u.Path = ""
	if strings.ContainsAny(o.Token, "\r\n\x00 ") {
		return nil, fmt.Errorf("the token contains a space or a line break")
	}
	pod := o.Pod
	if pod == DefaultPod {
		pod = ""
	}
	if pod != "" {
		if err := CheckPodName(pod); err != nil {
			return nil, err
		}
	}
	hc := http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	if o.HTTPClient != nil {
		hc = *o.HTTPClient
	}
	if hc.CheckRedirect == nil {
		// The API never redirects; following one could carry the token elsewhere.
		hc.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	c := &Client{base: u, token: o.Token, origin: o.Origin, pod: pod, http: &hc}
	if tr, ok := hc.Transport.(*http.Transport); ok && tr.TLSClientConfig != nil {
		c.tls = tr.TLSClientConfig.Clone()
		c.tls.NextProtos = nil // a WebSocket needs HTTP/1.1
	}
	return c, nil
}

// BaseURL gives the server's address as it is used.
func (c *Client) BaseURL() string { return c.base.String() }

// CloseIdleConnections closes the kept connections that nothing uses.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }

// Result is where a pod is after a boot or a destroy.
type Result struct {
	Pod         string `json:"pod"`
	State       string `json:"state"`
	Incarnation int    `json:"incarnation"`
}

// Status is what GET /api/status tells. Asking never wakes a pod and never counts as activity.
type Status struct {
	Pod         string     `json:"pod"`
	State       string     `json:"state"` // asleep, fresh, provisioning, ready: the spec's ctr
	Incarnation int        `json:"incarnation"`
	Recovering  bool       `json:"recovering,omitempty"` // the server has started and cannot see yet what became of the pod
	Since       time.Time  `json:"since"`                // when State began
	Container   string     `json:"container,omitempty"`  // the engine's id, while there is one
	KeptAwakeBy []string   `json:"kept_awake_by"`        // boot, terminal, exec, lease
	SleepsAt    *time.Time `json:"sleeps_at"`            // nil while something keeps it awake, and while it is asleep
	Terminals   int        `json:"terminals"`
	PodImages
	LeaseUntil *time.Time `json:"lease_until"`                 // until when a lease keeps it awake, also told while it is asleep; nil for none
	MaxLease   int64      `json:"max_lease_seconds,omitempty"` // the longest lease that the server gives, in seconds; 0 for none
	LastError  string     `json:"last_error,omitempty"`        // of the last boot, if it failed
	// Monitor is ok, diverged or unknown: whether the server's steps are those of the specification. "" where the server does not look.
	Monitor string `json:"monitor,omitempty"`
}

// ActionEvent is one committed action of the lifecycle, in the order in which actions took effect.
type ActionEvent struct {
	Seq         int64     `json:"seq"` // 1 is the first since the server started; without gaps within a pod
	Time        time.Time `json:"time"`
	Pod         string    `json:"pod"`
	Action      string    `json:"action"`         // the spec's name: StartBoot, FinishBoot, Sleep, ...
	Args        []string  `json:"args,omitempty"` // the client, for a client's action
	Incarnation int       `json:"incarnation"`    // after the action
	Cause       string    `json:"cause"`          // why the server took it
}

// EventPage is a piece of the event log.
type EventPage struct {
	Events []ActionEvent `json:"events"`
	Next   int64         `json:"next"` // the `after` of the next call
}

// CommittedStep is one committed step of the server, in the order in which steps took effect: an action of the finer specification, PodRuntime.
type CommittedStep struct {
	Seq         int64     `json:"seq"` // 1 is the first since the server started; without gaps within a pod
	Time        time.Time `json:"time"`
	Pod         string    `json:"pod"`
	Action      string    `json:"action"`            // the spec's name
	Client      string    `json:"client,omitempty"`  // its parameter c
	Inc         int       `json:"n,omitempty"`       // its parameter n
	Outside     string    `json:"outside,omitempty"` // the action that Events tells of it; "" for none
	Incarnation int       `json:"incarnation"`       // after the step
	Cause       string    `json:"cause"`             // why the server took it; "observed" where the world did
}

// StepPage is a piece of the steps.
type StepPage struct {
	Steps []CommittedStep `json:"steps"`
	Next  int64           `json:"next"` // the `after` of the next call
}

// Destroy is Stop by its older name.
func (c *Client) Destroy(ctx context.Context) (Result, error) { return c.stop(ctx, "destroy") }

// Status asks where the caller's pod is.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var s Status
	return s, c.call(ctx, "status", http.MethodGet, c.at("/api/status"), nil, &s)
}

// Events gives the committed actions of the caller's pod with a sequence number above after; 0 asks for the oldest that are kept.
func (c *Client) Events(ctx context.Context, after int64) (EventPage, error) {
	var p EventPage
	return p, c.call(ctx, "events", http.MethodGet, c.at("/api/events")+"?after="+strconv.FormatInt(after, 10), nil, &p)
}

// Steps gives the committed steps of the caller's pod with a sequence number above after; 0 asks for the oldest that are kept.
func (c *Client) Steps(ctx context.Context, after int64) (StepPage, error) {
	var p StepPage
	return p, c.call(ctx, "steps", http.MethodGet, c.at("/api/steps")+"?after="+strconv.FormatInt(after, 10), nil, &p)
}

// LoginLink asks for a fresh single-use link that logs a browser in.
func (c *Client) LoginLink(ctx context.Context) (string, error) {
	var a struct {
		URL string `json:"url"`
	}
	if err := c.call(ctx, "login-link", http.MethodPost, "/api/login-link", nil, &a); err != nil {
		return "", err
	}
	if a.URL == "" {
		return "", &ProtocolError{Op: "login-link", Detail: "no url in it"}
	}
	return a.URL, nil
}

// Health asks whether the server can work: nil, or a Problem with status 503 when its engine or its store cannot be used.
func (c *Client) Health(ctx context.Context) error {
	return c.call(ctx, "health", http.MethodGet, "/healthz", nil, nil)
}

// request builds a call with this client's identity.
func (c *Client) request(ctx context.Context, op, method, path string, body any) (*http.Request, error) {
	var rd io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", op, err)
		}
		rd = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, rd)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for k, v := range c.identity() {
		req.Header[k] = v
	}
	return req, nil
}

// identity is what every request carries, the WebSocket's too.
func (c *Client) identity() http.Header {
	h := http.Header{}
	if c.token != "" {
		h.Set("Authorization", "Bearer "+c.token)
	}
	if c.origin != "" {
		h.Set("Origin", c.origin)
	}
	return h
}

// call does one request and decodes a JSON answer into out, unless that is nil.
func (c *Client) call(ctx context.Context, op, method, path string, body, out any) error {
	var conn connected
	req, err := c.request(conn.watch(ctx), op, method, path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	resp, err := c.http.Do(req)
	if err != nil {
		return conn.failed(op, c.BaseURL(), err)
	}
	defer resp.Body.Close()
	b, err := readBody(op, resp)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return problemFrom(op, resp.StatusCode, resp.Header.Get("Content-Type"), b)
	}
	if out == nil {
		return nil
	}
	if mt, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); mt != "application/json" {
		return &ProtocolError{Op: op, Detail: fmt.Sprintf("content type %q instead of application/json", resp.Header.Get("Content-Type"))}
	}
	if err := json.Unmarshal(b, out); err != nil {
		return &ProtocolError{Op: op, Detail: err.Error()}
	}
	return nil
}

// readBody reads at most maxAnswer bytes; a longer answer is a ProtocolError.
func readBody(op string, resp *http.Response) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, &Interrupted{Op: op, Err: err}
	}
	if len(b) > maxAnswer {
		return nil, &ProtocolError{Op: op, Detail: fmt.Sprintf("more than %d bytes", maxAnswer)}
	}
	return b, nil
}
