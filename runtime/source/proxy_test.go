package source

import (
	"bufio"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func (s *site) proxy(t *testing.T) *Proxy {
	t.Helper()
	x, err := StartProxy(s.policy, s.resolver)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// run runs git with an environment that has no more than it needs.
func run(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Env = append(env, "PATH="+os.Getenv("PATH"), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// gitSite serves a repository, and redirects /moved.git to the forbidden server.
func gitSite(t *testing.T) (*site, []string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root := t.TempDir()
	plain := []string{"HOME=" + root, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@a"}
	must := func(args ...string) string {
		out, err := run(t, plain, args...)
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(out)
	}
	must("init", "-q", filepath.Join(root, "work"))
	if err := os.WriteFile(filepath.Join(root, "work", "hello"), []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	must("-C", filepath.Join(root, "work"), "add", "hello")
	must("-C", filepath.Join(root, "work"), "commit", "-qm", "hello")
	must("clone", "-q", "--bare", filepath.Join(root, "work"), filepath.Join(root, "x.git"))
	backend := &cgi.Handler{
		Path: filepath.Join(must("--exec-path"), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"},
	}
	if _, err := os.Stat(backend.Path); err != nil {
		t.Skip("git has no http-backend here")
	}
	var s *site
	s = newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, ok := strings.CutPrefix(r.URL.Path, "/moved.git"); ok {
			http.Redirect(w, r, "https://"+s.bad+"/x.git"+rest+"?"+r.URL.RawQuery, http.StatusFound)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, s.certificate(t), 0o644); err != nil {
		t.Fatal(err)
	}
	return s, []string{"GIT_SSL_CAINFO=" + ca}
}

// certificate is that of both servers, which is httptest's own.
func (s *site) certificate(t *testing.T) []byte {
	t.Helper()
	any := httptest.NewTLSServer(nil)
	defer any.Close()
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: any.Certificate().Raw})
}

func TestGitClonesThroughTheProxyFromWhereItMay(t *testing.T) {
	s, env := gitSite(t)
	x := s.proxy(t)
	to := filepath.Join(t.TempDir(), "to")
	out, err := run(t, append(x.GitEnv(), env...), "clone", "https://"+s.good+"/x.git", to)
	if err != nil {
		t.Fatalf("%v\n%s\n%v", err, out, x.Refused())
	}
	if got, err := os.ReadFile(filepath.Join(to, "hello")); err != nil || string(got) != "hello\n" {
		t.Errorf("%q, %v", got, err)
	}
	if len(x.Refused()) != 0 {
		t.Errorf("something was refused: %v", x.Refused())
	}
}

func TestGitReachesNothingThatThePolicyRefuses(t *testing.T) {
	s, env := gitSite(t)
	port := s.good[len("good.example.com"):]
	for _, c := range []struct {
		url, git string
		reason   Reason // "" is git's own refusal
	}{
		{"https://" + s.bad + "/x.git", "403", ReasonAddress},
		{"https://127.0.0.2" + port + "/x.git", "403", ReasonAddress},
		{"https://2130706434" + port + "/x.git", "403", ReasonAddress}, // curl makes it 127.0.0.2
		{"https://localhost" + port + "/x.git", "403", ReasonLocalName},
		{"https://good.example.com:1/x.git", "403", ReasonPort},
		{"https://" + s.good + "/moved.git", "403", ReasonAddress},
		{"http://" + s.bad + "/x.git", "not allowed", ""},
		{"ssh://git@" + s.bad + "/x.git", "not allowed", ""},
		{"ext::true", "not allowed", ""},
		{"file:///nonexistent/x.git", "not allowed", ""},
	} {
		x := s.proxy(t)
		out, err := run(t, append(x.GitEnv(), env...), "clone", c.url, filepath.Join(t.TempDir(), "to"))
		if err == nil || !strings.Contains(out, c.git) {
			t.Errorf("%s: %v\n%s", c.url, err, out)
		}
		switch said := x.Refused(); {
		case c.reason == "" && len(said) != 0:
			t.Errorf("%s: the proxy was asked: %v", c.url, said)
		case c.reason != "" && (len(said) != 1 || reasonOf(said[0]) != c.reason):
			t.Errorf("%s: the proxy says %v", c.url, said)
		}
	}
	s.neverSeen(t)
}

// tunnel asks a proxy for a connection, and gives what it answered.
func tunnel(t *testing.T, x *Proxy, request string) (net.Conn, *http.Response) {
	t.Helper()
	c, err := net.Dial("tcp", x.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "%s\r\nHost: x\r\n\r\n", request)
	resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: http.MethodConnect})
	if err != nil {
		t.Fatal(err)
	}
	return c, resp
}

func TestTheProxySpeaksConnectOnly(t *testing.T) {
	s := newSite(t, http.NotFoundHandler())
	x := s.proxy(t)
	for _, c := range []struct {
		request string
		reason  Reason
	}{
		{"GET http://" + s.good + "/x", ReasonMethod},
		{"GET /", ReasonMethod},
		{"POST https://" + s.good + "/x", ReasonMethod},
		{"CONNECT " + s.bad, ReasonAddress},
		{"CONNECT good.example.com:22", ReasonPort},
		{"CONNECT good.example.com:80", ReasonPort},
		{"CONNECT good.example.com", ReasonForm},
		{"CONNECT 0x7f.2:443", ReasonNumber},
		{"CONNECT [::1]:443", ReasonAddress},
	} {
		_, resp := tunnel(t, x, c.request+" HTTP/1.1")
		said := x.Refused()
		if resp.StatusCode != http.StatusForbidden || len(said) == 0 || reasonOf(said[len(said)-1]) != c.reason {
			t.Errorf("%s: %s; the proxy says %v", c.request, resp.Status, said)
		}
	}
	s.neverSeen(t)
}

// echo is a listener that gives back what it gets, and a policy that allows it alone.
func echo(t *testing.T) *site {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); io.Copy(c, c) }()
		}
	}()
	s := &site{good: strings.Replace(l.Addr().String(), "127.0.0.1", "good.example.com", 1), resolver: names{"good.example.com": "127.0.0.1"}}
	s.policy = newSite(t, http.NotFoundHandler()).policy
	s.policy.Ports = []uint16{uint16(l.Addr().(*net.TCPAddr).Port)}
	return s
}

