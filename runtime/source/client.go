package source

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// maxRedirects is how many redirects are followed.
const maxRedirects = 5

// TooLargeError says that more came than the policy allows.
type TooLargeError struct{ Limit int64 } // in bytes

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("there is more than the %d bytes that are allowed", e.Limit)
}

// StatusError is an answer other than 200.
type StatusError struct{ Code int }

func (e *StatusError) Error() string {
	return fmt.Sprintf("the server answered %d %s", e.Code, http.StatusText(e.Code))
}

// NewClient makes an HTTP client for tarballs. It makes GET and HEAD requests to what the policy lets through, each redirect judged like the first URL and as often as five times; it knows no proxy of the environment and no cookies, and takes none of a request's
// header along a redirect. The body of a response fails with a *TooLargeError past the limit. The errors of http.Client itself contain the URL with its query: show those of Fetch. A nil resolver is the system's.
func NewClient(p Policy, r Resolver) *http.Client {
	limits := p.limits()
	return &http.Client{
		Timeout:       limits.Whole,
		CheckRedirect: checkRedirect,
		Transport: &judging{p, &http.Transport{
			DialContext:            NewDialer(p, r).DialContext,
			TLSClientConfig:        &tls.Config{RootCAs: p.Roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    limits.Header,
			ResponseHeaderTimeout:  limits.Header,
			MaxResponseHeaderBytes: 64 << 10,
			DisableKeepAlives:      true, // nothing is left open behind a tarball
			DisableCompression:     true, // the bytes that are counted are those that come, and they are what was asked for
		}},
	}
}

// checkRedirect is asked before each further request; whether its URL is let through is for judging.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return refuse(ReasonRedirect, "there are more than %d redirects", maxRedirects)
	}
	if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return refuse(ReasonRedirect, "a redirect leads from https to something else")
	}
	req.Header = http.Header{} // with the Referer, which has the query of the URL before
	return nil
}

// judging lets requests through that a policy lets through, and bounds the bodies of their responses.
type judging struct {
	policy Policy
	next   http.RoundTripper
}

func (j *judging) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		return nil, refuse(ReasonMethod, "only GET and HEAD requests are made here")
	}
	if _, err := j.policy.ParseKind(req.URL.String(), Tarball); err != nil {
		return nil, err
	}
	resp, err := j.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if _, err := req.URL.Parse(resp.Header.Get("Location")); err != nil {
		resp.Body.Close()
		return nil, refuse(ReasonRedirect, "a redirect leads to what is no URL") // http.Client would say it word by word
	}
	limit := j.policy.limits().Bytes
	if req.Method == http.MethodGet && resp.ContentLength > limit {
		resp.Body.Close()
		return nil, &TooLargeError{limit}
	}
	resp.Body = &limited{resp.Body, limit, limit}
	return resp, nil
}

// A limited body fails where one ends that is as long as it may be and goes on.
type limited struct {
	io.ReadCloser
	left, limit int64
}

func (l *limited) Read(b []byte) (int, error) {
	if int64(len(b)) > l.left+1 {
		b = b[:l.left+1]
	}
	n, err := l.ReadCloser.Read(b)
	if int64(n) > l.left {
		n, err = int(l.left), &TooLargeError{l.limit}
	}
	l.left -= int64(n)
	return n, err
}

// Fetch asks a client of NewClient for a tarball, and gives its bytes as they come; whoever has them closes them. It fails with a *RefusedError, a *TooLargeError or a *StatusError (by errors.As), or with what failed in the network; the text of the error
// names the source as it prints, without its query.
func Fetch(ctx context.Context, c *http.Client, s Source) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL(), nil)
	if err != nil {
		return nil, refuse(ReasonForm, "this is no URL")
	}
	resp, err := c.Do(req)
	if err != nil {
		var with *url.Error
		if errors.As(err, &with) {
			err = with.Err // what is around it is the URL
		}
		return nil, fmt.Errorf("fetching %s: %w", s, err)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("fetching %s: %w", s, &StatusError{resp.StatusCode})
	}
	return resp.Body, nil
}
