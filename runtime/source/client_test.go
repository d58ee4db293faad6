package source

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func (s *site) fetch(t *testing.T, path string) ([]byte, error) {
	t.Helper()
	src, err := s.policy.ParseKind("https://"+s.good+path, Tarball)
	if err != nil {
		t.Fatal(err)
	}
	body, err := Fetch(t.Context(), NewClient(s.policy, s.resolver), src)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

func TestATarballIsFetched(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1") // nobody's
	s := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved.tar" {
			http.Redirect(w, r, "/x.tar?b=2", http.StatusFound)
			return
		}
		fmt.Fprint(w, "the files ", r.URL.RawQuery)
	}))
	for path, want := range map[string]string{"/x.tar?a=1": "the files a=1", "/moved.tar?a=1": "the files b=2"} {
		if got, err := s.fetch(t, path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	s.neverSeen(t)
}

func TestARedirectIsJudgedLikeAURL(t *testing.T) {
	to := ""
	s := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}))
	port := s.good[len("good.example.com"):]
	for _, c := range []struct {
		to     string
		reason Reason
	}{
		{"https://" + s.bad + "/x.tar", ReasonAddress},
		{"//" + s.bad + "/x.tar", ReasonAddress},
		{"https://127.0.0.2" + port + "/x.tar", ReasonAddress},
		{"https://2130706434" + port + "/x.tar", ReasonNumber},
		{"https://[::1]" + port + "/x.tar", ReasonAddress},
		{"https://169.254.169.254/latest.tar", ReasonAddress},
		{"https://metadata.google.internal/x.tar", ReasonLocalName},
		{"https://good.example.com:6379/x.tar", ReasonPort},
		{"https://user:hunter2@" + s.good + "/x.tar", ReasonCredentials},
		{"http://" + s.good + "/x.tar", ReasonRedirect},
		{"file:///etc/passwd", ReasonRedirect},
		{"https://user:hunter2@[" + s.good + "/x.tar", ReasonRedirect},
		{"/again.tar", ReasonRedirect},
	} {
		to = c.to
		_, err := s.fetch(t, "/x.tar?token="+secret)
		if reasonOf(err) != c.reason {
			t.Errorf("a redirect to %s: %v", c.to, err)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("a redirect to %s: the error has a password or a token in it: %v", c.to, err)
		}
	}
	s.neverSeen(t)
}

func TestNothingOfARequestGoesAlongARedirect(t *testing.T) {
	got := make(chan http.Header, 1)
	s := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/x.tar" {
			http.Redirect(w, r, "/y.tar", http.StatusFound)
			return
		}
		got <- r.Header
	}))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+s.good+"/x.tar?token="+secret, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Authorization", "Cookie", "Private-Token"} {
		req.Header.Set(name, secret)
	}
	resp, err := NewClient(s.policy, s.resolver).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if header := fmt.Sprint(<-got); strings.Contains(header, secret) {
		t.Errorf("what the second server was sent: %s", header)
	}
}

func TestAClientOnlyReads(t *testing.T) {
	s := newSite(t, http.NotFoundHandler())
	_, err := NewClient(s.policy, s.resolver).Post("https://"+s.good+"/x.tar", "text/plain", strings.NewReader("x"))
	if reasonOf(err) != ReasonMethod {
		t.Errorf("%v", err)
	}
	var status *StatusError
	if _, err := s.fetch(t, "/x.tar"); !errors.As(err, &status) || status.Code != http.StatusNotFound {
		t.Errorf("%v", err)
	}
}

func TestATarballIsNoLongerThanTheLimit(t *testing.T) {
	s := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range map[string]int{"/within.tar": 10, "/past.tar": 11, "/told.tar": 11}[r.URL.Path] {
			fmt.Fprint(w, "x")
			if r.URL.Path != "/told.tar" {
				w.(http.Flusher).Flush() // so that no length is told
			}
		}
	}))
	s.policy.Limits.Bytes = 10
	var large *TooLargeError
	if got, err := s.fetch(t, "/within.tar"); err != nil || len(got) != 10 {
		t.Errorf("%d bytes of 10: %v", len(got), err)
	}
	if got, err := s.fetch(t, "/past.tar"); !errors.As(err, &large) || len(got) != 10 || large.Limit != 10 {
		t.Errorf("%d bytes of 11: %v", len(got), err)
	}
	if got, err := s.fetch(t, "/told.tar"); !errors.As(err, &large) || len(got) != 0 {
		t.Errorf("%d bytes of a length that was told: %v", len(got), err)
	}
}

func TestAServerThatDoesNotAnswerIsGivenUp(t *testing.T) {
	hold := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	s := newSite(t, http.HandlerFunc(hold))
	s.policy.Limits.Header = 50 * time.Millisecond
	_, err := s.fetch(t, "/x.tar?token="+secret)
	if err == nil || !strings.Contains(err.Error(), "timeout awaiting response headers") || strings.Contains(err.Error(), secret) {
		t.Errorf("without a header: %v", err)
	}
	s = newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		hold(w, r)
	}))
	s.policy.Limits.Whole = 200 * time.Millisecond
	var timeout interface{ Timeout() bool }
	if _, err := s.fetch(t, "/x.tar"); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("without an end: %v", err)
	}
}