func TestAProxysConnectionsAreCutOffPastTheirBytes(t *testing.T) {
	s := echo(t)
	s.policy.Limits.Bytes = 2000
	x := s.proxy(t)
	total := 0
	for range 3 {
		c, resp := tunnel(t, x, "CONNECT "+s.good+" HTTP/1.1")
		if resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status)
		}
		fmt.Fprint(c, strings.Repeat("x", 600))
		got := make([]byte, 600)
		n, _ := io.ReadFull(c, got)
		total += n
		c.Close()
	}
	var large *TooLargeError
	if said := x.Refused(); total < 600 || total > 800 || len(said) == 0 || !errors.As(said[0], &large) {
		t.Errorf("%d bytes came back, of 2000 in both directions; the proxy says %v", total, said)
	}
}

func TestAProxysConnectionEndsWithBothItsDirections(t *testing.T) {
	s := echo(t)
	c, _ := tunnel(t, s.proxy(t), "CONNECT "+s.good+" HTTP/1.1")
	fmt.Fprint(c, "last words")
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); err != nil || string(got) != "last words" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAProxysConnectionIsOpenNoLongerThanTheLimit(t *testing.T) {
	s := echo(t)
	s.policy.Limits.Whole = 50 * time.Millisecond
	c, resp := tunnel(t, s.proxy(t), "CONNECT "+s.good+" HTTP/1.1")
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it is still open: %v", err)
	}
}

func TestAProxyHasNoMoreConnectionsThanTheLimit(t *testing.T) {
	s := echo(t)
	s.policy.Limits.Conns = 1
	x := s.proxy(t)
	first, _ := tunnel(t, x, "CONNECT "+s.good+" HTTP/1.1")
	second, err := net.Dial("tcp", x.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	fmt.Fprintf(second, "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", s.good)
	if err := second.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the second was served beside the first: %v", err)
	}
	first.Close()
	if err := second.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Read(make([]byte, 1)); err != nil {
		t.Errorf("the second was not served after the first: %v", err)
	}
}

func TestNothingIsLeftOfAProxyThatIsClosed(t *testing.T) {
	s := echo(t)
	before := goleak.IgnoreCurrent()
	x, err := StartProxy(s.policy, s.resolver)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := tunnel(t, x, "CONNECT "+s.good+" HTTP/1.1")
	idle, err := net.Dial("tcp", x.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	x.mu.Lock()
	left := len(x.open)
	x.mu.Unlock()
	if left != 0 {
		t.Errorf("Close returned, and %d ends of connections were not let go", left)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection is still open: %v", err)
	}
	if _, err := net.Dial("tcp", x.listener.Addr().String()); err == nil {
		t.Error("it still listens")
	}
	c.Close()
	goleak.VerifyNone(t, before)
}

// asking is a resolver that says when it is asked, and never answers.
type asking chan struct{}

func (a asking) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	close(a)
	return stuck{}.LookupNetIP(ctx, network, host)
}

func TestAProxyIsClosedThoughAClientIsBeingConnected(t *testing.T) {
	asked := make(asking)
	x, err := StartProxy(Policy{Limits: Limits{Resolve: time.Hour}}, asked)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", x.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "CONNECT good.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n")
	<-asked
	closed := make(chan error)
	go func() { closed <- x.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it waits for the lookup")
	}
}
