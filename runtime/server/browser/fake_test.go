package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/server/web"
)

const (
	fakeCookie  = "podlife_fake"
	fakeCode    = "right-code"
	subprotocol = "podlife.v2"
	prompt      = "\x1b[1;32mdev@pod\x1b[0m:\x1b[1;34m~/project\x1b[0m$ "
)

// message is any text frame.
type message map[string]any

// fake is a server that speaks the protocol and has no pods: the test says what happens. It serves the real page. Its shells are in fake_shell_test.go, its named pods in fake_pods_test.go.
// It is the default pod; each named one is a fake too, behind the first one's address.
type fake struct {
	URL string

	// boot runs for each boot that a page asks for, and tells it how it goes. It returns whether a shell follows.
	boot func(s *fakeSocket, incarnation int) bool

	mu          sync.Mutex // guards the following
	named       map[string]*fake
	listed      []message // as GET /api/pods has them
	asked       []string  // the paths of all requests, of whichever pod
	class       string    // as the status has it; "" for a server that says none
	sockets     []*fakeSocket
	hellos      []message
	acks        []float64
	resumes     int // sockets that went on where they were
	pictures    int
	stays       int
	boots       int
	epochs      int
	incarnation int
	provisioned bool
	down        bool // refuse every socket
	recorded    bool // every session
	maxLease    time.Duration
	lease       time.Time
	shells      []*fakeShell
	events      []message
}

// fakeSocket is one open terminal.
type fakeSocket struct {
	conn *websocket.Conn
	mu   sync.Mutex // one writer at a time

	frames int // binary ones of the page; for the goroutine that reads
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := newFakePod()
	mux := http.NewServeMux()
	mux.Handle("/", web.Handler(nil, http.NotFoundHandler()))
	mux.HandleFunc("POST /api/login", f.login)
	mux.HandleFunc("GET /api/pods", f.signedIn(f.listPods))
	for _, c := range podCalls {
		mux.HandleFunc(c.method+" "+c.path, f.signedIn(func(w http.ResponseWriter, r *http.Request) { c.answer(f, w, r) }))
		mux.HandleFunc(c.method+" "+c.namedPath, f.signedIn(f.ofNamed(c.answer)))
	}
	server := httptest.NewServer(f.listening(mux))
	f.URL = server.URL
	t.Cleanup(func() {
		for _, pod := range append(f.others(), f) {
			pod.dropAll(websocket.CloseGoingAway)
		}
		server.Close()
	})
	return f
}

func (f *fake) login(w http.ResponseWriter, r *http.Request) {
	var request struct{ Code string }
	if json.NewDecoder(r.Body).Decode(&request) != nil || request.Code != fakeCode {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: fakeCookie, Value: "1", Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.WriteHeader(http.StatusNoContent)
}

func (f *fake) signedIn(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie(fakeCookie); errors.Is(err, http.ErrNoCookie) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next(w, r)
	}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a page that went away is the page's business
}

func (f *fake) status(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	state := "asleep"
	if f.provisioned {
		state = "ready"
	}
	status := message{"state": state, "incarnation": f.incarnation, "kept_awake_by": []string{"a terminal"}, "max_lease_seconds": int(f.maxLease.Seconds())}
	if f.class != "" {
		status["class"] = f.class
	}
	if !f.lease.IsZero() {
		status["lease_until"] = f.lease
	}
	answer(w, status)
}

func (f *fake) extend(w http.ResponseWriter, r *http.Request) {
	var request struct{ For string }
	err := json.NewDecoder(r.Body).Decode(&request)
	d, bad := time.ParseDuration(request.For)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil || bad != nil || d > f.maxLease {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusBadRequest)
		answer(w, message{"detail": "that is no lease"})
		return
	}
	until := time.Now().Add(d)
	longer := f.lease.After(until)
	if !longer {
		f.lease = until
	}
	answer(w, message{"lease_until": f.lease, "longer": longer})
}

func (f *fake) listEvents(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var after int
	_, _ = fmt.Sscan(r.URL.Query().Get("after"), &after)
	answer(w, message{"events": f.events[min(after, len(f.events)):], "next": len(f.events)})
}

// happened adds an event; the caller holds mu.
func (f *fake) happened(action, cause string) {
	f.events = append(f.events, message{"seq": len(f.events) + 1, "time": time.Now(), "action": action, "incarnation": f.incarnation, "cause": cause})
}

