package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"podlife/runtime/pod"
	"podlife/runtime/terminal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noStore remembers nothing: these tests never boot.
type noStore struct{}

func (noStore) Load(context.Context) ([]pod.Record, error) { return nil, nil }
func (noStore) Save(context.Context, pod.Record) error     { return nil }

// start serves on loopback, for users me and you with their names as tokens.
func start(t *testing.T, change func(*Options)) (s *Server, base string) {
	t.Helper()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	m := pod.NewManager(pod.Options{Store: noStore{}, Clock: pod.SystemClock{}, Logger: log})
	o := Options{Pods: m, Logger: log, Users: []User{{"me", sha256.Sum256([]byte("me"))}, {"you", sha256.Sum256([]byte("you"))}}}
	if change != nil {
		change(&o)
	}
	s = New(o)
	s.around = answers(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
		m.Close()
	})
	return s, "http://" + l.Addr().String()
}

// call sends a request and gives the answer's status and body.
func call(t *testing.T, c *http.Client, method, url, body string, header ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestEveryRouteButThePageNeedsSomebody(t *testing.T) {
	s, base := start(t, nil)
	for _, r := range s.routes() {
		route := r.pattern
		if slices.Contains([]string{"GET /", "GET /healthz", "GET /api/openapi.json", "POST /api/login"}, route) {
			continue
		}
		method, path, _ := strings.Cut(strings.NewReplacer("{name}", "default", "{tab}", "main", "{volume}", "v").Replace(route), " ")
		for _, header := range [][]string{nil, {"Authorization", "Bearer wrong"}, {"Authorization", "me"}, {"Cookie", "podlife_session=wrong"}} {
			code, body := call(t, http.DefaultClient, method, base+path, "", header...)
			if code != 401 || !strings.Contains(body, `"unauthenticated"`) {
				t.Errorf("%s with %q: %d %s", route, header, code, body)
			}
		}
	}
	if code, body := call(t, http.DefaultClient, "GET", base+"/healthz", ""); code != 200 {
		t.Errorf("healthz: %d %s", code, body)
	}
}

func TestStatusIsOfTheCallersOwnPod(t *testing.T) {
	_, base := start(t, nil)
	for _, user := range []string{"me", "you"} {
		code, body := call(t, http.DefaultClient, "GET", base+"/api/status", "", "Authorization", "Bearer "+user)
		var st struct{ Pod, State string }
		if err := json.Unmarshal([]byte(body), &st); err != nil || code != 200 || st.Pod != user || st.State != "asleep" {
			t.Errorf("%s: %d %s", user, code, body)
		}
	}
}

// fakeMonitor has found something.
type fakeMonitor struct{}

func (fakeMonitor) Verdict(id pod.ID) string {
	if id == "me" {
		return "diverged"
	}
	return "ok"
}
func (fakeMonitor) Counts() (checked, divergences, missed uint64) { return 5, 2, 1 }

func TestWhatTheMonitorFindsIsInStatusAndMetrics(t *testing.T) {
	_, base := start(t, func(o *Options) { o.Monitor = fakeMonitor{} })
	for user, want := range map[string]string{"me": `"monitor":"diverged"`, "you": `"monitor":"ok"`} {
		if code, body := call(t, http.DefaultClient, "GET", base+"/api/status", "", "Authorization", "Bearer "+user); code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", user, code, body)
		}
	}
	_, body := call(t, http.DefaultClient, "GET", base+"/metrics", "", "Authorization", "Bearer me")
	for _, line := range []string{"podlife_monitor_steps_total 5", "podlife_monitor_divergences_total 2", "podlife_monitor_missed_total 1"} {
		if !strings.Contains(body, line+"\n") {
			t.Errorf("the metrics do not have %q", line)
		}
	}
	_, base = start(t, nil)
	if _, body := call(t, http.DefaultClient, "GET", base+"/api/status", "", "Authorization", "Bearer me"); strings.Contains(body, "monitor") {
		t.Errorf("without a monitor: %s", body)
	}
}

func TestStepsAreThoseOfTheCallersOwnPod(t *testing.T) {
	w := newWorld(t, nil)
	if _, err := w.client("you").Boot(w.ctx(), "c1", nil); err != nil {
		t.Fatal(err)
	}
	page, err := w.client("me").Steps(w.ctx(), 0)
	if err != nil || len(page.Steps) > 0 {
		t.Errorf("of a pod that was never woken: %+v, %v", page, err)
	}
	page, err = w.client("you").Steps(w.ctx(), 0)
	if err != nil || len(page.Steps) < 10 || page.Next != int64(len(page.Steps)) {
		t.Fatalf("%+v, %v", page, err)
	}
	if first := page.Steps[0]; first.Seq != 1 || first.Action != "StartBoot" || first.Client != "c1" || first.Outside != "StartBoot" || first.Incarnation != 1 {
		t.Errorf("the first is %+v", first)
	}
	rest, err := w.client("you").Steps(w.ctx(), 9)
	if err != nil || len(rest.Steps) == 0 || rest.Steps[0].Seq != 10 {
		t.Errorf("after 9: %+v, %v", rest, err)
	}
}

func TestLoginLinkWorksOnceAndNotForEver(t *testing.T) {
	now := time.Now()
	s, base := start(t, func(o *Options) { o.Now = func() time.Time { return now } })
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar}
	defer browser.CloseIdleConnections()
	link := s.LoginLink(base, "me")
	_, code, ok := strings.Cut(link, "/#login=")
	if !ok {
		t.Fatalf("the code is not in the fragment: %s", link)
	}
	body := `{"code":"` + code + `"}`
	if status, b := call(t, browser, "POST", base+"/api/login", body); status != 204 {
		t.Fatalf("first use: %d %s", status, b)
	}
	if status, b := call(t, http.DefaultClient, "POST", base+"/api/login", body); status != 401 {
		t.Errorf("second use: %d %s", status, b)
	}
	if status, b := call(t, browser, "GET", base+"/api/status", ""); status != 200 || !strings.Contains(b, `"me"`) {
		t.Errorf("with the cookie: %d %s", status, b)
	}
	if status, b := call(t, browser, "POST", base+"/api/login-link", ""); status != 403 {
		t.Errorf("a session made a login link: %d %s", status, b)
	}
	now = now.Add(sessionLife + time.Second)
	if status, b := call(t, browser, "GET", base+"/api/status", ""); status != 401 {
		t.Errorf("after the session's life: %d %s", status, b)
	}
	_, old, _ := strings.Cut(s.LoginLink(base, "me"), "/#login=")
	now = now.Add(codeLife + time.Second)
	if status, b := call(t, browser, "POST", base+"/api/login", `{"code":"`+old+`"}`); status != 401 {
		t.Errorf("an old link: %d %s", status, b)
	}
}

// Bug reports B69: only the exact allow list may open a terminal with a cookie.
func TestForeignOriginsCannotOpenATerminal(t *testing.T) {
	s, base := start(t, func(o *Options) { o.Origins = []string{"https://pods.example"} })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	session, ok := s.auth.login(s.auth.newCode("me"))
	if !ok {
		t.Fatal("no session")
	}
	dial := func(origin, bearer string) int {
		h := http.Header{"Cookie": {cookieName + "=" + session}}
		if origin != "" {
			h.Set("Origin", origin)
		}
		if bearer != "" {
			h = http.Header{"Authorization": {"Bearer " + bearer}}
		}
		d := websocket.Dialer{Subprotocols: []string{terminal.Subprotocol}}
		ws, resp, err := d.Dial(strings.Replace(base, "http", "ws", 1)+"/ws/terminal", h)
		if err == nil {
			ws.Close()
		}
		if resp == nil {
			t.Fatalf("origin %q: %v", origin, err)
		}
		return resp.StatusCode
	}
	for origin, want := range map[string]int{
		base:                         101,
		"http://localhost:" + port:   101,
		"https://pods.example":       101,
		"":                           403,
		"null":                       403,
		"https://evil.example":       403,
		"http://127.0.0.1:1":         403,
		"https://pods.example:8443":  403,
		"http://pods.example":        403,
		"https://sub.pods.example":   403,
		"https://pods.example.evil":  403,
		"https://pods.example@evil/": 403,
	} {
		if got := dial(origin, ""); got != want {
			t.Errorf("origin %q: %d, want %d", origin, got, want)
		}
	}
	if got := dial("", "me"); got != 101 {
		t.Errorf("a program with a token: %d", got)
	}
}