func (f *fake) destroy(w http.ResponseWriter, _ *http.Request) {
	f.lose("destroyed", "reset")
	answer(w, message{"state": "asleep"})
}

// lose ends the pod and tells every terminal.
func (f *fake) lose(state, reason string) {
	f.mu.Lock()
	f.provisioned = false
	f.shells = nil
	f.happened("Sleep", reason)
	incarnation := f.incarnation
	sockets := slices.Clone(f.sockets)
	f.mu.Unlock()
	for _, s := range sockets {
		s.say(message{"type": "state", "state": state, "incarnation": incarnation, "reason": reason})
	}
}

// dropAll closes every terminal, as a network or a restart does. The shells go on.
func (f *fake) dropAll(code int) {
	f.mu.Lock()
	sockets := f.sockets
	f.sockets = nil
	f.mu.Unlock()
	for _, s := range sockets {
		s.close(code)
	}
}

func (f *fake) setDown(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}

// counts gives the sockets that said hello, and the boots.
func (f *fake) counts() (hellos, boots int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.hellos), f.boots
}

func (f *fake) lastHello() message {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hellos[len(f.hellos)-1]
}

// sayAll tells every terminal.
func (f *fake) sayAll(m message) {
	f.mu.Lock()
	sockets := slices.Clone(f.sockets)
	f.mu.Unlock()
	for _, s := range sockets {
		s.say(m)
	}
}

func (f *fake) terminal(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	down := f.down
	f.mu.Unlock()
	if down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	upgrader := websocket.Upgrader{Subprotocols: []string{subprotocol}}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	s := &fakeSocket{conn: conn}
	defer conn.Close()
	var hello message
	if err := conn.ReadJSON(&hello); err != nil || hello["type"] != "hello" || conn.Subprotocol() != subprotocol {
		s.close(4400)
		return
	}
	f.mu.Lock()
	f.sockets = append(f.sockets, s)
	f.hellos = append(f.hellos, hello)
	provisioned, incarnation := f.provisioned, f.incarnation
	f.mu.Unlock()
	switch {
	case provisioned:
		f.attach(s, hello)
	case hello["boot"] == false:
		s.say(message{"type": "state", "state": "asleep", "incarnation": incarnation, "reason": "not_ready"})
		s.close(4409)
		return
	default:
		f.bootOn(s, hello)
	}
	f.read(s, hello)
	f.detach(s)
}

func (f *fake) bootOn(s *fakeSocket, hello message) {
	f.mu.Lock()
	if f.provisioned { // another tab has booted it
		f.mu.Unlock()
		f.attach(s, hello)
		return
	}
	f.boots++
	f.incarnation++
	f.happened("StartBoot", "boot")
	incarnation := f.incarnation
	f.mu.Unlock()
	if !f.boot(s, incarnation) {
		return
	}
	f.mu.Lock()
	f.provisioned = true
	f.happened("FinishBoot", "boot")
	f.mu.Unlock()
	s.say(message{"type": "state", "state": "ready", "incarnation": incarnation})
	f.attach(s, hello)
}

func (s *fakeSocket) say(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.conn.WriteJSON(m) // a page that went away is the page's business
}

func (s *fakeSocket) bytes(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.conn.WriteMessage(websocket.BinaryMessage, []byte(text))
}

func (s *fakeSocket) close(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
	_ = s.conn.Close()
}

func (s *fakeSocket) step(name, status, detail string) {
	s.say(message{"type": "step", "step": name, "status": status, "detail": detail})
}

// steps tells of a boot in which all goes well.
func (s *fakeSocket) steps(incarnation int) {
	s.say(message{"type": "state", "state": "booting", "incarnation": incarnation})
	s.step("packages", "started", "")
	s.say(message{"type": "log", "data": "Reading package lists...\r\nSetting up tmux (3.3a-3) ...\r\n\x1b[32mdone\x1b[0m\n"})
	s.step("packages", "done", "tmux, git")
	s.step("clone", "started", "")
	s.say(message{"type": "log", "data": "Cloning into '/root/project'...\n"})
	s.step("clone", "done", "main at 4f2c81e")
	s.step("shell", "started", "")
	s.step("shell", "done", "")
	s.step("user-script", "skipped", "none is configured")
}