func TestForeignHostsAndSitesAreRefused(t *testing.T) {
	_, base := start(t, nil)
	auth := []string{"Authorization", "Bearer me"}
	if code, body := call(t, http.DefaultClient, "GET", base+"/api/status", "", append(auth, "Host", "rebound.example")...); code != 421 {
		t.Errorf("foreign host: %d %s", code, body)
	}
	if code, body := call(t, http.DefaultClient, "POST", base+"/api/destroy", "", append(auth, "Origin", "https://evil.example")...); code != 403 {
		t.Errorf("foreign origin: %d %s", code, body)
	}
	if code, body := call(t, http.DefaultClient, "POST", base+"/api/destroy", "", append(auth, "Sec-Fetch-Site", "cross-site")...); code != 403 {
		t.Errorf("cross-site: %d %s", code, body)
	}
	if code, body := call(t, http.DefaultClient, "GET", base+"/api/destroy", "", auth...); code == 200 {
		t.Errorf("a GET destroyed: %s", body)
	}
}

func TestBadRequestsAreClearAndBounded(t *testing.T) {
	_, base := start(t, nil)
	for _, c := range []struct {
		method, path, body string
		code               int
		says               string
	}{
		{"POST", "/api/boot", `{"client":"../x"}`, 400, "A-Za-z0-9"},
		{"POST", "/api/boot", `{"client":"` + strings.Repeat("a", 65) + `"}`, 400, "A-Za-z0-9"},
		{"POST", "/api/boot", `{"clinet":"a"}`, 400, "clinet"},
		{"POST", "/api/boot", `[]`, 400, "JSON object"},
		{"POST", "/api/boot", `{} {}`, 400, "behind"},
		{"POST", "/api/boot", `{"client":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "65536"},
		{"GET", "/api/events?after=-1", "", 400, "after"},
		{"GET", "/api/events?after=x", "", 400, "after"},
		{"GET", "/api/steps?after=-1", "", 400, "after"},
		{"GET", "/ws/terminal", "", 403, "origin"},
	} {
		header := []string{"Authorization", "Bearer me"}
		if c.path == "/ws/terminal" {
			header = append(header, "Origin", "null")
		}
		code, body := call(t, http.DefaultClient, c.method, base+c.path, c.body, header...)
		if code != c.code || !strings.Contains(body, c.says) {
			t.Errorf("%s %s %.40s: %d %.200s, want %d saying %q", c.method, c.path, c.body, code, body, c.code, c.says)
		}
	}
}

func TestOneUsersLoginLinksDoNotVoidAnothers(t *testing.T) {
	s, base := start(t, nil)
	_, yours, _ := strings.Cut(s.LoginLink(base, "you"), "/#login=")
	for range 100 {
		s.LoginLink(base, "me")
	}
	if code, body := call(t, http.DefaultClient, "POST", base+"/api/login", `{"code":"`+yours+`"}`); code != 204 {
		t.Errorf("%d %s", code, body)
	}
	if n := len(s.auth.codes); n > maxCodes {
		t.Errorf("%d codes of one user are kept", n)
	}
}

func TestTheSchemesOwnPortMayBeLeftOut(t *testing.T) {
	s := New(Options{Origins: []string{"https://pods.example:443"}, Logger: slog.New(slog.DiscardHandler)})
	s.allow(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80})
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.0.0.1:80": true, "localhost": true, "pods.example": true, "pods.example:443": true,
		"pods.example:80": false, "127.0.0.1:443": false, "evil.example": false, "": false,
	} {
		if got := s.knownHost(host); got != want {
			t.Errorf("%q is known: %v, want %v", host, got, want)
		}
	}
	if r := (&http.Request{Host: "pods.example"}); s.outside(r) != "https" {
		t.Errorf("outside is %s", s.outside(r))
	}
}
